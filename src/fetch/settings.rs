//! What an operator may set about fetching.
//!
//! Nothing here turns the guard off: the exceptions name the networks or hosts that they open.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ipnet::IpNet;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::SetupError;
use super::host_rule::{HostAndPort, HostRule};
use super::list::{Entry, list};
use super::tls;
use crate::bounds::between;
use crate::fault::Fault;
use crate::model::SourceUrl;

/// The section `fetch`. Lists may also be written as one text, parted by commas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Networks whose addresses may be dialled, on any port, although they are not public.
    #[serde(deserialize_with = "list")]
    pub allow_networks: Vec<IpNet>,
    /// Hosts, each with its port, that may be dialled whatever they resolve to.
    #[serde(deserialize_with = "list")]
    pub allow_hosts: Vec<HostAndPort>,
    /// Ports beside 80 and 443.
    #[serde(deserialize_with = "list")]
    pub allow_ports: Vec<u16>,
    /// Where not empty: the only hosts that are fetched.
    #[serde(deserialize_with = "list")]
    pub only_hosts: Vec<HostRule>,
    /// Hosts that are never fetched, whatever else is said.
    #[serde(deserialize_with = "list")]
    pub deny_hosts: Vec<HostRule>,
    /// Name servers, port 53 unless said otherwise; the system's own where empty.
    #[serde(deserialize_with = "list")]
    pub dns_servers: Vec<SocketAddr>,
    /// PEM file of certificate authorities that are trusted beside the public ones; an empty path
    /// is none.
    #[serde(deserialize_with = "path", serialize_with = "written")]
    pub ca_file: Option<PathBuf>,
    /// Whether plain `http` is read where a source has no `https`.
    pub allow_http: bool,
    /// Most bytes of a body, on the wire and decoded alike.
    #[serde(deserialize_with = "between::<1, 4_294_967_296, _, _>")]
    pub max_body_bytes: u64,
    /// Most decoded bytes for one byte on the wire, once [`Settings::RATIO_FREE_BYTES`] are passed.
    #[serde(deserialize_with = "between::<1, 1_000_000, _, _>")]
    pub max_expansion: u64,
    /// Longest wait for a name.
    #[serde(deserialize_with = "between::<1, 3_600_000, _, _>")]
    pub dns_timeout_ms: u64,
    /// Longest wait for a connection, and again for its TLS handshake.
    #[serde(deserialize_with = "between::<1, 3_600_000, _, _>")]
    pub connect_timeout_ms: u64,
    /// Longest wait from the connection to the end of the response head.
    #[serde(deserialize_with = "between::<1, 3_600_000, _, _>")]
    pub first_byte_timeout_ms: u64,
    /// Longest pause inside a body.
    #[serde(deserialize_with = "between::<1, 3_600_000, _, _>")]
    pub idle_timeout_ms: u64,
    /// Longest time for a fetch as a whole, redirects included.
    #[serde(deserialize_with = "between::<1, 3_600_000, _, _>")]
    pub total_timeout_ms: u64,
}

impl Settings {
    /// Decoded bytes that any body may have, however small it is on the wire.
    pub const RATIO_FREE_BYTES: u64 = 1 << 20;

    /// What is wrong though each value can be read.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let is_denied = |only: &&HostRule| self.deny_hosts.iter().any(|deny| only.is_within(deny));
        let denied = self.only_hosts.iter().filter(is_denied).cloned().map(SetupError::DeniedHost);
        let parts = [
            ("fetch.dns_timeout_ms", self.dns_timeout_ms),
            ("fetch.connect_timeout_ms", self.connect_timeout_ms),
            ("fetch.first_byte_timeout_ms", self.first_byte_timeout_ms),
            ("fetch.idle_timeout_ms", self.idle_timeout_ms),
        ];
        let whole = ("fetch.total_timeout_ms", self.total_timeout_ms);
        let longer = parts.into_iter().filter(|(_, part)| *part > whole.1);
        let longer = longer.map(|part| Fault::capped(part, whole));
        denied.map(|error| Fault::from(&error)).chain(longer).collect()
    }

    /// Whether the source is of a kind that is read: not one of plain `http` without a twin over
    /// `https` where that is off.
    #[must_use]
    pub fn can_read_scheme(&self, url: &SourceUrl) -> bool {
        self.allow_http || url.is_https() || url.upgraded().is_some()
    }

    /// Reads the file of certificate authorities, if there is one.
    ///
    /// # Errors
    /// It cannot be read, or holds none.
    pub fn check_files(&self) -> Result<(), SetupError> {
        tls::roots(self).map(|_| ())
    }

    /// What is open that would be refused otherwise, for the log at the start.
    pub fn exceptions(&self) -> impl Iterator<Item = String> {
        let networks = self.allow_networks.iter().map(|network| format!("network {network}"));
        let hosts = self.allow_hosts.iter().map(|host| format!("host {host}"));
        let ports = self.allow_ports.iter().map(|port| format!("port {port}"));
        networks.chain(hosts).chain(ports)
    }

    pub(super) fn dns_timeout(&self) -> Duration {
        Duration::from_millis(self.dns_timeout_ms)
    }

    pub(super) fn connect_timeout(&self) -> Duration {
        Duration::from_millis(self.connect_timeout_ms)
    }

    pub(super) fn first_byte_timeout(&self) -> Duration {
        Duration::from_millis(self.first_byte_timeout_ms)
    }

    pub(super) fn idle_timeout(&self) -> Duration {
        Duration::from_millis(self.idle_timeout_ms)
    }

    pub(super) fn total_timeout(&self) -> Duration {
        Duration::from_millis(self.total_timeout_ms)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            allow_networks: Vec::new(),
            allow_hosts: Vec::new(),
            allow_ports: Vec::new(),
            only_hosts: Vec::new(),
            deny_hosts: Vec::new(),
            dns_servers: Vec::new(),
            ca_file: None,
            allow_http: true,
            max_body_bytes: 25 << 20,
            max_expansion: 200,
            dns_timeout_ms: 5_000,
            connect_timeout_ms: 5_000,
            first_byte_timeout_ms: 15_000,
            idle_timeout_ms: 10_000,
            total_timeout_ms: 60_000,
        }
    }
}

