//! What one request waited for, for its line in the log.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::GatewayError;
use super::flights::Landing;
use super::landed::Landed;

/// The times of a request, and how the poll ended that it waited for. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Waits(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    source_nanos: AtomicU64,
    store_nanos: AtomicU64,
    outcome: Mutex<Option<&'static str>>,
}

impl Waits {
    /// How long pollers were waited for; none where none was asked.
    #[must_use]
    pub fn source(&self) -> Option<Duration> {
        self.outcome().map(|_| nanos(&self.0.source_nanos))
    }

    /// How long the store was waited for; none where memory had everything.
    #[must_use]
    pub fn store(&self) -> Option<Duration> {
        Some(nanos(&self.0.store_nanos)).filter(|time| !time.is_zero())
    }

    /// How the last poll ended that was waited for: `answered`, `page`, `native`, a failure as
    /// polls are counted, `overloaded`, or `pending` where the request did not wait for the end.
    #[must_use]
    pub fn outcome(&self) -> Option<&'static str> {
        *self.0.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a poll.
    pub(super) async fn for_poll(&self, landing: impl Future<Output = Landing>) -> Landing {
        let _time = Stopwatch::new(&self.0.source_nanos);
        self.note(PENDING);
        let landing = landing.await;
        self.note(word(&landing.result));
        landing
    }

    /// Waits for the store.
    pub(super) async fn for_store<T>(&self, answer: impl Future<Output = T>) -> T {
        let _time = Stopwatch::new(&self.0.store_nanos);
        answer.await
    }

    fn note(&self, outcome: &'static str) {
        *self.0.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
    }
}

fn nanos(counter: &AtomicU64) -> Duration {
    Duration::from_nanos(counter.load(Ordering::Relaxed))
}

fn word(result: &Result<Landed, GatewayError>) -> &'static str {
    match result {
        Ok(Landed::Feed) => "answered",
        Ok(Landed::Native(_)) => "native",
        Ok(Landed::Page(_)) => "page",
        Err(GatewayError::Source { failure, .. }) => failure.kind.outcome().as_str(),
        Err(GatewayError::SourceTimeout { .. }) => PENDING,
        Err(GatewayError::Overloaded { .. }) => "overloaded",
        Err(GatewayError::InvalidCursor(_) | GatewayError::Store(_) | GatewayError::Internal) => {
            "internal"
        }
    }
}

const PENDING: &str = "pending";

/// Adds the time of its life, also of one that was given up.
struct Stopwatch<'a> {
    begun: Instant,
    sum: &'a AtomicU64,
}

impl<'a> Stopwatch<'a> {
    fn new(sum: &'a AtomicU64) -> Self {
        Self { begun: Instant::now(), sum }
    }
}

impl Drop for Stopwatch<'_> {
    fn drop(&mut self) {
        let nanos = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.sum.fetch_add(nanos, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn a_request_that_does_not_wait_for_the_end_says_that_it_is_pending() {
        let waits = Waits::default();
        assert_eq!((waits.outcome(), waits.source(), waits.store()), (None, None, None));
        assert!(waits.for_poll(std::future::pending()).now_or_never().is_none());
        assert_eq!(waits.outcome(), Some("pending"));
        assert!(waits.source().is_some());
        let landing = Landing { result: Ok(Landed::Feed), collapsed: false };
        assert!(waits.for_poll(async { landing }).now_or_never().is_some());
        assert_eq!(waits.outcome(), Some("answered"));
    }
}
