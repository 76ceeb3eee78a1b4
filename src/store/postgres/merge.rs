//! What of a merge is PostgreSQL's own.

use sqlx::PgConnection;

use super::Postgres;
use super::many::{DELETE, DELETE_OTHERS, MEASURE, list};
use crate::model::{FeedKey, Timestamp};
use crate::paging::Position;
use crate::store::changes::{Changes, is_leftover};
use crate::store::merging::answer_merge;
use crate::store::row::{self, FeedRow};
use crate::store::sql::{self, unless_same};
use crate::store::{FeedRecord, Merge, StoreError, StoredItem};

answer_merge!(Postgres, PgConnection);

/// Writes items that are new or changed, and says how many they were.
async fn insert(
    connection: &mut PgConnection,
    feed: &FeedKey,
    items: &[StoredItem],
    now: Timestamp,
) -> Result<u64, StoreError> {
    let texts = |of: fn(&StoredItem) -> &str| items.iter().map(of).collect::<Vec<_>>();
    let numbers = |of: fn(&StoredItem) -> i64| items.iter().map(of).collect::<Vec<_>>();
    let hashes: Vec<&[u8]> = items.iter().map(|item| item.hash.as_slice()).collect();
    let written = sqlx::query(INSERT)
        .bind(feed.as_bytes())
        .bind(texts(|item| &item.position.id))
        .bind(numbers(|item| item.position.published.seconds()))
        .bind(hashes)
        .bind(numbers(|item| item.twin))
        .bind(now.seconds())
        .bind(texts(|item| &item.json))
        .bind(numbers(|item| item.mended))
        .execute(connection)
        .await?;
    Ok(written.rows_affected())
}

/// Items in one statement: more gain nothing, and the texts of a batch are in memory twice.
const BATCH: usize = 200;

/// Two who merge into one feed, though one poll at a time is the rule, come one after the other.
const FEED_TO_MERGE: &str = "SELECT * FROM feed WHERE key = $1 FOR UPDATE";

const INSERT: &str = concat!(
    "INSERT INTO item (feed, id, published, hash, twin, mended, changed_at, json) \
     SELECT $1, u.id, u.published, u.hash, u.twin, u.mended, $6, u.json \
     FROM UNNEST($2::text[], $3::bigint[], $4::bytea[], $5::bigint[], $7::text[], $8::bigint[]) \
     AS u (id, published, hash, twin, json, mended)",
    unless_same!()
);
