//! A judgement told: in lines for people, or as one JSON object.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::judgement::{Judgement, Kind};
use crate::manifest::{Finding, Findings, Severity};

/// Writes a judgement to standard output.
pub(super) fn write(judgement: &Judgement, as_json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if as_json {
        return writeln!(out, "{}", object(judgement));
    }
    out.write_all(text(judgement).as_bytes())
}

fn text(judgement: &Judgement) -> String {
    let Judgement { input, items, skipped, pages, .. } = judgement;
    let kind = match judgement.kind {
        Kind::Manifest => "MMSP manifest".to_owned(),
        Kind::Feed(format) => format!("legacy feed ({format})"),
        Kind::Page => "web page".to_owned(),
        Kind::Unknown => "neither manifest nor feed".to_owned(),
    };
    let mut text = format!("{input}: {kind}");
    if *pages > 0 {
        text += &format!(", {}", counted(*items, "item"));
    }
    if *pages > 1 {
        text += &format!(" on {pages} pages");
    }
    if *skipped > 0 {
        text += &format!(", {skipped} skipped");
    }
    text.push('\n');
    for finding in sorted(&judgement.findings) {
        let Finding { severity, clause, at, what } = finding;
        text += &format!("  {:<7} {clause:<5} {at}: {what}\n", severity.as_str());
    }
    let left = judgement.findings.total() - judgement.findings.list().len();
    if left > 0 {
        text += &format!("  and {left} more\n");
    }
    if let Some(why) = &judgement.stopped {
        text += &format!("  note: {why}\n");
    }
    text + &format!("  {}\n", verdict(&judgement.findings))
}

fn verdict(findings: &Findings) -> String {
    let counts: Vec<String> = Severity::ALL
        .iter()
        .filter(|severity| findings.count(**severity) > 0)
        .map(|severity| format!("{} {}", findings.count(*severity), severity.as_str()))
        .collect();
    let word = if findings.is_valid() { "good" } else { "not good" };
    if counts.is_empty() { word.to_owned() } else { format!("{word}: {}", counts.join(", ")) }
}

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
            text(&judgement),
            "feed.json: MMSP manifest, 3 items on 2 pages, 1 skipped\n\
             \x20 skip    6.1   $.items[0].id: it is missing\n\
             \x20 advice  5.4   $.a: better so\n\
             \x20 not good: 1 skip, 1 advice\n"
        );
        let object = object(&judgement);
        assert_eq!(object["good"], false);
        assert_eq!(object["counts"]["skip"], 1);
        assert_eq!(object["findings"][0]["at"], "$.items[0].id");
    }
}
