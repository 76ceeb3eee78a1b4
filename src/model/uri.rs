//! URIs as RFC 3986 has them, and the HTTPS URLs that MMSP allows where something is fetched.
//!
//! The WHATWG parser behind the `url` crate lets through characters that RFC 3986 forbids
//! (`|`, `[`, `{`, a lone `%`), so its output is escaped once more before it counts as a URI.

use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::Url;

/// An absolute URI, spelled as the source spelled it: an identifier, compared byte by byte. Copies
/// share the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uri(Arc<str>);

impl Uri {
    /// Longest URI that is taken for one, in bytes.
    pub const MAX_BYTES: usize = 8192;

    /// Takes an absolute URI of RFC 3986 as it is; anything else is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        is_uri(text).then(|| Self(text.into()))
    }

    /// Takes a URI or an IRI (RFC 3987): what is not ASCII is percent-encoded first.
    #[must_use]
    pub fn parse_iri(text: &str) -> Option<Self> {
        if text.is_ascii() {
            return Self::parse(text);
        }
        Self::parse(&percent_encode(text, |byte| byte.is_ascii()))
    }

    /// Whether a text is what [`Uri::parse_iri`] takes.
    #[must_use]
    pub fn is_iri(text: &str) -> bool {
        if text.is_ascii() { is_uri(text) } else { Self::parse_iri(text).is_some() }
    }

    /// The URI as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Uri {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Uri {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not an absolute URI"))
    }
}

/// An absolute `https` URL with a host: the only kind a manifest may tell clients to fetch
/// (MMSP 5.1, 6.1, 12.1).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct HttpsUrl(String);

impl HttpsUrl {
    /// Takes an `https` URL, normalised as browsers do and escaped as RFC 3986 wants.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::from_url(&Url::parse(text).ok()?)
    }

    /// Takes an address that is written already as [`HttpsUrl::upgrade`] would write it, but for an
    /// `http:` in front: the usual case, told without a parser. Says whether it was `http:`.
    #[must_use]
    pub fn of_plain(text: &str) -> Option<(Self, bool)> {
        let (rest, was_http) = match text.strip_prefix("https://") {
            Some(rest) => (rest, false),
            None => (text.strip_prefix("http://")?, true),
        };
        let host_end = memchr::memchr(b'/', rest.as_bytes()).unwrap_or(rest.len());
        let (host, tail) = rest.split_at(host_end);
        if rest.len() >= Uri::MAX_BYTES - "https:///".len() || !is_plain_host(host.as_bytes()) {
            return None;
        }
        let tail = if tail.is_empty() { "/" } else { tail };
        is_plain_tail(tail.as_bytes()).then(|| (Self(["https://", host, tail].concat()), was_http))
    }

    /// Takes a parsed URL if its scheme is `https`.
    #[must_use]
    pub fn from_url(url: &Url) -> Option<Self> {
        if url.scheme() != "https" || url.host_str().is_none_or(str::is_empty) {
            return None;
        }
        let text = escape_uri(url.as_str());
        is_uri(&text).then_some(Self(text))
    }

    /// Takes an `http` or `https` URL and writes it as `https`.
    #[must_use]
    pub fn upgrade(url: &Url) -> Option<Self> {
        if url.scheme() != "http" {
            return Self::from_url(url);
        }
        let mut secure = url.clone();
        secure.set_scheme("https").ok()?;
        Self::from_url(&secure)
    }

    /// The URL as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<HttpsUrl> for Uri {
    fn from(url: HttpsUrl) -> Self {
        Self(url.0.into())
    }
}

impl fmt::Display for HttpsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for HttpsUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not an https URL"))
    }
}

/// Percent-encodes what RFC 3986 does not allow in a URI, stray `%` included, and leaves the rest.
#[must_use]
pub fn escape_uri(text: &str) -> String {
    let bytes = text.as_bytes();
    let host_end = authority_end(text);
    let mut out = String::with_capacity(text.len());
    let mut seen_hash = false;
    for (at, &byte) in bytes.iter().enumerate() {
        let keep = match byte {
            b'%' => is_escape(bytes, at),
            b'[' | b']' => at < host_end,
            b'#' => !std::mem::replace(&mut seen_hash, true),
            _ => is_uri_byte(byte),
        };
        if keep {
            out.push(char::from(byte));
        } else {
            push_escaped(&mut out, byte);
        }
    }
    out
}

