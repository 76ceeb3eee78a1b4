//! A moment, to the second, in UTC: what every date in a manifest is.
//!
//! Whole seconds from 1970 to 9999. Fractions are cut off, since clients of the draft compare
//! RFC 3339 strings and a fraction makes two spellings of one moment.

use std::fmt;

use chrono::{DateTime, SecondsFormat};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment between 1970-01-01 and 9999-12-31, in whole seconds since the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);
    const LAST: i64 = 253_402_300_799;

    /// Takes seconds since the epoch; none outside 1970–9999.
    #[must_use]
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        (0..=Self::LAST).contains(&seconds).then_some(Self(seconds))
    }

    /// Takes seconds since the epoch and pulls what lies outside 1970–9999 to the nearer end.
    #[must_use]
    pub fn saturating(seconds: i64) -> Self {
        Self(seconds.clamp(0, Self::LAST))
    }

    /// Parses RFC 3339, with any offset.
    #[must_use]
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        let parsed = DateTime::parse_from_rfc3339(text).ok()?;
        Self::from_seconds(parsed.timestamp())
    }

    /// Seconds since the epoch.
    #[must_use]
    pub fn seconds(self) -> i64 {
        self.0
    }

    /// The moment that many seconds earlier, not before the epoch.
    #[must_use]
    pub fn minus_seconds(self, seconds: i64) -> Self {
        Self::saturating(self.0.saturating_sub(seconds))
    }

    /// The moment that many seconds later, not after the year 9999.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self::saturating(self.0.saturating_add(seconds))
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC with an upper-case `T` and `Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = DateTime::from_timestamp(self.0, 0).unwrap_or_default();
        f.write_str(&moment.to_rfc3339_opts(SecondsFormat::Secs, true))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse_rfc3339(&text).ok_or_else(|| serde::de::Error::custom("not an RFC 3339 time"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn it_is_written_in_utc_and_read_back_the_same() {
        let moment = Timestamp::parse_rfc3339("2024-03-05T12:00:00.75+02:00").unwrap();
        assert_eq!(moment.to_string(), "2024-03-05T10:00:00Z");
        assert_eq!(Timestamp::parse_rfc3339(&moment.to_string()), Some(moment));
    }

    #[test]
    fn moments_outside_the_range_are_refused_or_pulled_in() {
        assert_eq!(Timestamp::from_seconds(-1), None);
        assert_eq!(Timestamp::parse_rfc3339("1969-12-31T23:59:59Z"), None);
        assert_eq!(Timestamp::saturating(i64::MAX).to_string(), "9999-12-31T23:59:59Z");
    }

    proptest! {
        #[test]
        fn every_moment_is_written_and_read_back(seconds in 0..=Timestamp::LAST) {
            let moment = Timestamp::from_seconds(seconds).unwrap();
            prop_assert_eq!(Timestamp::parse_rfc3339(&moment.to_string()), Some(moment));
            prop_assert_eq!(moment.to_string().len(), "2026-06-01T12:00:00Z".len());
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,40}|[0-9TZ:.+-]{0,40}") {
            let _ = Timestamp::parse_rfc3339(&text);
        }
    }
}
