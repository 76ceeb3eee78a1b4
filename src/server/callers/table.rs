//! Tables of a fixed size, lock-free: what each caller has used of a rate, and of places.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::{InMemoryState, NotKeyed, StateStore};
use governor::{Quota, RateLimiter};

/// Places of each table: a rate takes 512 KiB, however many callers there are.
pub(super) const SLOTS: usize = 1 << 16;

/// Requests in a time (GCRA).
#[derive(Debug)]
pub(super) struct Rate<C: Clock = DefaultClock>(
    RateLimiter<usize, Slots, C, NoOpMiddleware<C::Instant>>,
);

impl Rate {
    /// So many a minute, so many of them in one go. None where there is no limit.
    pub(super) fn new(per_minute: u32, burst: u32) -> Option<Self> {
        Self::with_clock(per_minute, burst, DefaultClock::default())
    }
}

impl<C: Clock> Rate<C> {
    fn with_clock(per_minute: u32, burst: u32, clock: C) -> Option<Self> {
        let quota = Quota::per_minute(NonZeroU32::new(per_minute)?);
        let quota = quota.allow_burst(NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN));
        Some(Self(RateLimiter::new(quota, Slots::new(), clock)))
    }

    /// Counts one, or says after how many seconds there is room again.
    pub(super) fn check(&self, slot: usize) -> Result<(), u64> {
        self.0.check_key(&slot).map_err(|not_until| {
            let wait = not_until.wait_time_from(self.0.clock().now());
            wait.as_secs() + u64::from(wait.subsec_nanos() > 0).max(u64::from(wait.is_zero()))
        })
    }
}

/// The state of each place.
#[derive(Debug)]
struct Slots(Box<[InMemoryState]>);

impl Slots {
    fn new() -> Self {
        Self((0..SLOTS).map(|_| InMemoryState::default()).collect())
    }
}

impl StateStore for Slots {
    type Key = usize;

    fn measure_and_replace<T, F, E>(&self, slot: &usize, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        match self.0.get(*slot) {
            Some(state) => state.measure_and_replace(&NotKeyed::NonKey, measure),
            None => measure(None).map(|(result, _)| result),
        }
    }
}

/// Requests at once.
#[derive(Debug)]
pub(super) struct AtOnce {
    taken: Arc<[AtomicU32]>,
    most: u32,
}

/// One of the requests that a caller may have at once, until it goes.
#[derive(Debug)]
pub(crate) struct Place {
    taken: Arc<[AtomicU32]>,
    slot: usize,
}

impl AtOnce {
    /// None where there is no limit.
    pub(super) fn new(most: u32) -> Option<Self> {
        let taken = || (0..SLOTS).map(|_| AtomicU32::new(0)).collect();
        (most > 0).then(|| Self { taken: taken(), most })
    }

    pub(super) fn take(&self, slot: usize) -> Option<Place> {
        let taken = self.taken.get(slot)?;
        let more = |taken| (taken < self.most).then_some(taken + 1);
        taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok()?;
        Some(Place { taken: Arc::clone(&self.taken), slot })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(taken) = self.taken.get(self.slot) {
            taken.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use governor::clock::FakeRelativeClock;

    use super::*;

    #[test]
    fn a_burst_is_free_and_then_the_rate_holds() {
        let clock = FakeRelativeClock::default();
        let rate = Rate::with_clock(6, 3, clock.clone()).unwrap();
        let all = |count: usize| (0..count).map(|_| rate.check(7)).collect::<Vec<_>>();
        assert_eq!(all(4), [Ok(()), Ok(()), Ok(()), Err(10)]);
        assert_eq!(rate.check(8), Ok(()));
        clock.advance(Duration::from_millis(9_500));
        assert_eq!(rate.check(7), Err(1));
        clock.advance(Duration::from_millis(500));
        assert_eq!(all(2), [Ok(()), Err(10)]);
        clock.advance(Duration::from_secs(3_600));
        assert_eq!(all(4), [Ok(()), Ok(()), Ok(()), Err(10)]);
    }

    #[test]
    fn a_place_is_free_again_when_it_goes() {
        let at_once = AtOnce::new(2).unwrap();
        let (first, second) = (at_once.take(1), at_once.take(1));
        assert!(first.is_some() && second.is_some());
        assert!(at_once.take(1).is_none());
        assert!(at_once.take(2).is_some());
        drop(first);
        assert!(at_once.take(1).is_some());
    }

    #[test]
    fn no_limit_is_no_table() {
        assert!(Rate::new(0, 5).is_none());
        assert!(AtOnce::new(0).is_none());
    }
}
