//! Hosts that have asked to be left alone (`Retry-After`, RFC 9110 10.2.3).
//!
//! What one address of a host asks for counts for all of them, and for every way that leads there.
//! Kept in memory, and shared by all fetchers of a process; each feed's own schedule is the
//! store's.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::freshness::RetryAfter;
use crate::model::{SourceUrl, Timestamp};

/// The hosts and until when each is left alone. Clones share them.
#[derive(Clone)]
pub struct Rests {
    now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    until: Arc<Mutex<HashMap<Host, Timestamp>>>,
}

/// A name or address, and a port.
type Host = (String, u16);

impl Rests {
    /// Nobody rests yet. The clock is whoever's it is that calls.
    #[must_use]
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self { now: Arc::new(now), until: Arc::default() }
    }

    /// For how many more seconds the host of an address is left alone.
    pub(super) fn seconds_left(&self, url: &SourceUrl) -> Option<u64> {
        let until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        let left = until.get(&host(url))?.seconds() - (self.now)().seconds();
        u64::try_from(left).ok().filter(|left| *left > 0)
    }

    /// Leaves the host of an address alone for as long as it asks, or asked before.
    pub(super) fn note(&self, url: &SourceUrl, retry_after: RetryAfter) {
        let now = (self.now)();
        let seconds = retry_after.seconds_from(now);
        let end = now.plus_seconds(i64::try_from(seconds).unwrap_or(i64::MAX));
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        if until.len() >= MOST_HOSTS {
            until.retain(|_, end| *end > now);
        }
        if until.len() < MOST_HOSTS {
            let place = until.entry(host(url)).or_insert(end);
            *place = end.max(*place);
        }
    }
}

impl fmt::Debug for Rests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rests")
    }
}

fn host(url: &SourceUrl) -> Host {
    (url.host().to_owned(), url.port())
}

/// Beyond these a host's wish counts only for the feed that heard it.
const MOST_HOSTS: usize = 10_000;

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    fn url(text: &str) -> SourceUrl {
        SourceUrl::parse(text).unwrap()
    }

    #[test]
    fn a_host_rests_as_a_whole_and_as_long_as_it_asked() {
        let clock = Arc::new(AtomicI64::new(1_000));
        let hand = Arc::clone(&clock);
        let rests = Rests::new(move || Timestamp::saturating(hand.load(Ordering::SeqCst)));
        rests.note(&url("https://a.example/one"), RetryAfter::Seconds(60));
        rests.note(&url("https://a.example/two"), RetryAfter::Seconds(30));
        assert_eq!(rests.seconds_left(&url("https://a.example/three")), Some(60));
        for other in ["https://b.a.example/", "http://a.example/", "https://a.example:8443/"] {
            assert_eq!(rests.seconds_left(&url(other)), None, "{other}");
        }
        clock.store(1_060, Ordering::SeqCst);
        assert_eq!(rests.seconds_left(&url("https://a.example/one")), None);
    }

    #[test]
    fn hosts_without_number_take_no_memory_without_end() {
        let rests = Rests::new(|| Timestamp::EPOCH);
        for n in 0..MOST_HOSTS + 10 {
            rests.note(&url(&format!("https://h{n}.example/")), RetryAfter::Seconds(u64::MAX));
        }
        assert_eq!(rests.until.lock().unwrap().len(), MOST_HOSTS);
    }
}
