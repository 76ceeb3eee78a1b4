//! Media attachments, thumbnails, chapters, transcripts and captions (MMSP 6.4 to 6.8).

use serde::{Deserialize, Serialize};

use super::{HttpsUrl, LanguageTag, MimeType};

/// A media file of an item (MMSP 6.4). Numbers are below 2^63; width and height are above zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Media {
    /// Where the file is.
    pub url: HttpsUrl,
    /// What the file is.
    pub mime_type: MimeType,
    /// Size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// Length in whole seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<u64>,
    /// Width in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u64>,
    /// Height in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u64>,
    /// Bits a second, in thousands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bitrate_kbps: Option<u64>,
    /// Its place among variants of one thing; absent means primary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<MediaRole>,
    /// A description of the quality for people, such as `1080p`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality_label: Option<String>,
}

impl Media {
    /// A file of which only address and type are known.
    #[must_use]
    pub fn new(url: HttpsUrl, mime_type: MimeType) -> Self {
        Self {
            url,
            mime_type,
            size_bytes: None,
            duration: None,
            width: None,
            height: None,
            bitrate_kbps: None,
            role: None,
            quality_label: None,
        }
    }
}

/// The place of a file among variants of one thing (MMSP 6.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MediaRole {
    /// The one to play unless there is a reason for another.
    Primary,
    /// Another quality or format of the same.
    Alternate,
    /// A teaser of it.
    Preview,
}

/// A picture that stands for an item (MMSP 6.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thumbnail {
    /// Where the picture is.
    pub url: HttpsUrl,
    /// Width in pixels, above zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u64>,
    /// Height in pixels, above zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u64>,
}

/// A marked place in a recording (MMSP 6.6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chapter {
    /// Its name, not empty.
    pub title: String,
    /// Where it begins, in whole seconds from the start.
    pub start_seconds: u64,
    /// Where it ends, in whole seconds from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_seconds: Option<u64>,
    /// A picture for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_url: Option<HttpsUrl>,
}

/// The words of a recording as a document (MMSP 6.6 and 6.7).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// Where the document is.
    pub url: HttpsUrl,
    /// What the document is.
    pub mime_type: MimeType,
    /// Its language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<LanguageTag>,
}

/// Words with times, to show beside a recording (MMSP 6.7 and 6.8).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Caption {
    /// Where the file is.
    pub url: HttpsUrl,
    /// What the file is.
    pub mime_type: MimeType,
    /// Its language; `und` where nobody says.
    pub language: LanguageTag,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}
