//! Are the settings in order, and what is in force?

use std::io::{self, Write};
use std::process::ExitCode;

use crate::cli::loading::SettingsFiles;
use crate::cli::{FAILED, WRONG};

/// Prints each setting in force, without secrets; every fault goes to standard error.
pub(super) fn run(settings: &SettingsFiles) -> ExitCode {
    let loaded = match settings.load_all() {
        Ok(loaded) => loaded,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            return ExitCode::from(WRONG);
        }
    };
    let mut out = io::stdout().lock();
    let written =
        loaded.in_force.iter().try_for_each(|(key, value)| writeln!(out, "{key} = {value}"));
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) }
}
