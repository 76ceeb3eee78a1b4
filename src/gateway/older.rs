//! One older document of a feed (RFC 5005): fetched, read as part of the feed, merged and noted.
//!
//! It adds items and changes none: what the current document says of an item wins.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use sha2::{Digest, Sha256};

use super::desk::Desk;
use super::failure::retry_after_seconds;
use super::reading::{self, OlderOf, Read, ReadError, Reading};
use super::source::Source;
use super::{Failure, GatewayError};
use crate::fetch::{Answer, Document, FetchError, Https, Purpose, Request, Response};
use crate::metrics::{Operation, PollOutcome};
use crate::model::{FeedKey, SourceType, SourceUrl, Validators};
use crate::store::{FeedRecord, Merge, OlderDocument};

/// What became of an older document.
pub(super) enum Older {
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

/// Whoever reads older documents.
pub(super) struct Walk<'a> {
    pub(super) desk: &'a Arc<Desk>,
    pub(super) source: &'a Source,
}

impl Walk<'_> {
    /// Fetches an older document, when there is room, and writes its items.
    pub(super) async fn read(
        &self,
        record: &FeedRecord,
        url: &SourceUrl,
        known: Option<OlderDocument>,
    ) -> Result<Older, GatewayError> {
        let _places = self.desk.places(url, self.desk.settings.reader_wait()).await?;
        let start = Instant::now();
        let read = self.fetch_and_merge(record, url, known).await;
        let outcome = match &read {
            Ok(Older::Unchanged) => PollOutcome::NotModified,
            Ok(Older::Read { new, .. }) if new.is_empty() => PollOutcome::Unchanged,
            Ok(Older::Read { .. }) => PollOutcome::Changed,
            Err(error) => error.outcome(),
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
        let response = match self.desk.ask(self.source, &request).await {
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

/// Under what a failure of an older document is remembered: any feed may name any address, and
/// what that is as a part of this one is nobody else's concern.
pub(super) fn older_key(feed: &FeedKey, url: &SourceUrl) -> FeedKey {
    let digest = Sha256::new_with_prefix(feed.as_bytes()).chain_update(url.as_str()).finalize();
    FeedKey::from_bytes(&digest).unwrap_or(*feed)
}
