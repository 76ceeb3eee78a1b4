//! Reads `Forwarded` (RFC 7239) and `X-Forwarded-For`, from the right.
//!
//! The right end was written by the proxy next to us, and what stands before it possibly by the
//! client: so nothing on the left, however broken, may change how the right is read. An element is
//! the shortest well-formed end of what is left, since an open quotation mark on the left would
//! swallow it in a reading from the left.

use std::net::{IpAddr, Ipv6Addr};

/// Whom a proxy says it acts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// An address; of IPv4 also where it stands inside an IPv6 one.
    Address(IpAddr),
    /// `unknown`, a name made up to hide one, or something that cannot be read.
    Hidden,
}

/// The `for` of each element of a `Forwarded` line, the last one first. Ends at what cannot be
/// read, which is [`Node::Hidden`].
pub fn forwarded_nodes(line: String) -> impl Iterator<Item = Node> {
    FromRight { line, end: None, read: element, most_commas: MOST_QUOTED_COMMAS }
}

/// Each address of an `X-Forwarded-For` line, the last one first. Ends like [`forwarded_nodes`].
pub fn x_forwarded_for_nodes(line: String) -> impl Iterator<Item = Node> {
    FromRight { line, end: None, read: |text| Some(node(text)), most_commas: 0 }
}

/// Commas inside of quotation marks that one element may have: nobody needs more, and looking
/// for more takes time.
const MOST_QUOTED_COMMAS: usize = 4;

/// A list that is read from its end.
struct FromRight {
    line: String,
    /// Where the unread part ends; none before the first element.
    end: Option<usize>,
    read: fn(&str) -> Option<Node>,
    most_commas: usize,
}

impl Iterator for FromRight {
    type Item = Node;

    fn next(&mut self) -> Option<Node> {
        loop {
            let left = self.line.get(..self.end.unwrap_or(self.line.len()))?;
            if left.trim().is_empty() {
                return None;
            }
            let starts = left.rmatch_indices(',').map(|(at, _)| (at, at + 1));
            let starts = starts.chain([(0, 0)]).take(self.most_commas + 1);
            let found = starts.into_iter().find_map(|(end, start)| {
                let text = left.get(start..)?.trim();
                // Empty elements of a list are none (RFC 9110 5.6.1).
                let node = if text.is_empty() { None } else { Some((self.read)(text)?) };
                Some((end, node))
            });
            let (end, node) = found.unwrap_or((0, Some(Node::Hidden)));
            self.end = Some(end);
            if node.is_some() {
                return node;
            }
        }
    }
}

/// The `for` of one element: pairs of token and value, parted by semicolons. None where it is not
/// well-formed.
fn element(text: &str) -> Option<Node> {
    let mut rest = text;
    let mut found = None;
    loop {
        rest = rest.trim_start();
        if !rest.is_empty() && !rest.starts_with(';') {
            let (name, after) = rest.split_once('=')?;
            let is_token = !name.is_empty() && name.chars().all(is_token_letter);
            let (value, after) = value(after).filter(|_| is_token)?;
            if name.eq_ignore_ascii_case("for") && found.replace(node(&value)).is_some() {
                return None; // Each parameter once (RFC 7239 4).
            }
            rest = after.trim_start();
        }
        match rest.strip_prefix(';') {
            Some(after) => rest = after,
            None if rest.is_empty() => return Some(found.unwrap_or(Node::Hidden)),
            None => return None,
        }
    }
}

/// A token, brackets and colons forgiven, or a quoted string; and what follows it.
fn value(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(|c| !is_token_letter(c) && !"[]:".contains(c)).unwrap_or(text.len());
        let (token, after) = text.split_at(end);
        return (!token.is_empty()).then(|| (token.to_owned(), after));
    };
    let mut value = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, quoted.get(at + 1..)?)),
            '\\' => value.push(letters.next()?.1),
            _ => value.push(letter),
        }
    }
    None
}

/// RFC 9110 5.6.2.
fn is_token_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter)
}

/// An address, with or without a port and brackets.
fn node(text: &str) -> Node {
    let bracketed = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let address = match bracketed {
        Some((inner, port)) if is_port(port) => inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        Some(_) => None,
        None => text.parse().ok().or_else(|| {
            let (address, port) = text.split_at_checked(text.find(':')?)?;
            address.parse().ok().filter(|_| is_port(port)).map(IpAddr::V4)
        }),
    };
    address.map_or(Node::Hidden, |address| Node::Address(address.to_canonical()))
}

