//! Reads a fetched document: from bytes to what is to be written, off the event loop.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use super::desk::Desk;
use super::{Failure, GatewayError, all_skipped};
use crate::convert::{self, Conversion, ConvertError, History, Input, Known, Part, Summary};
use crate::discovery::{self, Candidate, Page};
use crate::fetch::Room;
use crate::manifest;
use crate::metrics::{ItemOutcome, Operation, Stage};
use crate::model::{Feed, FeedKey, HttpsUrl, QuietTimes, SourceType, SourceUrl, Timestamp, Uri};
use crate::normalize::{Mends, SkipReason};
use crate::paging::{Poll, Position};
use crate::store::{KnownItem, StoreError, StoredItem};

/// A document to be read, and for whom.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) body: Vec<u8>,
    /// Held until it is read.
    pub(super) _room: Room,
    pub(super) content_type: Option<String>,
    pub(super) complete: bool,
    /// The values of its `Link` fields.
    pub(super) links: Vec<String>,
    /// The address it came from.
    pub(super) url: SourceUrl,
    pub(super) key: FeedKey,
    pub(super) first_url: SourceUrl,
    pub(super) was_podcast: bool,
    /// The feed's own identifier, where it is known.
    pub(super) known_id: Option<Uri>,
    /// What it is an older document of, if it is one.
    pub(super) older: Option<OlderOf>,
    pub(super) now: Timestamp,
}

/// The feed that an older document belongs to.
#[derive(Debug)]
pub(super) struct OlderOf {
    pub(super) feed_url: SourceUrl,
    /// Items without a date are older than this.
    pub(super) below: Timestamp,
}

/// What a document says, ready to be written.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) feed: Feed,
    pub(super) source_type: SourceType,
    pub(super) media_type: &'static str,
    pub(super) page_url: Option<HttpsUrl>,
    /// The longest interval that it asks for.
    pub(super) hint_seconds: u32,
    pub(super) quiet_times: QuietTimes,
    /// Where it says that the feed is from now on.
    pub(super) new_url: Option<SourceUrl>,
    /// Whether it has the feed's own identifier, or an item that the store has.
    pub(super) is_same: bool,
    pub(super) recommended_seconds: u32,
    pub(super) floor: Option<Position>,
    pub(super) history: History,
    /// The ids of all its items.
    pub(super) shown: Vec<String>,
    /// Whether the store has one of them.
    pub(super) shows_known: bool,
    /// Whether entries behind the limit were left out.
    pub(super) goes_on: bool,
    /// Items that the store does not have.
    pub(super) new: Vec<StoredItem>,
    /// Items that the store has otherwise.
    pub(super) changed: Vec<StoredItem>,
    pub(super) deleted: Vec<Uri>,
    pub(super) truncated: bool,
    /// What was mended and left out.
    pub(super) summary: Summary,
}

/// Why a document was not read.
#[derive(Debug)]
pub(super) enum ReadError {
    /// Its own fault.
    Source(Failure),
    /// It is a manifest already.
    Native,
    /// It is a page, and offers these.
    Page(Vec<Candidate>),
    /// Ours.
    Gateway(GatewayError),
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        Self::Gateway(error.into())
    }
}

/// Reads a document, in its turn: as many at once as there are processors.
pub(super) async fn read(desk: &Arc<Desk>, reading: Reading) -> Result<Read, ReadError> {
    let turn = desk.readers.acquire().await;
    turn.as_ref().map_err(|_| ReadError::Gateway(GatewayError::Internal))?;
    let (desk, metrics, handle) = (Arc::clone(desk), desk.metrics.clone(), Handle::current());
    let read = spawn_blocking(move || reading.run(&desk, &handle)).await;
    read.unwrap_or_else(|error| {
        tracing::error!(error = %error, "a document broke the reader");
        metrics.panicked();
        Err(ReadError::Source(Failure::of_broken_reader()))
    })
}

impl Reading {
    fn run(&self, desk: &Desk, handle: &Handle) -> Result<Read, ReadError> {
        #[cfg(test)]
        super::script::break_if_told(&self.body);
        let input = Input {
            body: &self.body,
            content_type: self.content_type.as_deref(),
            complete: self.complete,
            url: &self.url,
            first_url: &self.first_url,
            was_podcast: self.was_podcast,
            part: self.older.as_ref().map_or(Part::Current, |of| Part::Older {
                feed_url: &of.feed_url,
                below: of.below,
            }),
            limits: &desk.limits,
            settings: &desk.normalize,
        };
        let decoded = {
            let _time = desk.time(Stage::Decode);
            convert::decode(&input).map_err(|error| self.look_closer(&error))?
        };
        let reading = {
            let _time = desk.time(Stage::Read);
            decoded.read(&input).map_err(|error| self.look_closer(&error))?
        };
        let known = handle.block_on(self.known(desk, &reading.candidate_ids()))?;
        let _time = desk.time(Stage::Normalize);
        let conversion = reading.normalize(&known, self.now);
        count(desk, &conversion, &known);
        self.warn_where_all_are_skipped(&conversion);
        let is_same = self.is_same(&conversion, &known);
        Ok(into_read(conversion, &known, is_same))
    }

