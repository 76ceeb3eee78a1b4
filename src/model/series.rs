//! Membership of an item in a series (MMSP 6.8, 6.9).

use serde::{Deserialize, Serialize};

use super::Uri;

/// The series an item belongs to and its place there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What identifies the series.
    pub id: Uri,
    /// Its name, not empty.
    pub title: String,
    /// Number of the episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub episode_number: Option<u64>,
    /// Number of the season, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub season_number: Option<u64>,
}
