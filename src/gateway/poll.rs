//! One poll of one document: is it due, is there room, fetch. What came goes on to `document`, and
//! how it all ends is for `settle` to write.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;
use tokio::sync::SemaphorePermit;
use tokio::time::timeout;

use super::desk::Desk;
use super::document::Received;
use super::landed::Landed;
use super::poller::{Errand, FULL_SECONDS, Sought};
use super::source::Source;
use super::{Failure, GatewayError};
use crate::convert;
use crate::fetch::{Answer, Https, Purpose, Request, Response};
use crate::metrics::{Operation, PollOutcome, Stage};
use crate::model::{SourceType, SourceUrl, Timestamp, Validators};
use crate::store::{FeedRecord, ReadState};

/// Reads a document if that is due, and leaves store and caches as they should be then.
pub(super) async fn run(
    desk: &Arc<Desk>,
    source: &Source,
    sought: &Sought,
) -> Result<Landed, GatewayError> {
    let poll = match Poll::plan(desk, sought).await? {
        Planned::Poll(poll) => poll,
        Planned::Landed(landed) => return Ok(landed),
    };
    let _place = place(desk).await?;
    let _counted = desk.metrics.poll_in_flight();
    let start = Instant::now();
    let ended = match AssertUnwindSafe(poll.fly(source)).catch_unwind().await {
        Ok(ended) => ended,
        Err(_) => poll.broke().await,
    };
    let outcome = match &ended {
        Ok(ended) => ended.outcome,
        Err(GatewayError::Source { failure, .. }) => failure.kind.outcome(),
        Err(_) => PollOutcome::Internal,
    };
    desk.metrics.poll(poll.source_type().await, outcome, start.elapsed().as_secs_f64());
    poll.log(outcome, ended.as_ref().err());
    ended.map(|ended| ended.landed)
}

/// A poll and what it starts from.
pub(super) struct Poll<'a> {
    pub(super) desk: &'a Arc<Desk>,
    /// The address to ask.
    pub(super) url: SourceUrl,
    pub(super) known: Option<FeedRecord>,
    /// Whether the address is new to a feed that is known: if it is no good, nothing is said of
    /// the feed.
    pub(super) is_elsewhere: bool,
    pub(super) now: Timestamp,
}

/// How a poll ended.
pub(super) struct Ended {
    pub(super) outcome: PollOutcome,
    pub(super) landed: Landed,
}

impl Ended {
    pub(super) fn with_feed(outcome: PollOutcome) -> Self {
        Self { outcome, landed: Landed::Feed }
    }
}

/// A poll, or what there is without one.
enum Planned<'a> {
    Poll(Poll<'a>),
    Landed(Landed),
}

/// Waits a little for a place among the polls under way.
async fn place(desk: &Desk) -> Result<SemaphorePermit<'_>, GatewayError> {
    let _waiting = desk.metrics.poll_waiting();
    match timeout(desk.settings.place_wait(), desk.places.acquire()).await {
        Ok(Ok(place)) => Ok(place),
        Ok(Err(_)) => Err(GatewayError::Internal),
        Err(_) => Err(GatewayError::Overloaded { retry_after_seconds: FULL_SECONDS }),
    }
}

