//! When a source is asked next. Pure.

use super::{Failure, FailureKind, Settings};
use crate::model::{QuietTimes, Timestamp};
use crate::store::Schedule;

/// What a source says about when to ask again, in its several ways.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wishes {
    /// For how long HTTP says that its answer holds.
    pub(super) http_seconds: Option<u64>,
    /// The longest interval that the document asks for; 0 where it says nothing.
    pub(super) document_seconds: u32,
    /// How often clients are told to ask, which follows how often the feed publishes.
    pub(super) recommended_seconds: u32,
    /// When it is to be left alone.
    pub(super) quiet_times: QuietTimes,
}

impl Wishes {
    /// The longest wish counts. Of a source without any, a quarter of the usual time between two
    /// of its items is waited, up to six hours: in few steps, since the recommendation has few.
    fn seconds(&self) -> u64 {
        let wished = self.http_seconds.unwrap_or(0).max(u64::from(self.document_seconds));
        let usual = u64::from(self.recommended_seconds / 4);
        if wished == 0 { usual.min(LONGEST_GUESS_SECONDS) } else { wished }
    }
}

/// The schedule after a poll that went well.
pub(super) fn after_success(settings: &Settings, wishes: &Wishes, now: Timestamp) -> Schedule {
    let seconds = wishes.seconds().clamp(u64::from(settings.interval_seconds()), LONGEST_SECONDS);
    let next = now.plus_seconds(i64::try_from(seconds).unwrap_or(i64::MAX));
    let next = wishes.quiet_times.end_after(next);
    Schedule {
        polled_at: now,
        succeeded_at: now,
        fresh_until: next,
        next_poll_at: next,
        failures: 0,
        failure: None,
        failing_since: None,
    }
}

/// What a poll that went wrong leads to.
pub(super) struct Setback {
    pub(super) schedule: Schedule,
    /// For how many seconds the source is left alone.
    pub(super) seconds: u64,
    /// Whether it is given up: until a good answer comes it is asked once a week at most.
    pub(super) is_given_up: bool,
}

/// The schedule after a poll that went wrong, of a source that was given up before or not.
pub(super) fn after_failure(
    before: &Schedule,
    was_given_up: bool,
    failure: &Failure,
    retry_after: Option<u64>,
    now: Timestamp,
) -> Setback {
    let failures = before.failures.saturating_add(1);
    let failing_since = before.failing_since.unwrap_or(now);
    let schedule = Schedule {
        polled_at: now,
        failures,
        failure: failure.to_text(),
        failing_since: Some(failing_since),
        ..before.clone()
    };
    let at_least = failure.kind.remembered_seconds();
    let seconds = back_off_seconds(failures, at_least, retry_after, rand::random());
    // Gone by its own word, or after 30 days of nothing but failure.
    let is_long_dead = now.seconds() - failing_since.seconds() >= LONG_DEAD_SECONDS;
    let is_given_up = was_given_up || failure.kind == FailureKind::Gone || is_long_dead;
    let seconds = if is_given_up { seconds.max(GIVEN_UP_SECONDS) } else { seconds };
    let next_poll_at = now.plus_seconds(i64::try_from(seconds).unwrap_or(i64::MAX));
    Setback { schedule: Schedule { next_poll_at, ..schedule }, seconds, is_given_up }
}

/// For how many seconds a source is left alone after it failed for the nth time in a row.
///
/// Doubles from the floor up to a day (MMSP 8.3). `jitter`, from 0 to 1, adds up to a fifth, so
/// that sources that failed together do not come back together. A `Retry-After` is obeyed whole.
pub(super) fn back_off_seconds(
    failures: u32,
    at_least: u64,
    retry_after: Option<u64>,
    jitter: f64,
) -> u64 {
    let doublings = failures.saturating_sub(1).min(16);
    let seconds = (u64::from(Settings::FLOOR_SECONDS) << doublings).max(at_least);
    let seconds = seconds.min(LONGEST_SECONDS);
    let spread = (seconds as f64 * JITTER * jitter.clamp(0.0, 1.0)) as u64;
    (seconds + spread).max(retry_after.unwrap_or(0))
}

