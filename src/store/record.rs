//! What is kept of a feed and of its items.

use crate::model::{Feed, FeedKey, HttpsUrl, SourceType, SourceUrl, Timestamp, Validators};
use crate::paging::Position;

use super::StoreError;

/// A feed as the store knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedRecord {
    /// Its identity.
    pub key: FeedKey,
    /// The address it was first known by: the namespace of invented ids, for life.
    pub first_url: SourceUrl,
    /// The address that is polled now.
    pub url: SourceUrl,
    /// What the source says of itself.
    pub feed: Feed,
    /// Which kind of source it is.
    pub source_type: SourceType,
    /// The media type of the source, such as `application/rss+xml`.
    pub media_type: String,
    /// The web page it belongs to.
    pub page_url: Option<HttpsUrl>,
    /// The oldest position that the source itself shows now.
    pub floor: Option<Position>,
    /// How often clients are told to ask.
    pub recommended_seconds: u32,
    /// Counts what changed the pages of the feed. The store sets it.
    pub version: i64,
    /// When something beside the items themselves last changed a page. The store sets it.
    pub pages_changed_at: Timestamp,
    /// What was last read.
    pub read: ReadState,
    /// When it was and will be polled.
    pub schedule: Schedule,
    /// When somebody last asked for it, to the hour or so.
    pub asked_at: Timestamp,
}

/// What the next request needs to know of the last document that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadState {
    /// The address that answered; validators belong to it.
    pub url: SourceUrl,
    /// What to ask conditionally with.
    pub validators: Validators,
    /// SHA-256 of the decoded body; none where it was not whole.
    pub body_hash: Option<[u8; 32]>,
    /// The revision of the converter that read it.
    pub revision: u32,
    /// When a document last came, not just word that it is the same.
    pub read_at: Timestamp,
    /// The shortest interval that the document asks for; 0 where it says nothing.
    pub hint_seconds: u32,
}

/// When a feed was and will be polled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// When it was last tried.
    pub polled_at: Timestamp,
    /// When that last went well.
    pub succeeded_at: Timestamp,
    /// Until when what is stored counts as fresh.
    pub fresh_until: Timestamp,
    /// Not to be polled before.
    pub next_poll_at: Timestamp,
    /// How many times in a row it went wrong.
    pub failures: u32,
    /// How it last went wrong, in the gateway's own words.
    pub failure: Option<String>,
}

/// What is remembered of an item when the next document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownItem {
    /// The hash of the entry it was made from.
    pub hash: [u8; 32],
    /// When it was published, as first seen.
    pub published: Timestamp,
    /// Tells apart entries that share an id.
    pub twin: i64,
}

/// An item to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredItem {
    /// Where it stands.
    pub position: Position,
    /// The hash of the entry it was made from.
    pub hash: [u8; 32],
    /// Tells apart entries that share an id.
    pub twin: i64,
    /// The item object.
    pub json: String,
}

/// What a poll brought.
#[derive(Clone, Copy, Debug)]
pub struct Merge<'a> {
    /// The feed as it is now.
    pub record: &'a FeedRecord,
    /// URLs that lead to it, beside those already known to.
    pub aliases: &'a [SourceUrl],
    /// Items that are new or changed, no id twice.
    pub items: &'a [StoredItem],
    /// Ids of items that are gone.
    pub deleted: &'a [&'a str],
    /// The time of the poll.
    pub now: Timestamp,
}

/// A row of the feed table, as every database gives it.
#[derive(sqlx::FromRow)]
pub(super) struct FeedRow {
    key: Vec<u8>,
    first_url: String,
    url: String,
    head: String,
    source_type: String,
    media_type: String,
    page_url: Option<String>,
    floor_published: Option<i64>,
    floor_id: Option<String>,
    recommended_seconds: i64,
    version: i64,
    pages_changed_at: i64,
    read_url: String,
    etag: Option<Vec<u8>>,
    last_modified: Option<Vec<u8>>,
    body_hash: Option<Vec<u8>>,
    revision: i64,
    read_at: i64,
    hint_seconds: i64,
    polled_at: i64,
    succeeded_at: i64,
    fresh_until: i64,
    next_poll_at: i64,
    failures: i64,
    failure: Option<String>,
    asked_at: i64,
}

impl TryFrom<FeedRow> for FeedRecord {
    type Error = StoreError;

    fn try_from(row: FeedRow) -> Result<Self, StoreError> {
        let at = Timestamp::saturating;
        Ok(Self {
            key: read("feed key", FeedKey::from_bytes(&row.key))?,
            first_url: read("feed URL", SourceUrl::parse(&row.first_url).ok())?,
            url: read("feed URL", SourceUrl::parse(&row.url).ok())?,
            feed: read("feed", serde_json::from_str(&row.head).ok())?,
            source_type: read("source type", source_type(&row.source_type))?,
            media_type: row.media_type,
            page_url: row.page_url.as_deref().and_then(HttpsUrl::parse),
            floor: row
                .floor_published
                .zip(row.floor_id)
                .map(|(published, id)| Position { published: at(published), id }),
            recommended_seconds: read("number", row.recommended_seconds.try_into().ok())?,
            version: row.version,
            pages_changed_at: at(row.pages_changed_at),
            read: ReadState {
                url: read("feed URL", SourceUrl::parse(&row.read_url).ok())?,
                validators: Validators { etag: row.etag, last_modified: row.last_modified },
                body_hash: row.body_hash.and_then(|hash| hash.try_into().ok()),
                revision: read("number", row.revision.try_into().ok())?,
                read_at: at(row.read_at),
                hint_seconds: read("number", row.hint_seconds.try_into().ok())?,
            },
            schedule: Schedule {
                polled_at: at(row.polled_at),
                succeeded_at: at(row.succeeded_at),
                fresh_until: at(row.fresh_until),
                next_poll_at: at(row.next_poll_at),
                failures: read("number", row.failures.try_into().ok())?,
                failure: row.failure,
            },
            asked_at: at(row.asked_at),
        })
    }
}

/// A row of what is remembered of an item.
#[derive(sqlx::FromRow)]
pub(super) struct KnownRow {
    id: String,
    hash: Vec<u8>,
    published: i64,
    twin: i64,
}

impl TryFrom<KnownRow> for (String, KnownItem) {
    type Error = StoreError;

    fn try_from(row: KnownRow) -> Result<Self, StoreError> {
        let hash = read("item hash", row.hash.try_into().ok())?;
        let published = Timestamp::saturating(row.published);
        Ok((row.id, KnownItem { hash, published, twin: row.twin }))
    }
}

fn read<T>(what: &'static str, value: Option<T>) -> Result<T, StoreError> {
    value.ok_or(StoreError::Damaged { what })
}

fn source_type(word: &str) -> Option<SourceType> {
    SourceType::ALL.into_iter().find(|kind| kind.as_str() == word)
}
