//! The `store` section of the settings.

use std::path::PathBuf;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::StoreError;

/// Where the memory lives.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// `sqlite:PATH`. Never printed: the URL of a database can hold a password.
    #[serde(skip_serializing)]
    pub url: SecretString,
}

impl Default for Settings {
    fn default() -> Self {
        Self { url: "sqlite:./data/mmsp-gateway.db".into() }
    }
}

/// A database, as the URL names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Location {
    Sqlite(PathBuf),
}

impl Settings {
    /// Parses the URL.
    pub(super) fn location(&self) -> Result<Location, StoreError> {
        let url = self.url.expose_secret();
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
    fn a_url_names_a_file() {
        for (url, path) in [
            ("sqlite:./data/a.db", Some("./data/a.db")),
            ("sqlite:/var/lib/a.db", Some("/var/lib/a.db")),
            ("sqlite:///var/lib/a.db", Some("/var/lib/a.db")),
            ("sqlite:", None),
            ("sqlite::memory:", None),
            ("mysql://localhost/a", None),
        ] {
            let location = Settings { url: url.into() }.location().ok();
            assert_eq!(location, path.map(|path| Location::Sqlite(path.into())), "{url}");
        }
    }

    #[test]
    fn the_url_is_not_printed() {
        assert!(!format!("{:?}", Settings::default()).contains("mmsp-gateway.db"));
    }
}
