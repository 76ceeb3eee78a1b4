//! What is asked of a fetcher, and what it brings back.

use super::cache_fields::CacheFields;
use super::freshness::Freshness;
use super::redirect::Redirect;
use super::room::Room;
use crate::model::{SourceUrl, Validators};

/// One document to be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The address to begin with.
    pub url: SourceUrl,
    /// What an earlier copy came with; may be empty.
    pub validators: Validators,
    /// The address that the earlier copy was read from. Validators go to its host and path only:
    /// elsewhere an old date would call a document unchanged that nobody ever saw.
    pub validated_url: Option<SourceUrl>,
    /// What is known of `https` at an `http` address.
    pub https: Https,
    /// What the document is for.
    pub purpose: Purpose,
}

impl Request {
    /// Asks for a feed as if for the first time.
    #[must_use]
    pub fn new(url: SourceUrl) -> Self {
        Self {
            url,
            validators: Validators::default(),
            validated_url: None,
            https: Https::Untried,
            purpose: Purpose::Feed,
        }
    }

    /// The validators that may be sent to this address.
    pub(super) fn validators_for(&self, url: &SourceUrl) -> Option<&Validators> {
        let validated = self.validated_url.as_ref().unwrap_or(&self.url);
        let is_same_place = validated.host() == url.host()
            && validated.url().port() == url.url().port()
            && validated.url().path() == url.url().path();
        (is_same_place && !self.validators.is_empty()).then_some(&self.validators)
    }
}

/// What earlier fetches learned of `https` at an `http` address on port 80. Where it worked, the
/// address has been an `https` one ever since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Https {
    /// Nothing: it is tried first.
    #[default]
    Untried,
    /// It did not connect, or led back: plain `http` is read at once.
    Absent,
}

/// What a document is for: it decides what is asked for, and how much of it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// A feed, or a page that may name one.
    #[default]
    Feed,
    /// A small JSON document: chapters, a well-known manifest.
    Json,
}

impl Purpose {
    pub(super) fn accept(self) -> &'static str {
        match self {
            Self::Feed => ACCEPT_FEED,
            Self::Json => "application/json, */*;q=0.5",
        }
    }

    /// Most bytes that are read, below what the settings allow.
    pub(super) fn max_bytes(self) -> u64 {
        match self {
            Self::Feed => u64::MAX,
            Self::Json => 1 << 20,
        }
    }
}

const ACCEPT_FEED: &str = "application/rss+xml, application/atom+xml, application/mmsp+json, \
                           application/rdf+xml;q=0.9, application/feed+json;q=0.9, \
                           application/xml;q=0.8, text/xml;q=0.8, \
                           application/json;q=0.7, text/html;q=0.6, */*;q=0.5";

/// What a source answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The address that answered at last.
    pub url: SourceUrl,
    /// The way there, hop by hop.
    pub redirects: Vec<Redirect>,
    /// Byte for byte as received; empty where the source sent none.
    pub validators: Validators,
    /// How long the source calls this fresh.
    pub freshness: Freshness,
    /// The values of `Link` (RFC 8288), undivided.
    pub links: Vec<String>,
    /// What there is of the fields that a 304 has to repeat.
    pub fields: CacheFields,
    /// Whether there is anything new.
    pub answer: Answer,
}

/// Whether there is anything new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The copy that the validators came with is still right.
    NotModified,
    /// A document.
    Document(Document),
}

/// A document without its content coding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The decoded bytes.
    pub body: Vec<u8>,
    /// The room that they take in memory: to be kept for as long as they are.
    pub room: Room,
    /// The value of `Content-Type`.
    pub content_type: Option<String>,
    /// Whether all bytes came that were announced.
    pub complete: bool,
    /// Bytes of the body on the wire.
    pub wire_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validators_go_only_where_they_came_from() {
        let url = |text: &str| SourceUrl::parse(text).unwrap();
        let mut request = Request::new(url("http://a.example/feed"));
        assert_eq!(request.validators_for(&request.url), None);
        request.validators.etag = Some(b"\"1\"".to_vec());
        assert!(request.validators_for(&url("https://a.example/feed")).is_some());
        request.validated_url = Some(url("https://cdn.example/x?token=1"));
        assert!(request.validators_for(&url("https://cdn.example/x?token=2")).is_some());
        for other in
            ["https://a.example/feed", "https://cdn.example/y", "https://cdn.example:8443/x"]
        {
            assert!(request.validators_for(&url(other)).is_none(), "{other}");
        }
    }
}
