//! One poll of one document: is it due, is there room, fetch. What came goes on to `document`, and
//! how it all ends is for `settle` to write.

use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;

use super::asking::Places;
use super::course::Course;
use super::desk::Desk;
use super::document::Received;
use super::errand::{Errand, Sought};
use super::history::{self, Gap};
use super::landed::Landed;
use super::source::Source;
use super::turn::Turn;
use super::{Failure, GatewayError};
use crate::convert;
use crate::fetch::{Answer, FetchError, Https, Purpose, Request, Response};
use crate::metrics::{Operation, PollOutcome};
use crate::model::{SourceType, SourceUrl, Timestamp, Validators};
use crate::store::{FeedRecord, ReadState};

/// Reads a document if that is due, and leaves store and caches as they should be then.
pub(super) async fn run(
    desk: &Arc<Desk>,
    source: &Source,
    sought: &Sought,
) -> Result<Landed, GatewayError> {
    let turn = Turn::to_read(desk, sought);
    let plan = async || Poll::plan(desk, source, sought).await;
    turn.take(plan, async |poll| fly(desk, source, poll).await).await
}

/// Polls when there is room, and tells how it went.
async fn fly(desk: &Arc<Desk>, source: &Source, poll: Poll<'_>) -> Result<Landed, GatewayError> {
    let places = poll.places().await?;
    let start = Instant::now();
    let ended = match Box::pin(AssertUnwindSafe(poll.fly(source)).catch_unwind()).await {
        Ok(ended) => ended,
        Err(_) => poll.broke().await,
    };
    let outcome = match &ended {
        Ok(ended) => ended.outcome,
        Err(error) => error.outcome(),
    };
    desk.metrics.poll(poll.source_type().await, outcome, start.elapsed().as_secs_f64());
    poll.log(outcome, ended.as_ref().err());
    let ended = ended?;
    // What is older is asked for in places of its own.
    drop(places);
    if let Some(gap) = ended.gap {
        history::catch_up(desk, source, gap).await;
    }
    Ok(ended.landed)
}

/// Ends the poll of an unknown address that the guard refuses whatever its name may resolve to,
/// before anything is written for it: strangers can make up as many as they like.
pub(super) async fn refuse(
    desk: &Arc<Desk>,
    source: &Source,
    url: &SourceUrl,
) -> Result<(), GatewayError> {
    let Err(verdict) = source.judge(url) else { return Ok(()) };
    let (url, now) = (url.clone(), desk.clock.now());
    let poll = Poll { desk, url, known: None, place: Place::Own, now };
    let error = poll.fetch_failed(&FetchError::Refused(verdict)).await?;
    desk.metrics.refused(verdict.label(), 1);
    desk.metrics.poll(None, error.outcome(), 0.0);
    poll.log(error.outcome(), Some(&error));
    Err(error)
}

/// A poll and what it starts from.
pub(super) struct Poll<'a> {
    pub(super) desk: &'a Arc<Desk>,
    /// The address to ask.
    pub(super) url: SourceUrl,
    pub(super) known: Option<FeedRecord>,
    pub(super) place: Place,
    pub(super) now: Timestamp,
}

/// What the address is to a feed that is known. If one that is not its own is no good, that says
/// nothing of the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The one that it is polled at.
    Own,
    /// Offered by the page that it has become.
    Offered,
    /// Where it says itself that it has moved: whatever is there has to be the same feed.
    Announced,
}

/// How a poll ended.
pub(super) struct Ended {
    pub(super) outcome: PollOutcome,
    pub(super) landed: Landed,
    /// What may have been missed since the poll before.
    pub(super) gap: Option<Gap>,
}

impl Ended {
    pub(super) fn with_feed(outcome: PollOutcome) -> Self {
        Self { outcome, landed: Landed::Feed, gap: None }
    }
}

