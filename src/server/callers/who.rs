//! Whose request it is: the peer's, or that of the one it was forwarded for.
//!
//! Only a trusted proxy is believed. From the right, which it wrote itself, the first address that
//! is no trusted proxy is the caller; what stands left of it anybody may have sent. Where
//! `Forwarded` and `X-Forwarded-For` disagree, one of them was sent by the client itself, and
//! nobody can tell which: such requests count together, against the proxy.

use std::net::IpAddr;

use actix_web::http::header::{FORWARDED, HeaderMap, HeaderName};
use ipnet::IpNet;

use super::forwarded::{Node, forwarded_nodes, x_forwarded_for_nodes};

/// Whom to believe, and whom to count for nobody.
#[derive(Debug)]
pub(super) struct Who {
    pub(super) trusted: Vec<IpNet>,
    pub(super) exempt: Vec<IpNet>,
}

/// What was found.
#[derive(Debug, PartialEq)]
pub(super) struct Found {
    /// The address that counts, an IPv6 one without its last 64 bits; none for the exempt.
    pub(super) counted: Option<IpAddr>,
    /// Whether a header was not believed.
    pub(super) ignored_a_proxy: bool,
}

/// Whom one header names.
#[derive(Debug, PartialEq)]
enum Named {
    Nobody,
    Address(IpAddr),
    /// Somebody, but not by an address that can be read.
    Hidden,
}

impl Who {
    pub(super) fn asks(&self, peer: IpAddr, headers: &HeaderMap) -> Found {
        let peer = peer.to_canonical();
        if !contains(&self.trusted, peer) {
            let is_named = headers.contains_key(FORWARDED) || headers.contains_key(X_FORWARDED_FOR);
            let ignored_a_proxy = is_named && !contains(&self.exempt, peer);
            return Found { counted: self.counted(peer), ignored_a_proxy };
        }
        let forwarded = self.named(headers, &FORWARDED, forwarded_nodes);
        let x_forwarded = self.named(headers, &X_FORWARDED_FOR, x_forwarded_for_nodes);
        let counted = match (forwarded, x_forwarded) {
            (Named::Nobody, Named::Nobody) => self.counted(peer),
            (Named::Address(caller), Named::Nobody) | (Named::Nobody, Named::Address(caller)) => {
                self.counted(caller)
            }
            (Named::Address(one), Named::Address(other)) if one == other => self.counted(one),
            _ => Some(network(peer)),
        };
        Found { counted, ignored_a_proxy: false }
    }

    fn counted(&self, caller: IpAddr) -> Option<IpAddr> {
        (!contains(&self.exempt, caller)).then(|| network(caller))
    }

    /// Reads the lines of a header from the last one, each from its end.
    fn named<N: Iterator<Item = Node>>(
        &self,
        headers: &HeaderMap,
        name: &HeaderName,
        nodes: impl Fn(String) -> N,
    ) -> Named {
        let lines: Vec<_> = headers
            .get_all(name)
            .map(|line| String::from_utf8_lossy(line.as_bytes()).into_owned())
            .collect();
        let mut named = Named::Nobody;
        for (hop, node) in lines.into_iter().rev().flat_map(nodes).enumerate() {
            match node {
                Node::Address(address) if contains(&self.trusted, address) && hop < MOST_HOPS => {
                    named = Named::Address(address);
                }
                Node::Address(address) if hop < MOST_HOPS => return Named::Address(address),
                Node::Address(_) | Node::Hidden => return Named::Hidden,
            }
        }
        named
    }
}

/// More proxies in a row than anybody has.
const MOST_HOPS: usize = 16;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

fn contains(networks: &[IpNet], address: IpAddr) -> bool {
    networks.iter().any(|network| network.contains(&address))
}

