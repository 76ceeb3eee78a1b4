//! The older documents of a feed (RFC 5005): read one at a time and through the same door as the
//! current one, when a reader walks past our end, or when a poll shares nothing with what we knew.
//!
//! They add items and change none: what the current document says of an item wins.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use sha2::{Digest, Sha256};

use super::desk::Desk;
use super::failure::retry_after_seconds;
use super::landed::Landed;
use super::poll::{self, Poll};
use super::reading::{self, OlderOf, Read, ReadError, Reading};
use super::source::Source;
use super::turn::Turn;
use super::{Failure, FailureKind, GatewayError};
use crate::fetch::{Answer, Document, FetchError, Https, Purpose, Request, Response};
use crate::metrics::{Operation, PollOutcome};
use crate::model::{FeedKey, SourceType, SourceUrl, Validators};
use crate::store::{FeedRecord, History, Merge, OlderDocument, StoreError};

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
    let _place = poll::place(desk).await?;
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

/// Under what a failure of an older document is remembered: any feed may name any address, and
/// what that is as a part of this one is nobody else's concern.
fn older_key(feed: &FeedKey, url: &SourceUrl) -> FeedKey {
    let digest = Sha256::new_with_prefix(feed.as_bytes()).chain_update(url.as_str()).finalize();
    FeedKey::from_bytes(&digest).unwrap_or(*feed)
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

/// What became of an older document.
enum Older {
    /// It is as it was when it was read before.
    Unchanged,
    Read {
        /// The ids that the store had, and those that it had not.
        old: Vec<String>,
        new: Vec<String>,
        /// The next older one that it names.
        next: Option<SourceUrl>,
    },
}

struct Walk<'a> {
    desk: &'a Arc<Desk>,
    source: &'a Source,
}

impl Walk<'_> {
    /// Fetches an older document and writes its items.
    async fn read(
        &self,
        record: &FeedRecord,
        url: &SourceUrl,
        known: Option<OlderDocument>,
    ) -> Result<Older, GatewayError> {
        let start = Instant::now();
        let read = self.fetch_and_merge(record, url, known).await;
        let outcome = match &read {
            Ok(Older::Unchanged) => PollOutcome::NotModified,
            Ok(Older::Read { new, .. }) if new.is_empty() => PollOutcome::Unchanged,
            Ok(Older::Read { .. }) => PollOutcome::Changed,
            Err(GatewayError::Source { failure, .. }) => failure.kind.outcome(),
            Err(_) => PollOutcome::Internal,
        };
        let seconds = start.elapsed().as_secs_f64();
        self.desk.metrics.poll(Some(record.source_type), outcome, seconds);
        let outcome = outcome.as_str();
        tracing::info!(source.host = url.host(), poll.outcome = outcome, "walked on");
        read
    }

    async fn fetch_and_merge(
        &self,
        record: &FeedRecord,
        url: &SourceUrl,
        known: Option<OlderDocument>,
    ) -> Result<Older, GatewayError> {
        let request = Request {
            url: url.clone(),
            validators: known.map(|known| known.validators).unwrap_or_default(),
            validated_url: None,
            https: Https::Untried,
            purpose: Purpose::Feed,
        };
        let response = match self.source.fetch(&request).await {
            Ok(response) => response,
            Err(error) => return Err(self.not_fetched(&record.key, url, &error).await),
        };
        let Response { url: read_url, validators, answer, .. } = response;
        let document = match answer {
            Answer::NotModified => return Ok(Older::Unchanged),
            Answer::Document(document) => document,
        };
        let read = self.read_document(record, url, &read_url, document).await?;
        self.merge(record, &read).await?;
        self.remember(record, url, validators, &read).await?;
        let new: Vec<String> = read.new.iter().map(|item| item.position.id.clone()).collect();
        let fresh: HashSet<&str> = new.iter().map(String::as_str).collect();
        let old = read.shown.iter().filter(|id| !fresh.contains(id.as_str())).cloned().collect();
        let next = read.history.older.filter(|next| next != url && *next != record.url);
        Ok(Older::Read { old, new, next })
    }

    async fn not_fetched(
        &self,
        feed: &FeedKey,
        url: &SourceUrl,
        error: &FetchError,
    ) -> GatewayError {
        if let FetchError::Refused(verdict) = error {
            self.desk.metrics.refused(verdict.label(), 1);
        }
        let retry_after = retry_after_seconds(error, self.desk.clock.now());
        self.fail(feed, url, Failure::of_fetch(error), retry_after).await
    }

    async fn fail(
        &self,
        feed: &FeedKey,
        url: &SourceUrl,
        failure: Failure,
        retry_after: Option<u64>,
    ) -> GatewayError {
        self.desk.fail_as(older_key(feed, url), url, failure, retry_after).await
    }

    async fn read_document(
        &self,
        record: &FeedRecord,
        url: &SourceUrl,
        read_url: &SourceUrl,
        document: Document,
    ) -> Result<Read, GatewayError> {
        let finding = self.desk.store.oldest(&record.key);
        let oldest = self.desk.timed(Operation::FindOlder, finding).await?;
        let now = self.desk.clock.now();
        let reading = Reading {
            body: document.body,
            _room: document.room,
            content_type: document.content_type,
            complete: document.complete,
            links: Vec::new(),
            url: read_url.clone(),
            key: record.key,
            first_url: record.first_url.clone(),
            was_podcast: record.source_type == SourceType::Podcast,
            known_id: None,
            older: Some(OlderOf {
                feed_url: record.read.url.clone(),
                below: oldest.map_or(now, |oldest| oldest.published),
            }),
            now,
        };
        match reading::read(self.desk, reading).await {
            Ok(read) => Ok(read),
            Err(ReadError::Source(failure)) => {
                Err(self.fail(&record.key, url, failure, None).await)
            }
            Err(ReadError::Native | ReadError::Page(_)) => {
                Err(self.fail(&record.key, url, Failure::no_feed_found(), None).await)
            }
            Err(ReadError::Gateway(error)) => Err(error),
        }
    }

    async fn merge(&self, record: &FeedRecord, read: &Read) -> Result<(), GatewayError> {
        let merge = Merge {
            record,
            aliases: &[],
            items: &read.new,
            deleted: &[],
            keep_only: None,
            now: self.desk.clock.now(),
        };
        let merged = self.desk.timed(Operation::Merge, self.desk.store.merge(&merge)).await?;
        self.desk.remember(merged).await;
        Ok(())
    }

    /// Notes that a document was read, so that an archive is never asked for again.
    async fn remember(
        &self,
        record: &FeedRecord,
        url: &SourceUrl,
        validators: Validators,
        read: &Read,
    ) -> Result<(), GatewayError> {
        let document = OlderDocument {
            validators: if read.truncated { Validators::default() } else { validators },
            is_archive: read.history.is_archive && !read.truncated,
            read_at: self.desk.clock.now(),
        };
        let writing = self.desk.store.put_older_document(&record.key, url, &document);
        Ok(self.desk.timed(Operation::Touch, writing).await?)
    }
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
