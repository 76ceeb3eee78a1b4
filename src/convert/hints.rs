//! What a document says of when it is worth asking again.

use crate::model::QuietTimes;
use crate::syndication::number::parse_count;
use crate::syndication::source_feed::Channel;

/// How often a publisher says that the feed changes, and when it is to be left alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// From RSS `ttl`, in seconds.
    pub ttl_seconds: Option<u64>,
    /// From `sy:updatePeriod` and `sy:updateFrequency`, in seconds.
    pub update_period_seconds: Option<u64>,
    /// From `skipHours` and `skipDays`.
    pub quiet_times: QuietTimes,
}

impl Hints {
    pub(super) fn of(channel: &Channel<'_>) -> Self {
        let ttl = channel.ttl_minutes.as_deref().and_then(parse_count);
        let period = channel.update_period.as_deref().map(str::trim).and_then(|name| {
            PERIODS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, s)| *s)
        });
        let frequency = channel.update_frequency.as_deref().and_then(parse_count);
        let frequency = frequency.filter(|times| *times > 0).unwrap_or(1);
        let quiet = &channel.quiet_times;
        Self {
            ttl_seconds: ttl.and_then(|minutes| minutes.checked_mul(60)),
            update_period_seconds: period.map(|seconds| seconds / frequency),
            quiet_times: QuietTimes::of(
                quiet.iter().filter_map(|text| parse_count(text)),
                quiet.iter().map(AsRef::as_ref),
            ),
        }
    }
}

/// The periods of the RSS syndication module, in seconds.
const PERIODS: [(&str, u64); 5] = [
    ("hourly", 3600),
    ("daily", 86_400),
    ("weekly", 604_800),
    ("monthly", 2_592_000),
    ("yearly", 31_536_000),
];
