//! When a source is asked next. Pure.

use super::Settings;
use crate::model::Timestamp;
use crate::store::Schedule;

/// The schedule after a poll that went well.
///
/// `wished_seconds` are what the source asks for in its several ways; the longest counts.
pub(super) fn after_success(
    settings: &Settings,
    wished_seconds: &[Option<u64>],
    now: Timestamp,
) -> Schedule {
    let wished = wished_seconds.iter().copied().flatten().max().unwrap_or(0);
    let seconds = wished.clamp(u64::from(settings.interval_seconds()), LONGEST_SECONDS);
    let next = now.plus_seconds(i64::try_from(seconds).unwrap_or(i64::MAX));
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
const JITTER: f64 = 0.2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_wish_counts_between_the_setting_and_a_day() {
        let interval = |settings: &Settings, wished: &[Option<u64>]| {
            after_success(settings, wished, Timestamp::EPOCH).next_poll_at.seconds()
        };
        let hasty = Settings { default_interval_seconds: 1, ..Settings::default() };
        for (settings, wished, seconds) in [
            (Settings::default(), vec![], 900),
            (Settings::default(), vec![None, Some(60)], 900),
            (Settings::default(), vec![Some(3600), Some(1800), None], 3600),
            (Settings::default(), vec![Some(u64::MAX)], 86_400),
            (hasty, vec![], 300),
        ] {
            assert_eq!(interval(&settings, &wished), seconds, "{wished:?}");
        }
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
