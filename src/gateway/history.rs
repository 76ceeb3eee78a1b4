//! The walk over the older documents of a feed (RFC 5005), one at a time, when a reader comes past
//! our end, or when a poll shares nothing with what we knew.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::desk::Desk;
use super::landed::Landed;
use super::older::{Older, Walk, older_key};
use super::poll::Poll;
use super::reading::Read;
use super::source::Source;
use super::turn::Turn;
use super::{Failure, FailureKind, GatewayError};
use crate::metrics::Operation;
use crate::model::{FeedKey, SourceUrl, Validators};
use crate::store::{FeedRecord, History, OlderDocument, StoreError};

/// Between what a poll brought and what the store had lies something that may have been missed.
pub(super) struct Gap {
    key: FeedKey,
    /// The ids of the new document, which the store did not have.
    shown: HashSet<String>,
    /// Where readers had got to below the gap.
    older_url: Option<SourceUrl>,
}

impl Gap {
    /// A known feed of which a document shows nothing that was known.
    pub(super) fn between(known: Option<&FeedRecord>, read: &Read) -> Option<Self> {
        let record = known.filter(|record| record.floor.is_some())?;
        if read.truncated || read.shows_known || read.shown.is_empty() {
            return None;
        }
        Some(Self {
            key: record.key,
            shown: read.shown.iter().cloned().collect(),
            older_url: record.history.older_url.clone(),
        })
    }
}

impl Poll<'_> {
    /// What is to be known of the older documents once the current one was read: where readers
    /// have got to; where the feed began to name some only now, or a gap is to be closed, the
    /// first of them.
    pub(super) async fn history(
        &self,
        known: Option<&FeedRecord>,
        read: &Read,
        has_gap: bool,
    ) -> Result<History, StoreError> {
        let is_complete = read.history.is_complete;
        let named = read.history.older.clone().filter(|_| !is_complete);
        let Some(record) = known else { return Ok(History { older_url: named, is_complete }) };
        let older_url = match (&record.history.older_url, named) {
            (pending, named) if has_gap => named.or_else(|| pending.clone()),
            (Some(pending), _) if !is_complete => Some(pending.clone()),
            (_, Some(named)) => {
                let finding = self.desk.store.older_document(&record.key, &named);
                let read = self.desk.timed(Operation::FindOlder, finding).await?;
                read.is_none().then_some(named)
            }
            (_, None) => None,
        };
        Ok(History { older_url, is_complete })
    }
}

/// Reads the next older document of a feed, for a reader who came to the end of what is stored, in
/// turn with whatever else writes the feed.
pub(super) async fn walk_on(
    desk: &Arc<Desk>,
    source: &Source,
    key: &FeedKey,
) -> Result<Landed, GatewayError> {
    let look = async || match find(desk, key).await? {
        Some(record) => match record.history.older_url.clone() {
            Some(url) => Ok(ControlFlow::Continue((record, url))),
            None => {
                // Another gateway may have come to the end meanwhile.
                desk.remember(record).await;
                Ok(ControlFlow::Break(Landed::Feed))
            }
        },
        None => Ok(ControlFlow::Break(Landed::Feed)),
    };
    let read = async |(record, url): (FeedRecord, SourceUrl)| {
        read_next(desk, source, &record, &url).await.map_err(told)
    };
    Turn::to_walk(desk, key).take(look, read).await
}

async fn read_next(
    desk: &Arc<Desk>,
    source: &Source,
    record: &FeedRecord,
    url: &SourceUrl,
) -> Result<Landed, GatewayError> {
    let key = &record.key;
    if let Some(error) = backing_off(desk, record) {
        return Err(error);
    }
    if let Some(error) = desk.remembered_as(&older_key(key, url), url).await {
        return Err(error);
    }
    let walk = Walk { desk, source };
    let mut unread = None;
    match walk.read(record, url, None).await {
        Ok(Older::Read { next: Some(next), .. }) => {
            // One that was read before leads in a circle, or into what is known.
            let finding = desk.store.older_document(key, &next);
            let known = desk.timed(Operation::FindOlder, finding).await?;
            unread = known.is_none().then_some(next);
        }
        Ok(Older::Read { next: None, .. } | Older::Unchanged) => {}
        // What is gone for good is an end, and counts as read: nobody will ever have it.
        Err(GatewayError::Source { failure, .. }) if failure.kind == FailureKind::Gone => {
            let read_at = desk.clock.now();
            let gone =
                OlderDocument { validators: Validators::default(), is_archive: true, read_at };
            let writing = desk.store.put_older_document(key, url, &gone);
            desk.timed(Operation::Touch, writing).await?;
        }
        Err(error) => return Err(error),
    }
    set_older(desk, key, unread).await?;
    Ok(Landed::Feed)
}

