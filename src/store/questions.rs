//! The questions that every database answers in the same words.
//!
//! A macro and not generics: what `sqlx` asks of a database in general takes more lines to write
//! down than the questions. A store has `reader()` and `writer()`, the pools to ask, and `begin()`
//! for a transaction that reads before it writes; `list`, which makes one variable of many ids, and
//! the statements with such a list, `KNOWN_ITEMS` and `CHAPTER_FILES`, are its own.

/// Writes the questions for a store; those that write to many rows at once are each store's own.
macro_rules! answer_questions {
    ($store:ty) => {
        impl $store {
            pub(in crate::store) async fn find_feed(
                &self,
                url: &SourceUrl,
            ) -> Result<Option<FeedRecord>, StoreError> {
                let query = sqlx::query_as(sql::FEED_OF_URL).bind(url.as_str());
                let row: Option<FeedRow> = query.fetch_optional(self.reader()).await?;
                row.map(FeedRecord::try_from).transpose()
            }

            pub(in crate::store) async fn find_feed_by_key(
                &self,
                key: &FeedKey,
            ) -> Result<Option<FeedRecord>, StoreError> {
                let query = sqlx::query_as(sql::FEED).bind(key.as_bytes());
                let row: Option<FeedRow> = query.fetch_optional(self.reader()).await?;
                row.map(FeedRecord::try_from).transpose()
            }

            pub(in crate::store) async fn known_items(
                &self,
                feed: &FeedKey,
                ids: &[&str],
            ) -> Result<HashMap<String, KnownItem>, StoreError> {
                let query = sqlx::query_as(KNOWN_ITEMS).bind(feed.as_bytes()).bind(list(ids));
                let rows: Vec<KnownRow> = query.fetch_all(self.reader()).await?;
                rows.into_iter().map(TryFrom::try_from).collect()
            }

            pub(in crate::store) async fn oldest(
                &self,
                feed: &FeedKey,
            ) -> Result<Option<Position>, StoreError> {
                let query = sqlx::query_as(sql::OLDEST).bind(feed.as_bytes());
                Ok(query.fetch_optional(self.reader()).await?.map(row::position))
            }

            pub(in crate::store) async fn stretch(
                &self,
                feed: &FeedKey,
                below: Option<&Position>,
                span: &Span,
            ) -> Result<Stretch, StoreError> {
                let (published, id) = row::below(below);
                let mut rows = pin!(
                    sqlx::query_as::<_, (String, i64, i64, String)>(sql::PAGE)
                        .bind(feed.as_bytes())
                        .bind(published)
                        .bind(id)
                        .bind(i64::try_from(span.rows()).unwrap_or(i64::MAX))
                        .fetch(self.reader())
                );
                let mut stretch = Stretch::default();
                while let Some((id, published, changed_at, json)) = rows.try_next().await? {
                    let entry = Entry { position: row::position((published, id)), json };
                    let changed_at = Timestamp::saturating(changed_at);
                    if stretch.offer(span, entry, changed_at).is_break() {
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
                let query = sqlx::query_as(sql::DUE).bind(now.seconds()).bind(i64::from(limit));
                let rows: Vec<(Vec<u8>, i64)> = query.fetch_all(self.reader()).await?;
                let (due, unwanted): (Vec<_>, Vec<_>) =
                    rows.into_iter().partition(|(_, asked_at)| *asked_at >= asked_since.seconds());
                if !unwanted.is_empty() {
                    let keys = unwanted.into_iter().map(|(key, _)| key).collect();
                    self.unschedule(keys, asked_since).await?;
                }
                Ok(due.iter().filter_map(|(key, _)| FeedKey::from_bytes(key)).collect())
            }

            pub(in crate::store) async fn touch(
                &self,
                record: &FeedRecord,
                now: Timestamp,
            ) -> Result<Option<FeedRecord>, StoreError> {
                let row: Option<(i64, i64)> = sqlx::query_as(sql::TOUCH)
                    .bind(record.key.as_bytes())
                    .bind(row::head(record)?)
                    .bind(row::state(record)?)
                    .bind(record.schedule.next_poll_at.seconds())
                    .bind(now.seconds())
                    .fetch_optional(self.writer())
                    .await?;
                Ok(row.map(|row| row::touched(record, row)))
            }

            pub(in crate::store) async fn replace_item(
                &self,
                feed: &FeedKey,
                id: &str,
                (before, after): (&str, &str),
                now: Timestamp,
            ) -> Result<bool, StoreError> {
                let bytes = |json: &str| i64::try_from(json.len()).unwrap_or(i64::MAX);
                let mut transaction = self.begin().await?;
                // The feed's row first, as a merge takes them.
                sqlx::query(sql::COUNT_REPLACED)
                    .bind(feed.as_bytes())
                    .bind(bytes(after) - bytes(before))
                    .execute(&mut *transaction)
                    .await?;
                let query = sqlx::query(sql::REPLACE_ITEM).bind(feed.as_bytes()).bind(id);
                let query = query.bind(before).bind(after).bind(now.seconds());
                let rows = query.execute(&mut *transaction).await?.rows_affected();
                if rows > 0 {
                    transaction.commit().await?;
                }
                Ok(rows > 0)
            }

            pub(in crate::store) async fn add_alias(
                &self,
                feed: &FeedKey,
                url: &SourceUrl,
            ) -> Result<(), StoreError> {
                let query = sqlx::query(sql::WRITE_ALIAS).bind(url.as_str()).bind(feed.as_bytes());
                query.execute(self.writer()).await?;
                Ok(())
            }

            pub(in crate::store) async fn older_document(
                &self,
                feed: &FeedKey,
                url: &SourceUrl,
            ) -> Result<Option<OlderDocument>, StoreError> {
                let query = sqlx::query_as(sql::OLDER_DOCUMENT);
                let query = query.bind(feed.as_bytes()).bind(url.as_str());
                let row: Option<OlderRow> = query.fetch_optional(self.reader()).await?;
                Ok(row.map(OlderDocument::from))
            }

            pub(in crate::store) async fn put_older_document(
                &self,
                feed: &FeedKey,
                url: &SourceUrl,
                document: &OlderDocument,
            ) -> Result<(), StoreError> {
                sqlx::query(sql::WRITE_OLDER_DOCUMENT)
                    .bind(feed.as_bytes())
                    .bind(url.as_str())
                    .bind(document.validators.etag.as_deref())
                    .bind(document.validators.last_modified.as_deref())
                    .bind(i64::from(document.is_archive))
                    .bind(document.read_at.seconds())
                    .execute(self.writer())
                    .await?;
                let trim = sqlx::query(sql::TRIM_OLDER_DOCUMENTS).bind(feed.as_bytes());
                trim.execute(self.writer()).await?;
                Ok(())
            }

            pub(in crate::store) async fn chapter_files(
                &self,
                feed: &FeedKey,
                urls: &[&str],
            ) -> Result<HashMap<String, ChapterFile>, StoreError> {
                let query = sqlx::query_as(CHAPTER_FILES).bind(feed.as_bytes()).bind(list(urls));
                let rows: Vec<ChapterRow> = query.fetch_all(self.reader()).await?;
                Ok(rows.into_iter().map(Into::into).collect())
            }

            pub(in crate::store) async fn put_chapter_file(
                &self,
                feed: &FeedKey,
                url: &str,
                file: &ChapterFile,
            ) -> Result<(), StoreError> {
                sqlx::query(sql::WRITE_CHAPTER_FILE)
                    .bind(feed.as_bytes())
                    .bind(url)
                    .bind(file.json.as_deref())
                    .bind(file.fetched_at.seconds())
                    .execute(self.writer())
                    .await?;
                let trim = sqlx::query(sql::TRIM_CHAPTER_FILES).bind(feed.as_bytes());
                trim.execute(self.writer()).await?;
                Ok(())
            }

            pub(in crate::store) async fn lease(
                &self,
                key: &FeedKey,
                owner: &str,
                now: Timestamp,
                until: Timestamp,
            ) -> Result<Lease, StoreError> {
                let taken: Option<(String,)> = sqlx::query_as(sql::LEASE)
                    .bind(key.as_bytes())
                    .bind(owner)
                    .bind(until.seconds())
                    .bind(now.seconds())
                    .fetch_optional(self.writer())
                    .await?;
                if taken.is_some() {
                    return Ok(Lease::Ours);
                }
                let query = sqlx::query_as(sql::LEASE_WORD).bind(key.as_bytes());
                let row: Option<(Option<String>,)> = query.fetch_optional(self.writer()).await?;
                Ok(Lease::Theirs { word: row.and_then(|(word,)| word) })
            }

            pub(in crate::store) async fn release(
                &self,
                key: &FeedKey,
                owner: &str,
            ) -> Result<(), StoreError> {
                let query = sqlx::query(sql::RELEASE).bind(key.as_bytes()).bind(owner);
                query.execute(self.writer()).await?;
                Ok(())
            }

            pub(in crate::store) async fn leave_word(
                &self,
                key: &FeedKey,
                owner: &str,
                word: &str,
                until: Timestamp,
            ) -> Result<(), StoreError> {
                sqlx::query(sql::LEAVE_WORD)
                    .bind(key.as_bytes())
                    .bind(owner)
                    .bind(word)
                    .bind(until.seconds())
                    .execute(self.writer())
                    .await?;
                Ok(())
            }

            pub(in crate::store) async fn check(&self) -> Result<(), StoreError> {
                sqlx::query("SELECT 1 FROM feed LIMIT 1").execute(self.reader()).await?;
                Ok(())
            }
        }
    };
}
pub(super) use answer_questions;