/// A day.
const LONGEST_SECONDS: u64 = 86_400;
const LONGEST_GUESS_SECONDS: u64 = 21_600;
const GIVEN_UP_SECONDS: u64 = 7 * 86_400;
const LONG_DEAD_SECONDS: i64 = 30 * 86_400;
const JITTER: f64 = 0.2;

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(settings: &Settings, wishes: &Wishes) -> i64 {
        after_success(settings, wishes, Timestamp::EPOCH).next_poll_at.seconds()
    }

    #[test]
    fn the_longest_wish_counts_between_the_setting_and_a_day() {
        let hasty = Settings { default_interval_seconds: 1, ..Settings::default() };
        for (settings, http_seconds, document_seconds, seconds) in [
            (Settings::default(), None, 0, 900),
            (Settings::default(), Some(60), 0, 900),
            (Settings::default(), Some(3600), 1800, 3600),
            (Settings::default(), Some(1800), 3600, 3600),
            (Settings::default(), Some(u64::MAX), 0, 86_400),
            (Settings::default(), None, u32::MAX, 86_400),
            (hasty, Some(0), 0, 300),
        ] {
            let wishes = Wishes { http_seconds, document_seconds, ..Wishes::default() };
            assert_eq!(interval(&settings, &wishes), seconds, "{wishes:?}");
        }
    }

    #[test]
    fn a_source_without_a_wish_is_asked_as_often_as_it_publishes() {
        for (recommended_seconds, seconds) in
            [(900, 900), (3_600, 900), (21_600, 5_400), (86_400, 21_600), (u32::MAX, 21_600)]
        {
            let wishes = Wishes { recommended_seconds, ..Wishes::default() };
            assert_eq!(interval(&Settings::default(), &wishes), seconds);
            let wishes = Wishes { http_seconds: Some(1_000), ..wishes };
            assert_eq!(interval(&Settings::default(), &wishes), 1_000, "a wish goes before");
        }
    }

    #[test]
    fn quiet_times_are_waited_for() {
        // The epoch was a Thursday, midnight.
        for (quiet_times, seconds) in [
            (QuietTimes::of([0, 1], []), 7_200),
            (QuietTimes::of([5], []), 900),
            (QuietTimes::of([0], ["Thursday", "Friday"]), 2 * 86_400 + 3_600),
        ] {
            let wishes = Wishes { quiet_times, ..Wishes::default() };
            assert_eq!(interval(&Settings::default(), &wishes), seconds);
        }
    }

    #[test]
    fn what_is_gone_or_long_dead_is_asked_once_a_week() {
        let start = after_success(&Settings::default(), &Wishes::default(), Timestamp::EPOCH);
        let fails = |before: &Schedule, was_given_up, kind, days: i64| {
            let failure = Failure { kind, detail: String::new() };
            let now = Timestamp::saturating(days * 86_400);
            after_failure(before, was_given_up, &failure, None, now)
        };
        let gone = fails(&start, false, FailureKind::Gone, 1);
        assert!(gone.seconds >= 7 * 86_400 && gone.is_given_up);
        let still = fails(&gone.schedule, true, FailureKind::Unavailable, 9);
        assert!(still.seconds >= 7 * 86_400 && still.is_given_up);
        let dying = fails(&start, false, FailureKind::Unavailable, 1);
        assert!(dying.seconds <= 360 && !dying.is_given_up);
        let dying = fails(&dying.schedule, false, FailureKind::Timeout, 30);
        assert!(dying.seconds <= 720 && !dying.is_given_up);
        let dead = fails(&dying.schedule, false, FailureKind::NotFound, 31);
        assert!(dead.seconds >= 7 * 86_400 && dead.is_given_up);
        assert_eq!(dead.schedule.failing_since, Some(Timestamp::saturating(86_400)));
    }

    #[test]
    fn the_back_off_doubles_from_the_floor_to_a_day() {
        let seconds = |failures| back_off_seconds(failures, 0, None, 0.0);
        assert_eq!(
            [1, 2, 3, 9, 10, u32::MAX].map(seconds),
            [300, 600, 1_200, 76_800, 86_400, 86_400]
        );
        assert_eq!(back_off_seconds(1, 600, None, 0.0), 600);
    }

    #[test]
    fn jitter_only_adds_and_a_retry_after_is_obeyed_whole() {
        assert_eq!(back_off_seconds(1, 0, None, 1.0), 360);
        assert_eq!(back_off_seconds(1, 0, Some(7), 0.0), 300);
        assert_eq!(back_off_seconds(1, 0, Some(1_000_000), 1.0), 1_000_000);
    }
}