impl<'a> Poll<'a> {
    /// Looks up what is known; somebody else may have polled in the meantime.
    async fn plan(desk: &'a Arc<Desk>, sought: &Sought) -> Result<Planned<'a>, GatewayError> {
        let now = desk.clock.now();
        let known = match sought {
            Sought::Known(key) | Sought::At(key, _) => {
                desk.timed(Operation::FindFeed, desk.store.find_feed_by_key(key)).await?
            }
            Sought::Page(url) => {
                if let Some(error) = desk.remembered_failure(url).await {
                    return Err(error);
                }
                if let Some((landed, _)) = desk.remembered_elsewhere(Errand::Read, url).await {
                    return Ok(Planned::Landed(landed));
                }
                None
            }
            Sought::New(url) => {
                if let Some(error) = desk.remembered_failure(url).await {
                    return Err(error);
                }
                if let Some((landed, _)) = desk.remembered_elsewhere(Errand::Read, url).await {
                    return Ok(Planned::Landed(landed));
                }
                desk.timed(Operation::FindFeed, desk.store.find_feed(url)).await?
            }
        };
        let is_elsewhere = matches!(sought, Sought::At(..));
        let is_rested = |record: &&FeedRecord| record.schedule.next_poll_at > now;
        if let Some(record) = known.as_ref().filter(is_rested).filter(|_| !is_elsewhere) {
            desk.remember(record.clone()).await;
            return Ok(Planned::Landed(Landed::Feed));
        }
        let url = match (&known, sought) {
            (_, Sought::At(_, url) | Sought::Page(url)) | (None, Sought::New(url)) => url.clone(),
            (Some(record), _) => record.url.clone(),
            // Forgotten meanwhile.
            (None, Sought::Known(_)) => return Ok(Planned::Landed(Landed::Feed)),
        };
        Ok(Planned::Poll(Self { desk, url, known, is_elsewhere, now }))
    }

    /// The type of the source, as far as it was known before or is known now.
    async fn source_type(&self) -> Option<SourceType> {
        match &self.known {
            Some(record) => Some(record.source_type),
            None => self.desk.find_in_memory(&self.url).await.map(|feed| feed.record.source_type),
        }
    }

    async fn fly(&self, source: &Source) -> Result<Ended, GatewayError> {
        let request = Request {
            url: self.url.clone(),
            validators: self.validators(),
            validated_url: self.known.as_ref().map(|record| record.read.url.clone()),
            https: self.https(),
            purpose: Purpose::Feed,
        };
        let fetched = {
            let _time = self.desk.time(Stage::Fetch);
            source.fetch(&request).await
        };
        match fetched {
            Ok(response) => self.take(response).await,
            Err(error) => Err(self.fetch_failed(&error).await?),
        }
    }

    /// A fault of ours, brought about by this source: it counts as the source's, so that it is
    /// left alone for a while and costs nobody else anything.
    async fn broke(&self) -> Result<Ended, GatewayError> {
        tracing::error!(source.host = self.url.host(), "a source broke its poll");
        self.desk.metrics.panicked();
        Err(self.failed(Failure::of_broken_reader(), None).await?)
    }

    /// What to ask conditionally with: nothing where the document is to be read again anyway,
    /// after an upgrade of the converter, and once a day from a source that only ever says 304.
    fn validators(&self) -> Validators {
        let read = self.known.as_ref().map(|record| &record.read);
        let usable = read.filter(|_| !self.is_elsewhere).filter(|read| {
            let age = self.now.seconds() - read.read_at.seconds();
            read.revision == convert::REVISION && age < UNCONDITIONAL_SECONDS
        });
        usable.map(|read| read.validators.clone()).unwrap_or_default()
    }

    /// A source that could only be read without TLS is tried with it again once a day.
    fn https(&self) -> Https {
        let plain = self.known.as_ref().filter(|record| {
            let age = self.now.seconds() - record.read.read_at.seconds();
            !self.url.is_https() && record.read.url == self.url && age < UNCONDITIONAL_SECONDS
        });
        plain.map_or(Https::Untried, |_| Https::Absent)
    }

    async fn take(&self, response: Response) -> Result<Ended, GatewayError> {
        let url = self.settled_url(&response);
        let Response { url: read_url, validators, freshness, links, answer, .. } = response;
        let wished_seconds = freshness.seconds(self.now);
        let known = match &self.known {
            Some(record) => Some(record.clone()),
            // Known under the address that it turned out to be.
            None => self.desk.timed(Operation::FindFeed, self.desk.store.find_feed(&url)).await?,
        };
        match (answer, known) {
            (Answer::NotModified, Some(record)) => {
                let read = ReadState {
                    url: read_url,
                    validators: merged(validators, &record.read.validators),
                    ..record.read.clone()
                };
                self.touch(record, read, wished_seconds).await?;
                Ok(Ended::with_feed(PollOutcome::NotModified))
            }
            (Answer::NotModified, None) => Err(GatewayError::Internal),
            (Answer::Document(document), known) => {
                let received = Received { url, read_url, validators, wished_seconds, links };
                self.take_document(received, document, known).await
            }
        }
    }

    /// The address to ask from now on: its `https` twin once a read has proved it. Other moves
    /// are not followed from one poll to the next.
    fn settled_url(&self, response: &Response) -> SourceUrl {
        let proved = |twin: &SourceUrl| {
            response.redirects.iter().any(|hop| hop.from == self.url && hop.to == *twin)
        };
        self.url.upgraded().filter(proved).unwrap_or_else(|| self.url.clone())
    }
}

/// After a day of nothing but 304 one request asks for the whole document.
const UNCONDITIONAL_SECONDS: i64 = 86_400;

/// A 304 need not repeat the validators that it confirms (RFC 9110, 15.4.5).
fn merged(new: Validators, old: &Validators) -> Validators {
    Validators {
        etag: new.etag.or_else(|| old.etag.clone()),
        last_modified: new.last_modified.or_else(|| old.last_modified.clone()),
    }
}
