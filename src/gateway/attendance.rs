//! Looks after the feeds that have names: they are read when the gateway starts and polled when
//! they are due, though nobody asks and whatever `poll.keep_fresh_days` says.

use std::collections::HashMap;

use super::GatewayError;
use super::desk::Desk;
use super::errand::Target;
use crate::model::{SourceUrl, Timestamp};
use crate::store::StoreError;

/// Which of them need no look for now.
#[derive(Debug, Default)]
pub(super) struct Attendance(HashMap<SourceUrl, Timestamp>);

/// What a look at a feed gave: a poll that is to be made, and when to look again.
struct Look {
    poll: Option<Target>,
    again_in_seconds: i64,
}

impl Attendance {
    /// What is to be polled now, at most so many.
    pub(super) async fn round(&mut self, desk: &Desk, now: Timestamp, most: usize) -> Vec<Target> {
        self.0.retain(|_, until| *until > now);
        let mut polls = Vec::new();
        for (name, url) in desk.named.now().iter() {
            if polls.len() == most {
                break;
            }
            if self.0.contains_key(url) {
                continue;
            }
            let look = look_at(desk, url, now).await.unwrap_or_else(|error| {
                tracing::warn!(feed.name = %name, error = %error, cause = ?error, "a named feed cannot be found");
                Look { poll: None, again_in_seconds: STORE_SECONDS }
            });
            self.0.insert(url.clone(), now.plus_seconds(look.again_in_seconds));
            polls.extend(look.poll);
        }
        polls
    }
}

async fn look_at(desk: &Desk, url: &SourceUrl, now: Timestamp) -> Result<Look, StoreError> {
    if let Some(feed) = desk.find_known(url).await? {
        desk.note_asked(&feed, now);
        if feed.is_due(now) {
            let poll = Some(Target::Known(feed.record.key));
            return Ok(Look { poll, again_in_seconds: SOON_SECONDS });
        }
        let left = feed.record.schedule.next_poll_at.seconds() - now.seconds();
        return Ok(Look { poll: None, again_in_seconds: left.clamp(1, LONGEST_SECONDS) });
    }
    let left = match desk.remembered_failure(url).await {
        Some(GatewayError::Source { retry_after_seconds, .. }) => Some(retry_after_seconds),
        _ => desk.native_in_memory(url).await.map(|native| native.max_age_seconds),
    };
    if let Some(left) = left {
        let left = i64::try_from(left).unwrap_or(LONGEST_SECONDS);
        return Ok(Look { poll: None, again_in_seconds: left.clamp(1, LONGEST_SECONDS) });
    }
    Ok(Look { poll: Some(Target::New(url.clone())), again_in_seconds: SOON_SECONDS })
}

/// A poll is under way by then, or has put off the next one.
const SOON_SECONDS: i64 = 15;
/// What was forgotten in the meantime is read anew.
const LONGEST_SECONDS: i64 = 300;
/// While the store does not answer.
const STORE_SECONDS: i64 = 60;
