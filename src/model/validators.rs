//! What a server gave us to ask "has it changed?" with (RFC 9110, 8.8).

/// The validators of a representation, byte for byte as the source sent them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// The field value of `ETag`.
    pub etag: Option<Vec<u8>>,
    /// The field value of `Last-Modified`.
    pub last_modified: Option<Vec<u8>>,
}

impl Validators {
    /// Whether there is nothing to ask with.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}
