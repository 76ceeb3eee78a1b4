//! Gathers every module's settings: built-in defaults, then files, then the environment.
//!
//! `config/default.toml` is the table of all keys with their defaults, built into the program: the
//! lowest layer, the list that unknown keys are compared with, and the documentation in one. An
//! empty text stands for "none". All faults are found at once, so that nobody fixes one a start.

mod unknown;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use config::{Config, ConfigError, Environment, File, FileFormat, Value, ValueKind};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::{cache, fetch, gateway, normalize, server, store, telemetry};

/// Everything that can be set.
#[derive(Clone, Debug, Default, Deserialize)]
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
    /// How much is remembered.
    pub retention: gateway::Retention,
    /// Feeds that have names.
    pub feeds: BTreeMap<String, gateway::FeedSettings>,
    /// The name of the feed at `/.well-known/mmsp.json`; empty for none.
    pub well_known: String,
    /// What becomes of their items.
    pub normalize: normalize::Settings,
    /// Where items are remembered.
    pub store: store::Settings,
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

/// What was read: the settings, and each key with its value as text, for `check`.
#[derive(Debug)]
pub struct Loaded {
    /// The settings, checked.
    pub settings: Settings,
    /// Every key with the value in force, sorted; secrets are shown as `(set)` or `(not set)`.
    pub in_force: Vec<(String, String)>,
}

/// The table of all keys, their defaults and their reasons.
pub const DEFAULT_TOML: &str = include_str!("../../config/default.toml");

/// Keys whose values are never shown, and which can be read from the file named by `…_FILE`.
const SECRETS: [&str; 3] = ["access.keys", "access.tokens", "store.url"];

const PREFIX: &str = "MMSP_GATEWAY";

/// Reads the settings from files (later ones win) and from the variables of the environment.
///
/// # Errors
/// Names every fault that was found.
pub fn load(
    files: &[PathBuf],
    environment: impl IntoIterator<Item = (String, String)>,
) -> Result<Loaded, SettingsError> {
    let mut variables = HashMap::new();
    let mut faults = Vec::new();
    for (name, value) in environment {
        match read_secret_file(&name, &value) {
            Some(Ok((name, secret))) => drop(variables.insert(name, secret)),
            Some(Err(fault)) => faults.push(fault),
            None => drop(variables.insert(name, value)),
        }
    }
    let config = build(files, variables).map_err(|error| fault(&error))?;
    faults.extend(unknown::find(&known()?, &flatten(config.cache.clone())));
    if !faults.is_empty() {
        return Err(SettingsError { faults });
    }
    let in_force = flatten(config.cache.clone()).into_iter().map(show).collect();
    let settings = Settings {
        server: section(&config, "server", &mut faults),
        access: section(&config, "access", &mut faults),
        callers: section(&config, "callers", &mut faults),
        fetch: section(&config, "fetch", &mut faults),
        poll: section(&config, "poll", &mut faults),
        retention: section(&config, "retention", &mut faults),
        feeds: section(&config, "feeds", &mut faults),
        well_known: config.get_string("well_known").unwrap_or_else(|error| {
            faults.push(error.to_string());
            String::new()
        }),
        normalize: section(&config, "normalize", &mut faults),
        store: section(&config, "store", &mut faults),
        cache: section(&config, "cache", &mut faults),
        metrics: section(&config, "metrics", &mut faults),
        log: section(&config, "log", &mut faults),
    };
    faults.extend(settings.faults());
    if faults.is_empty() {
        Ok(Loaded { settings, in_force })
    } else {
        Err(SettingsError { faults })
    }
}

