//! Writes what a poll brought, in one transaction.

use sqlx::PgConnection;

use super::Postgres;
use crate::model::FeedKey;
use crate::paging::Position;
use crate::store::changes::{Changes, is_leftover};
use crate::store::row::{self, FeedRow};
use crate::store::sql::{self, item_bytes, unless_same};
use crate::store::{FeedRecord, Merge, StoreError, StoredItem};

impl Postgres {
    pub(in crate::store) async fn merge(
        &self,
        merge: &Merge<'_>,
    ) -> Result<FeedRecord, StoreError> {
        let mut transaction = self.begin().await?;
        let key = &merge.record.key;
        let before = find(&mut transaction, key).await?;
        if before.is_none() {
            bury(&mut transaction, merge).await?;
        }
        let oldest = oldest(&mut transaction, key).await?;
        let mut changes = Changes::default();
        write_items(&mut transaction, merge, &mut changes).await?;
        delete_items(&mut transaction, merge, &mut changes).await?;
        let after = changes.apply(before, oldest.as_ref(), merge)?;
        write_feed(&mut transaction, &after, changes).await?;
        write_aliases(&mut transaction, merge).await?;
        transaction.commit().await?;
        Ok(after)
    }
}

async fn find(
    connection: &mut PgConnection,
    key: &FeedKey,
) -> Result<Option<FeedRecord>, StoreError> {
    let row: Option<FeedRow> =
        sqlx::query_as(LOCKED_FEED).bind(key.as_bytes()).fetch_optional(connection).await?;
    row.map(FeedRecord::try_from).transpose()
}

/// Takes away what is left of a feed that was forgotten and is read again.
async fn bury(connection: &mut PgConnection, merge: &Merge<'_>) -> Result<(), StoreError> {
    let key = merge.record.key.as_bytes();
    let query = sqlx::query_as(sql::TOMBSTONE).bind(key);
    let tombstone = query.fetch_optional(&mut *connection).await?;
    if is_leftover(tombstone, merge.now)? {
        for sql in ["DELETE FROM item WHERE feed = $1", sql::MARK_SWEPT] {
            sqlx::query(sql).bind(key).execute(&mut *connection).await?;
        }
    }
    Ok(())
}

async fn oldest(
    connection: &mut PgConnection,
    key: &FeedKey,
) -> Result<Option<Position>, StoreError> {
    let query = sqlx::query_as(sql::OLDEST).bind(key.as_bytes());
    Ok(query.fetch_optional(connection).await?.map(row::position))
}

async fn write_items(
    connection: &mut PgConnection,
    merge: &Merge<'_>,
    changes: &mut Changes,
) -> Result<(), StoreError> {
    let key = &merge.record.key;
    for batch in merge.items.chunks(BATCH) {
        let column = |of: fn(&StoredItem) -> &str| batch.iter().map(of).collect::<Vec<_>>();
        let ids = column(|item| &item.position.id);
        let before = measure(connection, key, &ids).await?;
        let numbers = |of: fn(&StoredItem) -> i64| batch.iter().map(of).collect::<Vec<_>>();
        let hashes: Vec<&[u8]> = batch.iter().map(|item| item.hash.as_slice()).collect();
        let written = sqlx::query(WRITE_ITEMS)
            .bind(key.as_bytes())
            .bind(&ids)
            .bind(numbers(|item| item.position.published.seconds()))
            .bind(hashes)
            .bind(numbers(|item| item.twin))
            .bind(merge.now.seconds())
            .bind(column(|item| &item.json))
            .bind(numbers(|item| item.mended))
            .execute(&mut *connection)
            .await?;
        changes.write(written.rows_affected(), before, measure(connection, key, &ids).await?);
    }
    Ok(())
}

/// How many of these items there are, and their bytes.
async fn measure(
    connection: &mut PgConnection,
    key: &FeedKey,
    ids: &[&str],
) -> Result<(i64, i64), StoreError> {
    let query = sqlx::query_as(MEASURE).bind(key.as_bytes()).bind(ids);
    Ok(query.fetch_one(connection).await?)
}

async fn delete_items(
    connection: &mut PgConnection,
    merge: &Merge<'_>,
    changes: &mut Changes,
) -> Result<(), StoreError> {
    let deleted = (DELETE, Some(merge.deleted).filter(|ids| !ids.is_empty()));
    for (delete, ids) in [deleted, (DELETE_OTHERS, merge.keep_only)] {
        let Some(ids) = ids else { continue };
        let query = sqlx::query_scalar(delete).bind(merge.record.key.as_bytes());
        changes.delete(&query.bind(ids).fetch_all(&mut *connection).await?);
    }
    Ok(())
}

async fn write_feed(
    connection: &mut PgConnection,
    record: &FeedRecord,
    changes: Changes,
) -> Result<(), StoreError> {
    sqlx::query(sql::WRITE_FEED)
        .bind(record.key.as_bytes())
        .bind(record.first_url.as_str())
        .bind(row::head(record)?)
        .bind(row::state(record)?)
        .bind(record.version)
        .bind(record.pages_changed_at.seconds())
        .bind(record.schedule.next_poll_at.seconds())
        .bind(record.asked_at.seconds())
        .bind(changes.items)
        .bind(changes.bytes)
        .execute(connection)
        .await?;
    Ok(())
}

async fn write_aliases(connection: &mut PgConnection, merge: &Merge<'_>) -> Result<(), StoreError> {
    for url in merge.aliases {
        let query = sqlx::query(sql::WRITE_ALIAS).bind(url.as_str());
        query.bind(merge.record.key.as_bytes()).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Rows in one statement: more gain nothing, and the texts of a batch are in memory twice.
const BATCH: usize = 200;

/// Two who merge into one feed, though one poll at a time is the rule, come one after the other.
const LOCKED_FEED: &str = "SELECT * FROM feed WHERE key = $1 FOR UPDATE";

const WRITE_ITEMS: &str = concat!(
    "INSERT INTO item (feed, id, published, hash, twin, mended, changed_at, json) \
     SELECT $1, u.id, u.published, u.hash, u.twin, u.mended, $6, u.json \
     FROM UNNEST($2::text[], $3::bigint[], $4::bytea[], $5::bigint[], $7::text[], $8::bigint[]) \
     AS u (id, published, hash, twin, json, mended)",
    unless_same!()
);

const MEASURE: &str = concat!(
    "SELECT count(*), CAST(coalesce(sum(",
    item_bytes!(),
    "), 0) AS BIGINT) FROM item WHERE feed = $1 AND id = ANY($2)"
);

const DELETE: &str =
    concat!("DELETE FROM item WHERE feed = $1 AND id = ANY($2) RETURNING ", item_bytes!());

const DELETE_OTHERS: &str = concat!(
    "DELETE FROM item WHERE feed = $1 AND NOT EXISTS \
     (SELECT FROM UNNEST($2::text[]) AS kept (id) WHERE kept.id = item.id) RETURNING ",
    item_bytes!()
);
