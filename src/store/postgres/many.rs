//! Questions about many ids at once, as arrays.

use std::collections::HashMap;

use super::Postgres;
use crate::model::{FeedKey, Timestamp};
use crate::store::row::{ChapterRow, KnownRow};
use crate::store::{ChapterFile, KnownItem, StoreError};

impl Postgres {
    pub(in crate::store) async fn known_items(
        &self,
        feed: &FeedKey,
        ids: &[&str],
    ) -> Result<HashMap<String, KnownItem>, StoreError> {
        let rows: Vec<KnownRow> = sqlx::query_as(
            "SELECT id, hash, published, twin, mended FROM item \
             WHERE feed = $1 AND id = ANY($2)",
        )
        .bind(feed.as_bytes())
        .bind(ids)
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(TryFrom::try_from).collect()
    }

    pub(in crate::store) async fn chapter_files(
        &self,
        feed: &FeedKey,
        urls: &[&str],
    ) -> Result<HashMap<String, ChapterFile>, StoreError> {
        let rows: Vec<ChapterRow> = sqlx::query_as(
            "SELECT url, json, fetched_at FROM chapter_file \
             WHERE feed = $1 AND url = ANY($2)",
        )
        .bind(feed.as_bytes())
        .bind(urls)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    pub(in crate::store) async fn asked(
        &self,
        feeds: &[FeedKey],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let keys: Vec<&[u8]> = feeds.iter().map(FeedKey::as_bytes).collect();
        sqlx::query("UPDATE feed SET asked_at = $2, scheduled = 1 WHERE key = ANY($1)")
            .bind(keys)
            .bind(now.seconds())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Without this the feeds nobody wants any more would stand before the others for ever.
    pub(super) async fn unschedule(
        &self,
        feeds: Vec<Vec<u8>>,
        asked_since: Timestamp,
    ) -> Result<(), StoreError> {
        sqlx::query("UPDATE feed SET scheduled = 0 WHERE key = ANY($1) AND asked_at < $2")
            .bind(feeds)
            .bind(asked_since.seconds())
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}
