//! Gathers every module's settings: built-in defaults, then files, then the environment.
//!
//! `config/default.toml` is the table of all keys with their defaults, built into the program: the
//! lowest layer, the list that unknown keys are compared with, and the documentation in one. An
//! empty text stands for "none". All faults are found at once, so that nobody fixes one a start,
//! and each begins with the place where it was made.

mod changes;
mod environment;
mod feeds;
mod file;
mod in_force;
mod judge;
mod layers;
#[cfg(test)]
mod tests;
mod unknown;
mod value;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::slice;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::clock::Clock;
use crate::fault::Fault;
use crate::metrics::Metrics;
use crate::store::Store;
use crate::{cache, convert, fetch, gateway, normalize, server, store, telemetry};

use judge::Judge;
use layers::Table;

pub use in_force::InForce;

/// Everything that can be set.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Where requests come in.
    pub server: server::Settings,
    /// Who may ask.
    pub access: server::AccessSettings,
    /// How much one caller may ask.
    pub callers: server::CallerSettings,
    /// What may be read from the web, and how much of it.
    pub fetch: fetch::Settings,
    /// When sources are read.
    pub poll: gateway::Settings,
    /// What becomes of their items.
    pub normalize: normalize::Settings,
    /// Where items are remembered.
    pub store: store::Settings,
    /// How much is remembered.
    pub retention: gateway::Retention,
    /// Feeds that have names.
    pub feeds: BTreeMap<String, gateway::FeedSettings>,
    /// The name of the feed at `/.well-known/mmsp.json`; empty for none.
    pub well_known: String,
    /// What is kept ready.
    pub cache: cache::Settings,
    /// Where Prometheus reads.
    pub metrics: server::MetricsSettings,
    /// What is logged.
    pub log: telemetry::Settings,
}

/// Why the settings are refused; each fault is a plain sentence.
#[derive(Debug, Error)]
#[error("{}", faults.join("\n"))]
pub struct SettingsError {
    /// One line a fault.
    pub faults: Vec<String>,
}

/// What was read.
#[derive(Debug)]
pub struct Loaded {
    /// The settings, checked.
    pub settings: Settings,
    /// Every key with the value in force and where it comes from, for `check`.
    pub in_force: InForce,
}

/// How far the settings are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Their values: for commands that do without the files that these name.
    Values,
    /// The files that they name as well, as `serve` will read them.
    Files,
}

/// The table of all keys, their defaults and their reasons.
pub const DEFAULT_TOML: &str = include_str!("../../config/default.toml");

/// Reads the settings from files (later ones win) and from the variables of the environment.
///
/// # Errors
/// Names every fault that was found.
pub fn load(
    files: &[PathBuf],
    environment: impl IntoIterator<Item = (OsString, OsString)>,
    depth: Depth,
) -> Result<Loaded, SettingsError> {
    let Gathered { known, given, faults, are_files_whole } = gather(files, environment)?;
    let mut judge = Judge::new(&given, faults);
    judge.find_unknown(&known);
    let settings = Settings {
        server: judge.read("server"),
        access: judge.read("access"),
        callers: judge.read("callers"),
        fetch: judge.read("fetch"),
        poll: judge.read("poll"),
        normalize: judge.read("normalize"),
        store: judge.read("store"),
        retention: judge.read("retention"),
        feeds: judge.read_named("feeds"),
        well_known: judge.read_alone("well_known").well_known,
        cache: judge.read("cache"),
        metrics: judge.read("metrics"),
        log: judge.read("log"),
    };
    // Without a file it is not known what goes together.
    if are_files_whole {
        settings.faults(depth).into_iter().for_each(|fault| judge.take_together(fault));
    }
    if !judge.faults.is_empty() {
        return Err(SettingsError { faults: judge.faults });
    }
    let in_force = InForce::of(&settings, &given);
    Ok(Loaded { settings, in_force })
}

/// What was given, before it is judged.
struct Gathered {
    /// All keys that there are, with their defaults.
    known: Table,
    given: Table,
    /// What is wrong with files and variables as such.
    faults: Vec<String>,
    are_files_whole: bool,
}

