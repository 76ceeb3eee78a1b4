//! The address of a source feed, cleaned once at the edge.
//!
//! What is judged, dialled, sent as `Host`, hashed into the feed's key and written into our own
//! manifest URLs is this one value. Whether it may be fetched is for `fetch` to say.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;
use url::{Host, Url};

use super::{HttpsUrl, escape_uri};

/// An absolute `http` or `https` URL: no fragment, no credentials, host lower-cased, punycoded and
/// without the root dot, default port off, everything that is not ASCII percent-encoded. Clones share it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceUrl(Arc<Url>);

/// Why a text is not the address of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SourceUrlError {
    /// Nothing there.
    #[error("the URL is empty")]
    Empty,
    /// Longer than [`SourceUrl::MAX_BYTES`].
    #[error("the URL is longer than {} characters", SourceUrl::MAX_BYTES)]
    TooLong,
    /// A tab, a line break or another control character inside.
    #[error("the URL has a control character in it")]
    ControlCharacter,
    /// A scheme other than `http`, `https` or `feed`.
    #[error("only http and https URLs can be read")]
    Scheme,
    /// User name or password in it: a shared cache is no place for them.
    #[error("the URL has a user name or password in it; take them out")]
    Credentials,
    /// A host that cannot be one, or none.
    #[error("the URL has no valid host name")]
    Host,
    /// Port 0, or none that can be read.
    #[error("the URL has a port that cannot be used")]
    Port,
    /// Anything else the URL parser refuses.
    #[error("this is not a URL")]
    Syntax,
}

impl SourceUrl {
    /// Longest address that is taken, in bytes.
    pub const MAX_BYTES: usize = 2048;

    /// Cleans an address as people and pages write it: stray spaces, `feed:`, no scheme.
    ///
    /// # Errors
    /// Says which rule the text breaks.
    pub fn parse(text: &str) -> Result<Self, SourceUrlError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(SourceUrlError::Empty);
        }
        if text.len() > Self::MAX_BYTES {
            return Err(SourceUrlError::TooLong);
        }
        // The WHATWG parser drops tabs and line breaks in silence: `java\tscript:` and friends.
        if text.chars().any(char::is_control) {
            return Err(SourceUrlError::ControlCharacter);
        }
        let text = with_scheme(text)?;
        if has_user(&text) {
            return Err(SourceUrlError::Credentials);
        }
        Self::from_url(&Url::parse(&text).map_err(of_parser)?)
    }

    /// Resolves a reference that a source gave, such as a `Location` or a link.
    ///
    /// # Errors
    /// As for [`SourceUrl::parse`].
    pub fn join(&self, reference: &str) -> Result<Self, SourceUrlError> {
        if reference.len() > Self::MAX_BYTES {
            return Err(SourceUrlError::TooLong);
        }
        let reference = reference.trim();
        if reference.chars().any(char::is_control) {
            return Err(SourceUrlError::ControlCharacter);
        }
        if has_user(reference) {
            return Err(SourceUrlError::Credentials);
        }
        Self::from_url(&self.0.join(reference).map_err(of_parser)?)
    }

    fn from_url(url: &Url) -> Result<Self, SourceUrlError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(SourceUrlError::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(SourceUrlError::Credentials);
        }
        if url.port() == Some(0) {
            return Err(SourceUrlError::Port);
        }
        match url.host() {
            Some(Host::Domain(name)) if is_domain(name) => {}
            Some(Host::Ipv4(_) | Host::Ipv6(_)) => {}
            _ => return Err(SourceUrlError::Host),
        }
        let mut clean = url.clone();
        clean.set_fragment(None);
        if let Some(bare) = url.domain().and_then(|name| name.strip_suffix('.')) {
            clean.set_host(Some(bare)).map_err(of_parser)?;
        }
        let escaped = escape_uri(clean.as_str());
        if escaped.len() > Self::MAX_BYTES {
            return Err(SourceUrlError::TooLong);
        }
        Url::parse(&escaped).map(Arc::new).map(Self).map_err(of_parser)
    }

    /// The address as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The address, parsed.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.0
    }

    /// The host without brackets: a lower-cased name or an IP address.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default().trim_matches(['[', ']'])
    }

    /// The port that will be dialled.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or(443)
    }

    /// Whether the scheme is `https`.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// The same address under `https` on its default port; none where `http` was on a port of its
    /// own, since that port speaks no TLS.
    #[must_use]
    pub fn upgraded(&self) -> Option<Self> {
        if self.is_https() {
            return Some(self.clone());
        }
        if self.0.port().is_some() {
            return None;
        }
        HttpsUrl::upgrade(&self.0).and_then(|url| Self::parse(url.as_str()).ok())
    }

    /// The same address under plain `http`, of one that is under `https` on its default port.
    #[must_use]
    pub fn plain_twin(&self) -> Option<Self> {
        let rest = self.as_str().strip_prefix("https:").filter(|_| self.0.port().is_none())?;
        Self::parse(&format!("http:{rest}")).ok()
    }
}

