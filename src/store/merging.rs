//! How a poll's news is written, in the same words for every database; see `questions`.
//!
//! The module that writes it for its store has what speaks of many items at once, which differs:
//! `insert` with its `BATCH`, `list`, and the statements `FEED_TO_MERGE`, `MEASURE`, `DELETE` and
//! `DELETE_OTHERS`.

/// Writes the one question that is a transaction of many steps, for a store and its connections.
macro_rules! answer_merge {
    ($store:ty, $connection:ty) => {
        impl $store {
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
            connection: &mut $connection,
            key: &FeedKey,
        ) -> Result<Option<FeedRecord>, StoreError> {
            let query = sqlx::query_as(FEED_TO_MERGE).bind(key.as_bytes());
            let row: Option<FeedRow> = query.fetch_optional(connection).await?;
            row.map(FeedRecord::try_from).transpose()
        }

        /// Takes away what is left of a feed that was forgotten and is read again.
        async fn bury(connection: &mut $connection, merge: &Merge<'_>) -> Result<(), StoreError> {
            let key = merge.record.key.as_bytes();
            let query = sqlx::query_as(sql::TOMBSTONE).bind(key);
            let tombstone = query.fetch_optional(&mut *connection).await?;
            if is_leftover(tombstone, merge.now)? {
                for sql in [sql::FORGET_ITEMS, sql::MARK_SWEPT] {
                    sqlx::query(sql).bind(key).execute(&mut *connection).await?;
                }
            }
            Ok(())
        }

        async fn oldest(
            connection: &mut $connection,
            key: &FeedKey,
        ) -> Result<Option<Position>, StoreError> {
            let query = sqlx::query_as(sql::OLDEST).bind(key.as_bytes());
            Ok(query.fetch_optional(connection).await?.map(row::position))
        }

        async fn write_items(
            connection: &mut $connection,
            merge: &Merge<'_>,
            changes: &mut Changes,
        ) -> Result<(), StoreError> {
            let key = &merge.record.key;
            for batch in merge.items.chunks(BATCH) {
                let ids: Vec<&str> = batch.iter().map(|item| item.position.id.as_str()).collect();
                let before = measure(connection, key, &ids).await?;
                let written = insert(connection, key, batch, merge.now).await?;
                changes.write(written, before, measure(connection, key, &ids).await?);
            }
            Ok(())
        }

        /// How many of these items there are, and their bytes.
        async fn measure(
            connection: &mut $connection,
            key: &FeedKey,
            ids: &[&str],
        ) -> Result<(i64, i64), StoreError> {
            let query = sqlx::query_as(MEASURE).bind(key.as_bytes()).bind(list(ids));
            Ok(query.fetch_one(connection).await?)
        }

        async fn delete_items(
            connection: &mut $connection,
            merge: &Merge<'_>,
            changes: &mut Changes,
        ) -> Result<(), StoreError> {
            let deleted = (DELETE, Some(merge.deleted).filter(|ids| !ids.is_empty()));
            for (delete, ids) in [deleted, (DELETE_OTHERS, merge.keep_only)] {
                let Some(ids) = ids else { continue };
                let query = sqlx::query_scalar(delete).bind(merge.record.key.as_bytes());
                changes.delete(&query.bind(list(ids)).fetch_all(&mut *connection).await?);
            }
            Ok(())
        }

        async fn write_feed(
            connection: &mut $connection,
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

        async fn write_aliases(
            connection: &mut $connection,
            merge: &Merge<'_>,
        ) -> Result<(), StoreError> {
            for url in merge.aliases {
                let query = sqlx::query(sql::WRITE_ALIAS).bind(url.as_str());
                query.bind(merge.record.key.as_bytes()).execute(&mut *connection).await?;
            }
            Ok(())
        }
    };
}
pub(super) use answer_merge;
