//! The addresses of a feed's pages at this gateway: the one place that builds them.
//!
//! `{public_url}/mmsp/feed?url={cleaned source URL}[&limit=N][&cursor=C]`, everything but RFC 3986
//! unreserved characters percent-encoded, so that one page has one spelling.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::Limit;
use crate::model::SourceUrl;

/// Where the pages of a feed are, for one choice of `limit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(String);

impl Address {
    /// The address of a source's feed under that public URL (without a slash at its end).
    #[must_use]
    pub fn of(public_url: &str, source: &SourceUrl, limit: Option<Limit>) -> Self {
        let public_url = public_url.trim_end_matches('/');
        let source = utf8_percent_encode(source.as_str(), RESERVED);
        let mut text = format!("{public_url}{PATH}?url={source}");
        if let Some(limit) = limit {
            // Writing to a string cannot fail.
            let _ = write!(text, "&limit={limit}");
        }
        Self(text)
    }

    /// The first page.
    #[must_use]
    pub fn first(&self) -> &str {
        &self.0
    }

    /// The page below a cursor.
    #[must_use]
    pub fn below(&self, cursor: &str) -> String {
        format!("{}&cursor={cursor}", self.0)
    }
}

/// Contains `mmsp`: the reference client tells a manifest by the look of its URL.
const PATH: &str = "/mmsp/feed";

/// All but the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_one_address() {
        let source = SourceUrl::parse("Example.com/f?a=1&b=\u{e9}").unwrap();
        let address = Address::of("https://gw.example/", &source, None);
        let first = "https://gw.example/mmsp/feed?url=https%3A%2F%2Fexample.com%2Ff%3Fa%3D1%26b%3D%25C3%25A9";
        assert_eq!(address.first(), first);
        assert_eq!(address.below("AQ"), format!("{first}&cursor=AQ"));
        let limited = Address::of("https://gw.example", &source, Limit::parse("7").ok());
        assert_eq!(limited.below("AQ"), format!("{first}&limit=7&cursor=AQ"));
    }
}
