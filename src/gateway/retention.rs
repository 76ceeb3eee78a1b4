//! The `retention` section of the settings.

use serde::{Deserialize, Serialize};

use crate::bounds::{ANY, between};
use crate::fault::Fault;
use crate::store::{Excess, FeedSize};

/// How much is remembered, and for how long. 0 stands for "without end".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// Most items of a feed; the oldest go, but none that the source itself shows.
    #[serde(deserialize_with = "between::<0, ANY, _, _>")]
    pub max_items_per_feed: u64,
    /// Most bytes of a feed's items.
    #[serde(deserialize_with = "between::<0, ANY, _, _>")]
    pub max_bytes_per_feed: u64,
    /// After how many days in which nobody asked for it a feed goes, with all its items.
    #[serde(deserialize_with = "between::<0, 36_500, _, _>")]
    pub keep_unasked_days: u32,
    /// Most bytes of all feeds; the feeds go that nobody asked for the longest.
    #[serde(deserialize_with = "between::<0, ANY, _, _>")]
    pub max_bytes: u64,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            max_items_per_feed: 100_000,
            max_bytes_per_feed: 256 << 20,
            keep_unasked_days: 180,
            max_bytes: 4 << 30,
        }
    }
}

impl Retention {
    /// What is wrong though each value can be read, where feeds are polled for so many days after
    /// somebody asked for them.
    pub(super) fn faults(&self, keep_fresh_days: u32) -> Vec<Fault> {
        let mut faults = Vec::new();
        if self.max_bytes != 0 && self.max_bytes_per_feed > self.max_bytes {
            faults.push(Fault::of(
                &["retention.max_bytes", "retention.max_bytes_per_feed"],
                "retention.max_bytes is less than retention.max_bytes_per_feed, so that one feed would \
                 push out all others: lower the one, or raise the other",
            ));
        }
        if self.keep_unasked_days != 0 && keep_fresh_days > self.keep_unasked_days {
            faults.push(Fault::of(
                &["retention.keep_unasked_days", "poll.keep_fresh_days"],
                "retention.keep_unasked_days is less than poll.keep_fresh_days: a feed would be \
                 forgotten while it is still polled; raise the one, or lower the other",
            ));
        }
        faults
    }

    /// Seconds for which a feed is kept that nobody asks for.
    pub(super) fn keep_unasked_seconds(&self) -> i64 {
        limit(self.keep_unasked_days.into()).saturating_mul(86_400)
    }

    /// By how much a feed is too large, if it is.
    pub(super) fn excess(&self, feed: &FeedSize) -> Option<Excess> {
        let over = |size: i64, max: u64| size.saturating_sub(limit(max));
        let items = over(feed.items, self.max_items_per_feed);
        let bytes = over(feed.bytes, self.max_bytes_per_feed);
        (items > 0 || bytes > 0).then_some(Excess { items, bytes })
    }

    /// How many bytes all feeds together have too many.
    pub(super) fn excess_bytes(&self, bytes: i64) -> i64 {
        bytes.saturating_sub(limit(self.max_bytes)).max(0)
    }
}

fn limit(setting: u64) -> i64 {
    if setting == 0 { i64::MAX } else { i64::try_from(setting).unwrap_or(i64::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FeedKey, SourceUrl, Timestamp};

    #[test]
    fn a_feed_is_too_large_by_items_or_by_bytes() {
        let retention =
            Retention { max_items_per_feed: 10, max_bytes_per_feed: 100, ..Retention::default() };
        let endless =
            Retention { max_items_per_feed: 0, max_bytes_per_feed: 0, ..Retention::default() };
        let key = FeedKey::of(&SourceUrl::parse("a.example").unwrap());
        for (items, bytes, excess) in [
            (10, 100, None),
            (11, 100, Some(Excess { items: 1, bytes: 0 })),
            (9, 130, Some(Excess { items: -1, bytes: 30 })),
        ] {
            let feed = FeedSize { key, asked_at: Timestamp::EPOCH, items, bytes, other_bytes: 0 };
            assert_eq!(retention.excess(&feed), excess);
            assert_eq!(endless.excess(&feed), None);
        }
        assert_eq!(endless.keep_unasked_seconds(), 180 * 86_400);
        assert_eq!(Retention { max_bytes: 0, ..endless }.excess_bytes(i64::MAX), 0);
    }
}
