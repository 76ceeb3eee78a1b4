//! Are the settings in order, and what is in force?

use std::io::{self, Write};
use std::process::ExitCode;

use crate::cli::loading::SettingsFiles;
use crate::cli::{Unwritten, WRONG, print, say};
use crate::settings::Loaded;

/// Prints each setting in force with its origin, without secrets: a settings file, or lines of
/// JSON. Every fault goes to standard error.
pub(super) fn run(settings: &SettingsFiles, as_json: bool) -> ExitCode {
    let Loaded { settings, in_force } = match settings.load_all() {
        Ok(loaded) => loaded,
        Err(error) => {
            // Nobody can be told that standard error is closed.
            let _ = writeln!(io::stderr(), "{error}");
            return ExitCode::from(WRONG);
        }
    };
    for doubt in settings.access.doubts() {
        say(&format!("warning: {doubt}"));
    }
    let text = if as_json { in_force.to_json_lines() } else { in_force.to_toml() };
    Unwritten::code_of(print(text.as_bytes()))
}
