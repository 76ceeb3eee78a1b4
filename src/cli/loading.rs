//! Where every command gets its settings from.

use std::env;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::WRONG;
use crate::settings::{self, Depth, Loaded, Settings, SettingsError};

/// The settings files of a command.
#[derive(Debug, Args)]
pub(super) struct SettingsFiles {
    /// A settings file (TOML); may be given several times, later ones win.
    #[arg(long = "config", value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl SettingsFiles {
    /// Reads the files and the environment, and whatever files these name.
    pub(super) fn load_all(&self) -> Result<Loaded, SettingsError> {
        settings::load(&self.files, env::vars_os(), Depth::Files)
    }

    /// Reads the files and the environment; says what is wrong with them, and gives the exit code.
    pub(super) fn load_or_tell(&self) -> Result<Settings, ExitCode> {
        self.load().map(|loaded| loaded.settings).map_err(|error| {
            // Nobody can be told that standard error is closed.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(WRONG)
        })
    }

    /// Reads the files and the environment.
    pub(super) fn load(&self) -> Result<Loaded, SettingsError> {
        settings::load(&self.files, env::vars_os(), Depth::Values)
    }
}
