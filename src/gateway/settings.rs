//! The `poll` section of the settings.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::retention::Retention;
use crate::bounds::between;
use crate::fault::Fault;

/// When sources are asked, and how long a reader waits for them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Seconds between two polls of a source that asks for nothing else; not below
    /// [`Settings::FLOOR_SECONDS`].
    #[serde(deserialize_with = "between::<300, 2_592_000, _, _>")]
    pub default_interval_seconds: u32,
    /// For how many days after somebody asked for a feed it is polled of itself.
    #[serde(deserialize_with = "between::<0, 36_500, _, _>")]
    pub keep_fresh_days: u32,
    /// Most polls under way at once.
    #[serde(deserialize_with = "between::<1, 10_000, _, _>")]
    pub max_in_flight: u32,
    /// Most polls under way at once at one registrable domain.
    #[serde(deserialize_with = "between::<1, 10_000, _, _>")]
    pub max_in_flight_per_domain: u32,
    /// Longest wait of a reader for a feed that is not known yet.
    #[serde(deserialize_with = "between::<1, 3_600_000, _, _>")]
    pub reader_wait_ms: u64,
    /// Longest wait of a reader for news of a feed that is known.
    #[serde(deserialize_with = "between::<0, 3_600_000, _, _>")]
    pub stale_wait_ms: u64,
    /// Longest wait of a poll for its place among those under way.
    #[serde(deserialize_with = "between::<0, 3_600_000, _, _>")]
    pub place_wait_ms: u64,
    /// After how many seconds without a sign of life another gateway of the same store may poll in
    /// place of one that had begun to; at least 3.
    #[serde(deserialize_with = "between::<3, 3_600, _, _>")]
    pub lease_seconds: u32,
    /// Longest wait for polls under way when the gateway stops.
    #[serde(deserialize_with = "between::<0, 3_600_000, _, _>")]
    pub stop_wait_ms: u64,
}

impl Settings {
    /// No source is asked more often (MMSP 8.1).
    pub const FLOOR_SECONDS: u32 = 300;

    /// Seconds between two polls of a source that asks for nothing else.
    #[must_use]
    pub fn interval_seconds(&self) -> u32 {
        self.default_interval_seconds.max(Self::FLOOR_SECONDS)
    }

    /// What is wrong though each value can be read, also together with how much is remembered and
    /// with how long the program may take to stop.
    #[must_use]
    pub fn faults(&self, retention: &Retention, stop_limit: Duration) -> Vec<Fault> {
        let per_domain = ("poll.max_in_flight_per_domain", self.max_in_flight_per_domain);
        let in_flight = ("poll.max_in_flight", self.max_in_flight);
        let stop = ("poll.stop_wait_ms", Duration::from_millis(self.stop_wait_ms));
        let mut faults = retention.faults(self.keep_fresh_days);
        if per_domain.1 > in_flight.1 {
            faults.push(Fault::capped(per_domain, in_flight));
        }
        if self.stale_wait_ms > self.reader_wait_ms {
            faults.push(longer_for_news());
        }
        if stop.1 > stop_limit {
            faults.push(stops_before(stop.0));
        }
        faults
    }

    pub(super) fn reader_wait(&self) -> Duration {
        Duration::from_millis(self.reader_wait_ms)
    }

    pub(super) fn stale_wait(&self) -> Duration {
        Duration::from_millis(self.stale_wait_ms)
    }

    pub(super) fn place_wait(&self) -> Duration {
        Duration::from_millis(self.place_wait_ms)
    }

    pub(super) fn stop_wait(&self) -> Duration {
        Duration::from_millis(self.stop_wait_ms)
    }

    pub(super) fn lease_seconds(&self) -> i64 {
        i64::from(self.lease_seconds.max(LEAST_LEASE_SECONDS))
    }

    /// A lease is renewed so often that two signs of life may be lost.
    pub(super) fn lease_renewal(&self) -> Duration {
        Duration::from_secs(u64::from(self.lease_seconds.max(LEAST_LEASE_SECONDS))) / 3
    }

    pub(super) fn keep_fresh_seconds(&self) -> i64 {
        i64::from(self.keep_fresh_days) * 86_400
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            default_interval_seconds: 900,
            keep_fresh_days: 7,
            max_in_flight: 64,
            max_in_flight_per_domain: 4,
            reader_wait_ms: 20_000,
            stale_wait_ms: 2_000,
            place_wait_ms: 2_000,
            lease_seconds: 15,
            stop_wait_ms: 10_000,
        }
    }
}

/// A reader would wait longer for news of a feed than for the feed: nobody means that.
fn longer_for_news() -> Fault {
    let (stale, reader) = ("poll.stale_wait_ms", "poll.reader_wait_ms");
    let sentence = format!(
        "{stale} is more than {reader}: a reader would wait longer for news than for a feed that is \
         not known yet; lower the one, or raise the other"
    );
    Fault { if_written: Some(stale.to_owned()), ..Fault::of(&[stale, reader], sentence) }
}

/// The end of the program cuts that wait off.
fn stops_before(key: &str) -> Fault {
    let [delay, timeout] = ["server.drain_delay_seconds", "server.drain_timeout_seconds"];
    let sentence =
        format!("{key} is longer than {delay} and {timeout} together, which end it: lower it");
    Fault { if_written: Some(key.to_owned()), ..Fault::of(&[key, delay, timeout], sentence) }
}

const LEAST_LEASE_SECONDS: u32 = 3;
