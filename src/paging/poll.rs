//! The `poll` object of a manifest (MMSP 8.1): how often it is worth asking.

use serde::Serialize;

use crate::model::Timestamp;

/// What a feed tells its clients about polling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Poll {
    min_interval_seconds: u32,
    recommended_interval_seconds: u32,
    ttl_seconds: u32,
}

impl Poll {
    /// Derives the recommendation from when the newest items were published: the longest step that
    /// is not over the median gap between them. Few steps, so that it rarely changes the page.
    #[must_use]
    pub fn of_published(mut published: Vec<Timestamp>) -> Self {
        published.sort_unstable_by(|a, b| b.cmp(a));
        let newest = published.iter().take(NEWEST);
        let mut gaps: Vec<i64> = newest
            .clone()
            .zip(newest.skip(1))
            .map(|(later, earlier)| later.seconds() - earlier.seconds())
            .collect();
        gaps.sort_unstable();
        Self::recommending(gaps.get(gaps.len() / 2).map_or(DEFAULT_SECONDS, |gap| step(*gap)))
    }

    /// Takes a recommendation back that was given before; one below the floor is raised to it.
    #[must_use]
    pub fn recommending(seconds: u32) -> Self {
        Self {
            min_interval_seconds: FLOOR_SECONDS,
            recommended_interval_seconds: seconds.max(FLOOR_SECONDS),
            ttl_seconds: TTL_SECONDS,
        }
    }

    /// The recommended interval in seconds.
    #[must_use]
    pub fn recommended_seconds(&self) -> u32 {
        self.recommended_interval_seconds
    }
}

/// The law's own floor (MMSP 8.1).
const FLOOR_SECONDS: u32 = 300;
/// A day. Cursors outlast it by far.
const TTL_SECONDS: u32 = 86_400;
const STEPS_SECONDS: [u32; 4] = [86_400, 21_600, 3_600, 900];
/// For a feed of one item or none, of which nothing is known.
const DEFAULT_SECONDS: u32 = 3_600;
/// How many items tell how often a feed publishes.
const NEWEST: usize = 50;

fn step(gap: i64) -> u32 {
    let longest = STEPS_SECONDS.into_iter().find(|step| i64::from(*step) <= gap);
    longest.unwrap_or(900)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recommended(published: &[i64]) -> u32 {
        let published = published.iter().map(|seconds| Timestamp::saturating(*seconds)).collect();
        Poll::of_published(published).recommended_seconds()
    }

    #[test]
    fn the_step_follows_how_often_a_feed_publishes() {
        for (published, seconds) in [
            (vec![], 3_600),
            (vec![5], 3_600),
            (vec![0, 60, 120, 180], 900),
            (vec![0, 4_000, 8_000, 100_000], 3_600),
            (vec![0, 30_000, 60_000], 21_600),
            (vec![0, 60, 120, 7_320, 14_520, 21_720], 3_600),
            (vec![700_000, 0, 90_000, 180_000], 86_400),
        ] {
            assert_eq!(recommended(&published), seconds, "{published:?}");
        }
    }

    #[test]
    fn the_minimum_is_never_below_the_floor_of_the_protocol() {
        let json = serde_json::to_string(&Poll::recommending(1)).unwrap();
        insta::assert_snapshot!(json, @r#"{"min_interval_seconds":300,"recommended_interval_seconds":300,"ttl_seconds":86400}"#);
    }
}
