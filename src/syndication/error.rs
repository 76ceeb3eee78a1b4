//! Why a document cannot be read as a feed.

use thiserror::Error;

/// A document that gives no feed at all; what is merely broken is read all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ReadError {
    /// No bytes, or nothing but white space.
    #[error("the document is empty")]
    Empty,
    /// A web page.
    #[error("this is a web page, not a feed")]
    WebPage,
    /// Something else than RSS, Atom or JSON Feed.
    #[error("this is not an RSS, Atom or JSON feed")]
    NotAFeed,
    /// It begins like a feed and has nothing that can be read.
    #[error("the feed is broken beyond mending")]
    Malformed,
    /// It was cut off before its first complete item.
    #[error("the feed is cut off before its first complete item")]
    Truncated,
    /// More elements in one another than the limit.
    #[error("the feed nests its elements too deeply")]
    TooDeep,
    /// Larger than the limit once decoded.
    #[error("the feed is larger than the gateway reads")]
    TooLarge,
}
