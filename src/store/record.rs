//! What is kept of a feed, of its items, and of what was read beside its document.

use serde::{Deserialize, Serialize};

use crate::convert::Summary;
use crate::model::{
    Feed, FeedKey, HttpsUrl, QuietTimes, SourceType, SourceUrl, Timestamp, Validators,
};
use crate::paging::Position;

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
    /// Where the publisher moved for good, once the new place was read and is the same feed.
    pub moved_to: Option<SourceUrl>,
    /// Whether the source is given up: gone by its own word, or failing for long.
    pub deprecated: bool,
    /// Counts what changed the pages of the feed, from the second of its first poll on, so that a
    /// feed that was forgotten and is read again has no version twice. The store sets it.
    pub version: i64,
    /// When something beside the items themselves last changed a page. The store sets it.
    pub pages_changed_at: Timestamp,
    /// A permanent redirect that may become the address.
    pub moving: Option<Moving>,
    /// Where the source keeps what its document no longer shows.
    pub history: History,
    /// What was last read.
    pub read: ReadState,
    /// When it was and will be polled.
    pub schedule: Schedule,
    /// When somebody last asked for it, to the hour or so.
    pub asked_at: Timestamp,
}

/// A move that is not believed yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moving {
    /// Where it leads.
    pub to: SourceUrl,
    /// When it was first met, and by each poll since. One by word: when the new place was last
    /// looked at, the epoch for never.
    pub since: Timestamp,
    /// How the source says it.
    #[serde(default)]
    pub by: MovingBy,
    /// Whether what is there had the feed's id or items, as they were known then.
    #[serde(default)]
    pub is_same: bool,
}

/// How a source says that it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MovingBy {
    /// A 301 or 308 on every hop.
    #[default]
    Redirect,
    /// In its document (`itunes:new-feed-url`).
    Word,
}

/// What a source says of its older documents (RFC 5005).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// The next older document that was not read yet.
    pub older_url: Option<SourceUrl>,
    /// Whether the document declares that it is the whole feed (`fh:complete`).
    pub is_complete: bool,
}

/// What the next request needs to know of the last document that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadState {
    /// The address that answered; validators belong to it.
    pub url: SourceUrl,
    /// What to ask conditionally with.
    #[serde(with = "super::bytes::validators")]
    pub validators: Validators,
    /// SHA-256 of the decoded body; none where it was not whole.
    #[serde(with = "super::bytes::hash")]
    pub body_hash: Option<[u8; 32]>,
    /// The revision of the converter that read it.
    pub revision: u32,
    /// When a document last came, not just word that it is the same.
    pub read_at: Timestamp,
    /// The shortest interval that the document asks for; 0 where it says nothing.
    pub hint_seconds: u32,
    /// When the source is to be left alone.
    #[serde(default, skip_serializing_if = "QuietTimes::is_empty")]
    pub quiet_times: QuietTimes,
    /// What was mended and left out of it, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
}

/// When a feed was and will be polled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// When the first of these failures was; none after a success.
    pub failing_since: Option<Timestamp>,
}

/// What is remembered of an item when the next document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownItem {
    /// The hash of the entry it was made from.
    pub hash: [u8; 16],
    /// When it was published, as first seen.
    pub published: Timestamp,
    /// Tells apart entries that share an id.
    pub twin: i64,
    /// What was mended of it, as the converter writes it.
    pub mended: i64,
}

/// An item to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredItem {
    /// Where it stands.
    pub position: Position,
    /// The hash of the entry it was made from.
    pub hash: [u8; 16],
    /// Tells apart entries that share an id.
    pub twin: i64,
    /// What was mended of it, as the converter writes it.
    pub mended: i64,
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
    /// All ids of a feed that declares itself complete: whatever else is stored of it is gone.
    pub keep_only: Option<&'a [&'a str]>,
    /// The time of the poll.
    pub now: Timestamp,
}

/// A document of a feed's history that was read (RFC 5005).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OlderDocument {
    /// What to ask conditionally with.
    pub validators: Validators,
    /// Whether it is an archive, which never changes, rather than a page of a paged feed.
    pub is_archive: bool,
    /// When it was read.
    pub read_at: Timestamp,
}

/// A file of chapters that an item names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChapterFile {
    /// The chapters as the item object takes them; none where the file could not be read.
    pub json: Option<String>,
    /// When it was last asked for.
    pub fetched_at: Timestamp,
}

/// Whose it is to poll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lease {
    /// Of the one who asked.
    Ours,
    /// Of somebody else, or of nobody yet, since a word was left about the last one.
    Theirs {
        /// The word.
        word: Option<String>,
    },
}

/// What a feed takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedSize {
    /// Which feed.
    pub key: FeedKey,
    /// When somebody last asked for it, to the hour or so.
    pub asked_at: Timestamp,
    /// How many items it has.
    pub items: i64,
    /// About how many bytes these take on disk.
    pub bytes: i64,
    /// About how many bytes all else takes that is stored of it.
    pub other_bytes: i64,
}

/// What a store holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// How many feeds.
    pub feeds: i64,
    /// How many items, of all feeds.
    pub items: i64,
    /// About how many bytes the items take on disk.
    pub bytes: i64,
}

/// By how much a feed is too large. What is zero or less is no excess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    /// Items too many.
    pub items: i64,
    /// Bytes too many.
    pub bytes: i64,
}

impl Excess {
    /// The last of these items, oldest first with their bytes, that has to go.
    pub(super) fn last_to_go(self, oldest: Vec<(i64, String, i64)>) -> Option<(i64, String)> {
        let Self { mut items, mut bytes } = self;
        let mut last = None;
        for (published, id, size) in oldest {
            if items <= 0 && bytes <= 0 {
                break;
            }
            (items, bytes) = (items - 1, bytes - size);
            last = Some((published, id));
        }
        last
    }
}
