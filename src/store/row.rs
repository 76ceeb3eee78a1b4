//! Rows as every database gives and takes them.
//!
//! A feed is one row: two JSON documents, and in columns of their own what the database itself
//! looks for or counts. The head is what pages show, so that a changed head is a changed page.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{ChapterFile, FeedRecord, FeedSize, History, KnownItem, Moving, OlderDocument};
use super::{ReadState, Schedule, StoreError};
use crate::model::{Feed, FeedKey, HttpsUrl, SourceType, SourceUrl, Timestamp, Validators};
use crate::paging::Position;

/// What pages show of a feed beside its items.
#[derive(Serialize, Deserialize)]
struct Head {
    url: SourceUrl,
    feed: Feed,
    source_type: SourceType,
    media_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_url: Option<HttpsUrl>,
    #[serde(skip_serializing_if = "Option::is_none")]
    floor: Option<Floor>,
    recommended_seconds: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<SourceUrl>,
    #[serde(default)]
    deprecated: bool,
    /// Whether the source goes on below the last page.
    #[serde(default)]
    has_older: bool,
}

#[derive(Serialize, Deserialize)]
struct Floor {
    published: Timestamp,
    id: String,
}

/// What polls need to know of a feed.
#[derive(Serialize, Deserialize)]
struct State {
    read: ReadState,
    schedule: Schedule,
    #[serde(skip_serializing_if = "Option::is_none")]
    moving: Option<Moving>,
    #[serde(default)]
    history: History,
}

/// A row of the feed table.
#[derive(sqlx::FromRow)]
pub(super) struct FeedRow {
    pub(super) key: Vec<u8>,
    pub(super) first_url: String,
    pub(super) head: String,
    pub(super) state: String,
    pub(super) version: i64,
    pub(super) pages_changed_at: i64,
    pub(super) asked_at: i64,
}

impl TryFrom<FeedRow> for FeedRecord {
    type Error = StoreError;

    fn try_from(row: FeedRow) -> Result<Self, StoreError> {
        let head: Head = parse("feed", &row.head)?;
        let state: State = parse("feed", &row.state)?;
        Ok(Self {
            key: whole("feed key", FeedKey::from_bytes(&row.key))?,
            first_url: whole("feed URL", SourceUrl::parse(&row.first_url).ok())?,
            url: head.url,
            feed: head.feed,
            source_type: head.source_type,
            media_type: head.media_type,
            page_url: head.page_url,
            floor: head.floor.map(|Floor { published, id }| Position { published, id }),
            recommended_seconds: head.recommended_seconds,
            moved_to: head.moved_to,
            deprecated: head.deprecated,
            version: row.version,
            pages_changed_at: Timestamp::saturating(row.pages_changed_at),
            moving: state.moving,
            history: state.history,
            read: state.read,
            schedule: state.schedule,
            asked_at: Timestamp::saturating(row.asked_at),
        })
    }
}

/// The head of a record as its row has it.
pub(super) fn head(record: &FeedRecord) -> Result<String, StoreError> {
    let record = record.clone();
    write(&Head {
        url: record.url,
        feed: record.feed,
        source_type: record.source_type,
        media_type: record.media_type,
        page_url: record.page_url,
        floor: record.floor.map(|Position { published, id }| Floor { published, id }),
        recommended_seconds: record.recommended_seconds,
        moved_to: record.moved_to,
        deprecated: record.deprecated,
        has_older: record.history.older_url.is_some(),
    })
}

/// The state of a record as its row has it.
pub(super) fn state(record: &FeedRecord) -> Result<String, StoreError> {
    let FeedRecord { read, schedule, moving, history, .. } = record.clone();
    write(&State { read, schedule, moving, history })
}

/// A record after a touch, with the version and the time of change that its row has now.
pub(super) fn touched(record: &FeedRecord, (version, changed_at): (i64, i64)) -> FeedRecord {
    let pages_changed_at = Timestamp::saturating(changed_at);
    FeedRecord { version, pages_changed_at, ..record.clone() }
}

/// A row of what is remembered of an item.
#[derive(sqlx::FromRow)]
pub(super) struct KnownRow {
    id: String,
    hash: Vec<u8>,
    published: i64,
    twin: i64,
    mended: i64,
}

impl TryFrom<KnownRow> for (String, KnownItem) {
    type Error = StoreError;

    fn try_from(row: KnownRow) -> Result<Self, StoreError> {
        let hash = whole("item hash", row.hash.try_into().ok())?;
        let published = Timestamp::saturating(row.published);
        Ok((row.id, KnownItem { hash, published, twin: row.twin, mended: row.mended }))
    }
}

/// A row of a document of a feed's history.
#[derive(sqlx::FromRow)]
pub(super) struct OlderRow {
    etag: Option<Vec<u8>>,
    last_modified: Option<Vec<u8>>,
    is_archive: i64,
    read_at: i64,
}

impl From<OlderRow> for OlderDocument {
    fn from(row: OlderRow) -> Self {
        Self {
            validators: Validators { etag: row.etag, last_modified: row.last_modified },
            is_archive: row.is_archive != 0,
            read_at: Timestamp::saturating(row.read_at),
        }
    }
}

/// A row of a file of chapters.
#[derive(sqlx::FromRow)]
pub(super) struct ChapterRow {
    url: String,
    json: Option<String>,
    fetched_at: i64,
}

impl From<ChapterRow> for (String, ChapterFile) {
    fn from(row: ChapterRow) -> Self {
        let fetched_at = Timestamp::saturating(row.fetched_at);
        (row.url, ChapterFile { json: row.json, fetched_at })
    }
}

/// A row of what a feed takes.
#[derive(sqlx::FromRow)]
pub(super) struct SizeRow {
    key: Vec<u8>,
    asked_at: i64,
    items: i64,
    bytes: i64,
    other_bytes: i64,
}

impl TryFrom<SizeRow> for FeedSize {
    type Error = StoreError;

    fn try_from(row: SizeRow) -> Result<Self, StoreError> {
        let key = whole("feed key", FeedKey::from_bytes(&row.key))?;
        let asked_at = Timestamp::saturating(row.asked_at);
        let SizeRow { items, bytes, other_bytes, .. } = row;
        Ok(Self { key, asked_at, items, bytes, other_bytes })
    }
}

/// A position as its columns have it.
pub(super) fn position((published, id): (i64, String)) -> Position {
    Position { published: Timestamp::saturating(published), id }
}

/// The columns of the position that a stretch begins below; above all without one.
pub(super) fn below(position: Option<&Position>) -> (i64, &str) {
    position.map_or((i64::MAX, ""), |at| (at.published.seconds(), &at.id))
}

fn write(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|_| StoreError::Damaged { what: "feed" })
}

fn parse<T: DeserializeOwned>(what: &'static str, json: &str) -> Result<T, StoreError> {
    whole(what, serde_json::from_str(json).ok())
}

fn whole<T>(what: &'static str, value: Option<T>) -> Result<T, StoreError> {
    value.ok_or(StoreError::Damaged { what })
}
