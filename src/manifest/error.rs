//! Why a document is no manifest.

use thiserror::Error;

use super::MAX_BYTES;

/// What keeps a client from using a document as a manifest (MMSP 5.1, 5.6, 5.7).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ManifestError {
    /// More bytes than [`MAX_BYTES`].
    #[error("the document is larger than {MAX_BYTES} bytes")]
    TooLarge,
    /// More values than are looked at.
    #[error("the document holds more values than are looked at")]
    TooManyValues,
    /// No JSON text of RFC 8259, or one nested more deeply than parsers follow.
    #[error("the document is not JSON: {0}")]
    NotJson(String),
    /// JSON, but no object.
    #[error("the document is not a JSON object")]
    NotAnObject,
    /// A required member that is not there.
    #[error("the required member `{0}` is missing")]
    Missing(&'static str),
    /// A required member of another JSON type, or not of the form it must have.
    #[error("the required member `{0}` is not {1}")]
    Mistyped(&'static str, &'static str),
    /// A major version that is not ours.
    #[error("version {0:?} is not one of MMSP 1")]
    Version(String),
}