/// Percent-encodes every byte that `keep` does not claim.
pub(crate) fn percent_encode(text: &str, mut keep: impl FnMut(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if keep(byte) {
            out.push(char::from(byte));
        } else {
            push_escaped(&mut out, byte);
        }
    }
    out
}

fn push_escaped(out: &mut String, byte: u8) {
    // Writing to a string cannot fail.
    let _ = write!(out, "%{byte:02X}");
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let scheme_ok = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    scheme_ok && !rest.is_empty() && text.len() <= Uri::MAX_BYTES && hierarchy_is_valid(rest)
}

fn hierarchy_is_valid(rest: &str) -> bool {
    let Some(after) = rest.strip_prefix("//") else {
        return characters_are_valid(rest);
    };
    let end = after.find(['/', '?', '#']).unwrap_or(after.len());
    let (authority, tail) = after.split_at(end);
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (user, host),
        None => ("", authority),
    };
    !user.contains('@')
        && characters_are_valid(user)
        && host_is_valid(host)
        && characters_are_valid(tail)
}

fn host_is_valid(host: &str) -> bool {
    let (name_ok, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((literal, port)) => (literal.parse::<std::net::Ipv6Addr>().is_ok(), port),
        None => {
            let (name, port) = host.split_at(host.find(':').unwrap_or(host.len()));
            (characters_are_valid(name), port)
        }
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    name_ok && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn characters_are_valid(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut hashes = 0;
    bytes.iter().enumerate().all(|(at, &byte)| match byte {
        b'%' => is_escape(bytes, at),
        b'#' => {
            hashes += 1;
            hashes == 1
        }
        _ => is_uri_byte(byte),
    })
}

/// Whether a host is a name that every URL parser leaves as it is: lower case, no port, nothing of
/// IDNA, no number at the end that could be an IPv4 address.
fn is_plain_host(host: &[u8]) -> bool {
    let (mut label, mut labels) = (0, 0);
    for (at, &byte) in host.iter().enumerate() {
        match byte {
            b'.' if at == label => return false,
            b'.' => {
                label = at + 1;
                labels += 1;
            }
            // `xn--` and its like.
            b'-' if at == label + 3 && host.get(at - 1) == Some(&b'-') => return false,
            b'a'..=b'z' | b'0'..=b'9' | b'-' => {}
            _ => return false,
        }
    }
    labels > 0 && host.get(label).is_some_and(u8::is_ascii_lowercase)
}

/// Whether path, query and fragment hold nothing that a URL parser or RFC 3986 would have escaped,
/// and no segments of dots.
fn is_plain_tail(tail: &[u8]) -> bool {
    let mut hashes = 0;
    tail.iter().enumerate().all(|(at, &byte)| match byte {
        b'/' => !matches!(tail.get(at + 1), Some(b'.' | b'%')),
        b'%' => is_escape(tail, at),
        // An apostrophe is escaped in a query and nowhere else.
        b'\'' => false,
        b'#' => {
            hashes += 1;
            hashes == 1
        }
        _ => is_uri_byte(byte),
    })
}

/// Where the authority of `scheme://authority` ends; 0 where there is none.
fn authority_end(text: &str) -> usize {
    let Some(start) = text.find("://").map(|at| at + 3) else {
        return 0;
    };
    text.get(start..)
        .and_then(|rest| rest.find(['/', '?', '#']))
        .map_or(text.len(), |at| start + at)
}

/// Whether a percent sign at that place begins an escape (RFC 3986, 2.1).
pub(crate) fn is_escape(bytes: &[u8], at: usize) -> bool {
    let hex = |offset: usize| bytes.get(at + offset).is_some_and(u8::is_ascii_hexdigit);
    hex(1) && hex(2)
}

fn is_uri_byte(byte: u8) -> bool {
    URI_BYTES.get(usize::from(byte)).is_some_and(|may| *may)
}

/// The bytes that stand for themselves in a URI, brackets apart (RFC 3986, 2.2 and 2.3).
#[expect(clippy::indexing_slicing, reason = "a byte has a place in a table of 256")]
const URI_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        let is_mark = matches!(
            byte,
            b'-' | b'.'
                | b'_'
                | b'~'
                | b':'
                | b'/'
                | b'?'
                | b'@'
                | b'!'
                | b'$'
                | b'&'
                | b'\''
                | b'('
                | b')'
                | b'*'
                | b'+'
                | b','
                | b';'
                | b'='
        );
        table[byte as usize] = byte.is_ascii_alphanumeric() || is_mark;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn absolute_uris_are_kept_as_they_are() {
        for text in [
            "tag:example.com,2024:e1",
            "urn:uuid:1225c695-cfb8-4ebb-aaaa-80da344efa6a",
            "http://www.example.com/?p=123",
            "https://[2001:db8::1]:8443/a#b",
            "mailto:a@example.com",
        ] {
            assert_eq!(Uri::parse(text).as_ref().map(Uri::as_str), Some(text));
        }
    }

    #[test]
    fn what_is_no_uri_is_refused() {
        for text in [
            "",
            "post-7",
            "/posts/7",
            "https:",
            "a b:c",
            "1a:b",
            "x:a b",
            "x:%zz",
            "x:%4g",
            "x:%g4",
            "x:a#b#c",
            "https://a[b]/",
            "https://a:80x/",
            "https://h/?q=[1]",
            "x:\u{e9}",
        ] {
            assert_eq!(Uri::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_iri_is_percent_encoded() {
        let uri = Uri::parse_iri("https://example.com/caf\u{e9}").unwrap();
        assert_eq!(uri.as_str(), "https://example.com/caf%C3%A9");
    }

    #[test]
    fn an_https_url_is_escaped_once() {
        let url = HttpsUrl::parse("HTTPS://WWW.Example.COM/a b?n=a|b&x=[1]&y=100%&z=%41").unwrap();
        assert_eq!(url.as_str(), "https://www.example.com/a%20b?n=a%7Cb&x=%5B1%5D&y=100%25&z=%41");
        let parts = HttpsUrl::parse("https://[2001:db8::1]/x#a#b").unwrap();
        assert_eq!(parts.as_str(), "https://[2001:db8::1]/x#a%23b");
        assert_eq!(escape_uri("[1]"), "%5B1%5D");
    }

    #[test]
    fn http_is_upgraded_and_nothing_else_is() {
        let upgraded = |text: &str| HttpsUrl::upgrade(&Url::parse(text).unwrap());
        assert_eq!(upgraded("http://a.example/x").unwrap().as_str(), "https://a.example/x");
        assert_eq!(upgraded("http://a.example:443/").unwrap().as_str(), "https://a.example/");
        assert_eq!(upgraded("http://a.example:81/").unwrap().as_str(), "https://a.example:81/");
        assert_eq!(upgraded("ftp://a.example/x"), None);
        assert_eq!(upgraded("mailto:a@example.com"), None);
    }

    #[test]
    fn the_usual_address_needs_no_parser() {
        for text in [
            "https://a.example/x?y=%20z&w=(1)#top",
            "http://www.a-b.example",
            "https://a.example/2024/05/a.b_c~d/",
        ] {
            let (url, was_http) = HttpsUrl::of_plain(text).unwrap();
            assert_eq!(Some(url), HttpsUrl::upgrade(&Url::parse(text).unwrap()), "{text}");
            assert_eq!(was_http, text.starts_with("http:"));
        }
    }

    proptest! {
        #[test]
        fn what_no_parser_was_asked_for_is_what_a_parser_says(
            text in "https?://[a-z0-9.-]{1,12}(\\.[a-z0-9]{1,3})?(/[ -~]{0,20}){0,3}|https?://[!-~]{1,30}"
        ) {
            if let Some((plain, _)) = HttpsUrl::of_plain(&text) {
                prop_assert_eq!(Some(plain), HttpsUrl::upgrade(&Url::parse(&text).unwrap()));
            }
        }

        #[test]
        fn what_is_written_is_read_back(text in ".{0,60}|https?://[ -~]{0,60}|[a-z:/?#@\\[\\]%\u{e4}]{0,40}") {
            if let Some(uri) = Uri::parse_iri(&text) {
                prop_assert_eq!(Uri::parse(uri.as_str()), Some(uri));
            }
            if let Some(url) = HttpsUrl::parse(&text) {
                prop_assert!(url.as_str().starts_with("https://"));
                prop_assert!(Uri::parse(url.as_str()).is_some());
                prop_assert_eq!(HttpsUrl::parse(url.as_str()), Some(url));
            }
            prop_assert_eq!(escape_uri(&escape_uri(&text)), escape_uri(&text));
        }
    }
}
