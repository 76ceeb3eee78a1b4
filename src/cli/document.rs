//! Reads the document that a command names: a file, standard input, or an address.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::Args;
use thiserror::Error;

use super::loading::SettingsFiles;
use super::{FAILED, Unwritten, WRONG, web};
use crate::convert::ConvertError;
use crate::fetch::{self, DecodeError, DecodeLimits, FetchError, SetupError};
use crate::gateway::Failure;
use crate::model::{SourceUrl, SourceUrlError};
use crate::opml::OpmlError;
use crate::server::problem::{Kind, Problem};
use crate::settings::SettingsError;

/// What is known of a document beside its bytes.
#[derive(Debug, Args)]
pub(super) struct Circumstances {
    /// The address that a file came from.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// A response header that a file came with; may be given several times.
    #[arg(long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    #[command(flatten)]
    settings: SettingsFiles,
}

impl Circumstances {
    /// Whether they tell of one document in particular.
    pub(super) fn are_of_one(&self) -> bool {
        self.url.is_some() || !self.headers.is_empty()
    }
}

/// A document, its content coding undone.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) body: Vec<u8>,
    pub(super) content_type: Option<String>,
    /// Whether all bytes are there that were announced.
    pub(super) complete: bool,
    /// The values of the `Link` fields.
    pub(super) link_fields: Vec<String>,
    /// The address it is known by.
    pub(super) url: SourceUrl,
    /// Whether that address was only made up from the file's name.
    pub(super) is_nameless: bool,
    /// Whether it came with a content coding.
    pub(super) is_coded: bool,
}

/// Why a document cannot be had.
#[derive(Debug, Error)]
pub(super) enum DocumentError {
    #[error("{0}: {1}")]
    Io(String, #[source] io::Error),
    #[error("{0}: the folder holds no files")]
    EmptyFolder(String),
    #[error("{0}: {1}")]
    List(String, #[source] OpmlError),
    #[error("{0}: the list names no feeds")]
    EmptyList(String),
    #[error("{0}: {1}: {2}")]
    Listed(String, String, #[source] SourceUrlError),
    #[error("{0} and {1} would both be written to {output}", output = .2.display())]
    SameOutput(String, String, PathBuf),
    #[error("{0}: {1}")]
    Url(String, #[source] SourceUrlError),
    #[error("{0}: a header is written 'Name: value'")]
    Header(String),
    #[error("{0}")]
    Settings(#[from] SettingsError),
    #[error("{0}")]
    SetUp(#[from] SetupError),
    #[error("{0}: {1}")]
    Fetch(String, #[source] Box<FetchError>),
    #[error("standard output cannot be written")]
    Output(Unwritten),
    #[error("{0}")]
    Decode(#[from] DecodeError),
    #[error("{0}")]
    Convert(#[from] ConvertError),
}

impl DocumentError {
    /// A file that cannot be read or written.
    pub(super) fn of_file(path: &Path, error: io::Error) -> Self {
        Self::Io(path.display().to_string(), error)
    }

    /// The failure as the gateway would tell it, where it is one of the document.
    pub(super) fn problem(&self) -> Option<Problem> {
        match self {
            Self::Decode(error) => Some(Problem::of_failure(&Failure::of_decode(error))),
            Self::Convert(error) => Some(Problem::of_failure(&Failure::of_convert(error))),
            Self::Fetch(_, error) => Some(Problem::of_failure(&Failure::of_fetch(error))),
            Self::Url(_, error) => Some(Problem::new(Kind::InvalidUrl, error.to_string())),
            Self::Io(..)
            | Self::EmptyFolder(_)
            | Self::List(..)
            | Self::EmptyList(_)
            | Self::Listed(..)
            | Self::SameOutput(..)
            | Self::Header(_)
            | Self::Settings(_)
            | Self::SetUp(_)
            | Self::Output(_) => None,
        }
    }

    /// What is to be said where several inputs may be meant: the input by its name, and why.
    pub(super) fn about(&self, input: &str) -> String {
        match self {
            Self::Decode(_) | Self::Convert(_) => format!("{input}: {self}"),
            Self::Io(..)
            | Self::EmptyFolder(_)
            | Self::List(..)
            | Self::EmptyList(_)
            | Self::Listed(..)
            | Self::SameOutput(..)
            | Self::Url(..)
            | Self::Header(_)
            | Self::Settings(_)
            | Self::SetUp(_)
            | Self::Output(_)
            | Self::Fetch(..) => self.to_string(),
        }
    }

    /// The exit code that it ends a command with.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::SameOutput(..)
            | Self::Header(_)
            | Self::Url(..)
            | Self::Settings(_)
            | Self::SetUp(_) => WRONG,
            Self::Output(error) => error.told(),
            Self::Io(..)
            | Self::EmptyFolder(_)
            | Self::List(..)
            | Self::EmptyList(_)
            | Self::Listed(..)
            | Self::Fetch(..)
            | Self::Decode(_)
            | Self::Convert(_) => FAILED,
        }
    }
}

impl Circumstances {
    /// The settings files of the command.
    pub(super) fn settings(&self) -> &SettingsFiles {
        &self.settings
    }

    /// Reads an address, a file, or standard input for `-`.
    pub(super) fn read(&self, name: &str) -> Result<Document, DocumentError> {
        if web::is_address(name) {
            return web::read(name, &self.settings.load()?.settings.fetch);
        }
        self.read_file(name)
    }

    fn read_file(&self, name: &str) -> Result<Document, DocumentError> {
        let coded = read_bytes(name).map_err(|error| DocumentError::Io(name.to_owned(), error))?;
        let coding = self.headers("content-encoding")?.first().copied();
        // What is coded and cut says so itself, and the file may have been decoded since it came.
        let is_plain = coding.is_none_or(|coding| coding.eq_ignore_ascii_case("identity"));
        let complete = !is_plain || self.announced_bytes()? <= coded.len();
        let limits = DecodeLimits::from(&fetch::Settings::default());
        Ok(Document {
            body: fetch::decode(coded, coding, &limits)?,
            content_type: self.headers("content-type")?.first().map(|text| (*text).to_owned()),
            complete,
            link_fields: self.headers("link")?.into_iter().map(str::to_owned).collect(),
            url: self.address(name)?,
            is_nameless: self.url.is_none(),
            is_coded: !is_plain,
        })
    }

    /// The `Content-Length`, 0 where there is none that can be read.
    fn announced_bytes(&self) -> Result<usize, DocumentError> {
        let lengths = self.headers("content-length")?;
        Ok(lengths.first().and_then(|length| length.parse().ok()).unwrap_or(0))
    }

    /// The values of a header, in their order.
    fn headers(&self, wanted: &str) -> Result<Vec<&str>, DocumentError> {
        let mut values = Vec::new();
        for header in &self.headers {
            let Some((name, value)) = header.split_once(':') else {
                return Err(DocumentError::Header(header.clone()));
            };
            if name.trim().eq_ignore_ascii_case(wanted) {
                values.push(value.trim());
            }
        }
        Ok(values)
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
