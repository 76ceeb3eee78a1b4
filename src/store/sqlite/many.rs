//! Questions about many ids at once: a list is one variable, since SQLite stops at 32766 of them.

use std::collections::HashMap;

use super::Sqlite;
use crate::model::{FeedKey, Timestamp};
use crate::store::row::{ChapterRow, KnownRow, json_list};
use crate::store::{ChapterFile, KnownItem, StoreError};

impl Sqlite {
    pub(in crate::store) async fn known_items(
        &self,
        feed: &FeedKey,
        ids: &[&str],
    ) -> Result<HashMap<String, KnownItem>, StoreError> {
        let rows: Vec<KnownRow> = sqlx::query_as(
            "SELECT id, hash, published, twin, mended FROM item \
             WHERE feed = $1 AND id IN (SELECT value FROM json_each($2))",
        )
        .bind(feed.as_bytes())
        .bind(json_list(ids)?)
        .fetch_all(&self.readers)
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
             WHERE feed = $1 AND url IN (SELECT value FROM json_each($2))",
        )
        .bind(feed.as_bytes())
        .bind(json_list(urls)?)
        .fetch_all(&self.readers)
        .await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    pub(in crate::store) async fn asked(
        &self,
        feeds: &[FeedKey],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        for feed in feeds {
            sqlx::query("UPDATE feed SET asked_at = $2, scheduled = 1 WHERE key = $1")
                .bind(feed.as_bytes())
                .bind(now.seconds())
                .execute(&mut *transaction)
                .await?;
        }
        Ok(transaction.commit().await?)
    }

    /// Without this the feeds nobody wants any more would stand before the others for ever.
    pub(super) async fn unschedule(
        &self,
        feeds: Vec<Vec<u8>>,
        asked_since: Timestamp,
    ) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        for feed in feeds {
            sqlx::query("UPDATE feed SET scheduled = 0 WHERE key = $1 AND asked_at < $2")
                .bind(feed)
                .bind(asked_since.seconds())
                .execute(&mut *transaction)
                .await?;
        }
        Ok(transaction.commit().await?)
    }
}
