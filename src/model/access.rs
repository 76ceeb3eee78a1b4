//! Who may see an item: rating, region, price (MMSP 6.9 to 6.12).

use serde::{Deserialize, Serialize};

/// The classification of an item (MMSP 6.10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentRating {
    /// The class.
    pub rating: Rating,
    /// The system that the source rates by, such as `mpaa`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
}

/// The classes that MMSP defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rating {
    /// For everybody.
    General,
    /// From about thirteen.
    Teen,
    /// For grown-ups.
    Mature,
    /// Explicit.
    Explicit,
}

/// Where an item may be seen (MMSP 6.11).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeoRestriction {
    /// Whether the regions are the allowed or the blocked ones.
    pub r#type: GeoRestrictionType,
    /// ISO 3166-1 alpha-2 codes in upper case, at least one.
    pub regions: Vec<String>,
}

/// How the regions of a [`GeoRestriction`] are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GeoRestrictionType {
    /// Only there.
    Allowlist,
    /// Everywhere but there.
    Blocklist,
}

/// Whether an item has to be paid for (MMSP 6.12).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paywall {
    /// Whether the whole has to be paid for.
    pub paywalled: bool,
    /// Whether a part is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview_available: Option<bool>,
}
