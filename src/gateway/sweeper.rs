//! Keeps the memory within its limits, in small steps, and hears what was forgotten.
//!
//! Every gateway listens for feeds that were forgotten, by the operator or by another gateway, and
//! drops them from its caches. One of all that share the store holds the lease of sweeping: it
//! deletes what forgotten feeds left behind, walks over all feeds for those that are too large or
//! that nobody wants, and makes room where all together are too much. Feeds that have names stay.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use super::desk::Desk;
use crate::metrics::{Operation, Sizes, Swept};
use crate::model::{FeedKey, Timestamp};
use crate::store::{FeedSize, Lease, StoreError};

/// Sweeps, and what it knows between two steps.
pub(super) struct Sweeper {
    desk: Arc<Desk>,
    owner: String,
    /// Not to ask for the lease again before.
    lease_again_at: Timestamp,
    is_ours: bool,
    /// What was forgotten before then is heard.
    heard: Timestamp,
    step: Step,
}

/// What comes next.
enum Step {
    /// Nothing, until then.
    Rest(Timestamp),
    /// The feeds after that key, with the sizes of those before it.
    Walk(Option<FeedKey>, Sizes),
    /// As many feeds as make so many bytes.
    MakeRoom(i64),
}

impl Sweeper {
    pub(super) fn new(desk: Arc<Desk>) -> Self {
        let now = desk.clock.now();
        Self {
            desk,
            owner: format!("{:032x}", rand::random::<u128>()),
            lease_again_at: now,
            is_ours: false,
            heard: now,
            step: Step::Walk(None, Sizes::default()),
        }
    }

