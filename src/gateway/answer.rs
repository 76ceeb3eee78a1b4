//! A page and how it came about.

use std::borrow::Cow;
use std::sync::Arc;

use super::desk::{Desk, KnownFeed};
use super::{Failure, Gateway, GatewayError, Lookup, Waits};
use crate::metrics::{CacheOutcome, Operation, Stage};
use crate::model::{Deprecation, Feed, FeedKey, FeedName, SourceUrl, Timestamp};
use crate::paging::{
    Address, Cursor, Limit, Origin, Outline, Page, Poll, Position, PublicUrl, SignerId, Span,
    render,
};
use crate::store::{FeedRecord, StoreError};

/// Which page of which feed.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// The source.
    pub url: SourceUrl,
    /// The name that it was asked by, if it was: that is what its pages are addressed by.
    pub name: Option<FeedName>,
    /// A cursor as the client handed it in; none for the first page.
    pub cursor: Option<String>,
    /// How many items at most; without one the gateway chooses.
    pub limit: Option<Limit>,
    /// Where it is noted what was waited for.
    pub waits: Waits,
}

/// What a request for a page ends in.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The page.
    Page(PageAnswer),
    /// The source is a manifest already, or offers one: the reader is sent there.
    Native(NativeAnswer),
}

/// Where there is a manifest that needs no gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeAnswer {
    /// Its address, always `https`.
    pub url: Arc<SourceUrl>,
    /// For how many seconds that is believed.
    pub max_age_seconds: u64,
}

/// A page, for how long it holds, and how it was found.
#[derive(Clone, Debug)]
pub struct PageAnswer {
    /// The page.
    pub page: Arc<Page>,
    /// For how many more seconds it may be reused: what is left, so that a `Cache-Control` beside
    /// an `Age` must add the two.
    pub max_age_seconds: u64,
    /// How many seconds ago the source last confirmed it.
    pub age_seconds: u64,
    /// How it was found, as RFC 9211 tells it.
    pub cache: CacheStatus,
    /// When that was.
    pub answered_at: Timestamp,
}

/// How a page was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheStatus {
    /// Rendered before, and fresh.
    Hit,
    /// Rendered for this request from a memory that is fresh.
    Stored,
    /// What was last seen: the source did not answer in time, or failed.
    Stale {
        /// For how many seconds it has not been fresh.
        seconds: u64,
        /// How the source failed, if it did.
        failure: Option<Failure>,
    },
    /// The source was asked for it and answered; the memory had it, but not fresh.
    Refreshed {
        /// Whether another request had started the poll.
        collapsed: bool,
    },
    /// The source was asked for it, for the first time.
    Miss {
        /// Whether another request had started the poll.
        collapsed: bool,
    },
}

/// Which rendered page. The version makes pages of an older state unreachable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PageKey {
    pub(super) url: SourceUrl,
    pub(super) name: Option<FeedName>,
    pub(super) feed: FeedKey,
    pub(super) version: i64,
    pub(super) limit: Option<Limit>,
    pub(super) below: Option<Position>,
    /// Whose signatures its addresses have.
    pub(super) signer: Option<SignerId>,
}

impl CacheStatus {
    /// The status as it is counted.
    pub(super) fn outcome(&self) -> CacheOutcome {
        match self {
            Self::Hit => CacheOutcome::Hit,
            Self::Stale { .. } => CacheOutcome::Stale,
            Self::Refreshed { collapsed: true } | Self::Miss { collapsed: true } => {
                CacheOutcome::Collapsed
            }
            Self::Stored | Self::Refreshed { .. } | Self::Miss { .. } => CacheOutcome::Miss,
        }
    }
}

impl PageAnswer {
    /// Whether there is nothing on it, and the source may have older documents.
    pub(super) fn ends_too_early(&self, feed: &KnownFeed) -> bool {
        self.page.items == 0 && feed.record.history.older_url.is_some()
    }
}

impl PageRequest {
    fn address(&self, public_url: &PublicUrl) -> Address {
        match &self.name {
            Some(name) => Address::named(public_url, name, self.limit),
            None => Address::of(public_url, &self.url, self.limit),
        }
    }
}

impl Gateway {
    /// Answers as [`Gateway::page`] does where the feed is in memory, and neither a poll of it is
    /// due nor a walk into its older documents needed; else not at all.
    pub async fn page_at_hand(
        &self,
        request: &PageRequest,
    ) -> Option<Result<PageAnswer, GatewayError>> {
        let feed = self.desk.find_in_memory(&request.url).await?;
        let now = self.desk.clock.now();
        if feed.native.is_some() || feed.is_due(now) {
            return None;
        }
        self.desk.note_asked(&feed, now);
        let answer = self.desk.answer(request, &feed, Lookup::Known).await;
        match &answer {
            Ok(answer) if answer.ends_too_early(&feed) => return None,
            Ok(answer) => self.desk.metrics.cache(answer.cache.outcome()),
            Err(_) => {}
        }
        Some(answer)
    }
}

