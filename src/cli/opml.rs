//! `opml`: a subscription list in, the same list with manifests for feeds out.

use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use thiserror::Error;

use super::convert::PUBLIC_URL;
use super::{FAILED, say};
use crate::model::SourceUrl;
use crate::opml::{self, OpmlError};
use crate::paging::{Address, PublicUrl};

/// `opml [--gateway URL] FILE|-`
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The gateway whose manifests the list is to name.
    #[arg(long, value_name = "URL", default_value = PUBLIC_URL)]
    gateway: String,
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
    match arguments.rewrite() {
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

impl Arguments {
    fn rewrite(&self) -> Result<Vec<String>, ListError> {
        let name = self.input.display().to_string();
        let text = self.read().map_err(|error| ListError::Read(name.clone(), error))?;
        let gateway = PublicUrl::new(self.gateway.trim_end_matches('/'));
        let translate = |url: &str| {
            let source = SourceUrl::parse(url).ok()?;
            Some(Address::of(&gateway, &source, None).first().to_owned())
        };
        let list = opml::rewrite(&text, translate).map_err(|e| ListError::Opml(name, e))?;
        io::stdout().lock().write_all(list.text.as_bytes()).map_err(ListError::Output)?;
        Ok(list.left)
    }

    fn read(&self) -> io::Result<String> {
        let mut bytes = Vec::new();
        if self.input.as_os_str() == "-" {
            io::stdin().lock().read_to_end(&mut bytes)?;
        } else {
            bytes = std::fs::read(&self.input)?;
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
