//! What can go wrong with the store.

use thiserror::Error;

/// Why the store did not answer. `Display` is for strangers; the cause is for the log.
#[derive(Debug, Error)]
pub enum StoreError {
    /// `store.url` names no database that this program knows.
    #[error("store.url must look like sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE")]
    Url,
    /// The folder of the database could not be made.
    #[error("the folder of the database cannot be made")]
    Folder(#[source] std::io::Error),
    /// The schema was written by a newer program.
    #[error(
        "the database was written by a newer version of this program (schema {found}); \
         start that version, or name another database in store.url"
    )]
    Newer {
        /// The version of the schema that was found.
        found: i64,
    },
    /// The schema could not be brought up to date.
    #[error("the database cannot be brought up to date")]
    Migration(#[source] sqlx::migrate::MigrateError),
    /// What was to be written is of a feed that the operator had forgotten meanwhile.
    #[error("the feed was forgotten meanwhile")]
    Forgotten,
    /// The database took too long over a question.
    #[error("the database does not answer in time")]
    Timeout,
    /// No thread can be had for the connections.
    #[error("the connections to the database cannot be driven")]
    Driver(#[source] std::io::Error),
    /// A stored value is not what this program writes.
    #[error("the database holds a damaged {what}")]
    Damaged {
        /// Which value.
        what: &'static str,
    },
    /// Anything the database itself reports.
    #[error("the database does not answer")]
    Database(#[from] sqlx::Error),
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        match error {
            sqlx::migrate::MigrateError::VersionMissing(found) => Self::Newer { found },
            other => Self::Migration(other),
        }
    }
}