/// An older document that cannot be had says nothing of the feed, and is told apart from it.
fn told(error: GatewayError) -> GatewayError {
    match error {
        GatewayError::Source { url, failure, retry_after_seconds } => {
            let detail = format!("an older page of the feed cannot be read: {}", failure.detail);
            let failure = Failure { kind: FailureKind::Unavailable, detail };
            GatewayError::Source { url, failure, retry_after_seconds }
        }
        other => other,
    }
}

/// Walks back from a document that shares nothing with what was known until they meet, for so
/// many documents at the most. What cannot be had is left for readers to walk to.
pub(super) async fn catch_up(desk: &Arc<Desk>, source: &Source, gap: Gap) {
    if let Err(error) = close(desk, source, gap).await {
        tracing::warn!(error = %error, "a gap in a feed's history is left open");
    }
}

async fn close(desk: &Arc<Desk>, source: &Source, gap: Gap) -> Result<(), GatewayError> {
    let Gap { key, mut shown, older_url: before } = gap;
    let walk = Walk { desk, source };
    let mut visited = HashSet::new();
    for _ in 0..MOST_AT_ONCE {
        let Some(record) = find(desk, &key).await? else { return Ok(()) };
        let Some(url) = record.history.older_url.clone() else { return Ok(()) };
        if !visited.insert(url.clone()) {
            return set_older(desk, &key, before).await;
        }
        let finding = desk.store.older_document(&key, &url);
        let known = desk.timed(Operation::FindOlder, finding).await?;
        if known.as_ref().is_some_and(|document| document.is_archive) {
            return set_older(desk, &key, before).await;
        }
        match walk.read(&record, &url, known).await? {
            Older::Unchanged => return set_older(desk, &key, before).await,
            // Pages move on by an item while we read them: only what was there before counts.
            Older::Read { old, .. } if old.iter().any(|id| !shown.contains(id)) => {
                return set_older(desk, &key, before).await;
            }
            Older::Read { new, next, .. } => {
                shown.extend(new);
                set_older(desk, &key, next).await?;
            }
        }
    }
    Ok(())
}

async fn find(desk: &Desk, key: &FeedKey) -> Result<Option<FeedRecord>, GatewayError> {
    Ok(desk.timed(Operation::FindFeed, desk.store.find_feed_by_key(key)).await?)
}

/// Writes down where readers go on.
async fn set_older(
    desk: &Desk,
    key: &FeedKey,
    older_url: Option<SourceUrl>,
) -> Result<(), GatewayError> {
    let Some(record) = find(desk, key).await? else { return Ok(()) };
    let history = History { older_url, ..record.history.clone() };
    let record = FeedRecord { history, ..record };
    let writing = desk.store.touch(&record, desk.clock.now());
    if let Some(record) = desk.timed(Operation::Touch, writing).await? {
        desk.remember(record).await;
    }
    Ok(())
}

/// A source that is left alone after a failure is left alone with its history too.
fn backing_off(desk: &Desk, record: &FeedRecord) -> Option<GatewayError> {
    let failure = record.schedule.failure.as_deref().and_then(Failure::parse)?;
    let left = record.schedule.next_poll_at.seconds() - desk.clock.now().seconds();
    let retry_after_seconds = u64::try_from(left).ok().filter(|left| *left > 0)?;
    let url = Arc::new(record.url.clone());
    Some(GatewayError::Source { url, failure, retry_after_seconds })
}

/// Documents that one poll walks back at the most.
const MOST_AT_ONCE: usize = 10;