/// Nothing, or a colon and a port, which may be hidden too (RFC 7239 6).
fn is_port(text: &str) -> bool {
    text.is_empty()
        || text.strip_prefix(':').is_some_and(|port| {
            !port.is_empty()
                && port.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(nodes: impl Iterator<Item = Node>) -> Vec<String> {
        let shown = |node| match node {
            Node::Address(address) => IpAddr::to_string(&address),
            Node::Hidden => "?".to_owned(),
        };
        nodes.map(shown).collect()
    }

    #[test]
    fn the_examples_of_rfc_7239_are_read_from_the_right() {
        for (line, nodes) in [
            ("for=\"_gazonk\"", &["?"][..]),
            ("For=\"[2001:db8:cafe::17]:4711\"", &["2001:db8:cafe::17"]),
            ("for=192.0.2.60;proto=http;by=203.0.113.43", &["192.0.2.60"]),
            ("for=192.0.2.43, for=198.51.100.17", &["198.51.100.17", "192.0.2.43"]),
            ("for=_hidden, for=_SEVKISEK", &["?", "?"]),
            (
                "for=192.0.2.43,for=\"[2001:db8:cafe::17]\",for=unknown",
                &["?", "2001:db8:cafe::17", "192.0.2.43"],
            ),
        ] {
            assert_eq!(shown(forwarded_nodes(line.to_owned())), nodes, "{line}");
        }
    }

    #[test]
    fn forwarded_is_forgiving_where_nothing_can_be_gained() {
        for (line, nodes) in [
            ("", &[][..]),
            (" , ,", &[]),
            ("for=192.0.2.1:80", &["192.0.2.1"]),
            ("for=[2001:db8::1]:80", &["2001:db8::1"]),
            ("for=\"192.0.2.1:_p\" ; proto=https ;", &["192.0.2.1"]),
            ("for=\"::ffff:192.0.2.1\"", &["192.0.2.1"]),
            ("host=\"a,b\";for=192.0.2.1", &["192.0.2.1"]),
            ("host=\"a\\\",for=6.6.6.6;x=\\\"\";for=192.0.2.1", &["192.0.2.1"]),
            ("proto=https", &["?"]),
            ("for=6.6.6.6;for=192.0.2.1", &["?"]),
            ("for 192.0.2.1", &["?"]),
            ("for=\"192.0.2.1", &["?"]),
        ] {
            assert_eq!(shown(forwarded_nodes(line.to_owned())), nodes, "{line}");
        }
    }

    #[test]
    fn x_forwarded_for_is_a_list_of_addresses() {
        for (line, nodes) in [
            ("", &[][..]),
            ("203.0.113.1, 198.51.100.2 ,192.0.2.3", &["192.0.2.3", "198.51.100.2", "203.0.113.1"]),
            ("192.0.2.1:4711", &["192.0.2.1"]),
            (
                "2001:db8::1, [2001:db8::2], [2001:db8::3]:80",
                &["2001:db8::3", "2001:db8::2", "2001:db8::1"],
            ),
            ("a, 192.0.2.1,", &["192.0.2.1", "?"]),
            ("192.0.2.1:", &["?"]),
            ("\"192.0.2.1\"", &["?"]),
            ("127.1", &["?"]),
        ] {
            assert_eq!(shown(x_forwarded_for_nodes(line.to_owned())), nodes, "{line}");
        }
    }

    proptest! {
        #[test]
        fn whatever_a_client_sent_the_proxy_has_the_last_word(
            sent in "[ -~]{0,200}",
            address: IpAddr,
            by in "[a-z,\"]{0,10}",
        ) {
            let escaped = by.replace('"', "\\\"");
            let forwarded = format!("{sent}, by=\"{escaped}\";for=\"[{address}]\"")
                .replace(&format!("[{address}]"), &match address {
                    IpAddr::V4(_) => address.to_string(),
                    IpAddr::V6(_) => format!("[{address}]"),
                });
            let address = Node::Address(address.to_canonical());
            if by.matches(',').count() <= MOST_QUOTED_COMMAS {
                prop_assert_eq!(forwarded_nodes(forwarded).next(), Some(address));
            }
            let Node::Address(ip) = address else { unreachable!() };
            prop_assert_eq!(x_forwarded_for_nodes(format!("{sent},{ip}")).next(), Some(address));
        }

        #[test]
        fn any_line_is_read_to_an_end(line in "[,;=\"\\\\\\[\\]:a-f0-9 .]{0,300}|\\PC{0,100}") {
            let commas = line.matches(',').count();
            prop_assert!(forwarded_nodes(line.clone()).count() <= commas + 1);
            prop_assert!(x_forwarded_for_nodes(line).count() <= commas + 1);
        }
    }
}
