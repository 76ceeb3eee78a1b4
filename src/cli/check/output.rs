//! A judgement told: in lines for people, or as one JSON object.

use std::borrow::Cow;
use std::io::{self, Write};

use clap::builder::styling::{AnsiColor, Style};
use serde_json::{Map, Value, json};

use super::judgement::{Judgement, Kind};
use crate::manifest::{Finding, Findings, Severity};

/// Writes a judgement to standard output.
pub(super) fn write(judgement: &Judgement, as_json: bool) -> io::Result<()> {
    if as_json {
        return writeln!(io::stdout().lock(), "{}", object(judgement));
    }
    anstream::stdout().lock().write_all(text(judgement).as_bytes())
}

fn text(judgement: &Judgement) -> String {
    let Judgement { input, items, skipped, pages, .. } = judgement;
    let kind = match judgement.kind {
        Kind::Manifest => "MMSP manifest".to_owned(),
        Kind::Feed(format) => format!("legacy feed ({format})"),
        Kind::Page => "web page".to_owned(),
        Kind::Unknown => "neither manifest nor feed".to_owned(),
    };
    let mut text = format!("{}: {kind}", printable(input));
    if *pages > 0 {
        text += &format!(", {}", counted(*items, "item"));
    }
    if *pages > 1 {
        text += &format!(" on {pages} pages");
    }
    if let Some(version) = judgement.tls {
        text += &format!(", TLS {version}");
    }
    if *skipped > 0 {
        text += &format!(", {skipped} skipped");
    }
    text.push('\n');
    for finding in sorted(&judgement.findings) {
        let Finding { severity, clause, at, what } = finding;
        let (style, word) = (style(*severity), severity.as_str());
        let (at, what) = (printable(at), printable(what));
        text += &format!("  {style}{word:<7}{style:#} {clause:<5} {at}: {what}\n");
    }
    let left = judgement.findings.total() - judgement.findings.list().len();
    if left > 0 {
        text += &format!("  and {left} more\n");
    }
    if let Some(why) = &judgement.stopped {
        text += &format!("  note: {}\n", printable(why));
    }
    text + &format!("  {}\n", verdict(&judgement.findings))
}

fn verdict(findings: &Findings) -> String {
    let counts: Vec<String> = Severity::ALL
        .iter()
        .filter(|severity| findings.count(**severity) > 0)
        .map(|severity| format!("{} {}", findings.count(*severity), severity.as_str()))
        .collect();
    let word = if findings.is_valid() {
        format!("{GOOD}good{GOOD:#}")
    } else {
        format!("{BAD}not good{BAD:#}")
    };
    if counts.is_empty() { word } else { format!("{word}: {}", counts.join(", ")) }
}

/// What a finding quotes is a stranger's: what could move a cursor or ring a bell is shown as an
/// escape.
fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(char::is_control) {
        return text.into();
    }
    let shown = |letter: char| match letter.is_control() {
        true => letter.escape_default().to_string(),
        false => letter.to_string(),
    };
    text.chars().map(shown).collect()
}

fn style(severity: Severity) -> Style {
    match severity {
        Severity::Reject => BAD,
        Severity::Skip | Severity::Drop | Severity::Breach => AnsiColor::Yellow.on_default(),
        Severity::Advice => AnsiColor::Cyan.on_default(),
    }
}

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The worst first, otherwise as they were found.
fn sorted(findings: &Findings) -> Vec<&Finding> {
    let mut list: Vec<&Finding> = findings.list().iter().collect();
    list.sort_by_key(|finding| finding.severity);
    list
}

fn object(judgement: &Judgement) -> Value {
    let (kind, format) = match judgement.kind {
        Kind::Manifest => ("manifest", None),
        Kind::Feed(format) => ("feed", Some(format)),
        Kind::Page => ("page", None),
        Kind::Unknown => ("unknown", None),
    };
    let findings = &judgement.findings;
    let counts: Map<String, Value> = Severity::ALL
        .iter()
        .map(|severity| (severity.as_str().to_owned(), findings.count(*severity).into()))
        .collect();
    let mut object = json!({
        "input": judgement.input,
        "kind": kind,
        "good": findings.is_valid(),
        "items": judgement.items,
        "skipped": judgement.skipped,
        "pages": judgement.pages,
        "requests": judgement.requests,
        "counts": counts,
        "findings": sorted(findings),
    });
    if let Value::Object(members) = &mut object {
        members.extend(format.map(|format| ("format".to_owned(), format.into())));
        members.extend(judgement.tls.map(|version| ("tls".to_owned(), version.into())));
        let stopped = judgement.stopped.as_deref();
        members.extend(stopped.map(|why| ("stopped".to_owned(), why.into())));
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judgement_is_told_with_the_worst_first() {
        let mut judgement = Judgement::of("feed.json");
        judgement.kind = Kind::Manifest;
        (judgement.items, judgement.skipped, judgement.pages) = (3, 1, 2);
        judgement.findings.add(Severity::Advice, "5.4", "$.a", "better so");
        judgement.findings.add(Severity::Skip, "6.1", "$.items[0].id", "it is missing");
        assert_eq!(
            anstream::adapter::strip_str(&text(&judgement)).to_string(),
            "feed.json: MMSP manifest, 3 items on 2 pages, 1 skipped\n\
             \x20 skip    6.1   $.items[0].id: it is missing\n\
             \x20 advice  5.4   $.a: better so\n\
             \x20 not good: 1 skip, 1 advice\n"
        );
        assert!(text(&judgement).contains("\u{1b}[33mskip"));
        assert_eq!(printable("a\u{1b}[2J\u{7}b"), "a\\u{1b}[2J\\u{7}b");
        let object = object(&judgement);
        assert_eq!(object["good"], false);
        assert_eq!(object["counts"]["skip"], 1);
        assert_eq!(object["findings"][0]["at"], "$.items[0].id");
    }
}