fn gather(
    files: &[PathBuf],
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Gathered, SettingsError> {
    let mut faults = Vec::new();
    let defaults = file::defaults(DEFAULT_TOML).map_err(|faults| SettingsError { faults })?;
    let known = merge(vec![defaults.clone()], &Table::default())?;
    let mut layers = vec![defaults];
    for file in files {
        match file::read(file) {
            Ok(layer) => layers.push(layer),
            Err(broken) => faults.extend(broken),
        }
    }
    let are_files_whole = faults.is_empty();
    layers.push(environment::read(environment, &known, &mut faults));
    let given = merge(layers, &known)?;
    Ok(Gathered { known, given, faults, are_files_whole })
}

fn merge(layers: Vec<layers::Layer>, known: &Table) -> Result<Table, SettingsError> {
    layers::merge(layers, known).map_err(|error| SettingsError { faults: vec![error.to_string()] })
}

impl Settings {
    /// The one list of secrets, under their keys: they are never shown, and can be read from the
    /// file named by `…_FILE`.
    fn secrets(&self) -> Vec<(&'static str, &[SecretString])> {
        let mut secrets = self.access.secrets().to_vec();
        secrets.push(("store.url", slice::from_ref(&self.store.url)));
        secrets
    }

    /// Whether these can be in force together, with the files that they name.
    ///
    /// # Errors
    /// Names every fault.
    pub fn check(&self) -> Result<(), SettingsError> {
        let faults = self.faults(Depth::Files).into_iter();
        // Whether a value was written is known, and was judged, where it was read.
        let faults = faults.filter(|fault| fault.if_written.is_none());
        let faults: Vec<String> = faults.map(|fault| fault.sentence).collect();
        if faults.is_empty() { Ok(()) } else { Err(SettingsError { faults }) }
    }

    /// The feeds that have names.
    ///
    /// # Errors
    /// Names every fault of theirs; settings that were loaded have none.
    pub fn named_feeds(&self) -> Result<gateway::NamedFeeds, SettingsError> {
        gateway::NamedFeeds::parse(&self.feeds, &self.well_known).map_err(|faults| SettingsError {
            faults: faults.iter().map(ToString::to_string).collect(),
        })
    }

    /// What a gateway is made of by these settings, on a store that is open, known by that address.
    ///
    /// # Errors
    /// As [`Settings::named_feeds`].
    pub fn parts(
        &self,
        store: Store,
        clock: Clock,
        metrics: Metrics,
        base: &str,
    ) -> Result<gateway::Parts, SettingsError> {
        Ok(gateway::Parts {
            poll: self.poll.clone(),
            fetch: self.fetch.clone(),
            retention: self.retention.clone(),
            normalize: self.normalize.clone(),
            limits: convert::Limits::default(),
            cache: self.cache.clone(),
            store,
            clock,
            metrics,
            public_url: self.access.public_url(base),
            named: self.named_feeds()?,
        })
    }

    /// The address that clients know us by, where the settings alone tell it; a port that the
    /// system chooses is known once it is bound.
    #[must_use]
    pub fn public_url(&self) -> String {
        self.server.public_url(self.server.tls_listen.map(|address| address.port()))
    }

    /// What is wrong though each value can be read, by module.
    fn faults(&self, depth: Depth) -> Vec<Fault> {
        let server = self.server.faults(&self.access, &self.callers, &self.metrics);
        let mut faults: Vec<Fault> = server.iter().map(Fault::from).collect();
        faults.extend(self.fetch.faults());
        faults.extend(self.poll.faults(&self.retention, self.server.drain_limit()));
        faults.extend(self.store.check().err().map(|error| Fault::of(&["store.url"], error)));
        let named = gateway::NamedFeeds::parse(&self.feeds, &self.well_known);
        faults.extend(named.err().iter().flatten().map(Fault::from));
        faults.extend(feeds::faults(self));
        faults.extend(self.log.filter().err().map(|error| Fault::of(&["log.level"], error)));
        if depth == Depth::Files {
            faults.extend(self.fetch.check_files().err().map(|error| Fault::from(&error)));
            let tls = server::Tls::check_files(&self.server).err();
            faults.extend(tls.map(|error| Fault::of(&TLS_FILES, with_cause(&error))));
        }
        faults
    }
}

const TLS_FILES: [&str; 2] = ["server.tls_cert", "server.tls_key"];

/// A fault of the certificate in one line: what is wrong with a file of the operator's is told to
/// the last.
fn with_cause(error: &dyn std::error::Error) -> String {
    let cause = error.source().map(|cause| format!(": {cause}"));
    format!("{}: {error}{}", TLS_FILES.join(" and "), cause.unwrap_or_default())
}

/// The keys of all secrets.
fn secret_keys() -> Vec<&'static str> {
    Settings::default().secrets().into_iter().map(|(key, _)| key).collect()
}
