//! `docs/metrics.md`, written from the program.

use std::collections::BTreeSet;
use std::fmt::Write;

use mmsp_gateway::metrics::{Described, Metrics};

use super::exposition::{self, Shown};
use super::hold;

#[test]
fn the_catalogue_of_metrics_is_what_the_program_shows() {
    let families = exposition::families(&exposition::text());
    let metrics = Metrics::new().unwrap();
    let described = metrics.subjects().iter().flat_map(|subject| &subject.families);
    let described: BTreeSet<&str> = described.map(|it| it.family.name).collect();
    let shown: BTreeSet<&str> = families.keys().map(String::as_str).collect();
    assert_eq!(described, shown, "what is described is not what is shown");

    let mut text = HEAD.to_owned();
    for subject in metrics.subjects() {
        write!(text, "\n## {}\n", subject.title).unwrap();
        for described in &subject.families {
            text.push_str(&entry(described, &families[described.family.name]));
        }
    }
    hold("docs/metrics.md", &text);
}

fn entry(described: &Described, shown: &Shown) -> String {
    let Described { family, values: meanings } = described;
    assert_eq!(family.help, shown.help, "{}", family.name);
    let unit = if family.name.ends_with("_info") {
        "always 1"
    } else if family.name.contains("_seconds") {
        "in seconds"
    } else if family.name.contains("bytes") {
        "in bytes"
    } else {
        "a number"
    };
    let mut text = format!("\n### `{}`\n\n{} ({}, {unit})\n", family.name, family.help, shown.kind);
    for (label, values) in shown.labels.iter().filter(|(label, _)| *label != "le") {
        // Which version runs is for the program to say.
        let values: Vec<_> = values.iter().filter(|_| label != "version").collect();
        let explained = meanings.iter().filter(|(of, ..)| of == label);
        let explained: Vec<_> = explained.map(|(_, value, meaning)| (value, meaning)).collect();
        if explained.is_empty() {
            let values: Vec<_> = values.iter().map(|value| format!("`{value}`")).collect();
            let line = format!("Label `{label}`: {}", values.join(", "));
            text.push_str(&format!("\n{}", wrapped(line.trim_end_matches([':', ' ']))));
            continue;
        }
        let known: BTreeSet<&str> = explained.iter().map(|(value, _)| **value).collect();
        assert_eq!(known, values.iter().map(|value| value.as_str()).collect(), "{}", family.name);
        text.push_str(&format!("\nLabel `{label}`:\n\n"));
        for (value, meaning) in explained {
            text.push_str(&wrapped(&format!("* `{value}`: {}", plain(meaning))));
        }
    }
    text.push('\n');
    text.push_str(&wrapped(family.look));
    text
}

/// A meaning in the middle of a line: without its full stop.
fn plain(meaning: &str) -> &str {
    meaning.trim().trim_end_matches('.')
}

/// A paragraph in lines of at most 125 characters.
fn wrapped(text: &str) -> String {
    let indent = if text.starts_with("* ") { "\n  " } else { "\n" };
    let (mut wrapped, mut width) = (String::new(), 0);
    for word in text.split_whitespace() {
        if width > 0 && width + 1 + word.len() > 125 {
            wrapped.push_str(indent);
            width = indent.len() - 1;
        } else if width > 0 {
            wrapped.push(' ');
            width += 1;
        }
        wrapped.push_str(word);
        width += word.len();
    }
    wrapped + "\n"
}

const HEAD: &str = "\
# Metrics

What the gateway shows to Prometheus at `metrics.listen`, path `/metrics`. Written by `./dev bless` from the program; a test compares.
Every value of every label is there from the start, at 0, so that a rate over a first failure is not lost. No label ever holds an
address, a host, or anything else that a stranger wrote. Times have buckets from half a millisecond to a minute.

Under each metric stands what it means for whoever is on call. [`runbook.md`](runbook.md) says what to do when an alert fires.
";
