//! The hours and days in which a publisher wants to be left alone (RSS 2.0 `skipHours`, `skipDays`).

use serde::{Deserialize, Serialize};

use super::Timestamp;

/// Hours and days of UTC in which a source is not asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuietTimes {
    /// A bit for each hour, that of midnight first.
    hours: u32,
    /// A bit for each day of the week, Monday first.
    days: u8,
}

impl QuietTimes {
    /// Takes hours from 0 to 23 (24 is 0 as well) and days by their English names; others are none.
    #[must_use]
    pub fn of<'a>(
        hours: impl IntoIterator<Item = u64>,
        days: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut quiet = Self::default();
        for hour in hours.into_iter().filter(|hour| *hour <= 24) {
            quiet.hours |= 1 << (hour % 24);
        }
        for name in days {
            let known = DAYS.iter().position(|day| day.eq_ignore_ascii_case(name.trim()));
            quiet.days |= known.map_or(0, |day| 1 << day);
        }
        quiet
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The moment itself, or the first after it that is not quiet: the start of an hour. Where
    /// no hour of a week is left, nothing was meant by it.
    #[must_use]
    pub fn end_after(&self, moment: Timestamp) -> Timestamp {
        let hour = moment.seconds().div_euclid(HOUR);
        let first = (0..HOURS_OF_A_WEEK).find(|later| !self.is_quiet(hour + later));
        match first {
            None | Some(0) => moment,
            Some(later) => Timestamp::saturating((hour + later) * HOUR),
        }
    }

    /// Whether the hour of that number since 1970, which began on a Thursday, is quiet.
    fn is_quiet(&self, hour: i64) -> bool {
        let day = (hour.div_euclid(24) + 3).rem_euclid(7);
        self.hours >> hour.rem_euclid(24) & 1 == 1 || self.days >> day & 1 == 1
    }
}

const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const HOUR: i64 = 3_600;
const HOURS_OF_A_WEEK: i64 = 7 * 24;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(quiet: QuietTimes, moment: &str, end: &str) {
        let at = |text| Timestamp::parse_rfc3339(text).unwrap();
        assert_eq!(quiet.end_after(at(moment)), at(end), "{moment}");
    }

    #[test]
    fn a_quiet_hour_ends_with_the_next_that_is_not() {
        let night = QuietTimes::of([22, 23, 24, 1, 99], []);
        check(night, "2026-11-30T21:59:59Z", "2026-11-30T21:59:59Z");
        check(night, "2026-11-30T22:00:00Z", "2026-12-01T02:00:00Z");
        check(night, "2026-11-30T00:30:00Z", "2026-11-30T02:00:00Z");
        check(QuietTimes::default(), "2026-11-30T00:30:00Z", "2026-11-30T00:30:00Z");
    }

    #[test]
    fn a_quiet_day_ends_at_midnight() {
        // 2026-11-28 is a Saturday.
        let weekend = QuietTimes::of([], ["Saturday", " sunday ", "Caturday"]);
        check(weekend, "2026-11-27T23:59:59Z", "2026-11-27T23:59:59Z");
        check(weekend, "2026-11-28T10:00:00Z", "2026-11-30T00:00:00Z");
        let both = QuietTimes::of([0], ["Saturday", "Sunday"]);
        check(both, "2026-11-28T10:00:00Z", "2026-11-30T01:00:00Z");
    }

    #[test]
    fn who_is_never_to_be_asked_is_asked_all_the_same() {
        let always = QuietTimes::of(0..24, []);
        check(always, "2026-11-28T10:00:00Z", "2026-11-28T10:00:00Z");
        assert!(!always.is_empty() && QuietTimes::of([25], ["Tomorrow"]).is_empty());
    }
}
