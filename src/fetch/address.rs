//! Decides whether an IP address may be dialled.
//!
//! Pure: resolution and connection happen elsewhere. Ranges follow the IANA special-purpose
//! registries (RFC 6890 and its successors); an address that carries an IPv4 inside an IPv6 is
//! judged by both. Refusals keep their reason.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

use super::verdict::Verdict;

/// Judges an address by the registries alone; what an operator opens is judged elsewhere.
///
/// # Errors
/// Says which range the address lies in.
pub(super) fn judge_address(address: IpAddr) -> Result<(), Verdict> {
    match address {
        IpAddr::V4(address) => judge_v4(address),
        IpAddr::V6(address) => judge_v6(address),
    }
}

fn judge_v4(address: Ipv4Addr) -> Result<(), Verdict> {
    match REFUSED_V4.iter().find(|(net, _)| net.contains(&address)) {
        Some((_, verdict)) => Err(*verdict),
        None => Ok(()),
    }
}

fn judge_v6(address: Ipv6Addr) -> Result<(), Verdict> {
    if let Some(inner) = address.to_ipv4_mapped() {
        return judge_v4(inner);
    }
    // Networks without IPv4 reach the public web through this prefix (RFC 6052, 2.1).
    if NAT64.contains(&address) {
        return judge_v4(last_four_bytes(address));
    }
    if let Some((_, verdict)) = REFUSED_V6.iter().find(|(net, _)| net.contains(&address)) {
        return Err(*verdict);
    }
    if !GLOBAL_UNICAST.contains(&address) {
        return Err(Verdict::NotGlobal);
    }
    if is_isatap(address) { Err(Verdict::Tunnel) } else { Ok(()) }
}

fn last_four_bytes(address: Ipv6Addr) -> Ipv4Addr {
    let [.., a, b, c, d] = address.octets();
    Ipv4Addr::new(a, b, c, d)
}

/// Interface identifiers `0000:5EFE` and `0200:5EFE`, before an IPv4 (RFC 5214, 6.1).
fn is_isatap(address: Ipv6Addr) -> bool {
    let [.., high, low, _, _] = address.segments();
    low == 0x5efe && high & !0x0200 == 0
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

/// A prefix by its first three groups and the last one: no range here needs more.
const fn v6(first: [u16; 3], last: u16, prefix: u8) -> Ipv6Net {
    let [a, b, c] = first;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, last), prefix)
}

const REFUSED_V4: &[(Ipv4Net, Verdict)] = &[
    (v4(0, 0, 0, 0, 8), Verdict::Unspecified), // RFC 791, 3.2
    (v4(10, 0, 0, 0, 8), Verdict::Private),    // RFC 1918
    (v4(100, 64, 0, 0, 10), Verdict::Shared),  // RFC 6598
    (v4(127, 0, 0, 0, 8), Verdict::Loopback),  // RFC 1122, 3.2.1.3
    (v4(168, 63, 129, 16, 32), Verdict::Platform), // in no registry: a cloud's host agent
    (v4(169, 254, 0, 0, 16), Verdict::LinkLocal), // RFC 3927
    (v4(172, 16, 0, 0, 12), Verdict::Private), // RFC 1918
    (v4(192, 0, 0, 0, 24), Verdict::Protocol), // RFC 6890, 2.1
    (v4(192, 0, 2, 0, 24), Verdict::Documentation), // RFC 5737
    (v4(192, 88, 99, 0, 24), Verdict::Tunnel), // RFC 7526: 6to4 relays, retired
    (v4(192, 168, 0, 0, 16), Verdict::Private), // RFC 1918
    (v4(198, 18, 0, 0, 15), Verdict::Benchmark), // RFC 2544
    (v4(198, 51, 100, 0, 24), Verdict::Documentation), // RFC 5737
    (v4(203, 0, 113, 0, 24), Verdict::Documentation), // RFC 5737
    (v4(224, 0, 0, 0, 4), Verdict::Multicast), // RFC 5771
    (v4(240, 0, 0, 0, 4), Verdict::Reserved),  // RFC 1112, 4; RFC 8190
];

