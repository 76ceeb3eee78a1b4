//! Reads the document that a command names: a file, standard input, or an address.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use clap::Args;
use thiserror::Error;

use crate::convert::ConvertError;
use crate::fetch::{self, DecodeError, DecodeLimits};
use crate::gateway::Failure;
use crate::model::{SourceUrl, SourceUrlError};
use crate::server::problem::Problem;

/// What is known of a document beside its bytes.
#[derive(Debug, Args)]
pub(super) struct Circumstances {
    /// The address that a file came from.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// A response header that a file came with; may be given several times.
    #[arg(long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
}

/// A document, its content coding undone.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) body: Vec<u8>,
    pub(super) content_type: Option<String>,
    /// The address it is known by.
    pub(super) url: SourceUrl,
    /// Whether that address was only made up from the file's name.
    pub(super) is_nameless: bool,
}

/// Why a document cannot be had.
#[derive(Debug, Error)]
pub(super) enum DocumentError {
    #[error("{0}: {1}")]
    Io(String, #[source] io::Error),
    #[error("{0}: {1}")]
    Url(String, #[source] SourceUrlError),
    #[error("{0}: a header is written 'Name: value'")]
    Header(String),
    #[error("{0}")]
    Decode(#[from] DecodeError),
    #[error("{0}")]
    Convert(#[from] ConvertError),
}

impl DocumentError {
    /// The failure as the gateway would tell it, where it is one of the document.
    pub(super) fn problem(&self) -> Option<Problem> {
        match self {
            Self::Decode(error) => Some(Problem::of_failure(&Failure::of_decode(error))),
            Self::Convert(error) => Some(Problem::of_failure(&Failure::of_convert(error))),
            Self::Io(..) | Self::Url(..) | Self::Header(_) => None,
        }
    }
}

impl Circumstances {
    /// Reads a file, or standard input for `-`.
    pub(super) fn read(&self, name: &str) -> Result<Document, DocumentError> {
        let coded = read_bytes(name).map_err(|error| DocumentError::Io(name.to_owned(), error))?;
        let coding = self.header("content-encoding")?;
        let limits = DecodeLimits::from(&fetch::Settings::default());
        Ok(Document {
            body: fetch::decode(coded, coding, &limits)?,
            content_type: self.header("content-type")?.map(str::to_owned),
            url: self.address(name)?,
            is_nameless: self.url.is_none(),
        })
    }

    fn header(&self, wanted: &str) -> Result<Option<&str>, DocumentError> {
        for header in &self.headers {
            let Some((name, value)) = header.split_once(':') else {
                return Err(DocumentError::Header(header.clone()));
            };
            if name.trim().eq_ignore_ascii_case(wanted) {
                return Ok(Some(value.trim()));
            }
        }
        Ok(None)
    }

    fn address(&self, name: &str) -> Result<SourceUrl, DocumentError> {
        let made_up = || {
            let file = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
            format!("https://feed.invalid/{}", file.replace(['?', '#'], "_"))
        };
        let text = self.url.clone().unwrap_or_else(made_up);
        SourceUrl::parse(&text).map_err(|error| DocumentError::Url(text, error))
    }
}

fn read_bytes(name: &str) -> io::Result<Vec<u8>> {
    if name != "-" {
        return fs::read(name);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}
