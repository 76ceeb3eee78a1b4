//! `discover`: a page in, the list of its feeds out, as `/mmsp/discover` gives it.

use std::process::ExitCode;

use clap::Args;
use thiserror::Error;

use super::convert::{PUBLIC_URL, convert_document};
use super::document::{Circumstances, Document, DocumentError};
use super::{FAILED, Unwritten, print, say};
use crate::clock::Clock;
use crate::convert::ConvertError;
use crate::discovery::{self, Candidate, FeedType, Offer, Page};
use crate::model::{MimeType, SourceUrl};
use crate::paging::Address;

/// `discover [OPTIONS] FILE|URL|-`
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    circumstances: Circumstances,
    /// A file, an address, or `-` for standard input.
    #[arg(value_name = "FILE|URL|-")]
    input: String,
}

#[derive(Debug, Error)]
enum DiscoverError {
    #[error("{0}")]
    Document(#[from] DocumentError),
    #[error("{0}: the page offers no feed")]
    NoFeedFound(SourceUrl),
    #[error("standard output cannot be written")]
    Output(Unwritten),
}

impl DiscoverError {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Document(error) => error.exit_code(),
            Self::NoFeedFound(_) => FAILED,
            Self::Output(error) => error.told(),
        }
    }
}

/// Writes the list to standard output; a page without feeds is a failure, and nothing is written.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    match arguments.discover() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !matches!(error, DiscoverError::Output(_)) {
                say(&error.to_string());
            }
            ExitCode::from(error.exit_code())
        }
    }
}

impl Arguments {
    fn discover(&self) -> Result<(), DiscoverError> {
        let candidates = find(&self.circumstances.read(&self.input)?)?;
        let offers: Vec<Offer> = candidates.into_iter().map(offer).collect();
        let list = serde_json::to_string(&offers).unwrap_or_default();
        print(format!("{list}\n").as_bytes())
            .map_err(|error| DiscoverError::Output(Unwritten(error)))
    }
}

/// A feed is all that it offers; anything else is looked at as a page.
fn find(document: &Document) -> Result<Vec<Candidate>, DiscoverError> {
    let error = match convert_document(document, Clock::system().now()) {
        Ok((url, conversion)) => {
            let media_type = MimeType::parse(conversion.media_type);
            let r#type = media_type.as_ref().and_then(FeedType::of_media_type);
            let r#type = r#type.unwrap_or(FeedType::Unsaid);
            return Ok(vec![Candidate { r#type, url, title: Some(conversion.feed.title) }]);
        }
        Err(error) => error,
    };
    let found = discovery::find(&Page {
        body: &document.body,
        content_type: document.content_type.as_deref(),
        url: &document.url,
        link_fields: &document.link_fields,
    });
    match error {
        _ if !found.is_empty() => Ok(found),
        DocumentError::Convert(ConvertError::WebPage) => {
            Err(DiscoverError::NoFeedFound(document.url.clone()))
        }
        error => Err(error.into()),
    }
}

/// Lists a feed as a gateway without a name of its own would.
fn offer(candidate: Candidate) -> Offer {
    let address = Address::of(&PUBLIC_URL.into(), &candidate.url, None);
    candidate.offer(address.first())
}
