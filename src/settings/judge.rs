//! Reads the sections out of what was given, and collects what is wrong with them.

use std::collections::{BTreeMap, BTreeSet};

use config::ValueKind;
use serde::de::DeserializeOwned;

use super::layers::{DEFAULT, Table};
use super::{Settings, secret_keys, unknown, value};
use crate::fault::Fault;

/// Collects faults, each once: what follows from one that was told already is not told again.
pub(super) struct Judge<'a> {
    given: &'a Table,
    pub(super) faults: Vec<String>,
    /// Keys that do not exist.
    unknown: BTreeSet<String>,
    /// Keys whose values are not what was meant.
    doubtful: BTreeSet<String>,
}

impl<'a> Judge<'a> {
    /// Judges what was given, after faults that were found while it was gathered.
    pub(super) fn new(given: &'a Table, faults: Vec<String>) -> Self {
        Self { given, faults, unknown: BTreeSet::new(), doubtful: BTreeSet::new() }
    }

    pub(super) fn find_unknown(&mut self, known: &Table) {
        for unknown in unknown::find(known, self.given) {
            self.faults.push(format!("{}: {}", self.given.origin(&unknown.key), unknown.sentence));
            self.doubtful.extend(unknown.meant);
            self.unknown.insert(unknown.key);
        }
    }

    /// Reads a section key by key, so that each fault has its line, then as a whole.
    pub(super) fn read<T: DeserializeOwned + Default>(&mut self, section: &str) -> T {
        let mut good = Vec::new();
        for (name, found) in self.given.section(section) {
            let key = format!("{section}.{name}");
            match value::read::<T>([(name, found)]) {
                _ if self.unknown.contains(&key) => {}
                Ok(_) => good.push((name, found)),
                Err(error) => {
                    let sentence = error.sentence(&key, secret_keys().contains(&key.as_str()));
                    self.faults.push(format!("{}: {sentence}", self.given.origin(&key)));
                    self.doubtful.insert(key);
                }
            }
        }
        value::read(good).unwrap_or_default()
    }

    /// Reads the sections inside of one, whose names are the operator's.
    pub(super) fn read_named<T: DeserializeOwned + Default>(
        &mut self,
        section: &str,
    ) -> BTreeMap<String, T> {
        let inside = self.given.section(section).filter_map(|(rest, found)| match &found.kind {
            ValueKind::Table(_) => Some(rest.to_owned()),
            _ => rest.rsplit_once('.').map(|(name, _)| name.to_owned()),
        });
        let names: BTreeSet<String> = inside.collect();
        names
            .into_iter()
            .map(|name| {
                let section = self.read(&format!("{section}.{name}"));
                (name, section)
            })
            .collect()
    }

    /// Reads a key that stands in no section.
    pub(super) fn read_alone(&mut self, key: &str) -> Settings {
        let Some(found) = self.given.values.get(key) else { return Settings::default() };
        value::read([(key, found)]).unwrap_or_else(|error| {
            self.faults.push(format!("{}: {}", self.given.origin(key), error.sentence(key, false)));
            self.doubtful.insert(key.to_owned());
            Settings::default()
        })
    }

    /// Takes a fault between settings, with the places of all that it concerns.
    pub(super) fn take_together(&mut self, fault: Fault) {
        let is_default = |key: &String| self.given.origin(key) == DEFAULT;
        let is_told = fault.keys.iter().any(|key| self.doubtful.contains(key));
        if is_told || fault.if_written.as_ref().is_some_and(is_default) {
            return;
        }
        let origins: BTreeSet<&str> = fault
            .keys
            .iter()
            .filter(|key| !is_default(key))
            .map(|key| self.given.origin(key))
            .collect();
        let places = origins.into_iter().collect::<Vec<_>>().join(", ");
        let colon = if places.is_empty() { "" } else { ": " };
        self.faults.push(format!("{places}{colon}{}", fault.sentence));
    }
}
