//! The `store` section of the settings.

use std::path::PathBuf;
use std::str::FromStr as _;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sqlx::postgres::PgConnectOptions;

use super::StoreError;
use crate::bounds::between;

/// Where the memory lives, and how much it keeps.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// `sqlite:PATH` or `postgres://…`. Never printed: the URL of a database can hold a password.
    #[serde(skip_serializing)]
    pub url: SecretString,
    /// Most connections to PostgreSQL, two or more.
    #[serde(deserialize_with = "between::<2, 10_000, _, _>")]
    pub max_connections: u32,
    /// How long a question waits for a connection to PostgreSQL, in seconds.
    #[serde(deserialize_with = "between::<1, 3_600, _, _>")]
    pub connect_timeout_seconds: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            url: "sqlite:./data/mmsp-gateway.db".into(),
            max_connections: 10,
            connect_timeout_seconds: 5,
        }
    }
}

/// A database, as the URL names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Location {
    Sqlite(PathBuf),
    Postgres,
}

impl Settings {
    /// Parses the URL.
    pub(super) fn location(&self) -> Result<Location, StoreError> {
        let url = self.url.expose_secret();
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return PgConnectOptions::from_str(url)
                .map(|_| Location::Postgres)
                .map_err(|_| StoreError::Url);
        }
        let path = url.strip_prefix("sqlite:").ok_or(StoreError::Url)?;
        let path = path.strip_prefix("//").unwrap_or(path);
        // A question mark begins options, and `:memory:` would be another database for each
        // connection: neither is a file.
        if path.is_empty() || path.contains(['?', '\0']) || path.contains(":memory:") {
            return Err(StoreError::Url);
        }
        Ok(Location::Sqlite(path.into()))
    }

    /// Whether the URL names a database that this program knows.
    ///
    /// # Errors
    /// Says what it must look like.
    pub fn check(&self) -> Result<(), StoreError> {
        self.location().map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_file_or_a_server() {
        let file = |path: &str| Some(Location::Sqlite(path.into()));
        for (url, location) in [
            ("sqlite:./data/a.db", file("./data/a.db")),
            ("sqlite:/var/lib/a.db", file("/var/lib/a.db")),
            ("sqlite:///var/lib/a.db", file("/var/lib/a.db")),
            ("postgres://a:b@db.example:5433/c?sslmode=require", Some(Location::Postgres)),
            ("postgresql:///c?host=/run/postgresql", Some(Location::Postgres)),
            ("postgres://a@b:port/c", None),
            ("postgres://a/c?sslmode=perhaps", None),
            ("sqlite:", None),
            ("sqlite::memory:", None),
            ("mysql://localhost/a", None),
        ] {
            let settings = Settings { url: url.into(), ..Settings::default() };
            assert_eq!(settings.location().ok(), location, "{url}");
        }
    }

    #[test]
    fn the_url_is_not_printed() {
        assert!(!format!("{:?}", Settings::default()).contains("mmsp-gateway.db"));
    }
}
