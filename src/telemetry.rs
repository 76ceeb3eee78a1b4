//! The log: text where a person reads it, JSON where a machine does; always on standard error.
//!
//! No line carries a client's address, a secret, or more of a source's address than its host;
//! levels `debug` and `trace` may show whole source addresses.

mod json;
mod lines;

use std::io::{self, IsTerminal};

use anstream::{AutoStream, ColorChoice};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tracing::subscriber;
use tracing_subscriber::{EnvFilter, fmt, reload};

use json::Json;
use lines::Lines;

/// Section `log`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// What is logged: a level, or directives such as `info,mmsp_gateway::gateway=debug`.
    pub level: String,
    /// How it is written.
    pub format: Format,
}

impl Default for Settings {
    fn default() -> Self {
        Self { level: "info".to_owned(), format: Format::Auto }
    }
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Text on a terminal, JSON elsewhere.
    Auto,
    /// Always text.
    Text,
    /// Always JSON, one object a line.
    Json,
}

/// Why there is no log.
#[derive(Debug, Error)]
pub enum TelemetryError {
    /// The level cannot be read.
    #[error("log.level {0:?} is neither a level (error, warn, info, debug, trace) nor directives")]
    Level(String),
    /// A module of ours that is not there: nothing would be logged of it.
    #[error("log.level: there is no {0} here; modules are mmsp_gateway::NAME, as in docs/logs.md")]
    Module(String),
    /// The log is gone.
    #[error("the level of the log cannot be changed")]
    Gone(#[source] reload::Error),
    /// Nobody writes the lines.
    #[error("the log cannot be written")]
    Thread(#[source] io::Error),
    /// Somebody else logs already.
    #[error("a log is already being kept in this process")]
    Taken(#[from] subscriber::SetGlobalDefaultError),
}

impl Settings {
    /// Reads the level.
    ///
    /// # Errors
    /// Names the level that cannot be read.
    pub fn filter(&self) -> Result<EnvFilter, TelemetryError> {
        let level = self.level.trim();
        // A bare word that is no level would be taken for the name of a target.
        let is_word = level.bytes().all(|byte| byte.is_ascii_alphabetic());
        if level.is_empty()
            || is_word && level.parse::<tracing::level_filters::LevelFilter>().is_err()
        {
            return Err(TelemetryError::Level(self.level.clone()));
        }
        if let Some(target) = level.split(',').map(target).find(|it| is_lost(it)) {
            return Err(TelemetryError::Module(target.to_owned()));
        }
        EnvFilter::try_new(format!("{QUIET},{level}"))
            .map_err(|_| TelemetryError::Level(self.level.clone()))
    }

    /// Whether people are meant to read it, rather than machines.
    #[must_use]
    pub fn is_text(&self) -> bool {
        match self.format {
            Format::Auto => io::stderr().is_terminal(),
            Format::Text => true,
            Format::Json => false,
        }
    }
}

/// Whose lines a directive is about (`target[span]=level`).
fn target(directive: &str) -> &str {
    directive.split(['=', '[']).next().unwrap_or_default().trim()
}

/// Whether a target means a module of this program, and there is none of that name.
fn is_lost(target: &str) -> bool {
    let mut parts = target.split("::");
    let is_ours = parts.next() == Some(env!("CARGO_CRATE_NAME"));
    let is_meant = target.starts_with("mmsp");
    is_meant && !(is_ours && parts.next().is_none_or(|module| MODULES.contains(&module)))
}

/// The modules of this program.
const MODULES: [&str; 21] = [
    "bounds",
    "cache",
    "cli",
    "clock",
    "convert",
    "current",
    "discovery",
    "fault",
    "fetch",
    "filter",
    "gateway",
    "manifest",
    "metrics",
    "model",
    "normalize",
    "opml",
    "paging",
    "server",
    "settings",
    "store",
    "syndication",
];

/// What says little that an operator wants, unless they ask for it by name. Whatever a client sends
/// that is not HTTP would be an error of ours to `actix_http`.
const QUIET: &str = "actix_server=warn,actix_http=off";

/// The log that is being kept. When it goes, what waits is written.
pub struct Log {
    renew: Box<dyn Fn(EnvFilter) -> Result<(), reload::Error>>,
    lines: Option<Lines>,
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Some(lines) = &self.lines {
            lines.end();
        }
    }
}

impl Log {
    /// Logs at another level from now on.
    ///
    /// # Errors
    /// Fails on a level that cannot be read; the one before it stays.
    pub fn set_level(&self, settings: &Settings) -> Result<(), TelemetryError> {
        (self.renew)(settings.filter()?).map_err(TelemetryError::Gone)
    }
}

/// Begins to log, for the rest of the process.
///
/// # Errors
/// Fails on a level that cannot be read, without a thread that writes, and when called twice.
pub fn start(settings: &Settings) -> Result<Log, TelemetryError> {
    let filter = settings.filter()?;
    if settings.is_text() {
        // As the commands choose: a terminal, and nobody who says no to colours.
        let is_coloured = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
        let log = fmt().with_writer(io::stderr).with_ansi(is_coloured);
        let log = log.with_env_filter(filter).with_filter_reloading();
        let handle = log.reload_handle();
        subscriber::set_global_default(log.finish())?;
        Ok(Log { renew: Box::new(move |filter| handle.reload(filter)), lines: None })
    } else {
        let lines = Lines::to(io::stderr()).map_err(TelemetryError::Thread)?;
        let log = fmt().with_writer(lines.clone()).event_format(Json);
        let log = log.with_env_filter(filter).with_filter_reloading();
        let handle = log.reload_handle();
        subscriber::set_global_default(log.finish())?;
        Ok(Log { renew: Box::new(move |filter| handle.reload(filter)), lines: Some(lines) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(level: &str) -> bool {
        Settings { level: level.to_owned(), format: Format::Auto }.filter().is_ok()
    }

    #[test]
    fn levels_and_directives_are_read() {
        for level in ["info", "WARN", "off", "info,mmsp_gateway::fetch=debug", " debug "] {
            assert!(check(level), "{level}");
        }
    }

    #[test]
    fn what_is_neither_is_refused() {
        for level in ["", "loud", "info,=,=", "mmsp_gateway=loud"] {
            assert!(!check(level), "{level}");
        }
    }

    #[test]
    fn a_module_that_is_not_there_is_refused_and_others_libraries_are_not() {
        for level in ["mmsp_gatway=debug", "info, mmsp_gateway::gatway=debug", "mmsp-gateway=info"]
        {
            assert!(!check(level), "{level}");
        }
        for level in ["mmsp_gateway=warn", "info,mmsp_gateway::server::observe=warn", "sqlx=debug"]
        {
            assert!(check(level), "{level}");
        }
    }

    #[test]
    fn every_module_of_the_program_can_be_named() {
        let modules = include_str!("lib.rs").lines().filter_map(|line| {
            line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')
        });
        let modules: Vec<&str> = modules.filter(|module| *module != "telemetry").collect();
        assert_eq!(modules, MODULES);
    }
}
