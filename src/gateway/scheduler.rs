//! Polls feeds that are due though nobody asks just now: a memory with holes is none.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rand::seq::SliceRandom as _;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError;
use tokio::time::{MissedTickBehavior, interval};

use super::desk::Desk;
use super::poller::{Inboxes, Landing, Target};
use crate::metrics::Operation;
use crate::model::FeedKey;

/// Sends off what is due, a few at a time, and remembers what is still under way: a source that
/// is slow stays due, and must not stand before the others.
pub(super) struct Scheduler {
    desk: Arc<Desk>,
    inboxes: Inboxes,
    flying: HashMap<FeedKey, oneshot::Receiver<Landing>>,
}

impl Scheduler {
    pub(super) fn new(desk: Arc<Desk>, inboxes: Inboxes) -> Self {
        Self { desk, inboxes, flying: HashMap::new() }
    }

    /// Ticks until the thread ends.
    pub(super) async fn run(mut self) {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.tick().await;
        }
    }

    /// Writes down who was asked for, and sends off what is due while there is room.
    pub(super) async fn tick(&mut self) {
        self.desk.flush_asked().await;
        self.flying.retain(|_, landing| matches!(landing.try_recv(), Err(TryRecvError::Empty)));
        // Half of the places are for readers.
        let most = usize::try_from(self.desk.settings.max_in_flight).unwrap_or(usize::MAX);
        let room = most.div_ceil(2).saturating_sub(self.flying.len());
        if room == 0 {
            return;
        }
        let now = self.desk.clock.now();
        let asked_since = now.minus_seconds(self.desk.settings.keep_fresh_seconds());
        let limit = u32::try_from(WINDOW * room + self.flying.len()).unwrap_or(u32::MAX);
        let due = self.desk.store.due_feeds(now, asked_since, limit);
        match self.desk.timed(Operation::FindDue, due).await {
            Ok(due) => self.send_off(due, room),
            Err(error) => {
                tracing::warn!(error = %error, cause = ?error, "due feeds cannot be found");
            }
        }
    }

    fn send_off(&mut self, mut due: Vec<FeedKey>, room: usize) {
        due.shuffle(&mut rand::rng());
        let waiting = due.into_iter().filter(|key| !self.flying.contains_key(key)).take(room);
        for key in waiting.collect::<Vec<_>>() {
            let (sender, landing) = oneshot::channel();
            if self.inboxes.send(Target::Known(key), sender).is_err() {
                return; // What is due stays due.
            }
            self.flying.insert(key, landing);
        }
    }
}

/// Out of how many times as many as there is room for a few are taken, in any order, so that
/// gateways that share a store do not all go for the same ones.
const WINDOW: usize = 4;
const TICK: Duration = Duration::from_secs(1);
