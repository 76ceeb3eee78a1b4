//! What an item needs to know of its feed.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use url::Url;

use super::Settings;
use super::html::Sanitizer;
use crate::model::{
    ContentRating, HttpsUrl, LanguageTag, Source, SourceType, SourceUrl, Timestamp, Uri,
};

/// The feed as its items see it.
#[derive(Debug)]
pub(crate) struct Context {
    pub settings: Settings,
    pub now: Timestamp,
    /// The date of the first item without one.
    pub undated: Timestamp,
    pub source: Arc<Source>,
    /// The address that the feed was first known by: namespace of ids that are made up.
    pub first_url: SourceUrl,
    /// Where relative addresses start that no `xml:base` speaks for.
    pub base: Url,
    pub page: Option<HttpsUrl>,
    pub feed_url: Option<HttpsUrl>,
    pub title: String,
    pub language: Option<LanguageTag>,
    pub rating: Option<ContentRating>,
    pub series_id: Option<Uri>,
    /// Longest text of an entry, in bytes.
    pub max_text_bytes: usize,
    /// Cleans their HTML.
    pub(super) sanitizer: Sanitizer,
}

impl Context {
    /// Whether the feed is a podcast.
    pub(crate) fn is_podcast(&self) -> bool {
        self.source.r#type == SourceType::Podcast
    }

    /// A digest of everything here that shows in items: if it changes, they are made anew.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut hasher = Sha256::new();
        let settings = serde_json::to_string(&self.settings).unwrap_or_default();
        let rating = serde_json::to_string(&self.rating).unwrap_or_default();
        for part in [
            self.source.r#type.as_str(),
            &self.source.feed_url,
            &self.title,
            self.first_url.as_str(),
            self.base.as_str(),
            self.page.as_ref().map_or("", HttpsUrl::as_str),
            self.language.as_ref().map_or("", LanguageTag::as_str),
            &rating,
            self.series_id.as_ref().map_or("", Uri::as_str),
            &settings,
        ] {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        hasher.finalize().into()
    }
}
