//! What a poll makes of a document: nothing where it is the one that was read before, else items.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio::task::spawn_blocking;

use super::course::Course;
use super::errand::Errand;
use super::history::Gap;
use super::landed::Landed;
use super::poll::{Ended, Place, Poll};
use super::reading::{self, Read, ReadError, Reading};
use super::settle::Arrived;
use super::{Failure, GatewayError};
use crate::convert::{self, ConvertError};
use crate::discovery::Candidate;
use crate::fetch::Document;
use crate::metrics::PollOutcome;
use crate::model::{FeedKey, SourceType, SourceUrl, Validators};
use crate::store::{FeedRecord, MovingBy, ReadState};

/// What came with a document.
pub(super) struct Received {
    /// Where to ask from now on.
    pub(super) course: Course,
    /// The address that answered.
    pub(super) read_url: SourceUrl,
    pub(super) validators: Validators,
    /// For how long HTTP says that it holds.
    pub(super) wished_seconds: Option<u64>,
    /// The values of its `Link` fields.
    pub(super) links: Vec<String>,
}

impl Poll<'_> {
    pub(super) async fn take_document(
        &self,
        received: Received,
        mut document: Document,
        known: Option<FeedRecord>,
    ) -> Result<Ended, GatewayError> {
        let (hash, body) = digest(std::mem::take(&mut document.body)).await?;
        document.body = body;
        let Received { mut course, read_url, validators, wished_seconds, links } = received;
        if let Some(record) = self.same(&course.url, hash, document.complete) {
            let read = record.read.clone();
            let read = ReadState { url: read_url, validators, read_at: self.now, ..read };
            self.touch(record.clone(), read, wished_seconds, course).await?;
            return Ok(Ended::with_feed(PollOutcome::Unchanged));
        }
        let first_url = known.as_ref().map_or(&course.url, |record| &record.first_url).clone();
        let reading = self.reading(document, links, &read_url, &first_url, known.as_ref());
        let read = match reading::read(self.desk, reading).await {
            Ok(read) => read,
            Err(ReadError::Source(failure)) => return Err(self.failed(failure, None).await?),
            Err(ReadError::Native) => return self.native(&read_url, wished_seconds, course).await,
            Err(ReadError::Page(offers)) => return self.page(offers).await,
            Err(ReadError::Gateway(error)) => return Err(error),
        };
        self.mind_moves(&mut course, &read_url, &read, known.as_ref()).await?;
        let state = ReadState {
            url: read_url,
            validators,
            body_hash: Some(hash),
            revision: convert::REVISION,
            read_at: self.now,
            hint_seconds: read.hint_seconds,
            quiet_times: read.quiet_times,
            summary: Some(read.summary.clone()),
        };
        let gap = Gap::between(known.as_ref(), &read);
        let history = self.history(known.as_ref(), &read, gap.is_some()).await?;
        let arrived = Arrived { course, first_url, wished_seconds, state, history, read };
        let outcome = self.merge(arrived, known).await?;
        Ok(Ended { gap, ..Ended::with_feed(outcome) })
    }

    /// Notes what the document says of where its feed moves, which another feed's has no say in.
    async fn mind_moves(
        &self,
        course: &mut Course,
        read_url: &SourceUrl,
        read: &Read,
        known: Option<&FeedRecord>,
    ) -> Result<(), GatewayError> {
        course.note_whether_same(known.is_none() || read.is_same);
        if self.place == Place::Announced && !read.is_same {
            return Err(self.failed(Failure::another_feed(), None).await?);
        }
        if course.moving.as_ref().is_none_or(|moving| moving.by == MovingBy::Word) {
            course.moving = self.announced(course, read_url, read, known).await?;
        }
        Ok(())
    }

    /// A manifest needs no gateway, but HTTPS (MMSP 11).
    async fn native(
        &self,
        read_url: &SourceUrl,
        wished_seconds: Option<u64>,
        course: Course,
    ) -> Result<Ended, GatewayError> {
        let address = [&self.url, read_url].into_iter().find(|url| url.is_https());
        let Some(address) = address else {
            return Err(self.failed(Failure::of_convert(&ConvertError::NotAFeed), None).await?);
        };
        let native = Arc::new(address.clone());
        match &self.known {
            Some(record) if self.place == Place::Own => {
                self.touch(record.clone(), record.read.clone(), wished_seconds, course).await?;
                if let Some(feed) = self.desk.find_by_key(&record.key).await {
                    self.desk.remember_native(feed.record.clone(), Arc::clone(&native)).await;
                }
            }
            Some(_) => {}
            None => {
                let landed = Landed::Native(Arc::clone(&native));
                self.desk.remember_elsewhere(Errand::Read, &self.url, landed).await;
            }
        }
        Ok(Ended { outcome: PollOutcome::Native, landed: Landed::Native(native), gap: None })
    }

    /// What a page offers is for others to follow; for a feed of the store it is a failure.
    async fn page(&self, offers: Vec<Candidate>) -> Result<Ended, GatewayError> {
        let landed = Landed::Page(offers.into());
        if self.known.is_some() {
            self.failed(Failure::no_feed_found(), None).await?;
        } else {
            self.desk.remember_elsewhere(Errand::Read, &self.url, landed.clone()).await;
        }
        Ok(Ended { outcome: PollOutcome::Page, landed, gap: None })
    }

    /// The feed as it is known, if this very document was read for it before, by this converter
    /// and under this address: another one is to be written down as an alias.
    fn same(&self, url: &SourceUrl, hash: [u8; 32], complete: bool) -> Option<&FeedRecord> {
        self.known.as_ref().filter(|record| {
            let read = &record.read;
            let same_reader = read.revision == convert::REVISION;
            complete && same_reader && read.body_hash == Some(hash) && record.url == *url
        })
    }

    fn reading(
        &self,
        document: Document,
        links: Vec<String>,
        read_url: &SourceUrl,
        first_url: &SourceUrl,
        known: Option<&FeedRecord>,
    ) -> Reading {
        Reading {
            body: document.body,
            _room: document.room,
            content_type: document.content_type,
            complete: document.complete,
            links,
            url: read_url.clone(),
            key: FeedKey::of(first_url),
            first_url: first_url.clone(),
            was_podcast: known.is_some_and(|known| known.source_type == SourceType::Podcast),
            known_id: known.map(|known| known.feed.id.clone()),
            older: None,
            now: self.now,
        }
    }
}

/// Bodies up to here are hashed on the event loop: it takes less than handing them over.
const INLINE_BYTES: usize = 256 << 10;

async fn digest(body: Vec<u8>) -> Result<([u8; 32], Vec<u8>), GatewayError> {
    let digest = |body: Vec<u8>| (Sha256::digest(&body).into(), body);
    if body.len() <= INLINE_BYTES {
        return Ok(digest(body));
    }
    spawn_blocking(move || digest(body)).await.map_err(|_| GatewayError::Internal)
}
