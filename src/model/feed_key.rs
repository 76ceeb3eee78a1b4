//! The key of a feed: its identity inside the gateway, apart from the URLs that lead to it.

use std::fmt;

use sha2::{Digest, Sha256};

use super::SourceUrl;

/// SHA-256 of the cleaned URL that a feed was first known by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FeedKey([u8; 32]);

impl FeedKey {
    /// The key of a feed that is seen for the first time, under this URL.
    #[must_use]
    pub fn of(url: &SourceUrl) -> Self {
        Self(Sha256::digest(url.as_str()).into())
    }

    /// Takes a key as the store keeps it.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The 32 bytes of the key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for FeedKey {
    /// Lower-case hexadecimal, cut to 16 digits: enough to find a feed in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().take(8).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for FeedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FeedKey({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_kept_as_32_bytes_and_shown_by_its_first_eight() {
        let key = FeedKey::of(&SourceUrl::parse("https://a.example/").unwrap());
        assert_eq!(FeedKey::from_bytes(key.as_bytes()), Some(key));
        assert_eq!(FeedKey::from_bytes(&[0; 31]), None);
        let key = FeedKey(std::array::from_fn(|at| u8::try_from(at * 8).unwrap()));
        assert_eq!(key.to_string(), "0008101820283038");
        assert_eq!(format!("{key:?}"), "FeedKey(0008101820283038)");
    }
}
