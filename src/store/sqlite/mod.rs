//! The store in SQLite: one file, write-ahead log, one writer, many readers.
//!
//! Whatever reads before it writes begins with `BEGIN IMMEDIATE`: a deferred transaction that
//! finds itself behind fails at once, and no busy timeout applies.

mod many;
mod merge;

use std::collections::HashMap;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{QueryBuilder, SqlitePool, Transaction};
use tokio::time::{Instant, sleep};

use super::dump::{AliasLine, ChapterLine, FeedLine, ItemLine, Line, OlderLine};
use super::dump_questions::answer_dump_questions;
use super::forgetting::answer_forgetting;
use super::questions::answer_questions;
use super::row::{self, ChapterRow, FeedRow, KnownRow, OlderRow, SizeRow};
use super::{
    ChapterFile, Excess, FeedRecord, FeedSize, Info, KnownItem, Lease, OlderDocument, StoreError,
    sql,
};
use crate::model::{FeedKey, SourceUrl, Timestamp};
use crate::paging::{Entry, Position, Span, Stretch};
use many::{CHAPTER_FILES, KNOWN_ITEMS, list};

/// Two pools on one file.
#[derive(Clone, Debug)]
pub struct Sqlite {
    writer: SqlitePool,
    readers: SqlitePool,
}

impl Sqlite {
    pub(super) async fn open(path: &Path) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            tokio::fs::create_dir_all(folder).await.map_err(StoreError::Folder)?;
        }
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .busy_timeout(BUSY)
            .pragma("cache_size", CACHE);
        let writer = connect(1, options.clone().create_if_missing(true)).await?;
        migrate(&writer).await?;
        let readers = connect(READERS, options.read_only(true)).await?;
        Ok(Self { writer, readers })
    }

    fn reader(&self) -> &SqlitePool {
        &self.readers
    }

    fn writer(&self) -> &SqlitePool {
        &self.writer
    }

    async fn begin(&self) -> Result<Transaction<'static, sqlx::Sqlite>, sqlx::Error> {
        match self.writer.begin_with(BEGIN).await {
            // When the disk failed, SQLite itself took the last transaction back, and the
            // connection still believes to be inside of it.
            Err(sqlx::Error::InvalidSavePointStatement) => {
                self.writer.acquire().await?.close().await?;
                self.writer.begin_with(BEGIN).await
            }
            begun => begun,
        }
    }

    pub(super) async fn close(&self) -> Result<(), StoreError> {
        self.readers.close().await;
        self.writer.close().await;
        Ok(())
    }
}

answer_questions!(Sqlite);
answer_forgetting!(Sqlite);
answer_dump_questions!(Sqlite, sqlx::Sqlite);

static MIGRATOR: Migrator = sqlx::migrate!("src/store/migrations/sqlite");

/// Takes the lock at once, for what reads before it writes.
const BEGIN: &str = "BEGIN IMMEDIATE";
const READERS: u32 = 4;
/// How long to wait for another process that writes.
const BUSY: Duration = Duration::from_secs(5);
/// How long to pause before a busy file is tried again.
const PAUSE: Duration = Duration::from_millis(20);
/// How long to wait for a connection of our own.
const ACQUIRE: Duration = Duration::from_secs(5);
/// Kibibytes of page cache for each connection, as SQLite wants it spelled.
const CACHE: &str = "-2048";

fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(ACQUIRE)
        .idle_timeout(None)
        .max_lifetime(None)
}

/// Opens the file; while another process turns it to its write-ahead log, SQLite answers "busy" at
/// once, whatever the timeout.
async fn connect(
    connections: u32,
    options: SqliteConnectOptions,
) -> Result<SqlitePool, sqlx::Error> {
    let patience = Instant::now() + BUSY;
    loop {
        match pool(connections).connect_with(options.clone()).await {
            Err(error) if is_busy(&error) && Instant::now() < patience => sleep(PAUSE).await,
            done => return done,
        }
    }
}

/// SQLite's result code 5, with whatever detail in the higher bits.
fn is_busy(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.and_then(|code| code.parse::<u32>().ok()).is_some_and(|code| code & 0xff == 5)
}

/// Of several processes that start at once the first migrates and the others wait: sqlx takes no
/// lock of its own on SQLite.
async fn migrate(writer: &SqlitePool) -> Result<(), StoreError> {
    let mut transaction = writer.begin_with(BEGIN).await?;
    MIGRATOR.run(&mut *transaction).await?;
    Ok(transaction.commit().await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::story;
    use crate::store::{Settings, Store};

    fn path(folder: &tempfile::TempDir) -> std::path::PathBuf {
        folder.path().join("deep/down/store.db")
    }

    fn settings(folder: &tempfile::TempDir) -> Settings {
        let path = path(folder);
        Settings { url: format!("sqlite:{}", path.display()).into(), ..Settings::default() }
    }

    #[tokio::test]
    async fn the_store_keeps_its_promises() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&settings(&folder)).await.unwrap();
        story::tell(&store).await;
        store.close().await;
        let store = Store::open(&settings(&folder)).await.unwrap();
        story::recall(&store).await;
    }

    #[tokio::test]
    async fn many_may_start_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(&folder);
        let starts = (0..8).map(|_| Store::open(&settings));
        for store in futures_util::future::join_all(starts).await {
            store.unwrap().check().await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_schema_of_a_newer_program_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(&path(&folder)).await.unwrap();
        let newer = "INSERT INTO _sqlx_migrations \
             (version, description, success, checksum, execution_time) VALUES (9999, '', 1, x'', 0)";
        sqlx::query(newer).execute(&store.writer).await.unwrap();
        store.close().await.unwrap();
        let error = Store::open(&settings(&folder)).await.unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 9999 }), "{error}");
    }

    #[tokio::test]
    async fn a_poll_that_brought_nothing_is_one_row() {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(&path(&folder)).await.unwrap();
        let record = story::merged(&Store::Sqlite(store.clone())).await;
        let rows = async || {
            let count: (i64,) =
                sqlx::query_as("SELECT total_changes()").fetch_one(&store.writer).await.unwrap();
            count.0
        };
        let before = rows().await;
        store.touch(&record, Timestamp::saturating(2000)).await.unwrap().unwrap();
        assert_eq!(rows().await - before, 1);
    }

    #[tokio::test]
    async fn a_page_is_found_by_the_index_without_sorting() {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(&path(&folder)).await.unwrap();
        let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(sqlx::AssertSqlSafe(format!(
            "EXPLAIN QUERY PLAN {}",
            crate::store::sql::PAGE
        )))
        .bind([0_u8].as_slice())
        .bind(0_i64)
        .bind("")
        .bind(1_i64)
        .fetch_all(&store.readers)
        .await
        .unwrap();
        let steps: Vec<&str> = plan.iter().map(|step| step.3.as_str()).collect();
        assert_eq!(steps, ["SEARCH item USING INDEX item_page (feed=? AND (published,id)<(?,?))"]);
    }
}
