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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_of_the_two_is_enough_to_ask_with() {
        let value = || Some(b"x".to_vec());
        assert!(Validators::default().is_empty());
        assert!(!Validators { etag: value(), last_modified: None }.is_empty());
        assert!(!Validators { etag: None, last_modified: value() }.is_empty());
    }
}
