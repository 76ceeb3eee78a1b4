//! What is about many ids at once: a list is an array.

use super::Postgres;
use crate::model::{FeedKey, Timestamp};
use crate::store::StoreError;
use crate::store::sql::{chapter_files, item_bytes, known_items};

/// Ids as what stands for a list in the statements below.
pub(super) fn list<'a>(ids: &'a [&'a str]) -> &'a [&'a str] {
    ids
}

impl Postgres {
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

pub(super) const KNOWN_ITEMS: &str = concat!(known_items!(), "id = ANY($2)");

pub(super) const CHAPTER_FILES: &str = concat!(chapter_files!(), "url = ANY($2)");

pub(super) const MEASURE: &str = concat!(
    "SELECT count(*), CAST(coalesce(sum(",
    item_bytes!(),
    "), 0) AS BIGINT) FROM item WHERE feed = $1 AND id = ANY($2)"
);

pub(super) const DELETE: &str =
    concat!("DELETE FROM item WHERE feed = $1 AND id = ANY($2) RETURNING ", item_bytes!());

pub(super) const DELETE_OTHERS: &str = concat!(
    "DELETE FROM item WHERE feed = $1 AND NOT EXISTS \
     (SELECT FROM UNNEST($2::text[]) AS kept (id) WHERE kept.id = item.id) RETURNING ",
    item_bytes!()
);
