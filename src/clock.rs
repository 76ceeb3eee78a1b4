//! The one clock. Whoever needs "now" asks here or is told; floors 0 to 3 are told.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::Timestamp;

/// A source of "now" that tests can set. Cheap to clone; clones of a set clock move together.
#[derive(Clone, Debug, Default)]
pub struct Clock(Kind);

#[derive(Clone, Debug, Default)]
enum Kind {
    #[default]
    System,
    Set(Arc<AtomicI64>),
}

impl Clock {
    /// The clock of this machine.
    #[must_use]
    pub fn system() -> Self {
        Self(Kind::System)
    }

    /// A clock that stands still until it is advanced.
    #[must_use]
    pub fn set_to(now: Timestamp) -> Self {
        Self(Kind::Set(Arc::new(AtomicI64::new(now.seconds()))))
    }

    /// The present moment.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one clock")]
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Kind::System => {
                let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Timestamp::saturating(i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX))
            }
            Kind::Set(seconds) => Timestamp::saturating(seconds.load(Ordering::SeqCst)),
        }
    }

    /// Moves a set clock on by that many seconds; the machine's own clock is left alone.
    pub fn advance_seconds(&self, seconds: i64) {
        if let Kind::Set(now) = &self.0 {
            now.fetch_add(seconds, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_of_a_set_clock_move_together() {
        let clock = Clock::set_to(Timestamp::EPOCH);
        clock.clone().advance_seconds(60);
        assert_eq!(clock.now().seconds(), 60);
    }
}
