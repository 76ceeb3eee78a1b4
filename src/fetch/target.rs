//! Decides whether a target may be fetched: its name, its port, and what the name resolves to.
//!
//! Pure. The same judge looks at a URL before a request and at every socket address just before it
//! is dialled, so that no way to a connection goes round it.

use std::net::IpAddr;

use percent_encoding::percent_decode_str;

use super::address::judge_address;
use super::settings::Settings;
use super::verdict::Verdict;
use crate::model::SourceUrl;

/// The judge of targets, as the operator's settings make it.
#[derive(Clone, Debug)]
pub struct Guard {
    settings: Settings,
    own: Vec<SourceUrl>,
}

/// How far a name and its port may go before its addresses are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Its addresses must be public, or lie in a network that is allowed.
    Open,
    /// The operator named this host and port: its addresses may be what they are.
    Named,
    /// Refused for this reason, unless all its addresses lie in a network that is allowed.
    Doubtful(Verdict),
}

impl Guard {
    /// A judge by these settings that knows no address of the gateway itself.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self { settings: settings.clone(), own: Vec::new() }
    }

    /// Refuses what lies at or under these addresses as well: the gateway's own paths.
    #[must_use]
    pub fn refusing(mut self, own: &[SourceUrl]) -> Self {
        self.own.extend_from_slice(own);
        self
    }

    /// Judges a URL together with the addresses that its name resolves to; a literal address in the
    /// URL is judged in their place.
    ///
    /// # Errors
    /// Says why the target is refused.
    pub fn judge(&self, url: &SourceUrl, answers: &[IpAddr]) -> Result<(), Verdict> {
        self.judge_url(url)?;
        let host = url.host();
        match host.parse() {
            Ok(literal) => self.judge_addresses(host, url.port(), &[literal]),
            Err(_) => self.judge_addresses(host, url.port(), answers),
        }
    }

    /// Judges what can be said of a URL without resolving its name.
    ///
    /// # Errors
    /// Says why the target is refused.
    pub fn judge_url(&self, url: &SourceUrl) -> Result<(), Verdict> {
        if self.own.iter().any(|own| is_under(url, own)) {
            return Err(Verdict::OwnAddress);
        }
        self.judge_name(url.host(), url.port()).map(drop)
    }

    /// Whether the operator named this host and port.
    pub(super) fn is_named(&self, url: &SourceUrl) -> bool {
        self.judge_name(url.host(), url.port()) == Ok(Standing::Named)
    }

    /// Judges a host and port before anything is resolved.
    pub(super) fn judge_name(&self, host: &str, port: u16) -> Result<Standing, Verdict> {
        let listed = &self.settings.only_hosts;
        if self.settings.deny_hosts.iter().any(|rule| rule.covers(host)) {
            return Err(Verdict::DeniedHost);
        }
        if !listed.is_empty() && !listed.iter().any(|rule| rule.covers(host)) {
            return Err(Verdict::UnlistedHost);
        }
        if self.settings.allow_hosts.iter().any(|named| named.is(host, port)) {
            return Ok(Standing::Named);
        }
        match judge_host(host).and_then(|()| self.judge_port(port)) {
            Ok(()) => Ok(Standing::Open),
            // Names are refused before anyone is asked for them, unless an answer could open them.
            Err(verdict) if self.settings.allow_networks.is_empty() => Err(verdict),
            Err(verdict) => Ok(Standing::Doubtful(verdict)),
        }
    }

    /// Judges every address that a host resolved to; one bad address refuses all.
    pub(super) fn judge_addresses(
        &self,
        host: &str,
        port: u16,
        addresses: &[IpAddr],
    ) -> Result<(), Verdict> {
        let standing = self.judge_name(host, port)?;
        addresses.iter().try_for_each(|address| match standing {
            Standing::Named => Ok(()),
            _ if self.is_allowed(*address) => Ok(()),
            Standing::Open => judge_address(*address),
            Standing::Doubtful(verdict) => Err(verdict),
        })
    }

    fn is_allowed(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.settings.allow_networks.iter().any(|network| network.contains(&address))
    }

    fn judge_port(&self, port: u16) -> Result<(), Verdict> {
        let is_open = WEB_PORTS.contains(&port) || self.settings.allow_ports.contains(&port);
        if is_open { Ok(()) } else { Err(Verdict::Port) }
    }
}

