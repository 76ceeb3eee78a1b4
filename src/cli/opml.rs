//! `opml`: a subscription list in, the same list with manifests for feeds out.

use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use thiserror::Error;

use super::loading::SettingsFiles;
use super::{FAILED, say};
use crate::opml::{self, OpmlError};
use crate::paging::PublicUrl;
use crate::settings::Settings;

/// `opml [--config FILE]… FILE|-`
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    settings: SettingsFiles,
    /// An OPML file, or `-` for standard input.
    #[arg(value_name = "FILE|-")]
    input: PathBuf,
}

#[derive(Debug, Error)]
enum ListError {
    #[error("{0}: {1}")]
    Read(String, #[source] io::Error),
    #[error("{0}: {1}")]
    Opml(String, #[source] OpmlError),
    #[error("standard output: {0}")]
    Output(#[source] io::Error),
}

/// Writes the list to standard output; addresses that cannot be feeds stay, and are named.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let settings = match arguments.settings.load_or_tell() {
        Ok(settings) => settings,
        Err(code) => return code,
    };
    match arguments.rewrite(&gateway(&settings)) {
        Ok(left) => {
            for url in &left {
                say(&format!("left as it is, for it is no web address: {}", url.escape_debug()));
            }
            if left.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) }
        }
        Err(error) => {
            say(&error.to_string());
            ExitCode::from(FAILED)
        }
    }
}

/// The gateway of the settings; its addresses are signed where it wants that.
fn gateway(settings: &Settings) -> PublicUrl {
    let port = settings.server.tls_listen.map(|address| address.port());
    settings.access.public_url(&settings.server.public_url(port))
}

impl Arguments {
    fn rewrite(&self, gateway: &PublicUrl) -> Result<Vec<String>, ListError> {
        let name = self.input.display().to_string();
        let bytes = self.read().map_err(|error| ListError::Read(name.clone(), error))?;
        let list = opml::rewrite(&opml::decode(&bytes), opml::to_manifests(gateway))
            .map_err(|error| ListError::Opml(name, error))?;
        io::stdout().lock().write_all(list.text.as_bytes()).map_err(ListError::Output)?;
        Ok(list.left)
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        if self.input.as_os_str() != "-" {
            return std::fs::read(&self.input);
        }
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
