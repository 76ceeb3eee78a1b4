//! The questions of export and import, in the same words for every database; see `questions`.

/// Writes the questions for a store.
macro_rules! answer_dump_questions {
    ($store:ty, $database:ty) => {
        impl $store {
            pub(in crate::store) async fn info(&self) -> Result<Info, StoreError> {
                let (feeds, items, bytes) =
                    sqlx::query_as(sql::INFO).fetch_one(self.reader()).await?;
                Ok(Info { feeds, items, bytes })
            }

            pub(in crate::store) async fn dump_feeds(
                &self,
                after: &[u8],
            ) -> Result<Vec<FeedLine>, StoreError> {
                let query = sqlx::query_as(sql::DUMP_FEEDS).bind(after);
                Ok(query.fetch_all(self.reader()).await?)
            }

            /// What belongs to a feed beside its items, of which there is never much.
            pub(in crate::store) async fn dump_belongings(
                &self,
                feed: &[u8],
            ) -> Result<Vec<Line>, StoreError> {
                let aliases = sqlx::query_as(sql::DUMP_ALIASES).bind(feed);
                let aliases: Vec<AliasLine> = aliases.fetch_all(self.reader()).await?;
                let older = sqlx::query_as(sql::DUMP_OLDER_DOCUMENTS).bind(feed);
                let older: Vec<OlderLine> = older.fetch_all(self.reader()).await?;
                let chapters = sqlx::query_as(sql::DUMP_CHAPTER_FILES).bind(feed);
                let chapters: Vec<ChapterLine> = chapters.fetch_all(self.reader()).await?;
                let aliases = aliases.into_iter().map(Line::Alias);
                let older = older.into_iter().map(Line::OlderDocument);
                let chapters = chapters.into_iter().map(Line::ChapterFile);
                Ok(aliases.chain(older).chain(chapters).collect())
            }

            pub(in crate::store) async fn dump_items(
                &self,
                feed: &[u8],
                after: &str,
            ) -> Result<Vec<ItemLine>, StoreError> {
                let query = sqlx::query_as(sql::DUMP_ITEMS).bind(feed).bind(after);
                Ok(query.fetch_all(self.reader()).await?)
            }

            /// Writes lines, all or none of them.
            pub(in crate::store) async fn load(&self, lines: &[Line]) -> Result<(), StoreError> {
                let mut transaction = self.begin().await?;
                load_items(&mut transaction, lines).await?;
                load_others(&mut transaction, lines).await?;
                Ok(transaction.commit().await?)
            }

            pub(in crate::store) async fn count_anew(&self) -> Result<(), StoreError> {
                sqlx::query(sql::COUNT_ANEW).execute(self.writer()).await?;
                Ok(())
            }
        }

        async fn load_items(
            connection: &mut <$database as sqlx::Database>::Connection,
            lines: &[Line],
        ) -> Result<(), StoreError> {
            let items = lines.iter().filter_map(|line| match line {
                Line::Item(item) => Some(item),
                _ => None,
            });
            let items: Vec<&ItemLine> = items.collect();
            if !items.is_empty() {
                let mut query = QueryBuilder::<$database>::new(sql::LOAD_ITEMS);
                query.push_values(items, |mut row, item| {
                    row.push_bind(item.feed.as_slice())
                        .push_bind(item.id.as_str())
                        .push_bind(item.published)
                        .push_bind(item.hash.as_slice())
                        .push_bind(item.twin)
                        .push_bind(item.mended)
                        .push_bind(item.changed_at)
                        .push_bind(item.json.as_str());
                });
                query.build().execute(connection).await?;
            }
            Ok(())
        }

        async fn load_others(
            connection: &mut <$database as sqlx::Database>::Connection,
            lines: &[Line],
        ) -> Result<(), StoreError> {
            for line in lines {
                let query = match line {
                    Line::Form(_) | Line::Item(_) | Line::End(_) => continue,
                    Line::Feed(feed) => sqlx::query(sql::LOAD_FEED)
                        .bind(feed.key.as_slice())
                        .bind(feed.first_url.as_str())
                        .bind(feed.head.as_str())
                        .bind(feed.state.as_str())
                        .bind(feed.version)
                        .bind(feed.pages_changed_at)
                        .bind(feed.next_poll_at)
                        .bind(feed.asked_at)
                        .bind(feed.scheduled),
                    Line::Alias(alias) => sqlx::query(sql::WRITE_ALIAS)
                        .bind(alias.url.as_str())
                        .bind(alias.feed.as_slice()),
                    Line::OlderDocument(older) => sqlx::query(sql::WRITE_OLDER_DOCUMENT)
                        .bind(older.feed.as_slice())
                        .bind(older.url.as_str())
                        .bind(older.etag.as_deref())
                        .bind(older.last_modified.as_deref())
                        .bind(older.is_archive)
                        .bind(older.read_at),
                    Line::ChapterFile(chapters) => sqlx::query(sql::WRITE_CHAPTER_FILE)
                        .bind(chapters.feed.as_slice())
                        .bind(chapters.url.as_str())
                        .bind(chapters.json.as_deref())
                        .bind(chapters.fetched_at),
                };
                query.execute(&mut *connection).await?;
            }
            Ok(())
        }
    };
}
pub(super) use answer_dump_questions;
