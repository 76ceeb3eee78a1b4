//! Polls feeds that are due though nobody asks just now: a memory with holes is none.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rand::seq::SliceRandom as _;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError;
use tokio::time::{MissedTickBehavior, interval};

use super::GatewayError;
use super::attendance::Attendance;
use super::desk::Desk;
use super::errand::Target;
use super::flights::Landing;
use super::poller::Inboxes;
use crate::metrics::Operation;
use crate::model::{FeedKey, Timestamp};
use crate::store::StoreError;

/// Sends off what is due, a few at a time, and remembers what is still under way: a source that
/// is slow stays due, and must not stand before the others. Neither must one that could not be
/// polled for a reason of ours.
pub(super) struct Scheduler {
    desk: Arc<Desk>,
    inboxes: Inboxes,
    flying: HashMap<FeedKey, oneshot::Receiver<Landing>>,
    /// Feeds that are due and wait all the same, and until when.
    aside: HashMap<FeedKey, Timestamp>,
    attendance: Attendance,
    start: Start,
}

/// What fell due while the gateway was away comes over a few minutes, not at once.
#[derive(Clone, Copy)]
struct Start {
    ticks_left: usize,
    most_a_tick: usize,
}

impl Scheduler {
    pub(super) fn new(desk: Arc<Desk>, inboxes: Inboxes) -> Self {
        let (flying, aside) = (HashMap::new(), HashMap::new());
        Self {
            desk,
            inboxes,
            flying,
            aside,
            attendance: Attendance::default(),
            start: Start { ticks_left: GENTLE_TICKS, most_a_tick: 0 },
        }
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
        let now = self.desk.clock.now();
        self.welcome(now);
        // Half of the places are for readers.
        let most = usize::try_from(self.desk.settings.max_in_flight).unwrap_or(usize::MAX);
        let room = most.div_ceil(2).saturating_sub(self.flying.len());
        let room = room.min(self.start_gently(now).await);
        let room = room.saturating_sub(self.attend(now, room).await);
        if room == 0 {
            return;
        }
        let limit = WINDOW * room + self.flying.len() + self.aside.len();
        let due = self.due(now, limit).await;
        let aside = &self.aside;
        let due: Vec<_> = due.into_iter().filter(|key| !aside.contains_key(key)).collect();
        let overdue = due.iter().filter(|key| !self.flying.contains_key(key)).count();
        self.desk.metrics.feeds_due(overdue.saturating_sub(room));
        self.send_off(due, room);
    }

    /// Hears from those that have landed.
    fn welcome(&mut self, now: Timestamp) {
        self.aside.retain(|_, until| *until > now);
        let aside = &mut self.aside;
        self.flying.retain(|key, landing| match landing.try_recv() {
            Err(TryRecvError::Empty) => true,
            Ok(Landing { result: Err(error), .. }) => {
                aside.extend(pause_seconds(&error).map(|pause| (*key, now.plus_seconds(pause))));
                false
            }
            Ok(_) | Err(TryRecvError::Closed) => false,
        });
    }

    /// How many may be sent off at this tick. Now and then the due ones are counted anew: what
    /// falls due in the meantime must not wait for the end of the start.
    async fn start_gently(&mut self, now: Timestamp) -> usize {
        let Start { ticks_left, .. } = self.start;
        if ticks_left == 0 {
            return usize::MAX;
        }
        if ticks_left.is_multiple_of(TICKS_A_COUNT) {
            let due = self.due(now, MOST_COUNTED).await.len();
            self.start.most_a_tick = due.div_ceil(ticks_left).max(FEWEST);
        }
        self.start.ticks_left = ticks_left - 1;
        self.start.most_a_tick
    }

    async fn due(&self, now: Timestamp, limit: usize) -> Vec<FeedKey> {
        let asked_since = now.minus_seconds(self.desk.settings.keep_fresh_seconds());
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let due = self.desk.store.due_feeds(now, asked_since, limit);
        // That the store does not answer is told where it is asked.
        self.desk.timed(Operation::FindDue, due).await.unwrap_or_default()
    }

    /// Sends off what is to be polled of the feeds that have names; says how many it is.
    async fn attend(&mut self, now: Timestamp, room: usize) -> usize {
        let mut sent = 0;
        for target in self.attendance.round(&self.desk, now, room).await {
            let (key, _) = target.flight();
            let is_waiting = !self.flying.contains_key(&key) && !self.aside.contains_key(&key);
            sent += usize::from(is_waiting && self.fly(key, target).is_ok());
        }
        sent
    }

    fn send_off(&mut self, mut due: Vec<FeedKey>, room: usize) {
        due.shuffle(&mut rand::rng());
        let waiting = due.into_iter().filter(|key| !self.flying.contains_key(key)).take(room);
        for key in waiting.collect::<Vec<_>>() {
            if self.fly(key, Target::Known(key)).is_err() {
                return; // What is due stays due.
            }
        }
    }

    fn fly(&mut self, key: FeedKey, target: Target) -> Result<(), GatewayError> {
        let (sender, landing) = oneshot::channel();
        self.inboxes.send(target, sender)?;
        self.flying.insert(key, landing);
        Ok(())
    }
}

/// For how long a feed that stays due is passed over: briefly where there was no place for it, for
/// longer where the store is in trouble, for long where its row is damaged. A source that failed is
/// not due any more.
fn pause_seconds(error: &GatewayError) -> Option<i64> {
    match error {
        GatewayError::Overloaded { .. } => Some(15),
        GatewayError::Store(error) if matches!(**error, StoreError::Damaged { .. }) => Some(86_400),
        GatewayError::Store(_) | GatewayError::Internal => Some(60),
        GatewayError::Source { .. }
        | GatewayError::SourceTimeout { .. }
        | GatewayError::InvalidCursor(_) => None,
    }
}

/// Out of how many times as many as there is room for a few are taken, in any order, so that
/// gateways that share a store do not all go for the same ones.
const WINDOW: usize = 4;
const TICK: Duration = Duration::from_secs(1);
/// Five minutes.
const GENTLE_TICKS: usize = 300;
const TICKS_A_COUNT: usize = 10;
const FEWEST: usize = 4;
const MOST_COUNTED: usize = 100_000;
