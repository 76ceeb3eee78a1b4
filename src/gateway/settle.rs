//! How a poll ends: what is written of it, and when the next one is.

use std::sync::Arc;

use super::course::Course;
use super::failure::retry_after_seconds;
use super::poll::{Place, Poll};
use super::reading::Read;
use super::schedule::{Setback, Wishes, after_failure, after_success};
use super::{Failure, GatewayError};
use crate::fetch::FetchError;
use crate::metrics::{Operation, PollOutcome};
use crate::model::{Feed, FeedKey, SourceUrl, Timestamp, Validators};
use crate::store::{FeedRecord, History, Merge, Moving, MovingBy, ReadState, Schedule};

/// A document that was read.
pub(super) struct Arrived {
    /// Where to ask from now on.
    pub(super) course: Course,
    /// The address by which the feed is known first.
    pub(super) first_url: SourceUrl,
    /// For how long HTTP says that it holds.
    pub(super) wished_seconds: Option<u64>,
    pub(super) state: ReadState,
    /// What is to be known of its older documents.
    pub(super) history: History,
    pub(super) read: Read,
}

impl Poll<'_> {
    /// Writes a poll that brought nothing new.
    pub(super) async fn touch(
        &self,
        record: FeedRecord,
        read: ReadState,
        wished_seconds: Option<u64>,
        course: Course,
    ) -> Result<(), GatewayError> {
        let schedule = self.next(wished_seconds, &read, record.recommended_seconds);
        let Course { url, moving, moved_to, .. } = course;
        if url != record.url && self.desk.is_free(&url, &record.key).await? {
            self.desk.lead(&url, record.key).await?;
        }
        let moved_to = moved_to.or(record.moved_to);
        let deprecated = false;
        self.write_touch(FeedRecord { url, moving, moved_to, deprecated, read, schedule, ..record })
            .await
    }

    /// Writes what a document brought.
    pub(super) async fn merge(
        &self,
        arrived: Arrived,
        known: Option<FeedRecord>,
    ) -> Result<PollOutcome, GatewayError> {
        let url = arrived.course.url.clone();
        let version = known.as_ref().map(|record| record.version);
        let (record, read) = match known {
            Some(record) if arrived.read.truncated => self.added(record, arrived),
            known => self.whole(known, arrived),
        };
        let mut items = read.new;
        items.extend(read.changed);
        let chapters = self.with_chapters(&record, &mut items).await?;
        let deleted: Vec<&str> = read.deleted.iter().map(|id| id.as_str()).collect();
        // Half a list says nothing of what it leaves out.
        let is_whole = record.history.is_complete && !read.truncated && !read.goes_on;
        let listed: Option<Vec<&str>> =
            is_whole.then(|| read.shown.iter().map(String::as_str).collect());
        let mut aliases = vec![self.url.clone(), url];
        if aliases.iter().any(|alias| *alias != record.first_url) {
            self.keep_free(&mut aliases, &record.key).await?;
        }
        let merge = Merge {
            record: &record,
            aliases: &aliases,
            items: &items,
            deleted: &deleted,
            keep_only: listed.as_deref(),
            now: self.now,
        };
        let writing = async || self.desk.store.merge(&merge).await;
        let record = self.desk.insist(Operation::Merge, writing).await?;
        let changed = version != Some(record.version);
        let key = record.key;
        self.desk.remember(record).await;
        self.desk.chapters.add(chapters);
        for alias in aliases {
            self.desk.remember_address(alias, key).await;
        }
        Ok(if changed { PollOutcome::Changed } else { PollOutcome::Unchanged })
    }

    /// The move that a document tells of, if it leads anywhere new.
    pub(super) async fn announced(
        &self,
        course: &Course,
        read_url: &SourceUrl,
        read: &Read,
        known: Option<&FeedRecord>,
    ) -> Result<Option<Moving>, GatewayError> {
        let is_new = |to: &&SourceUrl| **to != course.url && *to != read_url && !read.truncated;
        let Some(to) = read.new_url.as_ref().filter(is_new) else { return Ok(None) };
        let before = known.and_then(|record| record.moving.as_ref());
        if let Some(before) = before.filter(|moving| moving.to == *to) {
            return Ok(Some(before.clone()));
        }
        let owner = self.desk.find_record(to).await?;
        if owner.is_some_and(|owner| known.is_some_and(|known| owner.key == known.key)) {
            return Ok(None);
        }
        let since = Timestamp::EPOCH;
        Ok(Some(Moving { to: to.clone(), since, by: MovingBy::Word, is_same: false }))
    }

    /// Leaves out the addresses that lead to other feeds: what a feed moved to may be known as a
    /// feed of its own.
    async fn keep_free(
        &self,
        aliases: &mut Vec<SourceUrl>,
        key: &FeedKey,
    ) -> Result<(), GatewayError> {
        aliases.dedup();
        for alias in std::mem::take(aliases) {
            if self.desk.is_free(&alias, key).await? {
                aliases.push(alias);
            }
        }
        Ok(())
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
        let schedule = self.next(arrived.wished_seconds, &read, record.recommended_seconds);
        let additions = Read { changed: Vec::new(), deleted: Vec::new(), ..arrived.read };
        (FeedRecord { read, schedule, deprecated: false, ..record }, additions)
    }

    fn whole(&self, known: Option<FeedRecord>, arrived: Arrived) -> (FeedRecord, Read) {
        let Arrived { course, first_url, wished_seconds, mut state, history, read } = arrived;
        if read.truncated {
            state = ReadState { validators: Validators::default(), body_hash: None, ..state };
        }
        // The id of a feed never changes (MMSP 5.1), whatever its source says later.
        let id = known.as_ref().map_or(&read.feed.id, |record| &record.feed.id).clone();
        let before = known.as_ref();
        let record = FeedRecord {
            key: FeedKey::of(&first_url),
            first_url,
            url: course.url,
            feed: Feed { id, ..read.feed.clone() },
            source_type: read.source_type,
            media_type: read.media_type.to_owned(),
            page_url: read.page_url.clone(),
            floor: read.floor.clone(),
            recommended_seconds: read.recommended_seconds,
            moved_to: course.moved_to.or_else(|| before.and_then(|record| record.moved_to.clone())),
            deprecated: false,
            version: 0,
            pages_changed_at: self.now,
            moving: course.moving,
            history,
            schedule: self.next(wished_seconds, &state, read.recommended_seconds),
            read: state,
            asked_at: self.now,
        };
        (record, read)
    }

    fn next(
        &self,
        http_seconds: Option<u64>,
        read: &ReadState,
        recommended_seconds: u32,
    ) -> Schedule {
        let wishes = Wishes {
            http_seconds,
            document_seconds: read.hint_seconds,
            recommended_seconds,
            quiet_times: read.quiet_times,
        };
        after_success(&self.desk.settings, &wishes, self.now)
    }

    /// Notes that the source could not be fetched, and gives the error back for those who wait.
    pub(super) async fn fetch_failed(
        &self,
        error: &FetchError,
    ) -> Result<GatewayError, GatewayError> {
        let retry_after = retry_after_seconds(error, self.now);
        if let FetchError::Resting { seconds } = error {
            let failure = Failure::of_fetch(error);
            return match &self.known {
                Some(record) if self.place == Place::Own => {
                    self.put_off(record, failure, *seconds).await
                }
                // It was not asked: its host rests, and that says nothing of it.
                _ => {
                    let url = Arc::new(self.url.clone());
                    Ok(GatewayError::Source { url, failure, retry_after_seconds: *seconds })
                }
            };
        }
        tracing::debug!(source.url = self.shown_url(), cause = ?error, "a source was not fetched");
        self.failed(Failure::of_fetch(error), retry_after).await
    }

    /// Waits with a known feed for as long as its host rests, which is no failure of the feed.
    async fn put_off(
        &self,
        record: &FeedRecord,
        failure: Failure,
        seconds: u64,
    ) -> Result<GatewayError, GatewayError> {
        let next_poll_at = self.now.plus_seconds(i64::try_from(seconds).unwrap_or(i64::MAX));
        let failure_text = failure.to_text();
        let schedule = Schedule { next_poll_at, failure: failure_text, ..record.schedule.clone() };
        self.write_touch(FeedRecord { schedule, ..record.clone() }).await?;
        let url = Arc::new(self.url.clone());
        Ok(GatewayError::Source { url, failure, retry_after_seconds: seconds })
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
        if self.place != Place::Own {
            return Ok(GatewayError::Source { url, failure, retry_after_seconds: 0 });
        }
        let was_given_up = record.deprecated;
        let setback =
            after_failure(&record.schedule, was_given_up, &failure, retry_after, self.now);
        let Setback { schedule, seconds, is_given_up } = setback;
        self.write_touch(FeedRecord { schedule, deprecated: is_given_up, ..record.clone() })
            .await?;
        Ok(GatewayError::Source { url, failure, retry_after_seconds: seconds })
    }

    async fn write_touch(&self, record: FeedRecord) -> Result<(), GatewayError> {
        let writing = async || self.desk.store.touch(&record, self.now).await;
        if let Some(record) = self.desk.insist(Operation::Touch, writing).await? {
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
