//! What was found of a list: in lines for people, or a JSON object for each feed.

use std::collections::BTreeMap;
use std::io::{self, Write};

use clap::builder::styling::AnsiColor;
use serde_json::{Map, Value, json};

use super::attempt::{Attempt, Converted, Outcome};
use crate::cli::say;
use crate::opml;
use crate::paging::PublicUrl;

/// Writes what was found to standard output. With JSON the summary goes to standard error.
pub(super) fn write(attempts: &[Attempt], as_json: bool, gateway: &PublicUrl) -> io::Result<()> {
    if as_json {
        let mut out = io::stdout().lock();
        for attempt in attempts {
            writeln!(out, "{}", object(attempt, gateway))?;
        }
        summary(attempts).iter().for_each(|line| say(line));
        return Ok(());
    }
    let mut out = anstream::stdout().lock();
    for line in attempts.iter().filter_map(line).chain(summary(attempts)) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// A line for what is not as the list has it.
fn line(attempt: &Attempt) -> Option<String> {
    let (word, what) = match &attempt.outcome {
        Outcome::Failed(problem) => ("failed", problem.detail().to_owned()),
        Outcome::Duplicate => ("twice", "The list has it already.".to_owned()),
        Outcome::Manifest(url) => {
            ("manifest", format!("{url} is an MMSP manifest. Subscribe to it, without a gateway."))
        }
        Outcome::Feed(Converted { moved_to: Some(to), .. }) => {
            ("moved", format!("It has moved for good, to {to}. Put that into the list."))
        }
        Outcome::Feed(converted) if converted.is_empty_handed() => (
            "empty",
            "None of its entries can become an item. `mmsp-gateway check` says why.".to_owned(),
        ),
        Outcome::Page(feed, converted) if !converted.is_empty_handed() => {
            ("page", format!("It is a web page. Its feed is {feed}."))
        }
        Outcome::Page(feed, _) => (
            "empty",
            format!(
                "It is a web page, and none of the entries of its feed {feed} can become an item."
            ),
        ),
        Outcome::Feed(_) => return None,
    };
    let title = attempt.title.escape_debug();
    let name = if attempt.title.is_empty() { String::new() } else { format!(" ({title})") };
    let style = match &attempt.outcome {
        Outcome::Failed(_) => AnsiColor::Red.on_default().bold(),
        Outcome::Feed(_) | Outcome::Page(..) => AnsiColor::Yellow.on_default(),
        Outcome::Manifest(_) | Outcome::Duplicate => AnsiColor::Cyan.on_default(),
    };
    Some(format!("{style}{word:<8}{style:#} {}{name}: {what}", attempt.url.escape_debug()))
}

/// How it went, in numbers that add up to the list.
fn summary(attempts: &[Attempt]) -> Vec<String> {
    let of = |is: fn(&Outcome) -> bool| attempts.iter().filter(|it| is(&it.outcome)).count();
    let all = format!(
        "{} feeds: {} can be converted, {} need no gateway, {} there twice, {} failed",
        attempts.len(),
        attempts.iter().filter_map(Attempt::converted).count(),
        of(|outcome| matches!(outcome, Outcome::Manifest(_))),
        of(|outcome| matches!(outcome, Outcome::Duplicate)),
        of(|outcome| matches!(outcome, Outcome::Failed(_))),
    );
    [Some(all), of_converted(attempts), of_failed(attempts)].into_iter().flatten().collect()
}

/// What there is to say of those that can be converted.
fn of_converted(attempts: &[Attempt]) -> Option<String> {
    let pages = attempts.iter().filter(|attempt| matches!(attempt.outcome, Outcome::Page(..)));
    let converted = |is: fn(&Converted) -> bool| {
        attempts.iter().filter_map(Attempt::converted).filter(|converted| is(converted)).count()
    };
    let details = [
        (pages.count(), "by a page that offers the feed"),
        (converted(|feed| feed.moved_to.is_some()), "moved for good"),
        (converted(|feed| feed.has_remarks), "with something mended, dropped or skipped"),
        (converted(Converted::is_empty_handed), "with entries of which none becomes an item"),
    ];
    let details: Vec<String> = details
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let said = format!("of those that can be converted: {}", details.join(", "));
    (!details.is_empty()).then_some(said)
}

/// Why the others failed, by the names of the problems.
fn of_failed(attempts: &[Attempt]) -> Option<String> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for attempt in attempts {
        if let Outcome::Failed(problem) = &attempt.outcome {
            *reasons.entry(problem.kind().name()).or_default() += 1;
        }
    }
    let said: Vec<String> = reasons.iter().map(|(name, count)| format!("{count} {name}")).collect();
    (!said.is_empty()).then(|| format!("failed: {}", said.join(", ")))
}

impl Converted {
    /// Whether it has entries, and none of them becomes an item.
    fn is_empty_handed(&self) -> bool {
        self.items == 0 && self.skipped > 0
    }
}

fn object(attempt: &Attempt, gateway: &PublicUrl) -> Value {
    let mut object = Map::new();
    let mut add = |name: &str, value: Value| drop(object.insert(name.to_owned(), value));
    add("url", attempt.url.as_str().into());
    add("title", attempt.title.as_str().into());
    let outcome = match &attempt.outcome {
        Outcome::Feed(_) => "feed",
        Outcome::Page(..) => "page",
        Outcome::Manifest(_) => "manifest",
        Outcome::Duplicate => "duplicate",
        Outcome::Failed(_) => "failed",
    };
    add("outcome", outcome.into());
    match &attempt.outcome {
        Outcome::Page(feed, _) => add("feed", feed.as_str().into()),
        Outcome::Manifest(url) => add("manifest_url", url.as_str().into()),
        Outcome::Failed(problem) => add("problem", problem.json()),
        Outcome::Feed(_) | Outcome::Duplicate => {}
    }
    if let Some(converted) = attempt.converted() {
        if let Some(url) = opml::to_manifests(gateway)(&attempt.url) {
            add("manifest_url", url.into());
        }
        if let Some(to) = &converted.moved_to {
            add("moved_to", to.as_str().into());
        }
        add("items", converted.items.into());
        add("skipped", json!(converted.skipped));
        add("mended", converted.has_remarks.into());
    }
    Value::Object(object)
}
