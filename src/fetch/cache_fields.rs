//! The fields of an answer that a 304 has to repeat.

use awc::http::header::HeaderMap;

/// Which fields an answer has of those that a 304 must have if the 200 to the same request has them
/// (RFC 9110, 15.4.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheFields([bool; CacheFields::NAMES.len()]);

impl CacheFields {
    /// Their names.
    pub const NAMES: [&'static str; 6] =
        ["Cache-Control", "Content-Location", "Date", "ETag", "Expires", "Vary"];

    pub(super) fn read(headers: &HeaderMap) -> Self {
        Self(Self::NAMES.map(|name| headers.contains_key(name)))
    }

    /// Whether the answer has that one of [`CacheFields::NAMES`].
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        Self::NAMES.iter().zip(self.0).any(|(known, is_there)| is_there && *known == name)
    }

    /// The fields that are here and not there.
    pub fn missing_in(&self, other: &Self) -> impl Iterator<Item = &'static str> {
        let both = self.0.into_iter().zip(other.0);
        Self::NAMES
            .into_iter()
            .zip(both)
            .filter(|(_, (here, there))| *here && !there)
            .map(|(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use awc::http::header::{HeaderName, HeaderValue};

    use super::*;

    fn fields(names: &[&'static str]) -> CacheFields {
        let names = names.iter().map(|name| HeaderName::from_static(name));
        CacheFields::read(&names.map(|name| (name, HeaderValue::from_static("x"))).collect())
    }

    #[test]
    fn what_a_304_does_not_repeat_is_found() {
        let first = fields(&["cache-control", "date", "vary", "server"]);
        assert!(first.has("Vary") && !first.has("ETag") && !first.has("Server"));
        let again = fields(&["date", "etag"]);
        assert_eq!(first.missing_in(&again).collect::<Vec<_>>(), ["Cache-Control", "Vary"]);
        assert_eq!(first.missing_in(&first).count(), 0);
    }
}
