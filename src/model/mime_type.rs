//! Media types (RFC 6838): `type/subtype`, lower-cased, without parameters.

use serde::{Deserialize, Deserializer, Serialize};

/// A media type without parameters, such as `audio/mpeg`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct MimeType(String);

impl MimeType {
    /// What is known of bytes of which nothing is known.
    #[must_use]
    pub fn octet_stream() -> Self {
        Self("application/octet-stream".to_owned())
    }

    /// Parses a media type, dropping its parameters; none where it is not `type/subtype`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let essence = text.split(';').next().unwrap_or_default().trim();
        let (kind, subtype) = essence.split_once('/')?;
        (is_token(kind, b"!#$&-^_") && is_token(subtype, b"!#$&-^_.+"))
            .then(|| Self(essence.to_ascii_lowercase()))
    }

    /// The type as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the slash.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.0.split('/').next().unwrap_or_default()
    }

    /// Whether the type says nothing about the bytes.
    #[must_use]
    pub fn is_generic(&self) -> bool {
        matches!(self.as_str(), "application/octet-stream" | "binary/octet-stream")
    }
}

impl<'de> Deserialize<'de> for MimeType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a media type"))
    }
}

/// Names are at most 127 characters (RFC 6838, 4.2) and begin with a letter or digit.
fn is_token(text: &str, others: &[u8]) -> bool {
    (1..=127).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || others.contains(&b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parameters_and_case_are_dropped() {
        let parsed = |text: &str| MimeType::parse(text).map(|t| t.as_str().to_owned());
        assert_eq!(parsed("Audio/MPEG; codecs=mp3").as_deref(), Some("audio/mpeg"));
        assert_eq!(parsed("image/svg+xml").as_deref(), Some("image/svg+xml"));
        for text in ["", "mp3", "audio/", "/mpeg", "audio/a b", "*/*"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            kind in "[a-zA-Z0-9][a-zA-Z0-9!#$&^_-]{0,20}",
            subtype in "[a-zA-Z0-9][a-zA-Z0-9!#$&^_.+-]{0,20}",
            parameters in "( ?; ?[a-z]{1,5}=[a-z]{0,5})?",
        ) {
            let read = MimeType::parse(&format!(" {kind}/{subtype}{parameters} ")).unwrap();
            let want = format!("{kind}/{subtype}").to_ascii_lowercase();
            prop_assert_eq!(read.as_str(), want);
            prop_assert_eq!(MimeType::parse(read.as_str()), Some(read.clone()));
            prop_assert_eq!(read.kind(), kind.to_ascii_lowercase());
        }

        #[test]
        fn no_text_makes_it_panic_and_nothing_else_gets_through(text in ".{0,40}|[a-z/;= *+.-]{0,40}") {
            let Some(read) = MimeType::parse(&text) else { return Ok(()) };
            prop_assert!(read.as_str().is_ascii() && read.as_str().matches('/').count() == 1);
            prop_assert_eq!(MimeType::parse(read.as_str()), Some(read));
        }
    }
}
