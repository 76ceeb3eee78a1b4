//! What can go wrong with the store.

use thiserror::Error;

/// Why the store did not answer. `Display` is for strangers; the cause is for the log.
#[derive(Debug, Error)]
pub enum StoreError {
    /// `store.url` names no database that this program knows.
    #[error("store.url must look like sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE")]
    Url,
    /// There is no file where one was to be looked at.
    #[error("there is no store at {0}")]
    Missing(String),
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
    /// What is imported goes into an empty store only.
    #[error("the store has feeds already; import into an empty one")]
    NotEmpty,
    /// A line of an import cannot be read.
    #[error("line {line} cannot be read: {reason}")]
    Line {
        /// Which, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The lines of an import end before their end.
    #[error("the lines break off before their end; import a whole export, into an empty store")]
    CutOff,
    /// The lines cannot be read or written.
    #[error("the lines cannot be read or written")]
    Lines(#[source] std::io::Error),
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

impl StoreError {
    /// Whether the same question may be answered in a moment: a server that restarts, a file that
    /// another process holds, a disk that is full.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Timeout => true,
            Self::Database(sqlx::Error::PoolClosed) => false,
            Self::Database(error) => match error.as_database_error() {
                Some(error) => error.code().is_some_and(|code| is_passing(&code)),
                None => matches!(
                    error,
                    sqlx::Error::Io(_)
                        | sqlx::Error::Tls(_)
                        | sqlx::Error::Protocol(_)
                        | sqlx::Error::PoolTimedOut
                        | sqlx::Error::WorkerCrashed
                ),
            },
            _ => false,
        }
    }
}

/// Classes of PostgreSQL, and result codes of SQLite with whatever detail in the higher bits.
fn is_passing(code: &str) -> bool {
    // Connection, transaction rollback, resources, operator intervention, system error.
    const CLASSES: [&str; 5] = ["08", "40", "53", "57", "58"];
    // Busy, locked, read-only, input or output, full, cannot be opened.
    const RESULTS: [u32; 6] = [5, 6, 8, 10, 13, 14];
    if code.len() == 5 && code.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return CLASSES.iter().any(|class| code.starts_with(class));
    }
    code.parse::<u32>().is_ok_and(|code| RESULTS.contains(&(code & 0xff)))
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        match error {
            sqlx::migrate::MigrateError::VersionMissing(found) => Self::Newer { found },
            other => Self::Migration(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_told_from_what_stays() {
        for (code, passes) in [
            ("57P01", true),  // the administrator stops the server
            ("40P01", true),  // a deadlock
            ("53100", true),  // PostgreSQL's disk is full
            ("08006", true),  // the connection is lost
            ("42P01", false), // no such table
            ("22021", false), // not in the encoding
            ("5", true),      // busy
            ("261", true),    // busy, recovering
            ("13", true),     // SQLite's disk is full
            ("778", true),    // a write failed
            ("11", false),    // damaged
            ("26", false),    // no database
            ("1555", false),  // a key twice
        ] {
            assert_eq!(is_passing(code), passes, "{code}");
        }
    }
}