/// Judges a host by its look alone.
fn judge_host(host: &str) -> Result<(), Verdict> {
    if host.parse::<IpAddr>().is_ok() {
        return Ok(());
    }
    if host.split('.').any(is_malformed) {
        return Err(Verdict::MalformedName);
    }
    if RESERVED_NAMES.iter().any(|reserved| is_at_or_below(host, reserved)) {
        return Err(Verdict::ReservedName);
    }
    if host.contains('.') { Ok(()) } else { Err(Verdict::SingleLabel) }
}

/// Labels are letters, digits, hyphens inside and, in the wild, underscores (RFC 1123, 2.1); the
/// URL parser lets more through.
fn is_malformed(label: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    label.is_empty()
        || label.starts_with('-')
        || label.ends_with('-')
        || !label.bytes().all(is_known)
}

fn is_at_or_below(host: &str, zone: &str) -> bool {
    host.strip_suffix(zone).is_some_and(|front| front.is_empty() || front.ends_with('.'))
}

/// Whether a URL is one of our own or lies under it. The scheme and its default port do not
/// matter: a proxy before us may offer both.
fn is_under(url: &SourceUrl, own: &SourceUrl) -> bool {
    let same_port = url.port() == own.port()
        || (WEB_PORTS.contains(&url.port()) && WEB_PORTS.contains(&own.port()));
    let [path, own_path] =
        [url, own].map(|url| percent_decode_str(url.url().path()).collect::<Vec<u8>>());
    let same_path = match path.strip_prefix(own_path.as_slice()) {
        Some(rest) => rest.is_empty() || rest.starts_with(b"/") || own_path.ends_with(b"/"),
        None => false,
    };
    same_port && same_path && url.host() == own.host()
}

const WEB_PORTS: [u16; 2] = [80, 443];

