//! `sign`: the address of a feed's manifest, signed, for a gateway in the mode `signed`.

use std::process::ExitCode;

use clap::Args;

use super::loading::SettingsFiles;
use super::{Unwritten, WRONG, print, say};
use crate::model::SourceUrl;
use crate::paging::{Address, PublicUrl};

/// `sign [--config FILE]… URL…`
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    settings: SettingsFiles,
    /// Addresses of feeds; each gives a line.
    #[arg(required = true, value_name = "URL")]
    urls: Vec<String>,
}

/// Prints the signed address of each feed. Fetches nothing, and does not judge the addresses.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let settings = match arguments.settings.load_or_tell() {
        Ok(settings) => settings,
        Err(code) => return code,
    };
    let Some(keys) = settings.access.signing_keys() else {
        say("access.keys is empty: there is nothing to sign with");
        return ExitCode::from(WRONG);
    };
    let public_url = PublicUrl::new(&settings.public_url()).signing(keys);
    let mut lines = String::new();
    for url in &arguments.urls {
        match SourceUrl::parse(url) {
            Ok(source) => {
                lines += Address::of(&public_url, &source, None).first();
                lines.push('\n');
            }
            Err(error) => {
                say(&format!("{url}: {error}"));
                return ExitCode::from(WRONG);
            }
        }
    }
    Unwritten::code_of(print(lines.as_bytes()))
}
