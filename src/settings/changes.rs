//! What differs between two settings, by key.

use std::collections::{BTreeMap, BTreeSet};

use secrecy::ExposeSecret as _;
use serde_json::Value;

use super::Settings;
use super::in_force::{key, sections};

impl Settings {
    /// The keys whose values differ, sorted; secrets too, without their values.
    #[must_use]
    pub fn changed_keys(&self, other: &Self) -> Vec<String> {
        let (ours, theirs) = (flat(self), flat(other));
        // Named feeds come and go with their keys.
        let keys: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
        let differ = keys.into_iter().filter(|key| ours.get(*key) != theirs.get(*key));
        let mut changed: Vec<String> = differ.cloned().collect();
        let are_same = |ours: &[secrecy::SecretString], theirs: &[secrecy::SecretString]| {
            ours.iter().map(|it| it.expose_secret()).eq(theirs.iter().map(|it| it.expose_secret()))
        };
        let secrets = [
            ("access.keys", are_same(&self.access.keys, &other.access.keys)),
            ("access.tokens", are_same(&self.access.tokens, &other.access.tokens)),
            ("store.url", self.store.url.expose_secret() == other.store.url.expose_secret()),
        ];
        let differing = secrets.into_iter().filter(|(_, is_same)| !is_same);
        changed.extend(differing.map(|(key, _)| key.to_owned()));
        changed.sort();
        changed
    }
}

fn flat(settings: &Settings) -> BTreeMap<String, Value> {
    let keys = sections(settings).into_iter().flat_map(|(section, names)| {
        names.into_iter().map(move |(name, value)| (key(&section, &name), value))
    });
    keys.collect()
}
