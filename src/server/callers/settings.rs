//! What an operator may say about how much one caller may ask.

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::bounds::between;
use crate::fetch;
use crate::server::faults::SettingsError;

/// Section `callers`. A caller is an IPv4 address or an IPv6 network of 64 bits; a limit of 0 is
/// none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Networks that no limit counts for.
    #[serde(deserialize_with = "fetch::list")]
    pub exempt: Vec<IpNet>,
    /// Requests a minute, in the long run.
    #[serde(deserialize_with = "between::<0, 1_000_000_000, _, _>")]
    pub requests_per_minute: u32,
    /// Requests in one go.
    #[serde(deserialize_with = "between::<0, 1_000_000_000, _, _>")]
    pub requests_burst: u32,
    /// Requests whose answers are not sent yet.
    #[serde(deserialize_with = "between::<0, 1_000_000_000, _, _>")]
    pub max_at_once: u32,
    /// Feeds a minute that nobody asked for before, in the long run.
    #[serde(deserialize_with = "between::<0, 1_000_000_000, _, _>")]
    pub new_feeds_per_minute: u32,
    /// Such feeds in one go: a list of subscriptions that is brought along.
    #[serde(deserialize_with = "between::<0, 1_000_000_000, _, _>")]
    pub new_feeds_burst: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            exempt: loopback(),
            requests_per_minute: 1_200,
            requests_burst: 600,
            max_at_once: 64,
            new_feeds_per_minute: 30,
            new_feeds_burst: 300,
        }
    }
}

impl Settings {
    /// Limits that would let nothing through although they are meant to let some.
    pub(in crate::server) fn faults(&self) -> Vec<SettingsError> {
        let limits = [
            ("requests", self.requests_per_minute, self.requests_burst),
            ("new_feeds", self.new_feeds_per_minute, self.new_feeds_burst),
        ];
        let without_burst = limits.into_iter().filter(|(_, rate, burst)| *rate > 0 && *burst == 0);
        without_burst.map(|(what, ..)| SettingsError::NoBurst(what)).collect()
    }
}

/// This machine, in both families.
pub(in crate::server) fn loopback() -> Vec<IpNet> {
    let networks = ["127.0.0.0/8", "::1/128"];
    networks.iter().filter_map(|network| network.parse().ok()).collect()
}
