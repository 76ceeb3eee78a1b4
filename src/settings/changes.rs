//! What differs between two settings, by key.

use std::collections::{BTreeMap, BTreeSet};

use secrecy::{ExposeSecret as _, SecretString};
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
        let secrets = self.secrets().into_iter().zip(other.secrets());
        let differing = secrets.filter(|((_, ours), (_, theirs))| !are_same(ours, theirs));
        changed.extend(differing.map(|((key, _), _)| key.to_owned()));
        changed.sort();
        changed
    }
}

fn are_same(ours: &[SecretString], theirs: &[SecretString]) -> bool {
    ours.iter().map(|it| it.expose_secret()).eq(theirs.iter().map(|it| it.expose_secret()))
}

fn flat(settings: &Settings) -> BTreeMap<String, Value> {
    let keys = sections(settings).into_iter().flat_map(|(section, names)| {
        names.into_iter().map(move |(name, value)| (key(&section, &name), value))
    });
    keys.collect()
}
