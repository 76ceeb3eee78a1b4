//! A store as lines of JSON, to move it from one database to another.
//!
//! One object a line, each with one member that names its table; a feed comes before what belongs
//! to it. Keys and hashes are in base64url. Leases and tombstones stay behind: they are of this
//! moment and of these processes.

use serde::{Deserialize, Serialize};

use super::row::FeedRow;
use super::{FeedRecord, StoreError};

/// A line of a dump.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// The first line: which form the others have.
    Form(u32),
    /// A feed.
    Feed(FeedLine),
    /// A URL that leads to a feed.
    Alias(AliasLine),
    /// An item.
    Item(ItemLine),
    /// A document of a feed's history.
    OlderDocument(OlderLine),
    /// A file of chapters.
    ChapterFile(ChapterLine),
    /// The last line: how many there are before it, so that a file that was cut is known.
    End(u64),
}

/// The form that this program writes and reads.
pub(super) const FORM: u32 = 1;

/// A row of the feed table; what is counted there is counted anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
pub(super) struct FeedLine {
    #[serde(with = "super::bytes::base64")]
    pub(super) key: Vec<u8>,
    pub(super) first_url: String,
    pub(super) head: String,
    pub(super) state: String,
    pub(super) version: i64,
    pub(super) pages_changed_at: i64,
    pub(super) next_poll_at: i64,
    pub(super) asked_at: i64,
    pub(super) scheduled: i64,
}

/// A row of the alias table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
pub(super) struct AliasLine {
    pub(super) url: String,
    #[serde(with = "super::bytes::base64")]
    pub(super) feed: Vec<u8>,
}

/// A row of the item table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
pub(super) struct ItemLine {
    #[serde(with = "super::bytes::base64")]
    pub(super) feed: Vec<u8>,
    pub(super) id: String,
    pub(super) published: i64,
    #[serde(with = "super::bytes::base64")]
    pub(super) hash: Vec<u8>,
    pub(super) twin: i64,
    #[serde(default)]
    pub(super) mended: i64,
    pub(super) changed_at: i64,
    pub(super) json: String,
}

/// A row of the table of documents of history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
pub(super) struct OlderLine {
    #[serde(with = "super::bytes::base64")]
    pub(super) feed: Vec<u8>,
    pub(super) url: String,
    pub(super) etag: Option<Vec<u8>>,
    pub(super) last_modified: Option<Vec<u8>>,
    pub(super) is_archive: i64,
    pub(super) read_at: i64,
}

/// A row of the table of files of chapters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, sqlx::FromRow)]
pub(super) struct ChapterLine {
    #[serde(with = "super::bytes::base64")]
    pub(super) feed: Vec<u8>,
    pub(super) url: String,
    pub(super) json: Option<String>,
    pub(super) fetched_at: i64,
}

impl Line {
    /// Refuses what this program could not have written.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        match self {
            Self::Form(form) if *form == FORM => Ok(()),
            Self::Form(_) => Err(StoreError::Damaged { what: "form of lines" }),
            Self::Feed(feed) => FeedRecord::try_from(FeedRow::from(feed)).map(|_| ()),
            Self::Item(item) => {
                let is_whole = item.hash.len() == 16
                    && !item.id.is_empty()
                    && serde_json::from_str::<serde::de::IgnoredAny>(&item.json).is_ok();
                if is_whole { Ok(()) } else { Err(StoreError::Damaged { what: "item" }) }
            }
            Self::Alias(_) | Self::OlderDocument(_) | Self::ChapterFile(_) | Self::End(_) => Ok(()),
        }
    }
}

impl From<&FeedLine> for FeedRow {
    fn from(line: &FeedLine) -> Self {
        Self {
            key: line.key.clone(),
            first_url: line.first_url.clone(),
            head: line.head.clone(),
            state: line.state.clone(),
            version: line.version,
            pages_changed_at: line.pages_changed_at,
            asked_at: line.asked_at,
        }
    }
}
