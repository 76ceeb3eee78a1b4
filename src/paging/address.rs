//! The addresses of a feed's pages at this gateway: the one place that builds them.
//!
//! `{public_url}/mmsp/feed?url={cleaned source URL}[&limit=N][&sig=S][&cursor=C]`, everything but
//! RFC 3986 unreserved characters percent-encoded, so that one page has one spelling. In the mode
//! `signed` every address carries the signature of the first key, whichever the request came with:
//! one page has one spelling, and subscriptions move on to new keys.
//!
//! A feed that the settings name is at `{public_url}/mmsp/{name}.json[?limit=N][&cursor=C]`, never
//! signed: the operator opened it by naming it.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{Limit, PublicUrl};
use crate::model::{FeedName, SourceUrl};

/// Where the pages of a feed are, for one choice of `limit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(String);

impl Address {
    /// The address of a source's feed under that public URL, signed where the URL has keys.
    #[must_use]
    pub fn of(public_url: &PublicUrl, source: &SourceUrl, limit: Option<Limit>) -> Self {
        let encoded = utf8_percent_encode(source.as_str(), RESERVED);
        let mut text = format!("{}{PATH}?url={encoded}", public_url.as_str());
        if let Some(limit) = limit {
            // Writing to a string cannot fail.
            let _ = write!(text, "&limit={limit}");
        }
        if let Some(keys) = public_url.keys() {
            let _ = write!(text, "&sig={}", keys.sign(source));
        }
        Self(text)
    }

    /// The address of a feed that the settings name.
    #[must_use]
    pub fn named(public_url: &PublicUrl, name: &FeedName, limit: Option<Limit>) -> Self {
        let limit = limit.map(|limit| format!("?limit={limit}")).unwrap_or_default();
        Self(format!("{}{FOLDER}{name}.json{limit}", public_url.as_str()))
    }

    /// The first page.
    #[must_use]
    pub fn first(&self) -> &str {
        &self.0
    }

    /// The page below a cursor.
    #[must_use]
    pub fn below(&self, cursor: &str) -> String {
        let mark = if self.0.contains('?') { '&' } else { '?' };
        format!("{}{mark}cursor={cursor}", self.0)
    }
}

/// Contains `mmsp`: the reference client tells a manifest by the look of its URL.
const PATH: &str = "/mmsp/feed";
const FOLDER: &str = "/mmsp/";

/// All but the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paging::SigningKeys;

    #[test]
    fn a_page_has_one_address() {
        let source = SourceUrl::parse("Example.com/f?a=1&b=\u{e9}").unwrap();
        let address = Address::of(&"https://gw.example/".into(), &source, None);
        let first = "https://gw.example/mmsp/feed?url=https%3A%2F%2Fexample.com%2Ff%3Fa%3D1%26b%3D%25C3%25A9";
        assert_eq!(address.first(), first);
        assert_eq!(address.below("AQ"), format!("{first}&cursor=AQ"));
        let limited = Address::of(&"https://gw.example".into(), &source, Limit::parse("7").ok());
        assert_eq!(limited.below("AQ"), format!("{first}&limit=7&cursor=AQ"));
    }

    #[test]
    fn a_named_feed_has_an_address_without_its_source_and_without_a_signature() {
        let name = FeedName::parse("our-blog").unwrap();
        let keys = SigningKeys::new([&b"first"[..]]).unwrap();
        let public_url = PublicUrl::new("https://gw.example/feeds/").signing(keys);
        let address = Address::named(&public_url, &name, None);
        let first = "https://gw.example/feeds/mmsp/our-blog.json";
        assert_eq!(address.first(), first);
        assert_eq!(address.below("AQ"), format!("{first}?cursor=AQ"));
        let limited = Address::named(&public_url, &name, Limit::parse("7").ok());
        assert_eq!(limited.below("AQ"), format!("{first}?limit=7&cursor=AQ"));
    }

    #[test]
    fn all_pages_of_a_signed_feed_carry_one_signature() {
        let source = SourceUrl::parse("a.example").unwrap();
        let keys = || SigningKeys::new([&b"first"[..], &b"second"[..]]).unwrap();
        let public_url = PublicUrl::new("https://gw.example").signing(keys());
        let (sig, limit) = (keys().sign(&source), Limit::parse("7").ok());
        let address = Address::of(&public_url, &source, limit);
        let first = format!(
            "https://gw.example/mmsp/feed?url=https%3A%2F%2Fa.example%2F&limit=7&sig={sig}"
        );
        assert_eq!(address.first(), first);
        assert_eq!(address.below("AQ"), format!("{first}&cursor=AQ"));
    }
}
