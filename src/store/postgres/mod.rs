//! The store in PostgreSQL 15 or newer, shared by as many gateways as want to.
//!
//! Nothing but prepared statements belongs to a session: no locks, no settings, so that a pooler
//! which knows those may stand between.

mod driver;
mod many;
mod merge;
#[cfg(test)]
pub(crate) mod server;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::pin::pin;
use std::str::FromStr as _;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use secrecy::ExposeSecret as _;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{PgPool, QueryBuilder, Transaction};

use super::dump::{AliasLine, ChapterLine, FeedLine, ItemLine, Line, OlderLine};
use super::dump_questions::answer_dump_questions;
use super::forgetting::answer_forgetting;
use super::questions::answer_questions;
use super::row::{self, ChapterRow, FeedRow, KnownRow, OlderRow, SizeRow};
use super::{
    ChapterFile, Excess, FeedRecord, FeedSize, Info, KnownItem, Lease, OlderDocument, Settings,
};
use super::{StoreError, sql};
use crate::model::{FeedKey, SourceUrl, Timestamp};
use crate::paging::{Entry, Position, Span, Stretch};
use driver::Driver;
use many::{CHAPTER_FILES, KNOWN_ITEMS, list};

/// A pool of connections.
#[derive(Clone, Debug)]
pub struct Postgres {
    pool: PgPool,
    driver: Driver,
}

impl Postgres {
    pub(super) async fn open(settings: &Settings) -> Result<Self, StoreError> {
        let options = PgConnectOptions::from_str(settings.url.expose_secret())
            .map_err(|_| StoreError::Url)?
            .application_name("mmsp-gateway");
        let driver = Driver::start()?;
        let opening = async {
            let pool = PgPoolOptions::new()
                .max_connections(settings.max_connections.max(LEAST_CONNECTIONS))
                .acquire_timeout(Duration::from_secs(settings.connect_timeout_seconds))
                .connect_with(options)
                .await?;
            migrate(&pool).await?;
            Ok(pool)
        };
        let pool = driver.run(opening).await?;
        Ok(Self { pool, driver })
    }

    /// Asks a question on the event loop of the connections.
    pub(super) async fn run<T>(
        &self,
        question: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        self.driver.run(question).await
    }

    fn reader(&self) -> &PgPool {
        &self.pool
    }

    fn writer(&self) -> &PgPool {
        &self.pool
    }

    async fn begin(&self) -> Result<Transaction<'static, sqlx::Postgres>, sqlx::Error> {
        self.pool.begin().await
    }

    pub(super) async fn close(&self) -> Result<(), StoreError> {
        self.pool.close().await;
        Ok(())
    }
}

answer_questions!(Postgres);
answer_forgetting!(Postgres);
answer_dump_questions!(Postgres, sqlx::Postgres);

/// A merge holds one connection; readers need another.
const LEAST_CONNECTIONS: u32 = 2;

/// Of several processes that start at once the first migrates and the others wait. The lock goes
/// with the transaction, which a pooler keeps on one session.
async fn migrate(pool: &PgPool) -> Result<(), StoreError> {
    let mut migrator: Migrator = sqlx::migrate!("src/store/migrations/postgres");
    migrator.set_locking(false);
    let mut transaction = pool.begin().await?;
    let lock = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(MIGRATION_LOCK);
    lock.execute(&mut *transaction).await?;
    migrator.run(&mut *transaction).await?;
    Ok(transaction.commit().await?)
}

/// "mmspgate", in ASCII: any number that others hardly use.
const MIGRATION_LOCK: i64 = 0x6d6d_7370_6761_7465;