impl fmt::Display for SourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for SourceUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for SourceUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// Adds or replaces what stands before the address proper.
fn with_scheme(text: &str) -> Result<String, SourceUrlError> {
    let Some((scheme, rest)) = text.split_once(':').filter(|(name, _)| is_scheme(name)) else {
        return Ok(format!("https://{}", text.trim_start_matches('/')));
    };
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => Ok(text.to_owned()),
        // `feed:https://…` wraps a URL, `feed://host/…` stands for its scheme.
        "feed" => with_scheme(rest),
        // `host:8080/path`, not a scheme.
        _ if is_port(rest) => Ok(format!("https://{text}")),
        _ => Err(SourceUrlError::Scheme),
    }
}

/// Whether an authority has an `@` in it: the parser drops an empty user name in silence.
fn has_user(reference: &str) -> bool {
    const SLASHES: [char; 2] = ['/', '\\'];
    let after_scheme = reference.split_once(':').filter(|(name, _)| is_scheme(name));
    let rest = after_scheme.map_or(reference, |(_, rest)| rest);
    let authority = rest.trim_start_matches(SLASHES);
    let has_authority = after_scheme.is_some() || rest.len() - authority.len() >= 2;
    let end = authority.find(['/', '\\', '?', '#']).unwrap_or(authority.len());
    has_authority && authority.get(..end).is_some_and(|authority| authority.contains('@'))
}

fn is_scheme(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
}

