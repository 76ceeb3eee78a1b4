//! Hosts as an operator writes them in the settings.

use std::fmt;

use serde::{Serialize, Serializer};

use super::list::Entry;
use crate::model::SourceUrl;

/// A host and its sub-domains (`example.com`), or its sub-domains alone (`*.example.com`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRule {
    host: String,
    reach: Reach,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    HostAndBelow,
    BelowOnly,
}

impl HostRule {
    /// Whether the rule speaks of this host, as [`SourceUrl::host`] has it.
    #[must_use]
    pub fn covers(&self, host: &str) -> bool {
        match host.strip_suffix(self.host.as_str()) {
            Some("") => self.reach == Reach::HostAndBelow,
            Some(front) => front.ends_with('.'),
            None => false,
        }
    }

    /// Whether the other rule covers whatever this one does.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        other.covers(&self.host) || (self.reach == Reach::BelowOnly && self == other)
    }
}

impl Entry for HostRule {
    const EXPECTED: &'static str = "a host such as example.com or *.example.com";

    fn parse(text: &str) -> Option<Self> {
        let (name, reach) = match text.strip_prefix("*.") {
            Some(name) => (name, Reach::BelowOnly),
            None => (text, Reach::HostAndBelow),
        };
        let url = SourceUrl::parse(&format!("https://{name}/")).ok()?;
        let is_bare = url.url().path() == "/" && url.url().port().is_none() && !name.contains('*');
        is_bare.then(|| Self { host: url.host().to_owned(), reach })
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let front = if self.reach == Reach::BelowOnly { "*." } else { "" };
        write!(f, "{front}{}", bracketed(&self.host))
    }
}

impl Serialize for HostRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One host with its port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAndPort {
    host: String,
    port: u16,
}

impl HostAndPort {
    /// Whether this is the host, as [`SourceUrl::host`] has it, and the port.
    #[must_use]
    pub fn is(&self, host: &str, port: u16) -> bool {
        self.port == port && self.host == host
    }
}

impl Entry for HostAndPort {
    const EXPECTED: &'static str = "a host with its port such as intranet.example:8080";

    fn parse(text: &str) -> Option<Self> {
        let (_, port) = text.rsplit_once(':')?;
        let port = port.parse().ok()?;
        let url = SourceUrl::parse(&format!("https://{text}/")).ok()?;
        let is_bare = url.url().path() == "/" && url.port() == port;
        is_bare.then(|| Self { host: url.host().to_owned(), port })
    }
}

impl fmt::Display for HostAndPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", bracketed(&self.host), self.port)
    }
}

impl Serialize for HostAndPort {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The host as a URL or a `Host` field writes it.
pub(super) fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_covers_its_host_and_what_lies_below_but_no_other_name() {
        let rule = HostRule::parse("Example.COM").unwrap();
        assert!(rule.covers("example.com") && rule.covers("a.b.example.com"));
        assert!(!rule.covers("badexample.com") && !rule.covers("example.com.evil.org"));
        let below = HostRule::parse("*.example.com").unwrap();
        assert!(below.covers("a.example.com") && !below.covers("example.com"));
    }

    #[test]
    fn hosts_are_cleaned_as_addresses_are() {
        assert_eq!(HostRule::parse("fa\u{df}.de.").unwrap().to_string(), "xn--fa-hia.de");
        assert!(HostAndPort::parse("[::1]:8080").unwrap().is("::1", 8080));
        assert!(HostAndPort::parse("Redis:443").unwrap().is("redis", 443));
    }

    #[test]
    fn what_is_more_or_less_than_a_host_is_refused() {
        for text in ["example.com/feed", "example.com:80", "user@example.com", "*.", "*"] {
            assert!(HostRule::parse(text).is_none(), "{text}");
        }
        for text in ["example.com", "example.com:", "example.com:0", "::1", "a:80/x"] {
            assert!(HostAndPort::parse(text).is_none(), "{text}");
        }
    }
}
