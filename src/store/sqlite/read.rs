//! Questions that only read.

use std::collections::HashMap;
use std::pin::pin;

use futures_util::TryStreamExt as _;
use sqlx::QueryBuilder;

use super::Sqlite;
use crate::model::{FeedKey, SourceUrl, Timestamp};
use crate::paging::{Entry, Position, Span, Stretch};
use crate::store::record::{FeedRow, KnownRow};
use crate::store::{FeedRecord, KnownItem, StoreError};

impl Sqlite {
    pub(in crate::store) async fn find_feed(
        &self,
        url: &SourceUrl,
    ) -> Result<Option<FeedRecord>, StoreError> {
        let row: Option<FeedRow> = sqlx::query_as(
            "SELECT feed.* FROM alias JOIN feed ON feed.key = alias.feed WHERE alias.url = $1",
        )
        .bind(url.as_str())
        .fetch_optional(&self.readers)
        .await?;
        row.map(FeedRecord::try_from).transpose()
    }

    pub(in crate::store) async fn find_feed_by_key(
        &self,
        key: &FeedKey,
    ) -> Result<Option<FeedRecord>, StoreError> {
        let row: Option<FeedRow> =
            sqlx::query_as(FEED).bind(key.as_bytes()).fetch_optional(&self.readers).await?;
        row.map(FeedRecord::try_from).transpose()
    }

    pub(in crate::store) async fn known_items(
        &self,
        feed: &FeedKey,
        ids: &[&str],
    ) -> Result<HashMap<String, KnownItem>, StoreError> {
        let rows: Vec<KnownRow> = sqlx::query_as(
            "SELECT id, hash, published, twin FROM item \
             WHERE feed = $1 AND id IN (SELECT value FROM json_each($2))",
        )
        .bind(feed.as_bytes())
        .bind(json_list(ids)?)
        .fetch_all(&self.readers)
        .await?;
        rows.into_iter().map(TryFrom::try_from).collect()
    }

    pub(in crate::store) async fn stretch(
        &self,
        feed: &FeedKey,
        below: Option<&Position>,
        span: &Span,
    ) -> Result<Stretch, StoreError> {
        let (published, id) = below.map_or((i64::MAX, ""), |at| (at.published.seconds(), &at.id));
        let mut rows = pin!(
            sqlx::query_as::<_, (String, i64, i64, String)>(PAGE)
                .bind(feed.as_bytes())
                .bind(published)
                .bind(id)
                .bind(i64::try_from(span.rows()).unwrap_or(i64::MAX))
                .fetch(&self.readers)
        );
        let mut stretch = Stretch::default();
        while let Some((id, published, changed_at, json)) = rows.try_next().await? {
            let position = Position { published: Timestamp::saturating(published), id };
            let entry = Entry { position, json };
            if stretch.offer(span, entry, Timestamp::saturating(changed_at)).is_break() {
                break;
            }
        }
        Ok(stretch)
    }

    pub(in crate::store) async fn due_feeds(
        &self,
        now: Timestamp,
        asked_since: Timestamp,
        limit: u32,
    ) -> Result<Vec<FeedKey>, StoreError> {
        let rows: Vec<(Vec<u8>, i64)> = sqlx::query_as(
            "SELECT key, asked_at FROM feed WHERE scheduled = 1 AND next_poll_at <= $1 \
             ORDER BY next_poll_at LIMIT $2",
        )
        .bind(now.seconds())
        .bind(i64::from(limit))
        .fetch_all(&self.readers)
        .await?;
        let (due, forgotten): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|(_, asked_at)| *asked_at >= asked_since.seconds());
        if !forgotten.is_empty() {
            self.unschedule(forgotten, asked_since).await?;
        }
        Ok(due.iter().filter_map(|(key, _)| FeedKey::from_bytes(key)).collect())
    }

    /// Without this the feeds nobody wants any more would stand before the others for ever.
    async fn unschedule(
        &self,
        feeds: Vec<(Vec<u8>, i64)>,
        asked_since: Timestamp,
    ) -> Result<(), StoreError> {
        let mut query = QueryBuilder::new("UPDATE feed SET scheduled = 0 WHERE asked_at < ");
        query.push_bind(asked_since.seconds()).push(" AND key IN (");
        let mut keys = query.separated(", ");
        for (key, _) in feeds {
            keys.push_bind(key);
        }
        query.push(")").build().execute(&self.writer).await?;
        Ok(())
    }
}

pub(super) const FEED: &str = "SELECT * FROM feed WHERE key = $1";

/// Row values follow the index, so that the cost does not depend on how deep a page lies.
pub(super) const PAGE: &str = "SELECT id, published, changed_at, json FROM item \
     WHERE feed = $1 AND (published, id) < ($2, $3) \
     ORDER BY published DESC, id DESC LIMIT $4";

/// One variable for any number of ids: SQLite stops at 32766 of them.
pub(super) fn json_list(ids: &[&str]) -> Result<String, StoreError> {
    serde_json::to_string(ids).map_err(|_| StoreError::Damaged { what: "list of ids" })
}
