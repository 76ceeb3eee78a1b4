//! What the gateway remembers: feeds, the URLs that lead to them, and every item ever seen.
//!
//! One set of questions, answered by each kind of database; times are arguments, since the one
//! clock is elsewhere. Every key begins with the feed's own, so that tables partition by feed.
//! Clones share their connections.

/// Hands a question to whichever database there is.
macro_rules! ask {
    ($store:expr, $database:ident => $question:expr) => {
        match $store {
            Self::Sqlite($database) => $question.await,
            Self::Postgres($database) => $database.run($question).await,
        }
    };
}

mod bytes;
mod changes;
mod dump;
mod dump_questions;
mod error;
mod forgetting;
mod merging;
mod moving;
mod postgres;
mod questions;
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
    ChapterFile, Excess, FeedRecord, FeedSize, History, Info, KnownItem, Lease, Merge, Moving,
    MovingBy, OlderDocument, ReadState, Schedule, StoredItem,
};
pub use settings::Settings;

use postgres::Postgres;
use settings::Location;
use sqlite::Sqlite;

use crate::model::{FeedKey, SourceUrl, Timestamp};
use crate::paging::{Position, Span, Stretch};

/// The memory of the gateway, in one of the databases it can live in.
#[derive(Clone, Debug)]
pub enum Store {
    /// One file on this machine.
    Sqlite(Sqlite),
    /// A server, which several gateways may share.
    Postgres(Postgres),
}

impl Store {
    /// Opens the store, made and migrated first where needed. Safe from many processes at once.
    ///
    /// # Errors
    /// A URL that names no database, one that cannot be opened, or a schema newer than this
    /// program.
    pub async fn open(settings: &Settings) -> Result<Self, StoreError> {
        match settings.location()? {
            Location::Sqlite(path) => Sqlite::open(&path).await.map(Self::Sqlite),
            Location::Postgres => Postgres::open(settings).await.map(Self::Postgres),
        }
    }

    /// Opens a store that must be there already.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where a file is to hold it and there is none; else those of
    /// [`Store::open`].
    pub async fn open_existing(settings: &Settings) -> Result<Self, StoreError> {
        match settings.location()? {
            Location::Sqlite(path) if !path.exists() => {
                Err(StoreError::Missing(path.display().to_string()))
            }
            _ => Self::open(settings).await,
        }
    }

    /// Finds the feed that a URL leads to.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn find_feed(&self, url: &SourceUrl) -> Result<Option<FeedRecord>, StoreError> {
        ask!(self, store => store.find_feed(url))
    }

    /// Finds a feed by its key.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn find_feed_by_key(&self, key: &FeedKey) -> Result<Option<FeedRecord>, StoreError> {
        ask!(self, store => store.find_feed_by_key(key))
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
        ask!(self, store => store.known_items(feed, ids))
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
        ask!(self, store => store.stretch(feed, below, span))
    }

    /// Finds where the oldest item of a feed stands.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn oldest(&self, feed: &FeedKey) -> Result<Option<Position>, StoreError> {
        ask!(self, store => store.oldest(feed))
    }

    /// Writes what a poll brought, whole or not at all, and gives the feed back as it stands then.
    /// The `published` of an item that is there stays. A feed that is there keeps its first URL
    /// and its `asked_at`.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn merge(&self, merge: &Merge<'_>) -> Result<FeedRecord, StoreError> {
        ask!(self, store => store.merge(merge))
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
        ask!(self, store => store.touch(record, now))
    }

    /// Puts an item's JSON in the place of what it was, and tells whether it still was that. The
    /// feed's version counts on.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn replace_item(
        &self,
        feed: &FeedKey,
        id: &str,
        before_and_after: (&str, &str),
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        ask!(self, store => store.replace_item(feed, id, before_and_after, now))
    }

    /// Has one more URL lead to a feed, and to no other.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn add_alias(&self, feed: &FeedKey, url: &SourceUrl) -> Result<(), StoreError> {
        ask!(self, store => store.add_alias(feed, url))
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
        ask!(self, store => store.older_document(feed, url))
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
        ask!(self, store => store.put_older_document(feed, url, document))
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
        ask!(self, store => store.chapter_files(feed, urls))
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
        ask!(self, store => store.put_chapter_file(feed, url, file))
    }

    /// Notes that these feeds were asked for.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn asked(&self, feeds: &[FeedKey], now: Timestamp) -> Result<(), StoreError> {
        ask!(self, store => store.asked(feeds, now))
    }

    /// Finds feeds whose next poll is due, that were asked for since then and that nobody has
    /// leased, the longest due first. A due feed that was not is passed over until somebody asks
    /// for it again.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn due_feeds(
        &self,
        now: Timestamp,
        asked_since: Timestamp,
        limit: u32,
    ) -> Result<Vec<FeedKey>, StoreError> {
        ask!(self, store => store.due_feeds(now, asked_since, limit))
    }

    /// Takes the lease of a feed, or of a URL that is no feed yet by its key, or holds one's own
    /// for longer. It runs out by itself: whoever took it and is gone costs the others that time.
    /// The clocks of all who share a store should agree within a second or two.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn lease(
        &self,
        key: &FeedKey,
        owner: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Lease, StoreError> {
        ask!(self, store => store.lease(key, owner, now, until))
    }

    /// Gives a lease back, if it still is the owner's.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn release(&self, key: &FeedKey, owner: &str) -> Result<(), StoreError> {
        ask!(self, store => store.release(key, owner))
    }

    /// Gives a lease back and leaves a word about it, for those who ask until then.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn leave_word(
        &self,
        key: &FeedKey,
        owner: &str,
        word: &str,
        until: Timestamp,
    ) -> Result<(), StoreError> {
        ask!(self, store => store.leave_word(key, owner, word, until))
    }

    /// Asks the database for a sign of life.
    ///
    /// # Errors
    /// It gives none.
    pub async fn check(&self) -> Result<(), StoreError> {
        ask!(self, store => store.check())
    }

    /// Closes all connections once what runs on them is done.
    pub async fn close(&self) {
        let closing = async { ask!(self, store => store.close()) };
        // A server that does not answer any more has nothing to close.
        drop(closing.await);
    }
}
