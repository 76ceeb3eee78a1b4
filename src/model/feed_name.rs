//! The name that an operator gives a feed.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

/// A name of 1 to 64 lower-case letters, digits and hyphens: what stands in `/mmsp/NAME.json`.
/// Clones share it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FeedName(Arc<str>);

/// Why a text is no name of a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FeedNameError {
    /// A letter that is none of the allowed ones, or too many of them, or none.
    #[error("a name has 1 to 64 of the letters a to z, digits and hyphens")]
    Letters,
    /// The name of a path that is there already.
    #[error("the name is taken by a path of the gateway: choose another one")]
    Taken,
}

impl FeedName {
    /// Reads a name.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, FeedNameError> {
        let is_allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !(1..=MOST_LETTERS).contains(&text.len()) || !text.bytes().all(is_allowed) {
            return Err(FeedNameError::Letters);
        }
        if TAKEN.contains(&text) {
            return Err(FeedNameError::Taken);
        }
        Ok(Self(text.into()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FeedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for FeedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FeedName({self})")
    }
}

const MOST_LETTERS: usize = 64;

/// `/mmsp/feed` and `/mmsp/discover` are something else, which `/mmsp/feed.json` would hide.
const TAKEN: [&str; 2] = ["feed", "discover"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_letters_that_need_no_escape_anywhere() {
        let longest = "a".repeat(64);
        for name in ["a", "blog", "our-blog-2", "-", "feeds", &longest] {
            assert_eq!(FeedName::parse(name).unwrap().as_str(), name);
        }
        assert_eq!(format!("{:?}", FeedName::parse("blog").unwrap()), "FeedName(blog)");
        let too_long = "a".repeat(65);
        for text in ["", "Blog", "a b", "a.b", "a_b", "a/b", "..", "bl\u{f6}g", "a\n", &too_long] {
            assert_eq!(FeedName::parse(text), Err(FeedNameError::Letters), "{text:?}");
        }
    }

    #[test]
    fn the_gateways_own_paths_are_no_names() {
        for text in ["feed", "discover"] {
            assert_eq!(FeedName::parse(text), Err(FeedNameError::Taken), "{text}");
        }
    }
}