fn is_port(rest: &str) -> bool {
    let digits = rest.split(['/', '?', '#']).next().unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Names as DNS has them: labels that are not empty and not over 63 bytes, 253 in all.
fn is_domain(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.len() <= 253 && name.split('.').all(|label| (1..=63).contains(&label.len()))
}

fn of_parser(error: url::ParseError) -> SourceUrlError {
    match error {
        url::ParseError::InvalidPort => SourceUrlError::Port,
        url::ParseError::EmptyHost
        | url::ParseError::IdnaError
        | url::ParseError::InvalidIpv4Address
        | url::ParseError::InvalidIpv6Address
        | url::ParseError::InvalidDomainCharacter => SourceUrlError::Host,
        _ => SourceUrlError::Syntax,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twins_are_the_same_address_under_the_other_scheme() {
        for (secure, plain) in [
            ("https://a.example/f?x=1", Some("http://a.example/f?x=1")),
            ("https://a.example:8443/f", None),
            ("http://a.example/f", None),
        ] {
            let secure = SourceUrl::parse(secure).unwrap();
            let twin = secure.plain_twin();
            assert_eq!(twin.as_ref().map(SourceUrl::as_str), plain, "{secure}");
            assert!(twin.is_none_or(|twin| twin.upgraded() == Some(secure)));
        }
    }

    fn clean(text: &str) -> Result<String, SourceUrlError> {
        SourceUrl::parse(text).map(|url| url.as_str().to_owned())
    }

    #[test]
    fn addresses_are_cleaned_as_people_write_them() {
        for (text, url) in [
            (" https://Example.COM/Feed.xml ", "https://example.com/Feed.xml"),
            ("example.com/feed", "https://example.com/feed"),
            ("example.com:8443/feed", "https://example.com:8443/feed"),
            ("//example.com/feed", "https://example.com/feed"),
            ("example.com/a:b", "https://example.com/a:b"),
            ("feed://example.com:8443/a", "https://example.com:8443/a"),
            ("feed://example.com/a", "https://example.com/a"),
            ("feed:http://example.com/a", "http://example.com/a"),
            ("http://example.com:80/a#b", "http://example.com/a"),
            (
                "https://b\u{fc}cher.example/\u{e4} b?q=1&p=|",
                "https://xn--bcher-kva.example/%C3%A4%20b?q=1&p=%7C",
            ),
            ("https://example.com./a@b?c@d", "https://example.com/a@b?c@d"),
            ("https://example.com\\@127.0.0.1/", "https://example.com/@127.0.0.1/"),
            ("https://0x7f000001/", "https://127.0.0.1/"),
            ("https://[::1]/", "https://[::1]/"),
        ] {
            assert_eq!(clean(text).as_deref(), Ok(url), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_an_address_says_why() {
        use SourceUrlError::*;
        for (text, why) in [
            ("", Empty),
            ("file:///etc/passwd", Scheme),
            ("gopher://127.0.0.1:6379/_INFO", Scheme),
            ("https://user:pass@example.com/", Credentials),
            ("https://@example.com/", Credentials),
            ("https:@example.com/", Credentials),
            ("@example.com/", Credentials),
            ("https://example.com:0/", Port),
            ("https://example.com:99999/", Port),
            ("https://", Host),
            ("https://a..b/", Host),
            ("https://exam\nple.com/", ControlCharacter),
        ] {
            assert_eq!(clean(text), Err(why), "{text}");
        }
    }

    #[test]
    fn references_hide_no_user_either() {
        let base = SourceUrl::parse("https://a.example/x").unwrap();
        for reference in
            ["//@b.example/", "\\\\@b.example/", "https://@b.example/", "//u:p@b.example"]
        {
            assert_eq!(base.join(reference), Err(SourceUrlError::Credentials), "{reference}");
        }
        assert_eq!(base.join("/@user/feed").unwrap().as_str(), "https://a.example/@user/feed");
        assert_eq!(base.join("@user").unwrap().as_str(), "https://a.example/@user");
    }

    #[test]
    fn a_scheme_is_upgraded_only_on_the_default_port() {
        let upgraded = |text: &str| SourceUrl::parse(text).unwrap().upgraded();
        assert_eq!(upgraded("http://a.example/x").unwrap().as_str(), "https://a.example/x");
        assert_eq!(upgraded("http://a.example:8080/x"), None);
    }

    #[test]
    fn the_parsers_own_view_of_users_counts_as_well() {
        for text in ["https://user@a.example/", "https://:secret@a.example/"] {
            let found = SourceUrl::from_url(&Url::parse(text).unwrap());
            assert_eq!(found, Err(SourceUrlError::Credentials), "{text}");
        }
    }

    #[test]
    fn addresses_have_an_end_as_they_are_written_and_as_they_are_sent() {
        const START: &str = "https://a.example/";
        let base = SourceUrl::parse(START).unwrap();
        let longest = format!("{START}{}", "x".repeat(SourceUrl::MAX_BYTES - START.len()));
        assert_eq!(clean(&longest).as_deref(), Ok(longest.as_str()));
        assert_eq!(base.join(&longest).unwrap().as_str(), longest);
        // Not even looked at, or it would be refused for its control character.
        let longer = format!("{longest}xx\u{1}x");
        let escaped = format!("{START}{}", "\u{e4}".repeat(1_000));
        for text in [format!("{longest}x"), longer, escaped] {
            assert_eq!(clean(&text), Err(SourceUrlError::TooLong));
            assert_eq!(base.join(&text), Err(SourceUrlError::TooLong));
        }
    }

    #[test]
    fn the_port_is_the_one_named_or_that_of_the_scheme() {
        for (text, port) in
            [("https://a.example/", 443), ("http://a.example/", 80), ("http://a.example:81/", 81)]
        {
            assert_eq!(SourceUrl::parse(text).unwrap().port(), port);
        }
    }
}
