//! How a poll ends: what is written of it, and when the next one is.

use std::sync::Arc;

use super::failure::retry_after_seconds;
use super::poll::Poll;
use super::reading::Read;
use super::schedule::{after_success, back_off_seconds};
use super::{Failure, GatewayError};
use crate::fetch::FetchError;
use crate::metrics::{Operation, PollOutcome};
use crate::model::{Feed, FeedKey, SourceUrl, Validators};
use crate::store::{FeedRecord, Merge, ReadState, Schedule};

/// A document that was read.
pub(super) struct Arrived {
    /// The address to ask from now on.
    pub(super) url: SourceUrl,
    /// The address by which the feed is known first.
    pub(super) first_url: SourceUrl,
    /// For how long HTTP says that it holds.
    pub(super) wished_seconds: Option<u64>,
    pub(super) state: ReadState,
    pub(super) read: Read,
}

impl Poll<'_> {
    /// Writes a poll that brought nothing new.
    pub(super) async fn touch(
        &self,
        record: FeedRecord,
        read: ReadState,
        wished_seconds: Option<u64>,
    ) -> Result<(), GatewayError> {
        let schedule = self.next(wished_seconds, &read);
        self.write_touch(FeedRecord { read, schedule, ..record }).await
    }

    /// Writes what a document brought.
    pub(super) async fn merge(
        &self,
        arrived: Arrived,
        known: Option<FeedRecord>,
    ) -> Result<PollOutcome, GatewayError> {
        let url = arrived.url.clone();
        let version = known.as_ref().map(|record| record.version);
        let (record, read) = match known {
            Some(record) if arrived.read.truncated => self.added(record, arrived),
            known => self.whole(known, arrived),
        };
        let mut items = read.new;
        items.extend(read.changed);
        let deleted: Vec<&str> = read.deleted.iter().map(|id| id.as_str()).collect();
        let aliases = [self.url.clone(), url];
        let merge = Merge {
            record: &record,
            aliases: &aliases,
            items: &items,
            deleted: &deleted,
            keep_only: None,
            now: self.now,
        };
        let writing = self.desk.store.merge(&merge);
        let record = self.desk.timed(Operation::Merge, writing).await?;
        let changed = version != Some(record.version);
        let key = record.key;
        self.desk.remember(record).await;
        for alias in aliases {
            self.desk.remember_address(alias, key).await;
        }
        Ok(if changed { PollOutcome::Changed } else { PollOutcome::Unchanged })
    }

    /// What half a document changes of a known feed: it says nothing of what it does not show, so
    /// it only adds. It is asked for again without conditions.
    fn added(&self, record: FeedRecord, arrived: Arrived) -> (FeedRecord, Read) {
        let read = ReadState {
            validators: Validators::default(),
            body_hash: None,
            hint_seconds: record.read.hint_seconds,
            ..arrived.state
        };
        let schedule = self.next(arrived.wished_seconds, &read);
        let additions = Read { changed: Vec::new(), deleted: Vec::new(), ..arrived.read };
        (FeedRecord { read, schedule, ..record }, additions)
    }

    fn whole(&self, known: Option<FeedRecord>, arrived: Arrived) -> (FeedRecord, Read) {
        let Arrived { url, first_url, wished_seconds, mut state, read } = arrived;
        if read.truncated {
            state = ReadState { validators: Validators::default(), body_hash: None, ..state };
        }
        // The id of a feed never changes (MMSP 5.1), whatever its source says later.
        let id = known.as_ref().map_or(&read.feed.id, |record| &record.feed.id).clone();
        let before = known.as_ref();
        let record = FeedRecord {
            key: FeedKey::of(&first_url),
            first_url,
            url,
            feed: Feed { id, ..read.feed.clone() },
            source_type: read.source_type,
            media_type: read.media_type.to_owned(),
            page_url: read.page_url.clone(),
            floor: read.floor.clone(),
            recommended_seconds: read.recommended_seconds,
            moved_to: before.and_then(|record| record.moved_to.clone()),
            deprecated: false,
            version: 0,
            pages_changed_at: self.now,
            moving: before.and_then(|record| record.moving.clone()),
            history: before.map(|record| record.history.clone()).unwrap_or_default(),
            schedule: self.next(wished_seconds, &state),
            read: state,
            asked_at: self.now,
        };
        (record, read)
    }

    fn next(&self, wished_seconds: Option<u64>, read: &ReadState) -> Schedule {
        let hint = Some(u64::from(read.hint_seconds));
        after_success(&self.desk.settings, &[wished_seconds, hint], self.now)
    }

    /// Notes that the source could not be fetched, and gives the error back for those who wait.
    pub(super) async fn fetch_failed(
        &self,
        error: &FetchError,
    ) -> Result<GatewayError, GatewayError> {
        if let FetchError::Refused(verdict) = error {
            self.desk.metrics.refused(verdict.label(), 1);
        }
        let retry_after = retry_after_seconds(error, self.now);
        tracing::debug!(source.url = self.shown_url(), cause = ?error, "a source was not fetched");
        self.failed(Failure::of_fetch(error), retry_after).await
    }

    /// Notes a failure: of a known feed in the store, of any other in memory only, since strangers
    /// can make up as many URLs as they like.
    pub(super) async fn failed(
        &self,
        failure: Failure,
        retry_after: Option<u64>,
    ) -> Result<GatewayError, GatewayError> {
        self.desk.metrics.backoff();
        let url = Arc::new(self.url.clone());
        let Some(record) = &self.known else {
            return Ok(self.desk.fail_unknown(&self.url, failure, retry_after).await);
        };
        if self.is_elsewhere {
            return Ok(GatewayError::Source { url, failure, retry_after_seconds: 0 });
        }
        let failures = record.schedule.failures.saturating_add(1);
        let at_least = failure.kind.remembered_seconds();
        let seconds = back_off_seconds(failures, at_least, retry_after, rand::random());
        let schedule = Schedule {
            polled_at: self.now,
            next_poll_at: self.now.plus_seconds(i64::try_from(seconds).unwrap_or(i64::MAX)),
            failures,
            failure: failure.to_text(),
            failing_since: record.schedule.failing_since.or(Some(self.now)),
            ..record.schedule.clone()
        };
        self.write_touch(FeedRecord { schedule, ..record.clone() }).await?;
        Ok(GatewayError::Source { url, failure, retry_after_seconds: seconds })
    }

    async fn write_touch(&self, record: FeedRecord) -> Result<(), GatewayError> {
        let writing = self.desk.store.touch(&record, self.now);
        if let Some(record) = self.desk.timed(Operation::Touch, writing).await? {
            self.desk.remember(record).await;
        }
        Ok(())
    }

    /// One line a poll.
    pub(super) fn log(&self, outcome: PollOutcome, error: Option<&GatewayError>) {
        let (url, outcome) = (self.shown_url(), outcome.as_str());
        match error {
            None => tracing::info!(source.url = url, poll.outcome = outcome, "polled"),
            Some(GatewayError::Store(cause)) => {
                let (error, cause) = (cause.to_string(), format!("{cause:?}"));
                tracing::error!(source.url = url, error, cause, "a poll could not be written");
            }
            Some(error) => {
                let error = error.to_string();
                tracing::warn!(source.url = url, poll.outcome = outcome, error, "a poll failed");
            }
        }
    }

    /// The address without its query, which may hold somebody's token.
    fn shown_url(&self) -> &str {
        self.url.as_str().split('?').next().unwrap_or_default()
    }
}
