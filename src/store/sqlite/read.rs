//! Questions that only read.

use std::collections::HashMap;
use std::pin::pin;

use futures_util::TryStreamExt as _;
use sqlx::QueryBuilder;

use super::Sqlite;
use crate::model::{FeedKey, SourceUrl, Timestamp};
use crate::paging::{Entry, Position, Span, Stretch};
use crate::store::row::{ChapterRow, FeedRow, KnownRow, OlderRow, json_list};
use crate::store::sql::{DUE, FEED, FEED_OF_URL, OLDER_DOCUMENT, PAGE};
use crate::store::{ChapterFile, FeedRecord, KnownItem, OlderDocument, StoreError};

impl Sqlite {
    pub(in crate::store) async fn find_feed(
        &self,
        url: &SourceUrl,
    ) -> Result<Option<FeedRecord>, StoreError> {
        let row: Option<FeedRow> =
            sqlx::query_as(FEED_OF_URL).bind(url.as_str()).fetch_optional(&self.readers).await?;
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
        let rows: Vec<(Vec<u8>, i64)> = sqlx::query_as(DUE)
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

    pub(in crate::store) async fn older_document(
        &self,
        feed: &FeedKey,
        url: &SourceUrl,
    ) -> Result<Option<OlderDocument>, StoreError> {
        let query = sqlx::query_as(OLDER_DOCUMENT).bind(feed.as_bytes()).bind(url.as_str());
        let row: Option<OlderRow> = query.fetch_optional(&self.readers).await?;
        Ok(row.map(OlderDocument::from))
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
}
