//! Fetches the document that a command names by address, through the same door as the gateway.

use std::io;

use tokio::runtime::Builder;
use tokio::task::LocalSet;

use super::document::{Document, DocumentError};
use crate::fetch::{Answer, Fetcher, Redirect, Request, Settings};
use crate::model::SourceUrl;

/// Whether an input is an address rather than the name of a file.
pub(super) fn is_address(input: &str) -> bool {
    let scheme = input.split_once(':').map_or("", |(scheme, _)| scheme);
    ["http", "https", "feed"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// A document, and the way to it.
pub(super) struct Fetched {
    pub(super) document: Document,
    pub(super) redirects: Vec<Redirect>,
}

/// Fetches a document once; nothing is remembered.
pub(super) fn read(address: &str, settings: &Settings) -> Result<Document, DocumentError> {
    let url =
        SourceUrl::parse(address).map_err(|error| DocumentError::Url(address.to_owned(), error))?;
    let broken = |error: io::Error| DocumentError::Io(address.to_owned(), error);
    let runtime = Builder::new_current_thread().enable_all().build().map_err(broken)?;
    let fetched = LocalSet::new()
        .block_on(&runtime, async { fetch(&Fetcher::for_user(settings)?, &url).await })?;
    Ok(fetched.document)
}

/// Fetches a document by a fetcher that is there already.
pub(super) async fn fetch(fetcher: &Fetcher, url: &SourceUrl) -> Result<Fetched, DocumentError> {
    let response = fetcher.fetch(&Request::new(url.clone())).await;
    let response =
        response.map_err(|error| DocumentError::Fetch(url.to_string(), Box::new(error)))?;
    let Answer::Document(document) = response.answer else {
        let error = io::Error::other("the source did not send a document");
        return Err(DocumentError::Io(url.to_string(), error));
    };
    let is_coded = u64::try_from(document.body.len()) != Ok(document.wire_bytes);
    let document = Document {
        body: document.body,
        content_type: document.content_type,
        complete: document.complete,
        link_fields: response.links,
        url: response.url,
        is_nameless: false,
        is_coded,
    };
    Ok(Fetched { document, redirects: response.redirects })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_file_names() {
        for address in ["https://example.org/feed", "HTTP://example.org", "feed:example.org"] {
            assert!(is_address(address), "{address}");
        }
        for name in ["feed.xml", "./https", "-", "C:\\feed.xml", "a/b:c"] {
            assert!(!is_address(name), "{name}");
        }
    }
}
