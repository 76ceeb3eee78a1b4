//! `opml`: a subscription list in, the same list with manifests for feeds out; with `--check`, what
//! would become of each of its feeds.

mod attempt;
mod check;
mod told;

use std::io::{self, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use thiserror::Error;

use super::loading::SettingsFiles;
use super::{FAILED, Unwritten, WRONG, print, say};
use crate::fetch::SetupError;
use crate::opml::{self, OpmlError};
use crate::paging::PublicUrl;
use crate::settings::Settings;

/// `opml [--check [--json]] [--config FILE]… FILE|-`
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Write no list: try each feed, and say which cannot be converted and why.
    #[arg(long)]
    check: bool,
    /// With --check: write a JSON object for each feed, one a line.
    #[arg(long, requires = "check")]
    json: bool,
    #[command(flatten)]
    settings: SettingsFiles,
    /// An OPML file, or `-` for standard input.
    #[arg(value_name = "FILE|-")]
    input: PathBuf,
}

/// Why nothing came of a list.
#[derive(Debug, Error)]
enum ListError {
    #[error("{0}: {1}")]
    Read(String, #[source] io::Error),
    #[error("{0}: {1}")]
    Opml(String, #[source] OpmlError),
    #[error("standard output cannot be written")]
    Output(Unwritten),
    #[error("{0}")]
    SetUp(#[from] SetupError),
    #[error("no event loop: {0}")]
    Runtime(#[source] io::Error),
}

impl ListError {
    fn exit_code(&self) -> u8 {
        match self {
            Self::SetUp(_) => WRONG,
            Self::Output(error) => error.told(),
            Self::Read(..) | Self::Opml(..) | Self::Runtime(_) => FAILED,
        }
    }
}

/// Writes the list, or what was found of its feeds, to standard output.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let settings = match arguments.settings.load_or_tell() {
        Ok(settings) => settings,
        Err(code) => return code,
    };
    let gateway = gateway(&settings);
    let done = arguments.read_list().and_then(|list| {
        if arguments.check {
            arguments.check(&list, &settings, &gateway)
        } else {
            arguments.rewrite(&list, &gateway)
        }
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(error) => {
            if !matches!(error, ListError::Output(_)) {
                say(&error.to_string());
            }
            ExitCode::from(error.exit_code())
        }
    }
}

fn unwritten(error: io::Error) -> ListError {
    ListError::Output(Unwritten(error))
}

/// The gateway of the settings; its addresses are signed where it wants that.
fn gateway(settings: &Settings) -> PublicUrl {
    settings.access.public_url(&settings.public_url())
}

impl Arguments {
    /// Writes the list; says whether every address could be replaced. Those that cannot be feeds
    /// stay, and are named.
    fn rewrite(&self, list: &str, gateway: &PublicUrl) -> Result<bool, ListError> {
        let rewritten = opml::rewrite(list, opml::to_manifests(gateway));
        let rewritten = rewritten.map_err(|error| self.is_no_list(error))?;
        print(rewritten.text.as_bytes()).map_err(unwritten)?;
        for url in &rewritten.left {
            say(&format!("left as it is, for it is no web address: {}", url.escape_debug()));
        }
        Ok(rewritten.left.is_empty())
    }

    /// Tries every feed; says whether all can be converted.
    fn check(
        &self,
        list: &str,
        settings: &Settings,
        gateway: &PublicUrl,
    ) -> Result<bool, ListError> {
        let outlines = opml::read(list).map_err(|error| self.is_no_list(error))?;
        let attempts = check::try_all(outlines, &settings.fetch)?;
        told::write(&attempts, self.json, gateway).map_err(unwritten)?;
        Ok(!attempts.iter().any(attempt::Attempt::has_failed))
    }

    fn is_no_list(&self, error: OpmlError) -> ListError {
        ListError::Opml(self.input.display().to_string(), error)
    }

    fn read_list(&self) -> Result<String, ListError> {
        let bytes = self.read();
        let bytes =
            bytes.map_err(|error| ListError::Read(self.input.display().to_string(), error))?;
        Ok(opml::decode(&bytes).into_owned())
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