impl Settings {
    /// Reads the files that the settings name, as `serve` will. Other commands do without.
    ///
    /// # Errors
    /// Names every file that cannot be used.
    pub fn check_files(&self) -> Result<(), SettingsError> {
        let fetch = self.fetch.check_files().err().map(|error| error.to_string());
        let tls = server::Tls::check_files(&self.server).err().map(|error| error.to_string());
        let faults: Vec<String> = fetch.into_iter().chain(tls).collect();
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

    /// What is wrong though each value can be read, by module.
    fn faults(&self) -> Vec<String> {
        let mut faults: Vec<String> =
            self.server.faults(&self.access).iter().map(ToString::to_string).collect();
        faults.extend(self.fetch.check().err().map(|error| error.to_string()));
        faults.extend(self.store.check().err().map(|error| error.to_string()));
        faults.extend(self.named_feeds().err().into_iter().flat_map(|error| error.faults));
        faults.extend(self.log.filter().err().map(|error| error.to_string()));
        faults
    }
}

/// Reads a section. One that cannot be read gives its fault and, for the sake of the others'
/// faults, its defaults.
fn section<T: DeserializeOwned + Default>(
    config: &Config,
    name: &str,
    faults: &mut Vec<String>,
) -> T {
    let table = config.get_table(name).map(|table| Value::new(None, ValueKind::Table(table)));
    table.and_then(Value::try_deserialize).unwrap_or_else(|error| {
        faults.push(format!("[{name}] {error}"));
        T::default()
    })
}

fn build(files: &[PathBuf], variables: HashMap<String, String>) -> Result<Config, ConfigError> {
    let mut builder = Config::builder().add_source(File::from_str(DEFAULT_TOML, FileFormat::Toml));
    for file in files {
        builder = builder.add_source(File::from(Path::new(file)).format(FileFormat::Toml));
    }
    let environment = Environment::with_prefix(PREFIX)
        .prefix_separator("__")
        .separator("__")
        .source(Some(variables));
    builder.add_source(environment).build()
}

/// Takes `MMSP_GATEWAY__STORE__URL_FILE=PATH` for the secret in that file.
fn read_secret_file(name: &str, path: &str) -> Option<Result<(String, String), String>> {
    let variable = name.strip_suffix("_FILE")?;
    let key = variable.strip_prefix(PREFIX)?.strip_prefix("__")?.replace("__", ".");
    if !SECRETS.iter().any(|secret| secret.eq_ignore_ascii_case(&key)) {
        return None;
    }
    Some(match fs::read_to_string(path) {
        Ok(secret) => Ok((variable.to_owned(), secret.trim_end_matches(['\r', '\n']).to_owned())),
        Err(error) => Err(format!("{name} names {path}, which cannot be read: {error}")),
    })
}

fn known() -> Result<Vec<String>, SettingsError> {
    let defaults = build(&[], HashMap::new()).map_err(|error| fault(&error))?;
    Ok(flatten(defaults.cache).into_iter().map(|(key, _)| key).collect())
}

fn fault(error: &ConfigError) -> SettingsError {
    SettingsError { faults: vec![error.to_string()] }
}

/// Every value under its full key, sorted.
fn flatten(value: Value) -> Vec<(String, Value)> {
    fn walk(prefix: &str, value: Value, found: &mut Vec<(String, Value)>) {
        match value.kind {
            ValueKind::Table(table) => {
                for (key, value) in table {
                    let key = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
                    walk(&key, value, found);
                }
            }
            _ => found.push((prefix.to_owned(), value)),
        }
    }
    let mut found = Vec::new();
    walk("", value, &mut found);
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found
}

fn show((key, value): (String, Value)) -> (String, String) {
    let shown = if SECRETS.contains(&key.as_str()) {
        let is_set = !written(value).is_empty();
        if is_set { "(set)" } else { "(not set)" }.to_owned()
    } else {
        written(value)
    };
    (key, shown)
}

fn written(value: Value) -> String {
    match value.kind {
        ValueKind::Array(values) => values.into_iter().map(written).collect::<Vec<_>>().join(","),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn check(file: &str, pairs: &[(&str, &str)]) -> Result<Settings, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        fs::write(&path, file).unwrap();
        load(&[path], variables(pairs))
            .map(|loaded| loaded.settings)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_documented_defaults_are_the_built_in_ones() {
        let documented = load(&[], []).unwrap().settings;
        assert_eq!(format!("{documented:#?}"), format!("{:#?}", Settings::default()));
    }

    #[test]
    fn every_setting_is_documented() {
        let known = known().unwrap();
        let sections: Vec<_> = known
            .iter()
            .filter_map(|key| key.split_once('.').map(|(section, _)| section))
            .collect();
        for section in fields("").into_iter().filter(|field| field != "well_known") {
            // Its names are the operator's.
            if section == "feeds" {
                assert!(DEFAULT_TOML.contains("# [feeds.blog]\n# url = \""));
                continue;
            }
            assert!(sections.contains(&section.as_str()), "[{section}] is not documented");
            for field in fields(&section) {
                let key = format!("{section}.{field}");
                assert!(known.contains(&key), "{key} is not documented");
            }
        }
    }

    /// The fields of a section as serde names them when it meets one that is not among them.
    fn fields(section: &str) -> Vec<String> {
        let key = if section.is_empty() { "x_x" } else { &format!("{section}.x_x") };
        let config = Config::builder().set_override(key, 1).unwrap().build().unwrap();
        let error = config.try_deserialize::<Settings>().unwrap_err().to_string();
        let (_, list) = error.split_once("expected ").unwrap();
        let list = list.split(" for key").next().unwrap();
        list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    #[test]
    fn feeds_are_named_in_files_and_in_the_environment() {
        let file = "well_known = \"blog\"\n[feeds.blog]\nurl = \"blog.example/feed\"";
        let settings =
            check(file, &[("MMSP_GATEWAY__FEEDS__NEWS__URL", "https://news.example")]).unwrap();
        let named = settings.named_feeds().unwrap();
        let all: Vec<_> =
            named.iter().map(|(name, url)| (name.to_string(), url.as_str())).collect();
        let [blog, news] = ["https://blog.example/feed", "https://news.example/"];
        assert_eq!(all, [("blog".to_owned(), blog), ("news".to_owned(), news)]);
        assert_eq!(named.well_known().unwrap().1.as_str(), blog);
        assert_eq!(Settings::default().named_feeds().unwrap().iter().count(), 0);
    }

    #[test]
    fn faults_of_named_feeds_are_told_with_their_keys() {
        let file = "well_known = \"blog\"\n[feeds.Blog]\nurl = \"a.example\"\n\
                    [feeds.feed]\nurl = \"a.example\"\n[feeds.a]\nurl = \"ftp://a.example\"";
        let error = check(file, &[]).unwrap_err();
        for part in ["feeds.Blog: ", "feeds.feed: ", "feeds.a.url: ", "well_known is \"blog\""] {
            assert!(error.contains(part), "{part} is missing in {error}");
        }
        let error = check("[feeds.a]\nurl = \"a.example\"\nulr = 1", &[]).unwrap_err();
        assert!(error.contains("feeds.a.ulr is not a setting; did you mean feeds.a.url?"));
    }

    #[test]
    fn the_environment_wins_over_files_and_files_over_defaults() {
        let file = "[server]\nworkers = 3\nmax_connections = 5";
        let settings = check(file, &[("MMSP_GATEWAY__SERVER__WORKERS", "4")]).unwrap();
        assert_eq!(settings.server.workers, 4);
        assert_eq!(settings.server.max_connections, 5);
        assert_eq!(settings.server.keep_alive_seconds, 60);
    }

    #[test]
    fn an_unknown_key_is_an_error_that_names_the_nearest_one() {
        let error = check(
            "[server]\nlisten_tls = \"\"\n[fetsh]\nallow_ports = []",
            &[("MMSP_GATEWAY__SERVER__LISTN", "127.0.0.1:1"), ("MMSP_GATEWAY_SOMETHING_ELSE", "1")],
        )
        .unwrap_err();
        assert!(error.contains("server.listn is not a setting; did you mean server.listen?"));
        assert!(error.contains("server.listen_tls is not a setting"));
        assert!(error.contains("did you mean fetch.allow_ports?"));
        assert_eq!(error.lines().count(), 3, "{error}");
    }

    #[test]
    fn faults_between_settings_are_told_together() {
        let error = check(
            "[server]\ntls_cert = \"a\"\npublic_url = \"http://x\"\n",
            &[("MMSP_GATEWAY__LOG__LEVEL", "loud")],
        )
        .unwrap_err();
        assert_eq!(error.lines().count(), 3, "{error}");
    }

    #[test]
    fn a_secret_can_stand_in_a_file_and_is_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "sqlite:/elsewhere/hidden.db\n").unwrap();
        let pairs = [("MMSP_GATEWAY__STORE__URL_FILE", path.to_str().unwrap())];
        let loaded = load(&[], variables(&pairs)).unwrap();
        let shown = loaded.in_force.iter().find(|(key, _)| key == "store.url").unwrap();
        assert_eq!(shown.1, "(set)");
        assert!(!format!("{loaded:?}").contains("hidden"));
        assert!(load(&[], variables(&[("MMSP_GATEWAY__STORE__URL_FILE", "/nowhere")])).is_err());
    }

    #[test]
    fn one_fault_of_each_section_is_told_at_once() {
        let file = "[server]\nworkers = \"many\"\n[fetch]\nallow_ports = [0]\n\
                    [log]\nformat = \"loud\"\n[access]\nmode = \"closed\"\n\
                    [store]\nurl = \"mysql://a:secret@b/\"";
        let error = check(file, &[]).unwrap_err();
        for part in ["workers", "a port from 1", "auto, text or json", "open", "store.url"] {
            assert!(error.contains(part), "{part} is missing in {error}");
        }
        assert!(!error.contains("secret"), "{error}");
    }

    #[test]
    fn a_value_of_the_wrong_kind_names_its_key() {
        let error = check("[server]\nworkers = \"many\"", &[]).unwrap_err();
        assert!(error.contains("workers"), "{error}");
        let error = check("[server]\nlisten = \"8080\"", &[]).unwrap_err();
        assert!(error.contains("listen") && error.contains("IP:PORT"), "{error}");
    }
}
