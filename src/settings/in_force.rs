//! What is in force, and where each value comes from: for whoever wonders why.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::layers::Table;
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
            for (name, value) in names {
                let key = format!("{section}.{name}");
                let origin = given.origin(&key).to_owned();
                entries.push(Entry {
                    section: section.clone(),
                    name,
                    shown: Shown::Value(value),
                    origin,
                });
            }
            for key in SECRETS {
                if let Some((_, name)) = key.split_once('.').filter(|(of, _)| *of == section) {
                    let shown = Shown::Secret(given.is_set(key));
                    let origin = given.origin(key).to_owned();
                    entries.push(Entry {
                        section: section.clone(),
                        name: name.to_owned(),
                        shown,
                        origin,
                    });
                }
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
                let gap = if section.is_empty() { "" } else { "\n" };
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
            let key = format!("{section}.{name}");
            let line = match shown {
                Shown::Value(value) => json!({"key": key, "value": value, "origin": origin}),
                Shown::Secret(is_set) => json!({"key": key, "is_set": is_set, "origin": origin}),
            };
            let _ = writeln!(lines, "{line}");
        }
        lines
    }
}

/// The settings as they are in force, by section; without secrets.
pub(super) fn sections(settings: &Settings) -> Vec<(String, Map<String, Value>)> {
    let mut shown = settings.clone();
    // A port that the system chooses is known once it is bound.
    let port = settings.server.tls_listen.map(|address| address.port());
    if port != Some(0) {
        shown.server.public_url = settings.server.public_url(port);
    }
    let Ok(Value::Object(sections)) = serde_json::to_value(&shown) else { return Vec::new() };
    let tables = sections.into_iter().filter_map(|(name, section)| match section {
        Value::Object(section) => Some((name, section)),
        _ => None,
    });
    tables.collect()
}

fn written(value: &Value) -> String {
    toml::Value::try_from(value).map_or_else(|_| value.to_string(), |value| value.to_string())
}
