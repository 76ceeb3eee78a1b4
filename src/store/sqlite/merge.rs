//! Writes what a poll brought, in one transaction.

use sqlx::{QueryBuilder, SqliteConnection};

use super::Sqlite;
use super::read::{FEED, json_list};
use crate::model::{FeedKey, SourceUrl, Timestamp};
use crate::paging::Position;
use crate::store::record::FeedRow;
use crate::store::{FeedRecord, Merge, StoreError, StoredItem};

impl Sqlite {
    pub(in crate::store) async fn merge(
        &self,
        merge: &Merge<'_>,
    ) -> Result<FeedRecord, StoreError> {
        let mut transaction = self.writer.begin_with("BEGIN IMMEDIATE").await?;
        let key = &merge.record.key;
        let before = find(&mut transaction, key).await?;
        let oldest = oldest(&mut transaction, key).await?;
        let written = write_items(&mut transaction, merge).await?;
        let deleted = delete_items(&mut transaction, key, merge.deleted).await?;
        let older = oldest.is_some_and(|at| merge.items.iter().any(|item| item.position < at));
        let changes = Changes { items: written > 0, pages: deleted > 0 || older };
        let after = changes.apply(before, merge);
        write_feed(&mut transaction, &after).await?;
        write_aliases(&mut transaction, key, merge.aliases).await?;
        transaction.commit().await?;
        Ok(after)
    }
}

/// Which pages of the feed a merge can have changed.
struct Changes {
    /// Those that hold one of the written items; these carry their own times.
    items: bool,
    /// Any: an item went, or one came in below the last page.
    pages: bool,
}

impl Changes {
    fn apply(self, before: Option<FeedRecord>, merge: &Merge<'_>) -> FeedRecord {
        let mut after = merge.record.clone();
        let Some(before) = before else {
            return FeedRecord { version: 1, pages_changed_at: merge.now, ..after };
        };
        after.first_url = before.first_url.clone();
        after.asked_at = before.asked_at;
        let pages = self.pages || shown(&before) != shown(&after);
        after.version = before.version + i64::from(pages || self.items);
        after.pages_changed_at = if pages { merge.now } else { before.pages_changed_at };
        after
    }
}

/// What a page shows of a feed beside the items.
fn shown(record: &FeedRecord) -> impl PartialEq {
    (
        record.feed.clone(),
        record.floor.clone(),
        record.recommended_seconds,
        (record.url.clone(), record.media_type.clone(), record.page_url.clone()),
    )
}

async fn find(
    connection: &mut SqliteConnection,
    key: &FeedKey,
) -> Result<Option<FeedRecord>, StoreError> {
    let row: Option<FeedRow> =
        sqlx::query_as(FEED).bind(key.as_bytes()).fetch_optional(connection).await?;
    row.map(FeedRecord::try_from).transpose()
}

async fn oldest(
    connection: &mut SqliteConnection,
    key: &FeedKey,
) -> Result<Option<Position>, StoreError> {
    let row: Option<(i64, String)> = sqlx::query_as(
        "SELECT published, id FROM item WHERE feed = $1 ORDER BY published, id LIMIT 1",
    )
    .bind(key.as_bytes())
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|(published, id)| Position { published: Timestamp::saturating(published), id }))
}

/// Gives the number of rows that were new or changed.
async fn write_items(
    connection: &mut SqliteConnection,
    merge: &Merge<'_>,
) -> Result<u64, StoreError> {
    let mut written = 0;
    for batch in merge.items.chunks(BATCH) {
        let head = "INSERT INTO item (feed, id, published, hash, twin, changed_at, json) ";
        let mut query = QueryBuilder::new(head);
        query.push_values(batch, |mut row, item: &StoredItem| {
            row.push_bind(merge.record.key.as_bytes())
                .push_bind(item.position.id.as_str())
                .push_bind(item.position.published.seconds())
                .push_bind(item.hash.as_slice())
                .push_bind(item.twin)
                .push_bind(merge.now.seconds())
                .push_bind(item.json.as_str());
        });
        query.push(UNLESS_SAME);
        written += query.build().execute(&mut *connection).await?.rows_affected();
    }
    Ok(written)
}

