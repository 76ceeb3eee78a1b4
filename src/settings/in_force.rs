//! What is in force, and where each value comes from: for whoever wonders why.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::layers::{DEFAULT, Table};
use super::{Depth, Settings, secret_keys};

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
    /// A default that would be a fault if somebody had written it.
    Default(Value),
    /// A secret, of which only this is told: whether it is set.
    Secret(bool),
}

impl InForce {
    pub(super) fn of(settings: &Settings, given: &Table) -> Self {
        let mut entries = Vec::new();
        let faults = settings.faults(Depth::Values);
        let defaults: BTreeSet<String> =
            faults.into_iter().filter_map(|fault| fault.if_written).collect();
        for (section, names) in sections(settings) {
            let keys = secret_keys();
            let secrets = keys.iter().filter_map(|key| key.split_once('.'));
            let secrets = secrets.filter(|(of, _)| *of == section);
            let secrets =
                secrets.map(|(_, name)| (name.to_owned(), secret(&key(&section, name), given)));
            let values = names.into_iter().map(|(name, value)| {
                let is_default = defaults.contains(&key(&section, &name));
                (name, if is_default { Shown::Default(value) } else { Shown::Value(value) })
            });
            for (name, shown) in values.chain(secrets.collect::<Vec<_>>()) {
                let origin = given.origin(&key(&section, &name)).to_owned();
                entries.push(Entry { section: section.clone(), name, shown, origin });
            }
        }
        Self(entries)
    }

    /// As a settings file, each line with its origin; secrets are comments, and so are defaults
    /// that would be faults if somebody had written them.
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
                Shown::Default(value) => {
                    writeln!(text, "# {name} = {} # {origin}", written(value))
                }
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
                Shown::Value(value) | Shown::Default(value) => {
                    json!({"key": key, "value": value, "origin": origin})
                }
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
    if settings.server.tls_listen.is_none_or(|address| address.port() != 0) {
        shown.server.public_url = settings.public_url();
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
