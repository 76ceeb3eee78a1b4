//! Where an item came from (MMSP 6.13, 7).

use serde::{Deserialize, Serialize};

/// The source feed of a normalized item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// Which kind of source it is.
    pub r#type: SourceType,
    /// The address that the feed was really read from, `http` where it was.
    pub feed_url: String,
    /// The feed's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feed_title: Option<String>,
}

/// The source types of MMSP 7 that a legacy feed can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceType {
    /// RSS of any version that is not a podcast.
    Rss,
    /// Atom.
    Atom,
    /// RSS with podcast elements and recordings.
    Podcast,
    /// JSON Feed: the draft's list is closed and has no other name for it.
    Platform,
}

impl SourceType {
    /// Every type, for tables that must be complete.
    pub const ALL: [Self; 4] = [Self::Rss, Self::Atom, Self::Podcast, Self::Platform];

    /// The word the draft uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rss => "rss",
            Self::Atom => "atom",
            Self::Podcast => "podcast",
            Self::Platform => "platform",
        }
    }
}