/// Names that stand for this machine or this network, or that are no names of the DNS.
const RESERVED_NAMES: &[&str] = &[
    "localhost",   // RFC 6761, 6.3
    "localdomain", // hosts files: localhost.localdomain
    "local",       // RFC 6762: mDNS, and cluster.local
    "internal",    // reserved by ICANN for private use, 2024; metadata.google.internal
    "home.arpa",   // RFC 8375
    "onion",       // RFC 7686
    "alt",         // RFC 9476
    "i2p",         // not DNS
];

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(json: &str) -> Guard {
        Guard::new(&serde_json::from_str(json).unwrap())
    }

    fn judge(guard: &Guard, url: &str, answers: &[&str]) -> Result<(), Verdict> {
        let answers: Vec<IpAddr> = answers.iter().map(|ip| ip.parse().unwrap()).collect();
        guard.judge(&SourceUrl::parse(url).unwrap(), &answers)
    }

    const PUBLIC: &[&str] = &["93.184.216.34"];

    #[test]
    fn names_and_ports_are_judged_by_the_table() {
        use Verdict::*;
        let guard = guard("{}");
        for (url, verdict) in [
            ("https://example.com/", Ok(())),
            ("http://example.com/", Ok(())),
            ("https://example.com./", Ok(())),
            ("https://my_feed.example.com/", Ok(())),
            ("https://notlocalhost.example.com/", Ok(())),
            ("https://localhost.example.com/", Ok(())),
            ("https://xlocal/", Err(SingleLabel)),
            ("https://localhost/", Err(ReservedName)),
            ("https://foo.LOCALHOST./", Err(ReservedName)),
            ("https://metadata.google.internal/", Err(ReservedName)),
            ("https://printer.local/", Err(ReservedName)),
            ("https://abc.onion/", Err(ReservedName)),
            ("https://intranet/", Err(SingleLabel)),
            ("https://-example.com/", Err(MalformedName)),
            ("https://example-.com/", Err(MalformedName)),
            ("https://exa\"mple.com/", Err(MalformedName)),
            ("https://exa{mple}.com/", Err(MalformedName)),
            ("https://example.com:8080/", Err(Port)),
            ("https://example.com:22/", Err(Port)),
        ] {
            assert_eq!(judge(&guard, url, PUBLIC), verdict, "{url}");
        }
    }

    #[test]
    fn every_answer_of_a_name_must_pass() {
        let guard = guard("{}");
        let judge = |answers: &[&str]| judge(&guard, "https://a.example/", answers);
        assert_eq!(judge(&["1.1.1.1", "2606:4700:4700::1111"]), Ok(()));
        assert_eq!(judge(&["1.1.1.1", "10.0.0.5"]), Err(Verdict::Private));
        assert_eq!(judge(&["::1", "1.1.1.1"]), Err(Verdict::Loopback));
    }

    #[test]
    fn a_literal_is_judged_whatever_the_answers_say() {
        assert_eq!(judge(&guard("{}"), "https://0x7f000001/", PUBLIC), Err(Verdict::Loopback));
    }

    #[test]
    fn an_allowed_network_opens_its_addresses_on_any_port_and_under_any_name() {
        let guard = guard(r#"{"allow_networks": "127.0.0.0/8"}"#);
        assert_eq!(judge(&guard, "https://127.0.0.1:8443/", &[]), Ok(()));
        assert_eq!(judge(&guard, "https://[::ffff:127.0.0.1]:8443/", &[]), Ok(()));
        assert_eq!(judge(&guard, "https://localhost:1234/", &["127.0.0.1"]), Ok(()));
        assert_eq!(judge(&guard, "https://a.example/", &["127.0.0.1", "1.1.1.1"]), Ok(()));
        let mixed = judge(&guard, "https://localhost:1234/", &["127.0.0.1", "::1"]);
        assert_eq!(mixed, Err(Verdict::ReservedName));
        assert_eq!(judge(&guard, "https://10.0.0.1/", &[]), Err(Verdict::Private));
        assert_eq!(judge(&guard, "https://a.example:8443/", PUBLIC), Err(Verdict::Port));
        assert_eq!(judge(&guard, "https://x.internal/", PUBLIC), Err(Verdict::ReservedName));
    }

    #[test]
    fn a_named_host_is_open_on_its_port_only() {
        let guard = guard(r#"{"allow_hosts": "redis:8080"}"#);
        assert_eq!(judge(&guard, "http://redis:8080/", &["10.0.0.1"]), Ok(()));
        assert_eq!(judge(&guard, "http://redis:8081/", &["10.0.0.1"]), Err(Verdict::SingleLabel));
        assert_eq!(judge(&guard, "http://redis/", &["10.0.0.1"]), Err(Verdict::SingleLabel));
    }

    #[test]
    fn lists_of_hosts_narrow_what_is_open_and_denial_wins() {
        let guard = guard(
            r#"{"only_hosts": "example.com", "deny_hosts": "ads.example.com",
                "allow_hosts": "ads.example.com:443", "allow_ports": [8080]}"#,
        );
        assert_eq!(judge(&guard, "https://www.example.com:8080/", PUBLIC), Ok(()));
        assert_eq!(judge(&guard, "https://other.example/", PUBLIC), Err(Verdict::UnlistedHost));
        assert_eq!(judge(&guard, "https://ads.example.com/", PUBLIC), Err(Verdict::DeniedHost));
    }

    #[test]
    fn our_own_paths_are_a_loop_but_the_site_beside_them_is_not() {
        let own = [SourceUrl::parse("https://pub.example/mmsp/").unwrap()];
        let guard = guard("{}").refusing(&own);
        for (url, verdict) in [
            ("https://pub.example/mmsp/feed?url=x", Err(Verdict::OwnAddress)),
            ("http://PUB.example./mmsp/feed", Err(Verdict::OwnAddress)),
            ("https://pub.example/%6Dmsp%2Ffeed", Err(Verdict::OwnAddress)),
            ("https://pub.example/mmspx", Ok(())),
            ("https://pub.example/feed.xml", Ok(())),
            ("https://other.example/mmsp/feed", Ok(())),
        ] {
            assert_eq!(judge(&guard, url, PUBLIC), verdict, "{url}");
        }
    }
}
