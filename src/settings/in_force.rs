//! What is in force, and where each value comes from: for whoever wonders why.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::layers::{DEFAULT, Table};
use super::{SECRETS, Settings};

/// Every key with the value in force and its origin, by section. Holds no secret.
#[derive(Debug)]
pub struct InForce(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    section: String,
    name: String,
    shown: Shown,
    origin: String,
}

#[derive(Debug)]
enum Shown {
    Value(Value),
    /// A secret, of which only this is told: whether it is set.
    Secret(bool),
}

impl InForce {
    pub(super) fn of(settings: &Settings, given: &Table) -> Self {
        let mut entries = Vec::new();
        for (section, names) in sections(settings) {
            let secrets = SECRETS.iter().filter_map(|key| key.split_once('.'));
            let secrets = secrets.filter(|(of, _)| *of == section);
            let secrets =
                secrets.map(|(_, name)| (name.to_owned(), secret(&key(&section, name), given)));
            let values = names.into_iter().map(|(name, value)| (name, Shown::Value(value)));
            for (name, shown) in values.chain(secrets.collect::<Vec<_>>()) {
                let origin = given.origin(&key(&section, &name)).to_owned();
                entries.push(Entry { section: section.clone(), name, shown, origin });
            }
        }
        Self(entries)
    }

    /// As a settings file, each line with its origin; secrets are comments.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        let mut section = "";
        for entry in &self.0 {
            // Writing to a string cannot fail.
            if entry.section != section {
                let gap = if text.is_empty() { "" } else { "\n" };
                section = &entry.section;
                let _ = writeln!(text, "{gap}[{section}]");
            }
            let Entry { name, origin, .. } = entry;
            let _ = match &entry.shown {
                Shown::Value(value) => writeln!(text, "{name} = {} # {origin}", written(value)),
                Shown::Secret(true) => writeln!(text, "# {name}: set, not shown # {origin}"),
                Shown::Secret(false) => writeln!(text, "# {name}: not set # {origin}"),
            };
        }
        text
    }

    /// As lines of JSON, an object for each key: `key`, `value`, `origin`; a secret has `is_set` in
    /// place of its value.
    #[must_use]
    pub fn to_json_lines(&self) -> String {
        let mut lines = String::new();
        for Entry { section, name, shown, origin } in &self.0 {
            let key = key(section, name);
            let line = match shown {
                Shown::Value(value) => json!({"key": key, "value": value, "origin": origin}),
                Shown::Secret(is_set) => json!({"key": key, "is_set": is_set, "origin": origin}),
            };
            let _ = writeln!(lines, "{line}");
        }
        lines
    }
}

/// A secret is told as one, unless it is the default that everybody knows.
fn secret(key: &str, given: &Table) -> Shown {
    let is_set = given.is_set(key);
    let default = given.values.get(key).filter(|_| is_set && given.origin(key) == DEFAULT);
    default.map_or(Shown::Secret(is_set), |value| Shown::Value(value.to_string().into()))
}

/// The settings as they are in force, by section; without secrets.
pub(super) fn sections(settings: &Settings) -> Vec<(String, Map<String, Value>)> {
    let mut shown = settings.clone();
    // A port that the system chooses is known once it is bound.
    let port = settings.server.tls_listen.map(|address| address.port());
    if port != Some(0) {
        shown.server.public_url = settings.server.public_url(port);
    }
    let mut found = Vec::new();
    if let Ok(Value::Object(all)) = serde_json::to_value(&shown) {
        collect("", all, &mut found);
    }
    found
}

/// Takes the values of a section, then the sections inside of it.
fn collect(path: &str, section: Map<String, Value>, found: &mut Vec<(String, Map<String, Value>)>) {
    let (mut values, mut inside) = (Map::new(), Vec::new());
    for (name, value) in section {
        match value {
            Value::Object(section) => inside.push((key(path, &name), section)),
            value => drop(values.insert(name, value)),
        }
    }
    if !values.is_empty() {
        found.push((path.to_owned(), values));
    }
    for (path, section) in inside {
        collect(&path, section, found);
    }
}

/// The full key of a name in a section; a few stand in none.
pub(super) fn key(section: &str, name: &str) -> String {
    if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") }
}

fn written(value: &Value) -> String {
    toml::Value::try_from(value).map_or_else(|_| value.to_string(), |value| value.to_string())
}
