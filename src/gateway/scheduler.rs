//! Polls feeds that are due though nobody asks just now: a memory with holes is none.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use super::desk::Desk;
use super::poller::{Inboxes, Target};
use crate::metrics::Operation;

/// Ticks until the thread ends.
pub(super) async fn run(desk: Arc<Desk>, inboxes: Inboxes) {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        tick(&desk, &inboxes).await;
    }
}

/// Writes down who was asked for, and sends off what is due while there is room.
pub(super) async fn tick(desk: &Desk, inboxes: &Inboxes) {
    desk.flush_asked().await;
    let most = usize::try_from(desk.settings.max_in_flight).unwrap_or(usize::MAX);
    if desk.places.available_permits() * 2 < most {
        return; // Readers first.
    }
    let now = desk.clock.now();
    let asked_since = now.minus_seconds(desk.settings.keep_fresh_seconds());
    let due = desk.store.due_feeds(now, asked_since, BATCH);
    match desk.timed(Operation::FindDue, due).await {
        Ok(due) => {
            let sent = due.into_iter().map(|key| inboxes.send(Target::Known(key), None));
            // A full inbox ends the batch: what is due stays due.
            let _ = sent.take_while(Result::is_ok).count();
        }
        Err(error) => {
            tracing::warn!(error = %error, cause = ?error, "due feeds cannot be found");
        }
    }
}

const TICK: Duration = Duration::from_secs(5);
/// Feeds sent off in one tick.
const BATCH: u32 = 32;