    /// Ticks until the thread ends.
    pub(super) async fn run(mut self) {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            // A store that does not answer is told where it is asked, and asked again.
            if self.tick().await.is_err() {
                self.desk.metrics.sweeping(false);
            }
        }
    }

    /// One small step.
    pub(super) async fn tick(&mut self) -> Result<(), StoreError> {
        let now = self.desk.clock.now();
        self.desk.measure_caches();
        self.hear(now).await?;
        if !self.may_sweep(now).await? {
            return Ok(());
        }
        let sweeping = self.desk.store.sweep_forgotten(ROWS);
        if self.desk.timed(Operation::Sweep, sweeping).await? > 0 {
            return Ok(());
        }
        self.step = match self.step {
            Step::Rest(until) if now < until => return Ok(()),
            Step::Rest(_) => self.walk(None, Sizes::default(), now).await?,
            Step::Walk(after, sizes) => self.walk(after, sizes, now).await?,
            Step::MakeRoom(bytes) => self.make_room(bytes, now).await?,
        };
        Ok(())
    }

    /// Drops from the caches what was forgotten, with some seconds of overlap for clocks that
    /// differ.
    async fn hear(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let since = self.heard.minus_seconds(OVERLAP_SECONDS);
        let forgotten = self.desk.timed(Operation::FindForgotten, self.desk.store.forgotten(since));
        for key in forgotten.await? {
            self.desk.drop_feed(&key).await;
        }
        self.heard = now;
        Ok(())
    }

    /// Whether the lease is ours; it is asked for twice in the time that it lasts.
    async fn may_sweep(&mut self, now: Timestamp) -> Result<bool, StoreError> {
        if now >= self.lease_again_at {
            let until = now.plus_seconds(LEASE_SECONDS);
            let Some(key) = FeedKey::from_bytes(&SWEEPING) else { return Ok(false) };
            let lease = self.desk.store.lease(&key, &self.owner, now, until);
            self.is_ours = self.desk.timed(Operation::Lease, lease).await? == Lease::Ours;
            self.desk.metrics.sweeping(self.is_ours);
            if !self.is_ours {
                self.desk.metrics.store_sizes(Sizes::default());
            }
            self.lease_again_at = now.plus_seconds(LEASE_SECONDS / 2);
        }
        Ok(self.is_ours)
    }

    /// Looks at the next feeds in the order of their keys.
    async fn walk(
        &self,
        after: Option<FeedKey>,
        before: Sizes,
        now: Timestamp,
    ) -> Result<Step, StoreError> {
        let feeds = self.desk.store.sizes(after.as_ref(), ROWS);
        let feeds = self.desk.timed(Operation::FindSizes, feeds).await?;
        let mut sizes = before;
        let mut most_trims = MOST_TRIMS;
        let named = self.named().await?;
        let unasked_since = now.minus_seconds(self.desk.retention.keep_unasked_seconds());
        for feed in &feeds {
            if feed.asked_at < unasked_since && !named.contains(&feed.key) {
                self.forget(feed, Swept::FeedsUnasked, now).await?;
                continue;
            }
            sizes.bytes += feed.bytes + feed.other_bytes;
            sizes.items += feed.items;
            sizes.feeds += 1;
            let Some(excess) = self.desk.retention.excess(feed) else { continue };
            if most_trims > 0 {
                most_trims -= 1;
                let trimming = self.desk.store.trim(&feed.key, excess, ROWS, now);
                let items = self.desk.timed(Operation::Sweep, trimming).await?;
                self.desk.metrics.swept(Swept::Items, items);
            }
        }
        if let Some(last) = feeds.last() {
            return Ok(Step::Walk(Some(last.key), sizes));
        }
        self.desk.metrics.store_sizes(sizes);
        let clearing = self.desk.store.clear_old(now.minus_seconds(KEEP_SECONDS));
        self.desk.timed(Operation::Sweep, clearing).await?;
        Ok(match self.desk.retention.excess_bytes(sizes.bytes) {
            0 => Step::Rest(now.plus_seconds(REST_SECONDS)),
            excess => Step::MakeRoom(excess),
        })
    }

    /// Forgets the feeds that nobody asked for the longest.
    async fn make_room(&self, mut bytes: i64, now: Timestamp) -> Result<Step, StoreError> {
        let named = self.named().await?;
        // So many that some are without a name.
        let most = FEEDS.saturating_add(u32::try_from(named.len()).unwrap_or(u32::MAX));
        let least = self.desk.store.least_asked(most);
        let mut least = self.desk.timed(Operation::FindSizes, least).await?;
        least.retain(|feed| !named.contains(&feed.key));
        for feed in &least {
            if bytes <= 0 {
                break;
            }
            self.forget(feed, Swept::FeedsForRoom, now).await?;
            bytes -= feed.bytes + feed.other_bytes;
        }
        let is_done = bytes <= 0 || least.is_empty();
        Ok(if is_done { Step::Rest(now.plus_seconds(REST_SECONDS)) } else { Step::MakeRoom(bytes) })
    }

    /// The keys of the feeds that have names.
    async fn named(&self) -> Result<HashSet<FeedKey>, StoreError> {
        let mut keys = HashSet::new();
        for (_, url) in self.desk.named.now().iter() {
            keys.extend(self.desk.find_known(url).await?.map(|feed| feed.record.key));
        }
        Ok(keys)
    }

    async fn forget(&self, feed: &FeedSize, why: Swept, now: Timestamp) -> Result<(), StoreError> {
        let key = feed.key;
        tracing::info!(feed.key = %key, feed.items = feed.items, why = why.as_str(), "a feed goes");
        self.desk.timed(Operation::Sweep, self.desk.store.forget(&key, now)).await?;
        self.desk.metrics.swept(why, 1);
        self.desk.drop_feed(&key).await;
        Ok(())
    }
}

/// The key of the lease. No feed has it: it is no SHA-256 of an address that anybody knows.
const SWEEPING: [u8; 32] = *b"mmsp-gateway: who sweeps a store";

const TICK: Duration = Duration::from_secs(1);
/// How long the lease lasts. The heartbeat of writing, too: it tells whether the store takes any.
const LEASE_SECONDS: i64 = 60;
const OVERLAP_SECONDS: i64 = 5;
/// How long tombstones and leases that ran out are kept.
const KEEP_SECONDS: i64 = 86_400;
/// Between two walks.
const REST_SECONDS: i64 = 600;
/// Rows that are read or deleted in one step.
const ROWS: u32 = 1_000;
/// Feeds that are forgotten in one step to make room.
const FEEDS: u32 = 50;
/// Feeds whose oldest items go in one step.
const MOST_TRIMS: u32 = 10;
