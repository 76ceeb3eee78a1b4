//! What is about many ids at once: a list is one variable of JSON, since SQLite has no arrays and
//! stops at 32766 variables.

use serde_json::json;

use super::Sqlite;
use crate::model::{FeedKey, Timestamp};
use crate::store::StoreError;
use crate::store::sql::{chapter_files, item_bytes, known_items};

/// Ids as what stands for a list in the statements below.
pub(super) fn list(ids: &[&str]) -> String {
    json!(ids).to_string()
}

impl Sqlite {
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

pub(super) const KNOWN_ITEMS: &str =
    concat!(known_items!(), "id IN (SELECT value FROM json_each($2))");

pub(super) const CHAPTER_FILES: &str =
    concat!(chapter_files!(), "url IN (SELECT value FROM json_each($2))");

pub(super) const MEASURE: &str = concat!(
    "SELECT count(*), coalesce(sum(",
    item_bytes!(),
    "), 0) FROM item WHERE feed = $1 AND id IN (SELECT value FROM json_each($2))"
);

pub(super) const DELETE: &str = concat!(
    "DELETE FROM item WHERE feed = $1 AND id IN (SELECT value FROM json_each($2)) RETURNING ",
    item_bytes!()
);

pub(super) const DELETE_OTHERS: &str = concat!(
    "DELETE FROM item WHERE feed = $1 AND id NOT IN (SELECT value FROM json_each($2)) RETURNING ",
    item_bytes!()
);