    /// An identifier made of the feed's own address says nothing.
    fn is_same(&self, conversion: &Conversion, known: &HashMap<Uri, Known>) -> bool {
        let id = &conversion.feed.id;
        let has_id = self.known_id.as_ref() == Some(id) && id.as_str() != self.first_url.as_str();
        has_id || conversion.shown.iter().any(|(_, id)| known.contains_key(id))
    }

    /// What a document is that is no feed: a manifest, a page that offers feeds, or neither.
    fn look_closer(&self, error: &ConvertError) -> ReadError {
        let is_other = match error {
            ConvertError::NotAFeed
            | ConvertError::WebPage
            | ConvertError::Empty
            | ConvertError::Malformed => true,
            ConvertError::Truncated | ConvertError::TooLarge | ConvertError::TooDeep => false,
        };
        if is_other && manifest::is_native(&self.body) {
            return ReadError::Native;
        }
        let offers = if is_other { discovery::find(&self.page()) } else { Vec::new() };
        if offers.is_empty() {
            ReadError::Source(Failure::of_convert(error))
        } else {
            ReadError::Page(offers)
        }
    }

    fn page(&self) -> Page<'_> {
        Page {
            body: &self.body,
            content_type: self.content_type.as_deref(),
            url: &self.url,
            link_fields: &self.links,
        }
    }

    fn warn_where_all_are_skipped(&self, conversion: &Conversion) {
        if let Some(reasons) = all_skipped(conversion) {
            let host = self.url.host();
            tracing::warn!(source.host = host, reasons, "every item of a feed was left out");
        }
    }

    async fn known(&self, desk: &Desk, ids: &[Uri]) -> Result<HashMap<Uri, Known>, StoreError> {
        let texts: Vec<&str> = ids.iter().map(Uri::as_str).collect();
        let question = async || desk.store.known_items(&self.key, &texts).await;
        let stored = desk.insist(Operation::FindItems, question).await?;
        let known = |id: &Uri| {
            let item = stored.get(id.as_str())?;
            let KnownItem { hash, published, twin, mended } = *item;
            let known = Known { hash, published, twin, mends: Mends::from_bits(mended) };
            Some((id.clone(), known))
        };
        Ok(ids.iter().filter_map(known).collect())
    }
}

fn into_read(conversion: Conversion, known: &HashMap<Uri, Known>, is_same: bool) -> Read {
    let published = conversion.shown.iter().map(|(published, _)| *published).collect();
    let oldest = conversion.shown.iter().min();
    let floor = oldest.map(|(at, id)| Position { published: *at, id: id.as_str().to_owned() });
    let hints = [conversion.hints.ttl_seconds, conversion.hints.update_period_seconds];
    let hint = hints.into_iter().flatten().max().unwrap_or(0);
    let shows_known = conversion.shown.iter().any(|(_, id)| known.contains_key(id));
    let shown = conversion.shown.iter().map(|(_, id)| id.as_str().to_owned()).collect();
    let summary = Summary::of(&conversion.report);
    let goes_on = conversion.report.skipped.iter().any(|s| s.reason == SkipReason::BeyondLimit);
    let (mut new, mut changed) = (Vec::new(), Vec::new());
    for item in conversion.changed {
        let Ok(mut json) = serde_json::to_string(&item.item) else { continue };
        // What a string grew by in advance is as much again.
        json.shrink_to_fit();
        let position = Position { published: item.published, id: item.id.as_str().to_owned() };
        let mended = item.mends.to_bits();
        let stored = StoredItem { position, hash: item.hash, twin: item.twin, mended, json };
        let place = if known.contains_key(&item.id) { &mut changed } else { &mut new };
        place.push(stored);
    }
    Read {
        feed: conversion.feed,
        source_type: conversion.source_type,
        media_type: conversion.media_type,
        page_url: conversion.page_url,
        hint_seconds: u32::try_from(hint).unwrap_or(u32::MAX),
        quiet_times: conversion.hints.quiet_times,
        new_url: conversion.new_url,
        is_same,
        recommended_seconds: Poll::of_published(published).recommended_seconds(),
        floor,
        history: conversion.history,
        shown,
        shows_known,
        goes_on,
        new,
        changed,
        deleted: conversion.deleted,
        truncated: conversion.truncated,
        summary,
    }
}

fn count(desk: &Desk, conversion: &Conversion, known: &HashMap<Uri, Known>) {
    let written = conversion.changed.len();
    let changed = conversion.changed.iter().filter(|item| known.contains_key(&item.id)).count();
    let unchanged = conversion.shown.len().saturating_sub(written);
    for (outcome, items) in [
        (ItemOutcome::New, written - changed),
        (ItemOutcome::Changed, changed),
        (ItemOutcome::Unchanged, unchanged),
        (ItemOutcome::Deleted, conversion.deleted.len()),
    ] {
        desk.metrics.items(outcome, u64::try_from(items).unwrap_or(0));
    }
    for skipped in &conversion.report.skipped {
        desk.metrics.skipped(skipped.reason.as_str(), 1);
    }
    for (what, times) in conversion.report.mended.fresh() {
        desk.metrics.mended(what.label(), u64::try_from(times).unwrap_or(0));
    }
}
