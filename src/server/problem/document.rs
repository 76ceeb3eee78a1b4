//! What a document becomes that cannot be made a manifest.

use super::{Kind, Problem};
use crate::convert::ConvertError;
use crate::fetch::DecodeError;

impl From<&ConvertError> for Problem {
    fn from(error: &ConvertError) -> Self {
        let kind = match error {
            ConvertError::Empty => Kind::SourceEmpty,
            ConvertError::WebPage => Kind::NoFeedFound,
            ConvertError::NotAFeed => Kind::NotAFeed,
            ConvertError::Malformed => Kind::SourceMalformed,
            ConvertError::Truncated => Kind::SourceTruncated,
            ConvertError::TooDeep => Kind::SourceTooDeep,
            ConvertError::TooLarge => Kind::SourceTooLarge,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<&DecodeError> for Problem {
    fn from(error: &DecodeError) -> Self {
        let kind = match error {
            DecodeError::Unsupported | DecodeError::Truncated | DecodeError::Damaged(_) => {
                Kind::SourceUndecodable
            }
            DecodeError::TooLarge => Kind::SourceTooLarge,
        };
        Self::new(kind, error.to_string())
    }
}
