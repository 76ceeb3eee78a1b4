//! What goes: feeds that were forgotten, and what is more than there is room for.
//!
//! The doors, and the questions behind them in the same words for every database; see `questions`.

use super::{Excess, FeedSize, Store, StoreError};
use crate::model::{FeedKey, Timestamp};

impl Store {
    /// Forgets a feed with everything that is stored of it: at once for everyone who asks, while
    /// its items go by [`Store::sweep_forgotten`]. A poll that began before cannot bring it back.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn forget(&self, feed: &FeedKey, now: Timestamp) -> Result<(), StoreError> {
        ask!(self, store => store.forget(feed, now))
    }

    /// Feeds that were forgotten since then.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn forgotten(&self, since: Timestamp) -> Result<Vec<FeedKey>, StoreError> {
        ask!(self, store => store.forgotten(since))
    }

    /// Deletes so many items of a feed that was forgotten, and says how many it were: 0 once none
    /// are left of any.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn sweep_forgotten(&self, limit: u32) -> Result<u64, StoreError> {
        ask!(self, store => store.sweep_forgotten(limit))
    }

    /// Clears away tombstones whose items are gone, and leases that ran out, from before then.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn clear_old(&self, before: Timestamp) -> Result<(), StoreError> {
        ask!(self, store => store.clear_old(before))
    }

    /// What feeds take, in the order of their keys.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn sizes(
        &self,
        after: Option<&FeedKey>,
        limit: u32,
    ) -> Result<Vec<FeedSize>, StoreError> {
        ask!(self, store => store.sizes(after, limit))
    }

    /// The feeds that nobody asked for the longest.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn least_asked(&self, limit: u32) -> Result<Vec<FeedSize>, StoreError> {
        ask!(self, store => store.least_asked(limit))
    }

    /// Deletes the oldest items of a feed that is too large, so many at most, and says how many it
    /// were. What the source itself shows stays: it would be back with the next poll.
    ///
    /// # Errors
    /// The database cannot be written.
    pub async fn trim(
        &self,
        feed: &FeedKey,
        excess: Excess,
        limit: u32,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        ask!(self, store => store.trim(feed, excess, limit, now))
    }
}

/// Writes the questions for a store.
macro_rules! answer_forgetting {
    ($store:ty) => {
        impl $store {
            pub(in crate::store) async fn forget(
                &self,
                feed: &FeedKey,
                now: Timestamp,
            ) -> Result<(), StoreError> {
                let mut transaction = self.begin().await?;
                let tombstone = sqlx::query(sql::WRITE_TOMBSTONE);
                let tombstone = tombstone.bind(feed.as_bytes()).bind(now.seconds());
                tombstone.execute(&mut *transaction).await?;
                for forget in sql::FORGET {
                    sqlx::query(forget).bind(feed.as_bytes()).execute(&mut *transaction).await?;
                }
                Ok(transaction.commit().await?)
            }

            pub(in crate::store) async fn forgotten(
                &self,
                since: Timestamp,
            ) -> Result<Vec<FeedKey>, StoreError> {
                let query = sqlx::query_as("SELECT feed FROM tombstone WHERE forgotten_at >= $1");
                let rows: Vec<(Vec<u8>,)> =
                    query.bind(since.seconds()).fetch_all(self.reader()).await?;
                Ok(rows.iter().filter_map(|(key,)| FeedKey::from_bytes(key)).collect())
            }

            pub(in crate::store) async fn sweep_forgotten(
                &self,
                limit: u32,
            ) -> Result<u64, StoreError> {
                let query = sqlx::query_as("SELECT feed FROM tombstone WHERE swept = 0 LIMIT 1");
                let row: Option<(Vec<u8>,)> = query.fetch_optional(self.reader()).await?;
                let Some((feed,)) = row else { return Ok(0) };
                let mut transaction = self.begin().await?;
                // Read again by somebody in the meantime: then its items are new ones.
                let query = sqlx::query_as(sql::TOMBSTONE).bind(&feed);
                let row: Option<(i64, i64)> = query.fetch_optional(&mut *transaction).await?;
                let mut gone = 0;
                if row.is_some_and(|(_, swept)| swept == 0) {
                    let query = sqlx::query(sql::FORGET_SOME_ITEMS).bind(&feed);
                    let query = query.bind(i64::from(limit));
                    gone = query.execute(&mut *transaction).await?.rows_affected();
                    if gone < u64::from(limit) {
                        let mark = sqlx::query(sql::MARK_SWEPT).bind(&feed);
                        mark.execute(&mut *transaction).await?;
                    }
                }
                transaction.commit().await?;
                Ok(gone)
            }

            pub(in crate::store) async fn clear_old(
                &self,
                before: Timestamp,
            ) -> Result<(), StoreError> {
                for old in sql::DELETE_OLD {
                    sqlx::query(old).bind(before.seconds()).execute(self.writer()).await?;
                }
                Ok(())
            }

            pub(in crate::store) async fn sizes(
                &self,
                after: Option<&FeedKey>,
                limit: u32,
            ) -> Result<Vec<FeedSize>, StoreError> {
                let after = after.map_or([].as_slice(), FeedKey::as_bytes);
                let query = sqlx::query_as(sql::SIZES).bind(after).bind(i64::from(limit));
                let rows: Vec<SizeRow> = query.fetch_all(self.reader()).await?;
                rows.into_iter().map(FeedSize::try_from).collect()
            }

            pub(in crate::store) async fn least_asked(
                &self,
                limit: u32,
            ) -> Result<Vec<FeedSize>, StoreError> {
                let query = sqlx::query_as(sql::LEAST_ASKED).bind(i64::from(limit));
                let rows: Vec<SizeRow> = query.fetch_all(self.reader()).await?;
                rows.into_iter().map(FeedSize::try_from).collect()
            }

            pub(in crate::store) async fn trim(
                &self,
                feed: &FeedKey,
                excess: Excess,
                limit: u32,
                now: Timestamp,
            ) -> Result<u64, StoreError> {
                let mut transaction = self.begin().await?;
                let query = sqlx::query_as(sql::FEED).bind(feed.as_bytes());
                let row: Option<FeedRow> = query.fetch_optional(&mut *transaction).await?;
                let Some(record) = row.map(FeedRecord::try_from).transpose()? else {
                    return Ok(0);
                };
                let (published, id) = row::below(record.floor.as_ref());
                let oldest: Vec<(i64, String, i64)> = sqlx::query_as(sql::OLDEST_BELOW)
                    .bind(feed.as_bytes())
                    .bind(published)
                    .bind(id)
                    .bind(i64::from(limit))
                    .fetch_all(&mut *transaction)
                    .await?;
                let Some((published, id)) = excess.last_to_go(oldest) else { return Ok(0) };
                let query = sqlx::query_scalar(sql::DELETE_DOWN_FROM).bind(feed.as_bytes());
                let sizes: Vec<i64> =
                    query.bind(published).bind(id).fetch_all(&mut *transaction).await?;
                let items = i64::try_from(sizes.len()).unwrap_or(i64::MAX);
                sqlx::query(sql::COUNT_TRIMMED)
                    .bind(feed.as_bytes())
                    .bind(items)
                    .bind(sizes.iter().sum::<i64>())
                    .bind(now.seconds())
                    .execute(&mut *transaction)
                    .await?;
                transaction.commit().await?;
                Ok(sizes.len().try_into().unwrap_or(u64::MAX))
            }
        }
    };
}
pub(super) use answer_forgetting;
