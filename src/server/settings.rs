//! What an operator may say about listening.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use serde::de::{self, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::callers::loopback;
use crate::bounds::between;
use crate::fetch;

/// Section `server`: where requests come in, and how long they may take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Address of plain HTTP, for a proxy in front; empty for none.
    #[serde(deserialize_with = "address", serialize_with = "written")]
    pub listen: Option<SocketAddr>,
    /// Address of HTTPS; empty for none, where a proxy does TLS.
    #[serde(deserialize_with = "address", serialize_with = "written")]
    pub tls_listen: Option<SocketAddr>,
    /// PEM file with the certificate and its chain; empty for one of our own for localhost.
    pub tls_cert: PathBuf,
    /// PEM file with its private key.
    pub tls_key: PathBuf,
    /// Folder that our own certificate is kept in.
    pub tls_self_signed_dir: PathBuf,
    /// The HTTPS address that clients know us by, without a path's trailing slash; empty for
    /// `https://localhost` and the port of `tls_listen`.
    pub public_url: String,
    /// Proxies that are believed when they say for whom they ask.
    #[serde(deserialize_with = "fetch::list")]
    pub trusted_proxies: Vec<IpNet>,
    /// Threads that answer requests; 0 for one for each processor.
    #[serde(deserialize_with = "between::<0, 1_024, _, _>")]
    pub workers: usize,
    /// Longest request target that is read, in bytes.
    #[serde(deserialize_with = "between::<1, 1_048_576, _, _>")]
    pub max_target_bytes: usize,
    /// Longest head of a request that is read, in bytes.
    #[serde(deserialize_with = "between::<1, 1_048_576, _, _>")]
    pub max_head_bytes: usize,
    /// Longest body that is read, in bytes.
    #[serde(deserialize_with = "between::<1, 1_073_741_824, _, _>")]
    pub max_body_bytes: u64,
    /// Connections at once for each worker.
    #[serde(deserialize_with = "between::<1, 1_000_000, _, _>")]
    pub max_connections: usize,
    /// How long a client may take to send the head of its request, in seconds.
    #[serde(deserialize_with = "between::<1, 3_600, _, _>")]
    pub head_timeout_seconds: u64,
    /// How long a client may then take over its body, in seconds.
    #[serde(deserialize_with = "between::<1, 3_600, _, _>")]
    pub body_timeout_seconds: u64,
    /// How long an idle connection is kept, in seconds.
    #[serde(deserialize_with = "between::<0, 86_400, _, _>")]
    pub keep_alive_seconds: u64,
    /// How long requests are still taken after the signal to stop, so that a balancer sees
    /// `/readyz` turn red, in seconds.
    #[serde(deserialize_with = "between::<0, 3_600, _, _>")]
    pub drain_delay_seconds: u64,
    /// How long running requests may then take to end, in seconds. With the delay it stays under
    /// the 30 seconds that Kubernetes grants.
    #[serde(deserialize_with = "between::<0, 3_600, _, _>")]
    pub drain_timeout_seconds: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: Some(SocketAddr::from(([127, 0, 0, 1], 8080))),
            tls_listen: Some(SocketAddr::from(([127, 0, 0, 1], 8443))),
            tls_cert: PathBuf::new(),
            tls_key: PathBuf::new(),
            tls_self_signed_dir: PathBuf::from("./data/tls"),
            public_url: String::new(),
            trusted_proxies: loopback(),
            workers: 0,
            max_target_bytes: 8192,
            max_head_bytes: 32_768,
            max_body_bytes: 1_048_576,
            max_connections: 10_000,
            head_timeout_seconds: 10,
            body_timeout_seconds: 30,
            keep_alive_seconds: 60,
            drain_delay_seconds: 3,
            drain_timeout_seconds: 22,
        }
    }
}

/// Section `metrics`: the listener for Prometheus, never the public one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MetricsSettings {
    /// Address of `/metrics`; empty for none.
    #[serde(deserialize_with = "address", serialize_with = "written")]
    pub listen: Option<SocketAddr>,
}

impl Default for MetricsSettings {
    fn default() -> Self {
        Self { listen: Some(SocketAddr::from(([127, 0, 0, 1], 9464))) }
    }
}

impl Settings {
    /// From the signal to stop to the end.
    #[must_use]
    pub fn drain_limit(&self) -> Duration {
        Duration::from_secs(self.drain_delay_seconds.saturating_add(self.drain_timeout_seconds))
    }

    /// The address that clients know us by, once the port of HTTPS is known; without a trailing
    /// slash.
    #[must_use]
    pub fn public_url(&self, tls_port: Option<u16>) -> String {
        if !self.public_url.is_empty() {
            return self.public_url.trim_end_matches('/').to_owned();
        }
        match tls_port {
            None | Some(443) => "https://localhost".to_owned(),
            Some(port) => format!("https://localhost:{port}"),
        }
    }
}

/// An address as `IP:PORT`, or empty for none.
fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| {
        let expected = "IP:PORT, such as 127.0.0.1:8080 or [::1]:8080, or empty";
        de::Error::invalid_value(Unexpected::Str(text), &expected)
    })
}

fn written<S: Serializer>(address: &Option<SocketAddr>, out: S) -> Result<S::Ok, S::Error> {
    match address {
        Some(address) => out.collect_str(address),
        None => out.serialize_str(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_url_is_the_one_set_or_localhost() {
        let settings = Settings::default();
        assert_eq!(settings.public_url(Some(8443)), "https://localhost:8443");
        assert_eq!(settings.public_url(Some(443)), "https://localhost");
        let set = Settings { public_url: "https://x.example/feeds/".to_owned(), ..settings };
        assert_eq!(set.public_url(Some(8443)), "https://x.example/feeds");
    }
}