const NAT64: Ipv6Net = v6([0x64, 0xff9b, 0], 0, 96); // RFC 6052
const GLOBAL_UNICAST: Ipv6Net = v6([0x2000, 0, 0], 0, 3); // RFC 4291, 2.4

/// Ranges inside and outside 2000::/3; narrow ones come before those that hold them.
const REFUSED_V6: &[(Ipv6Net, Verdict)] = &[
    (v6([0, 0, 0], 0, 128), Verdict::Unspecified), // RFC 4291, 2.5.2
    (v6([0, 0, 0], 1, 128), Verdict::Loopback),    // RFC 4291, 2.5.3
    (v6([0, 0, 0], 0, 96), Verdict::Tunnel),       // RFC 4291, 2.5.5.1: IPv4-compatible
    (v6([0x64, 0xff9b, 1], 0, 48), Verdict::Tunnel), // RFC 8215: local NAT64
    (v6([0x100, 0, 0], 0, 64), Verdict::Reserved), // RFC 6666: discard only
    (v6([0x2001, 0, 0], 0, 32), Verdict::Tunnel),  // RFC 4380: Teredo
    (v6([0x2001, 2, 0], 0, 48), Verdict::Benchmark), // RFC 5180
    (v6([0x2001, 0x10, 0], 0, 28), Verdict::Protocol), // RFC 4843: ORCHID
    (v6([0x2001, 0x20, 0], 0, 28), Verdict::Protocol), // RFC 7343: ORCHIDv2
    (v6([0x2001, 0, 0], 0, 23), Verdict::Protocol), // RFC 2928
    (v6([0x2001, 0xdb8, 0], 0, 32), Verdict::Documentation), // RFC 3849
    (v6([0x2002, 0, 0], 0, 16), Verdict::Tunnel),  // RFC 3056: 6to4
    (v6([0x3fff, 0, 0], 0, 20), Verdict::Documentation), // RFC 9637
    (v6([0x5f00, 0, 0], 0, 16), Verdict::Protocol), // RFC 9602: segment routing
    (v6([0xfc00, 0, 0], 0, 7), Verdict::UniqueLocal), // RFC 4193
    (v6([0xfe80, 0, 0], 0, 10), Verdict::LinkLocal), // RFC 4291, 2.5.6
    (v6([0xfec0, 0, 0], 0, 10), Verdict::SiteLocal), // RFC 3879
    (v6([0xff00, 0, 0], 0, 8), Verdict::Multicast), // RFC 4291, 2.7
];

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(address: &str) -> Result<(), Verdict> {
        judge_address(address.parse().unwrap())
    }

    #[test]
    fn both_edges_of_every_ipv4_range_are_refused_and_their_neighbours_judged_apart() {
        for &(net, verdict) in REFUSED_V4 {
            let (first, last) = (net.network(), net.broadcast());
            assert_eq!(judge_v4(first), Err(verdict), "{first}");
            assert_eq!(judge_v4(last), Err(verdict), "{last}");
            let below = u32::from(first).checked_sub(1).map(Ipv4Addr::from);
            let above = u32::from(last).checked_add(1).map(Ipv4Addr::from);
            for outside in below.into_iter().chain(above) {
                let other = REFUSED_V4.iter().find(|(net, _)| net.contains(&outside));
                assert_eq!(judge_v4(outside).err(), other.map(|(_, verdict)| *verdict));
            }
        }
    }

    /// `deploy/kubernetes/base/networkpolicy.yaml` is a second wall with the same gaps: none.
    #[test]
    fn the_network_policy_for_kubernetes_repeats_the_ranges() {
        let policy = include_str!("../../deploy/kubernetes/base/networkpolicy.yaml");
        let policy: serde_json::Value = serde_norway::from_str(policy).unwrap();
        let rules = policy["spec"]["egress"].as_array().unwrap();
        let except = |cidr: &str| -> Vec<String> {
            let targets = rules.iter().flat_map(|rule| rule["to"].as_array().unwrap());
            let mut blocks = targets.map(|target| &target["ipBlock"]);
            let block = blocks.find(|block| block["cidr"] == cidr).unwrap();
            let nets = block["except"].as_array().unwrap().iter();
            nets.map(|net| net.as_str().unwrap().to_owned()).collect()
        };
        let v4: Vec<_> = REFUSED_V4.iter().map(|(net, _)| net.to_string()).collect();
        assert_eq!(except("0.0.0.0/0"), v4);
        let global = REFUSED_V6.iter().map(|(net, _)| net);
        let global = global.filter(|net| GLOBAL_UNICAST.contains(*net));
        assert_eq!(except("2000::/3"), global.map(ToString::to_string).collect::<Vec<_>>());
        // Of blocks of addresses there are no others.
        let blocks = rules.iter().flat_map(|rule| rule["to"].as_array().unwrap());
        assert_eq!(blocks.filter(|target| target["ipBlock"].is_object()).count(), 2);
    }

    #[test]
    fn public_addresses_beside_the_ranges_are_open() {
        for address in [
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.15",
            "168.63.129.17",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "191.255.255.255",
            "192.0.1.0",
            "192.0.3.0",
            "192.31.196.1",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "203.0.114.0",
            "223.255.255.255",
            "2001:200::",
            "2001:db7:ffff::1",
            "2001:db9::",
            "2003::1",
            "2606:4700:4700::1111",
            "3ffe:ffff::1",
            "3fff:1000::",
        ] {
            assert_eq!(judge(address), Ok(()), "{address}");
        }
    }

    #[test]
    fn both_edges_of_every_ipv6_range_are_refused() {
        for &(net, _) in REFUSED_V6 {
            for edge in [net.network(), net.broadcast()] {
                assert!(judge_v6(edge).is_err(), "{edge}");
            }
        }
    }

    #[test]
    fn ipv6_is_refused_by_its_kind() {
        use Verdict::*;
        for (address, verdict) in [
            ("::", Unspecified),
            ("::1", Loopback),
            ("::2", Tunnel),
            ("::ffff:0:127.0.0.1", NotGlobal),
            ("64:ff9c::1", NotGlobal),
            ("100::1", Reserved),
            ("100:0:0:1::1", NotGlobal),
            ("1fff:ffff::1", NotGlobal),
            ("2001::1", Tunnel),
            ("2001:1::1", Protocol),
            ("2001:2::1", Benchmark),
            ("2001:2f:ffff::1", Protocol),
            ("2001:1ff:ffff::1", Protocol),
            ("2001:db8:ffff::1", Documentation),
            ("3fff:fff:ffff::1", Documentation),
            ("4000::1", NotGlobal),
            ("5f00::1", Protocol),
            ("fdff:ffff::1", UniqueLocal),
            ("fe80::1", LinkLocal),
            ("fec0::1", SiteLocal),
            ("ff02::1", Multicast),
        ] {
            assert_eq!(judge(address), Err(verdict), "{address}");
        }
    }

    #[test]
    fn an_ipv4_inside_an_ipv6_is_judged_as_well() {
        use Verdict::*;
        for (address, verdict) in [
            ("::ffff:127.0.0.1", Err(Loopback)),
            ("::ffff:a9fe:a9fe", Err(LinkLocal)),
            ("::ffff:8.8.8.8", Ok(())),
            ("64:ff9b::10.0.0.1", Err(Private)),
            ("64:ff9b::8.8.8.8", Ok(())),
            ("64:ff9b::1:808:808", Err(NotGlobal)),
            ("64:ff9b:1::808:808", Err(Tunnel)),
            ("2002:808:808::1", Err(Tunnel)),
            ("::8.8.8.8", Err(Tunnel)),
            ("2606:4700::5efe:808:808", Err(Tunnel)),
            ("2606:4700::200:5efe:808:808", Err(Tunnel)),
            ("2606:4700::100:5efe:808:808", Ok(())),
        ] {
            assert_eq!(judge(address), verdict, "{address}");
        }
    }
}