impl Desk {
    /// Answers a request with a page of a feed that was found.
    pub(super) async fn answer(
        &self,
        request: &PageRequest,
        feed: &KnownFeed,
        lookup: Lookup,
    ) -> Result<PageAnswer, GatewayError> {
        let cursor = request.cursor.as_deref();
        let below = cursor.map(|text| Cursor::decode(&feed.record.key, text)).transpose()?;
        let (page, rendered) = self.page(request, feed, below).await?;
        let now = self.clock.now();
        let schedule = &feed.record.schedule;
        let fresh_seconds = seconds_between(now, schedule.fresh_until);
        let cache = match lookup {
            _ if fresh_seconds == 0 => CacheStatus::Stale {
                seconds: seconds_between(schedule.fresh_until, now),
                failure: feed.failure.clone(),
            },
            Lookup::Refreshed { collapsed } => CacheStatus::Refreshed { collapsed },
            Lookup::Read { collapsed } => CacheStatus::Miss { collapsed },
            Lookup::Known if rendered => CacheStatus::Stored,
            Lookup::Known => CacheStatus::Hit,
        };
        let until_poll = seconds_between(now, schedule.next_poll_at);
        let stale_seconds = until_poll.clamp(SHORTEST_STALE_SECONDS, LONGEST_STALE_SECONDS);
        Ok(PageAnswer {
            answered_at: now,
            page,
            max_age_seconds: if fresh_seconds == 0 { stale_seconds } else { fresh_seconds },
            age_seconds: seconds_between(schedule.succeeded_at, now),
            cache,
        })
    }

    /// Finds a rendered page, or renders it, once for all who want it at this moment.
    async fn page(
        &self,
        request: &PageRequest,
        feed: &KnownFeed,
        below: Option<Position>,
    ) -> Result<(Arc<Page>, bool), GatewayError> {
        let public_url = self.public_url.now();
        let key = PageKey {
            url: request.url.clone(),
            name: request.name.clone(),
            feed: feed.record.key,
            version: feed.record.version,
            limit: request.limit,
            below: below.clone(),
            signer: public_url.signer(),
        };
        if let Some(page) = self.pages.find(&key).await {
            return Ok((page, false));
        }
        let render = self.render(request, feed, below.as_ref(), &public_url);
        // In a box, so that room for it is not moved about with each hit.
        let page = Box::pin(self.pages.find_or_make(key, render)).await;
        let page = page.map_err(GatewayError::Store)?;
        Ok((page, true))
    }

    /// Renders a page from the store: the same bytes for the same history and request.
    async fn render(
        &self,
        request: &PageRequest,
        feed: &KnownFeed,
        below: Option<&Position>,
        public_url: &PublicUrl,
    ) -> Result<Arc<Page>, StoreError> {
        let record = &feed.record;
        let address = request.address(public_url);
        // Whoever asks by the new address is not sent away from it, and a name outlives the moves
        // of its source. Where addresses are signed, the publisher would choose what is.
        let moved_to = record.moved_to.as_ref().filter(|to| **to != request.url);
        let moved_to = moved_to.filter(|_| request.name.is_none());
        let moved_to = moved_to.filter(|_| public_url.keys().is_none());
        let moved_to = moved_to.map(|to| Address::of(public_url, to, None));
        let outline = Outline {
            key: &record.key,
            feed: &shown(record),
            poll: Poll::recommending(record.recommended_seconds),
            address: &address,
            moved_to: moved_to.as_ref(),
            below,
        };
        let span = match (request.limit, below) {
            (None, None) => Span::first(record.floor.clone()),
            (limit, _) => Span::limited(limit.unwrap_or(Limit::DEFAULT)),
        };
        let span = span.less_bytes(outline.bytes());
        let stretch = self.store.stretch(&record.key, below, &span);
        let stretch = self.timed(Operation::ReadPage, stretch);
        let mut stretch = request.waits.for_store(stretch).await?;
        stretch.has_more |= record.history.older_url.is_some();
        let _time = self.time(Stage::Render);
        let manifest = render(&outline, &stretch);
        let manifest = manifest.map_err(|_| StoreError::Damaged { what: "feed" })?;
        let changed_at = stretch.changed_at.unwrap_or(Timestamp::EPOCH);
        let origin = Origin {
            url: record.url.as_str().to_owned(),
            media_type: record.media_type.clone(),
            page_url: record.page_url.clone(),
            manifest_url: own_manifest_url(request, record, below, public_url),
        };
        Ok(Arc::new(Page::new(manifest, origin, record.pages_changed_at.max(changed_at))))
    }
}

/// Where this page is under the feed's own address, if it was asked for by another one; a name is an
/// address of its own. Not where addresses are signed: whoever writes the page would choose what is
/// signed.
fn own_manifest_url(
    request: &PageRequest,
    record: &FeedRecord,
    below: Option<&Position>,
    public_url: &PublicUrl,
) -> Option<String> {
    let is_own = request.name.is_some() || request.url == record.url;
    if is_own || public_url.keys().is_some() {
        return None;
    }
    let address = Address::of(public_url, &record.url, request.limit);
    Some(below.map_or_else(
        || address.first().to_owned(),
        |below| address.below(&Cursor::encode(&record.key, below)),
    ))
}

/// The feed as its manifest tells of it: one that is given up says so (MMSP 8.5).
fn shown(record: &FeedRecord) -> Cow<'_, Feed> {
    if !record.deprecated || record.feed.deprecated.is_some() {
        return Cow::Borrowed(&record.feed);
    }
    let notice = Deprecation { reason: Some(GIVEN_UP.to_owned()), sunset_date: None };
    Cow::Owned(Feed { deprecated: Some(notice), ..record.feed.clone() })
}

const GIVEN_UP: &str = "The source of this feed is gone, or has not answered for 30 days. What was \
                        seen of it can still be read here.";

/// How long a page that is not fresh may be reused: while its source is left alone, within reason.
const SHORTEST_STALE_SECONDS: u64 = 30;
const LONGEST_STALE_SECONDS: u64 = 300;

fn seconds_between(earlier: Timestamp, later: Timestamp) -> u64 {
    u64::try_from(later.seconds() - earlier.seconds()).unwrap_or(0)
}