async fn delete_items(
    connection: &mut SqliteConnection,
    key: &FeedKey,
    ids: &[&str],
) -> Result<u64, StoreError> {
    if ids.is_empty() {
        return Ok(0);
    }
    let delete = "DELETE FROM item WHERE feed = $1 AND id IN (SELECT value FROM json_each($2))";
    let query = sqlx::query(delete).bind(key.as_bytes()).bind(json_list(ids)?);
    Ok(query.execute(connection).await?.rows_affected())
}

async fn write_feed(
    connection: &mut SqliteConnection,
    record: &FeedRecord,
) -> Result<(), StoreError> {
    let head = serde_json::to_string(&record.feed);
    let head = head.map_err(|_| StoreError::Damaged { what: "feed" })?;
    let (read, schedule) = (&record.read, &record.schedule);
    sqlx::query(FEED_UPSERT)
        .bind(record.key.as_bytes())
        .bind(record.first_url.as_str())
        .bind(record.url.as_str())
        .bind(head)
        .bind(record.source_type.as_str())
        .bind(record.media_type.as_str())
        .bind(record.page_url.as_ref().map(|url| url.as_str()))
        .bind(record.floor.as_ref().map(|floor| floor.published.seconds()))
        .bind(record.floor.as_ref().map(|floor| floor.id.as_str()))
        .bind(i64::from(record.recommended_seconds))
        .bind(record.version)
        .bind(record.pages_changed_at.seconds())
        .bind(read.validators.etag.as_deref())
        .bind(read.validators.last_modified.as_deref())
        .bind(read.body_hash.as_ref().map(<[u8; 32]>::as_slice))
        .bind(i64::from(read.revision))
        .bind(read.read_at.seconds())
        .bind(i64::from(read.hint_seconds))
        .bind(schedule.polled_at.seconds())
        .bind(schedule.succeeded_at.seconds())
        .bind(schedule.fresh_until.seconds())
        .bind(schedule.next_poll_at.seconds())
        .bind(i64::from(schedule.failures))
        .bind(schedule.failure.as_deref())
        .bind(record.asked_at.seconds())
        .bind(read.url.as_str())
        .execute(connection)
        .await?;
    Ok(())
}

/// A URL leads to one feed: the last that was read there.
async fn write_aliases(
    connection: &mut SqliteConnection,
    key: &FeedKey,
    urls: &[SourceUrl],
) -> Result<(), StoreError> {
    for url in urls {
        sqlx::query(
            "INSERT INTO alias (url, feed) VALUES ($1, $2) \
             ON CONFLICT (url) DO UPDATE SET feed = excluded.feed WHERE alias.feed <> excluded.feed",
        )
        .bind(url.as_str())
        .bind(key.as_bytes())
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// Rows in one statement: more gain nothing.
const BATCH: usize = 100;

/// An item keeps the `published` it was first seen with, and one that is the same is not written.
const UNLESS_SAME: &str = " ON CONFLICT (feed, id) DO UPDATE SET hash = excluded.hash, \
     twin = excluded.twin, changed_at = excluded.changed_at, json = excluded.json \
     WHERE item.hash <> excluded.hash";

const FEED_UPSERT: &str = "INSERT INTO feed (key, first_url, url, head, source_type, media_type, \
     page_url, floor_published, floor_id, recommended_seconds, version, pages_changed_at, etag, \
     last_modified, body_hash, revision, read_at, hint_seconds, polled_at, succeeded_at, fresh_until, \
     next_poll_at, failures, failure, asked_at, read_url, scheduled) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, \
     $20, $21, $22, $23, $24, $25, $26, 1) \
     ON CONFLICT (key) DO UPDATE SET url = excluded.url, head = excluded.head, \
     source_type = excluded.source_type, media_type = excluded.media_type, \
     page_url = excluded.page_url, floor_published = excluded.floor_published, \
     floor_id = excluded.floor_id, recommended_seconds = excluded.recommended_seconds, \
     version = excluded.version, pages_changed_at = excluded.pages_changed_at, \
     etag = excluded.etag, last_modified = excluded.last_modified, \
     body_hash = excluded.body_hash, revision = excluded.revision, read_at = excluded.read_at, \
     hint_seconds = excluded.hint_seconds, polled_at = excluded.polled_at, succeeded_at = excluded.succeeded_at, \
     fresh_until = excluded.fresh_until, next_poll_at = excluded.next_poll_at, \
     failures = excluded.failures, failure = excluded.failure, read_url = excluded.read_url";
