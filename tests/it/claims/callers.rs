//! What a caller may send: whom a proxy says that it asks for, and where it wants us to go.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use mmsp_gateway::fetch::{Guard, Settings};
use mmsp_gateway::model::SourceUrl;
use mmsp_gateway::server::{Node, forwarded_nodes, x_forwarded_for_nodes};

/// Whatever a client sends, the proxy behind it has the last word, and reading comes to an end.
pub fn the_proxy_has_the_last_word(bytes: &[u8]) {
    let sent = String::from_utf8_lossy(bytes).into_owned();
    let proxy = Some(Node::Address(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1))));
    assert_eq!(forwarded_nodes(format!("{sent},for=192.0.2.1;proto=https")).next(), proxy);
    assert_eq!(x_forwarded_for_nodes(format!("{sent}, 192.0.2.1")).next(), proxy);
    let most = sent.matches(',').count() + 1;
    assert!(forwarded_nodes(sent.clone()).count() <= most);
    assert!(x_forwarded_for_nodes(sent).count() <= most);
}

/// No address that the plainest table calls private is open, as an answer of a name or as text.
pub fn nothing_private_is_open(bytes: &[u8]) {
    let guard = Guard::new(&Settings::default());
    let named = SourceUrl::parse("https://feed.example/").unwrap();
    let mut answers: Vec<IpAddr> = Vec::new();
    answers.extend(bytes.first_chunk::<4>().map(|octets| IpAddr::from(*octets)));
    answers.extend(bytes.first_chunk::<16>().map(|octets| IpAddr::from(*octets)));
    for answer in answers {
        if guard.judge(&named, &[answer]).is_ok() {
            assert!(!is_private(answer), "{answer}");
        }
    }
    let Ok(url) = SourceUrl::parse(&String::from_utf8_lossy(bytes)) else { return };
    if guard.judge_url(&url).is_err() {
        return;
    }
    assert!(url.host().contains(['.', ':']), "{url:?}");
    if let Ok(address) = url.host().parse::<IpAddr>()
        && guard.judge(&url, &[]).is_ok()
    {
        assert!(!is_private(address), "{url:?}");
    }
}

/// By what the standard library and a reader of RFC 6890 would say at once.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_multicast()
                || address.is_documentation()
                || first == 0
                || first >= 240
                || (first == 100 && (64..128).contains(&second))
                || (first == 198 && (18..20).contains(&second))
        }
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let inner = Ipv4Addr::from(u32::from_be_bytes([
        address.octets()[12],
        address.octets()[13],
        address.octets()[14],
        address.octets()[15],
    ]));
    let carries_one = address.to_ipv4_mapped().is_some() || (first, second) == (0x64, 0xff9b);
    if carries_one {
        return is_private(IpAddr::V4(inner));
    }
    // Everything else that is global begins with 001.
    first >> 13 != 1 || (first, second) == (0x2001, 0xdb8) || first == 0x2002
}
