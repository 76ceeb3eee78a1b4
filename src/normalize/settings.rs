//! What an operator may choose about the conversion.

use serde::{Deserialize, Serialize};

/// Settings of section `normalize`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether HTML in descriptions is cleaned before it is stored (MMSP 12.2 asks clients to
    /// clean it again).
    pub sanitize: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { sanitize: true }
    }
}
