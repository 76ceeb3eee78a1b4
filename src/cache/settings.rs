//! The `cache` section of the settings.

use serde::{Deserialize, Serialize};

use crate::bounds::{ANY, between};

/// How much memory the caches may take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Most bytes of rendered pages and what belongs to them.
    #[serde(deserialize_with = "between::<1_048_576, ANY, _, _>")]
    pub max_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_bytes: 128 << 20 }
    }
}