impl<'a> Poll<'a> {
    /// Looks up what is known, and what there is already: somebody else may have polled.
    async fn plan(
        desk: &'a Arc<Desk>,
        source: &Source,
        sought: &Sought,
    ) -> Result<ControlFlow<Landed, Self>, GatewayError> {
        let now = desk.clock.now();
        let known = match sought {
            Sought::Known(key) | Sought::At(key, ..) => {
                desk.timed(Operation::FindFeed, desk.store.find_feed_by_key(key)).await?
            }
            Sought::Page(url) | Sought::New(url) => {
                if let Some(error) = desk.remembered_failure(url).await {
                    return Err(error);
                }
                if let Some((landed, _)) = desk.remembered_elsewhere(Errand::Read, url).await {
                    return Ok(ControlFlow::Break(landed));
                }
                match sought {
                    Sought::New(url) => desk.find_record(url).await?,
                    _ => None,
                }
            }
        };
        let place = match sought {
            Sought::At(_, _, place) => *place,
            _ => Place::Own,
        };
        let is_rested = |record: &&FeedRecord| record.schedule.next_poll_at > now;
        if let Some(record) = known.as_ref().filter(is_rested).filter(|_| place == Place::Own) {
            desk.remember(record.clone()).await;
            return Ok(ControlFlow::Break(Landed::Feed));
        }
        let url = match (&known, sought) {
            (_, Sought::At(_, url, _) | Sought::Page(url)) | (None, Sought::New(url)) => {
                url.clone()
            }
            (Some(record), _) => record.url.clone(),
            // Forgotten meanwhile.
            (None, Sought::Known(_)) => return Ok(ControlFlow::Break(Landed::Feed)),
        };
        if known.is_none() {
            refuse(desk, source, &url).await?;
        }
        Ok(ControlFlow::Continue(Self { desk, url, known, place, now }))
    }

    /// Waits for its places. Nobody waits long for news of a feed that is known.
    async fn places(&self) -> Result<Places<'a>, GatewayError> {
        let settings = &self.desk.settings;
        let wait =
            if self.known.is_some() { settings.place_wait() } else { settings.reader_wait() };
        self.desk.places(&self.url, wait).await
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
        match self.desk.ask(source, &request).await {
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
        let usable = read.filter(|_| self.place == Place::Own).filter(|read| {
            let age = self.now.seconds() - read.read_at.seconds();
            read.revision == convert::REVISION && age < UNCONDITIONAL_SECONDS
        });
        usable.map(|read| read.validators.clone()).unwrap_or_default()
    }

    /// A source that could only be read without TLS is read so again, but for the first poll of
    /// each day. The days of feeds begin at different times.
    fn https(&self) -> Https {
        let plain = self.known.as_ref().filter(|record| {
            let shift = record.key.as_bytes().first().map_or(0, |byte| i64::from(*byte) * 337);
            let day = |at: Timestamp| (at.seconds() + shift).div_euclid(DAY_SECONDS);
            !self.url.is_https()
                && record.read.url == self.url
                && day(self.now) == day(record.schedule.polled_at)
        });
        plain.map_or(Https::Untried, |_| Https::Absent)
    }

    async fn take(&self, response: Response) -> Result<Ended, GatewayError> {
        let moving = self.known.as_ref().and_then(|record| record.moving.as_ref());
        let mut course = Course::after(&self.url, &response.redirects, moving, self.now);
        let Response { url: read_url, validators, freshness, links, answer, .. } = response;
        let wished_seconds = freshness.seconds(self.now);
        let known = match &self.known {
            Some(record) => Some(record.clone()),
            // Known under the address that it turned out to be.
            None => self.desk.find_twin(&course.url).await?,
        };
        if self.place == Place::Announced {
            // Back to where the feed is read already: it has not moved at all.
            if known.as_ref().is_some_and(|record| record.read.url == read_url) {
                return Err(self.failed(Failure::another_feed(), None).await?);
            }
            course.moved_to = Some(course.url.clone());
        }
        match (answer, known) {
            (Answer::NotModified, Some(record)) => {
                let read = ReadState {
                    url: read_url,
                    validators: merged(validators, &record.read.validators),
                    ..record.read.clone()
                };
                self.touch(record, read, wished_seconds, course).await?;
                Ok(Ended::with_feed(PollOutcome::NotModified))
            }
            (Answer::NotModified, None) => Err(GatewayError::Internal),
            (Answer::Document(document), known) => {
                let received = Received { course, read_url, validators, wished_seconds, links };
                self.take_document(received, document, known).await
            }
        }
    }
}

/// After a day of nothing but 304 one request asks for the whole document.
const UNCONDITIONAL_SECONDS: i64 = DAY_SECONDS;
const DAY_SECONDS: i64 = 86_400;

/// A 304 need not repeat the validators that it confirms (RFC 9110, 15.4.5).
fn merged(new: Validators, old: &Validators) -> Validators {
    Validators {
        etag: new.etag.or_else(|| old.etag.clone()),
        last_modified: new.last_modified.or_else(|| old.last_modified.clone()),
    }
}
