//! What the program shows to Prometheus, read back.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{Origin, Program, client};

/// A metric as it is shown: its kind, and the values of each of its labels.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    pub(super) kind: String,
    pub(super) help: String,
    pub(super) labels: BTreeMap<String, BTreeSet<String>>,
}

/// What a program shows that has just started, as text.
pub(super) fn text() -> String {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let program = Program::start(folder.path(), origin.ca_file(), &[]);
    client::request(program.metrics, "GET", "/metrics", &[]).text()
}

/// The metrics of such a text by the names of their families.
pub(super) fn families(text: &str) -> BTreeMap<String, Shown> {
    let mut families: BTreeMap<String, Shown> = BTreeMap::new();
    for line in text.lines() {
        if let Some(line) = line.strip_prefix("# HELP ") {
            let (name, help) = line.split_once(' ').unwrap();
            families.entry(name.to_owned()).or_default().help = help.to_owned();
        } else if let Some(line) = line.strip_prefix("# TYPE ") {
            let (name, kind) = line.split_once(' ').unwrap();
            families.entry(name.to_owned()).or_default().kind = kind.to_owned();
        } else {
            let (series, _value) = line.rsplit_once(' ').unwrap();
            let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
            // Some names end as the parts of a histogram do.
            let name = if families.contains_key(name) { name } else { family(name) };
            let shown = families.get_mut(name).unwrap();
            for label in labels.trim_end_matches('}').split(',').filter(|label| !label.is_empty()) {
                let (name, value) = label.split_once('=').unwrap();
                let values = shown.labels.entry(name.to_owned()).or_default();
                values.insert(value.trim_matches('"').to_owned());
            }
        }
    }
    families
}

/// The family that a sample of a histogram belongs to.
pub(super) fn family(sample: &str) -> &str {
    let parts = ["_bucket", "_sum", "_count"];
    parts.iter().find_map(|part| sample.strip_suffix(part)).unwrap_or(sample)
}