/// Whoever has one IPv6 address has the 2⁶⁴ of its network.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn check(peer: &str, lines: &[(&str, &str)]) -> Option<String> {
        let networks = |list: &[&str]| list.iter().map(|text| text.parse().unwrap()).collect();
        let who = Who {
            trusted: networks(&["127.0.0.0/8", "10.0.0.0/8", "fd00::/8"]),
            exempt: networks(&["127.0.0.0/8"]),
        };
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let found = who.asks(peer.parse().unwrap(), &headers);
        found.counted.map(|address| address.to_string())
    }

    #[test]
    fn the_peer_is_the_caller_unless_it_is_a_trusted_proxy() {
        let named = [("x-forwarded-for", "198.51.100.7"), ("forwarded", "for=198.51.100.7")];
        for (peer, alone, forwarding) in [
            ("192.0.2.1", Some("192.0.2.1"), Some("192.0.2.1")),
            ("::ffff:192.0.2.1", Some("192.0.2.1"), Some("192.0.2.1")),
            ("10.1.2.3", Some("10.1.2.3"), Some("198.51.100.7")),
            ("::ffff:10.1.2.3", Some("10.1.2.3"), Some("198.51.100.7")),
            ("127.0.0.1", None, Some("198.51.100.7")),
        ] {
            assert_eq!(check(peer, &[]).as_deref(), alone, "{peer}");
            assert_eq!(check(peer, &named).as_deref(), forwarding, "{peer}");
            assert_eq!(check(peer, &named[..1]).as_deref(), forwarding, "{peer}");
            assert_eq!(check(peer, &named[1..]).as_deref(), forwarding, "{peer}");
        }
    }

    #[test]
    fn the_first_address_from_the_right_that_is_no_proxy_is_the_caller() {
        for (line, caller) in [
            ("6.6.6.6, 198.51.100.7", Some("198.51.100.7")),
            ("6.6.6.6, 198.51.100.7, 10.9.9.9", Some("198.51.100.7")),
            ("nonsense, 198.51.100.7:4711, 10.9.9.9", Some("198.51.100.7")),
            ("10.8.8.8, 10.9.9.9", Some("10.8.8.8")),
            ("127.0.0.1", None),
            ("6.6.6.6, unknown", Some("10.0.0.1")),
            ("6.6.6.6, 999.1.1.1, 10.9.9.9", Some("10.0.0.1")),
        ] {
            let found = check("10.0.0.1", &[("x-forwarded-for", line)]);
            assert_eq!(found.as_deref(), caller, "{line}");
        }
        let lines = [("x-forwarded-for", "6.6.6.6"), ("x-forwarded-for", "198.51.100.7")];
        assert_eq!(check("10.0.0.1", &lines).as_deref(), Some("198.51.100.7"));
        let long = "10.9.9.9,".repeat(1_000);
        let long = check("10.0.0.1", &[("x-forwarded-for", &long)]);
        assert_eq!(long.as_deref(), Some("10.0.0.1"));
    }

    #[test]
    fn headers_that_disagree_count_against_the_proxy_and_never_as_exempt() {
        for forwarded in ["for=6.6.6.6", "for=unknown", "for=\"unclosed", "proto=https"] {
            let lines = [("x-forwarded-for", "198.51.100.7"), ("forwarded", forwarded)];
            assert_eq!(check("127.0.0.1", &lines).as_deref(), Some("127.0.0.1"), "{forwarded}");
        }
    }

    #[test]
    fn an_ipv6_caller_is_its_network() {
        assert_eq!(check("2001:db8:1:2:3:4:5:6", &[]).as_deref(), Some("2001:db8:1:2::"));
        let lines = [("forwarded", "for=\"[2001:db8:1:2::9]:4711\"")];
        assert_eq!(check("10.0.0.1", &lines).as_deref(), Some("2001:db8:1:2::"));
    }

    #[test]
    fn a_proxy_that_is_not_trusted_is_noticed() {
        let mut headers = HeaderMap::new();
        headers.append(X_FORWARDED_FOR, HeaderValue::from_static("198.51.100.7"));
        let who = Who { trusted: Vec::new(), exempt: Vec::new() };
        assert!(who.asks("192.0.2.1".parse().unwrap(), &headers).ignored_a_proxy);
        assert!(!who.asks("192.0.2.1".parse().unwrap(), &HeaderMap::new()).ignored_a_proxy);
    }
}
