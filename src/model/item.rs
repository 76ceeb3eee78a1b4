//! An item of a manifest (MMSP 6).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    Author, Caption, Chapter, ContentRating, GeoRestriction, HttpsUrl, LanguageTag, Media,
    Original, Paywall, Series, Source, Thumbnail, Timestamp, Transcript, Uri,
};

/// One piece of content. Members without a value are left out of the JSON (MMSP 10.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// What identifies it, for life.
    pub id: Uri,
    /// What it is.
    pub r#type: ItemType,
    /// Its title as plain text, not empty.
    pub title: String,
    /// Its page, or the nearest thing there is to one.
    pub url: HttpsUrl,
    /// When it was published: the ordering position, fixed at first sight (MMSP 5.5.2).
    pub published: Timestamp,
    /// When it last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated: Option<Timestamp>,
    /// Text or HTML about it or of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Who made it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<Author>,
    /// What it is filed under.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Its language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<LanguageTag>,
    /// Length in whole seconds; for video, audio, short and livestream only (MMSP 6.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<u64>,
    /// Its files, the main one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<Media>,
    /// Pictures that stand for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thumbnail: Vec<Thumbnail>,
    /// Marked places in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chapters: Vec<Chapter>,
    /// Its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<Transcript>,
    /// Its words with times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub captions: Vec<Caption>,
    /// The series it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
    /// Its classification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_rating: Option<ContentRating>,
    /// SPDX identifier or URI of its licence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// Where it may be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geo_restriction: Option<GeoRestriction>,
    /// Whether it has to be paid for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paywall: Option<Paywall>,
    /// How far a livestream is; on nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live_status: Option<LiveStatus>,
    /// When a livestream or event begins; on nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled_start: Option<Timestamp>,
    /// When it may be gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// The address that clients tell sameness by (MMSP 6.14).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical_url: Option<HttpsUrl>,
    /// A teaser of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview_url: Option<HttpsUrl>,
    /// The feed it came from.
    pub source: Arc<Source>,
    /// What the source said that has no place above, by qualified name.
    #[serde(default, skip_serializing_if = "Original::is_empty")]
    pub original: Original,
}

/// Every item type of MMSP 6.3, by its word.
pub const ITEM_TYPES: [&str; 12] = [
    "video",
    "audio",
    "article",
    "image",
    "short",
    "document",
    "gallery",
    "event",
    "release",
    "newsletter",
    "course",
    "livestream",
];

/// The item types of MMSP 6.3 that a legacy feed can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemType {
    /// Long-form video.
    Video,
    /// A recording to listen to.
    Audio,
    /// Text.
    Article,
    /// One picture.
    Image,
    /// Short-form video.
    Short,
    /// A stream, to come, running or over.
    Livestream,
}

/// How far a livestream is (MMSP 6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LiveStatus {
    /// Announced.
    Upcoming,
    /// Running.
    Live,
    /// Over.
    Ended,
    /// Over, with a recording.
    Archived,
}
