//! What the gateway remembers: feeds, the URLs that lead to them, and every item ever seen.
//!
//! One set of questions, answered by each kind of database; times are arguments, since the one
//! clock is elsewhere. Every key begins with the feed's own, so that tables partition by feed.
//! Clones share their connections.

mod bytes;
mod changes;
mod error;
mod record;
mod row;
mod settings;
mod sql;
mod sqlite;
#[cfg(test)]
mod story;

use std::collections::HashMap;

pub use error::StoreError;
pub use record::{
    ChapterFile, FeedRecord, History, KnownItem, Merge, Moving, MovingBy, OlderDocument, ReadState,
    Schedule, StoredItem,
};
pub use settings::Settings;

use settings::Location;
use sqlite::Sqlite;

use crate::model::{FeedKey, SourceUrl, Timestamp};
use crate::paging::{Position, Span, Stretch};

/// The memory of the gateway, in one of the databases it can live in.
#[derive(Clone, Debug)]
pub enum Store {
    /// One file on this machine.
    Sqlite(Sqlite),
}

impl Store {
    /// Opens the store, made and migrated first where needed. Safe from many processes at once.
    ///
    /// # Errors
    /// A URL that names no database, one that cannot be opened, or a schema newer than this program.
    pub async fn open(settings: &Settings) -> Result<Self, StoreError> {
        match settings.location()? {
            Location::Sqlite(path) => Sqlite::open(&path).await.map(Self::Sqlite),
        }
    }

    /// Finds the feed that a URL leads to.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn find_feed(&self, url: &SourceUrl) -> Result<Option<FeedRecord>, StoreError> {
        match self {
            Self::Sqlite(store) => store.find_feed(url).await,
        }
    }

    /// Finds a feed by its key.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn find_feed_by_key(&self, key: &FeedKey) -> Result<Option<FeedRecord>, StoreError> {
        match self {
            Self::Sqlite(store) => store.find_feed_by_key(key).await,
        }
    }

    /// Tells what is remembered of these items; one that is not known is left out.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn known_items(
        &self,
        feed: &FeedKey,
        ids: &[&str],
    ) -> Result<HashMap<String, KnownItem>, StoreError> {
        match self {
            Self::Sqlite(store) => store.known_items(feed, ids).await,
        }
    }

    /// Reads the items of one page: those below a position, or the newest, as far as the span goes.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn stretch(
        &self,
        feed: &FeedKey,
        below: Option<&Position>,
        span: &Span,
    ) -> Result<Stretch, StoreError> {
        match self {
            Self::Sqlite(store) => store.stretch(feed, below, span).await,
        }
    }

    /// Writes what a poll brought, whole or not at all, and gives the feed back as it stands then.
    /// The `published` of an item that is there stays. A feed that is there keeps its first URL
    /// and its `asked_at`.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn merge(&self, merge: &Merge<'_>) -> Result<FeedRecord, StoreError> {
        match self {
            Self::Sqlite(store) => store.merge(merge).await,
        }
    }

    /// Writes how a poll that brought nothing went, in one row, and gives the feed back as it
    /// stands then; none where it was forgotten. Its first URL, `asked_at` and items stay. Where
    /// what pages show of it differs (an address, `moved_to`, `deprecated`), its version counts on.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn touch(
        &self,
        record: &FeedRecord,
        now: Timestamp,
    ) -> Result<Option<FeedRecord>, StoreError> {
        match self {
            Self::Sqlite(store) => store.touch(record, now).await,
        }
    }

    /// Has one more URL lead to a feed, and to no other.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn add_alias(&self, feed: &FeedKey, url: &SourceUrl) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(store) => store.add_alias(feed, url).await,
        }
    }

    /// Tells what was read of a document of a feed's history (RFC 5005).
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn older_document(
        &self,
        feed: &FeedKey,
        url: &SourceUrl,
    ) -> Result<Option<OlderDocument>, StoreError> {
        match self {
            Self::Sqlite(store) => store.older_document(feed, url).await,
        }
    }

    /// Notes that a document of a feed's history was read; its items are for [`Store::merge`].
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn put_older_document(
        &self,
        feed: &FeedKey,
        url: &SourceUrl,
        document: &OlderDocument,
    ) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(store) => store.put_older_document(feed, url, document).await,
        }
    }

    /// Tells which of these files of chapters were asked for, by URL.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn chapter_files(
        &self,
        feed: &FeedKey,
        urls: &[&str],
    ) -> Result<HashMap<String, ChapterFile>, StoreError> {
        match self {
            Self::Sqlite(store) => store.chapter_files(feed, urls).await,
        }
    }

    /// Keeps a file of chapters, or that it could not be read.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn put_chapter_file(
        &self,
        feed: &FeedKey,
        url: &str,
        file: &ChapterFile,
    ) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(store) => store.put_chapter_file(feed, url, file).await,
        }
    }

    /// Notes that these feeds were asked for.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn asked(&self, feeds: &[FeedKey], now: Timestamp) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(store) => store.asked(feeds, now).await,
        }
    }

    /// Finds feeds whose next poll is due and that were asked for since then, the longest due
    /// first. A due feed that was not is passed over until somebody asks for it again.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn due_feeds(
        &self,
        now: Timestamp,
        asked_since: Timestamp,
        limit: u32,
    ) -> Result<Vec<FeedKey>, StoreError> {
        match self {
            Self::Sqlite(store) => store.due_feeds(now, asked_since, limit).await,
        }
    }

    /// Asks the database for a sign of life.
    ///
    /// # Errors
    /// It gives none.
    pub async fn check(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(store) => store.check().await,
        }
    }

    /// Closes all connections once what runs on them is done.
    pub async fn close(&self) {
        match self {
            Self::Sqlite(store) => store.close().await,
        }
    }
}