fn path<'de, D: Deserializer<'de>>(source: D) -> Result<Option<PathBuf>, D::Error> {
    let path = Option::<PathBuf>::deserialize(source)?;
    Ok(path.filter(|path| !path.as_os_str().is_empty()))
}

fn written<S: Serializer>(path: &Option<PathBuf>, out: S) -> Result<S::Ok, S::Error> {
    path.as_deref().unwrap_or(Path::new("")).serialize(out)
}

impl Entry for IpNet {
    const EXPECTED: &'static str = "a network such as 10.0.0.0/8";

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(Self::from))
    }
}

impl Entry for u16 {
    const EXPECTED: &'static str = "a port from 1 to 65535";

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().filter(|port| *port != 0)
    }
}

impl Entry for SocketAddr {
    const EXPECTED: &'static str = "an IP address, with a port unless it is 53";

    fn parse(text: &str) -> Option<Self> {
        let with_default = || text.parse::<IpAddr>().ok().map(|ip| Self::new(ip, DNS_PORT));
        text.parse().ok().or_else(with_default)
    }
}

const DNS_PORT: u16 = 53;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_lists_and_as_text_with_commas() {
        let listed: Settings = serde_json::from_value(serde_json::json!({
            "allow_networks": ["127.0.0.0/8", "::1"],
            "allow_ports": [8080, 8443],
            "dns_servers": ["127.0.0.1", "[::1]:5353"],
        }))
        .unwrap();
        let text: Settings = serde_json::from_value(serde_json::json!({
            "allow_networks": "127.0.0.0/8, ::1/128",
            "allow_ports": "8080,8443,",
            "dns_servers": "127.0.0.1:53,[::1]:5353",
        }))
        .unwrap();
        assert_eq!(listed, text);
        assert_eq!(listed.allow_ports, [8080, 8443]);
    }

    #[test]
    fn one_port_may_stand_alone_and_an_empty_text_is_an_empty_list() {
        let settings: Settings =
            serde_json::from_value(serde_json::json!({"allow_ports": 8080, "only_hosts": " "}))
                .unwrap();
        assert_eq!(settings.allow_ports, [8080]);
        assert!(settings.only_hosts.is_empty());
    }

    #[test]
    fn what_cannot_be_meant_is_an_error_that_says_what_is_expected() {
        for (json, expected) in [
            (r#"{"allow_networks": "10.0.0.0/33"}"#, "a network such as"),
            (r#"{"allow_ports": [0]}"#, "a port from 1"),
            (r#"{"allow_ports": [70000]}"#, "a port from 1"),
            (r#"{"allow_hosts": ["intranet"]}"#, "a host with its port"),
            (r#"{"dangerously": true}"#, "unknown field"),
        ] {
            let error = serde_json::from_str::<Settings>(json).unwrap_err().to_string();
            assert!(error.contains(expected), "{json}: {error}");
        }
    }

    #[test]
    fn a_host_that_is_both_named_and_denied_is_a_fault() {
        for (only, deny, is_fault) in [
            ("a.example", "a.example", true),
            ("b.a.example", "a.example", true),
            ("*.a.example", "*.a.example", true),
            ("a.example", "*.a.example", false),
            ("a.example", "b.example", false),
        ] {
            let json = serde_json::json!({"only_hosts": only, "deny_hosts": deny});
            let settings: Settings = serde_json::from_value(json).unwrap();
            assert_eq!(!settings.faults().is_empty(), is_fault, "{only} {deny}");
        }
    }

    #[test]
    fn exceptions_are_told_one_by_one() {
        let settings: Settings = serde_json::from_str(
            r#"{"allow_networks": "10.0.0.0/8", "allow_hosts": "a:80", "allow_ports": 8080}"#,
        )
        .unwrap();
        let exceptions: Vec<_> = settings.exceptions().collect();
        assert_eq!(exceptions, ["network 10.0.0.0/8", "host a:80", "port 8080"]);
    }

    #[test]
    fn settings_read_back_what_they_write() {
        let settings: Settings = serde_json::from_str(
            r#"{"allow_hosts": "Intranet:8080", "deny_hosts": ["*.ads.example", "x.example"]}"#,
        )
        .unwrap();
        let written = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&written).unwrap(), settings);
    }
}
