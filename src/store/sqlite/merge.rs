//! What of a merge is SQLite's own.

use sqlx::{QueryBuilder, SqliteConnection};

use super::Sqlite;
use super::many::{DELETE, DELETE_OTHERS, MEASURE, list};
use crate::model::{FeedKey, Timestamp};
use crate::paging::Position;
use crate::store::changes::{Changes, is_leftover};
use crate::store::merging::answer_merge;
use crate::store::row::{self, FeedRow};
use crate::store::sql::{self, unless_same};
use crate::store::{FeedRecord, Merge, StoreError, StoredItem};

answer_merge!(Sqlite, SqliteConnection);

/// Writes items that are new or changed, and says how many they were.
async fn insert(
    connection: &mut SqliteConnection,
    feed: &FeedKey,
    items: &[StoredItem],
    now: Timestamp,
) -> Result<u64, StoreError> {
    let mut query = QueryBuilder::new(sql::LOAD_ITEMS);
    query.push_values(items, |mut row, item| {
        row.push_bind(feed.as_bytes())
            .push_bind(item.position.id.as_str())
            .push_bind(item.position.published.seconds())
            .push_bind(item.hash.as_slice())
            .push_bind(item.twin)
            .push_bind(item.mended)
            .push_bind(now.seconds())
            .push_bind(item.json.as_str());
    });
    query.push(unless_same!());
    Ok(query.build().execute(connection).await?.rows_affected())
}

/// Items in one statement: more gain nothing.
const BATCH: usize = 100;

/// A merge begins with `BEGIN IMMEDIATE`, which keeps all others out.
const FEED_TO_MERGE: &str = sql::FEED;
