//! What a manifest says of the feed itself (MMSP 5.1, 5.2).

use serde::{Deserialize, Serialize};

use super::{HttpsUrl, LanguageTag, Timestamp, Uri};

/// The feed-level members that come from the source; addresses and paging are the page's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feed {
    /// What identifies the feed, for life.
    pub id: Uri,
    /// Its title, not empty.
    pub title: String,
    /// What it is about, as plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A picture for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<HttpsUrl>,
    /// The language of its items unless they say otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<LanguageTag>,
    /// Who makes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<Author>,
    /// What it is filed under.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The publisher's mail address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// Notice that the feed ends or has ended (MMSP 8.5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<Deprecation>,
}

/// A person or body that made something (MMSP 5.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    /// The name to show, not empty.
    pub name: String,
    /// A page about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<HttpsUrl>,
    /// A picture of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avatar: Option<HttpsUrl>,
}

impl Author {
    /// An author of whom only the name is known.
    #[must_use]
    pub fn named(name: String) -> Self {
        Self { name, url: None, avatar: None }
    }
}

/// The notice of MMSP 8.5.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deprecation {
    /// Why, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When the feed ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sunset_date: Option<Timestamp>,
}
