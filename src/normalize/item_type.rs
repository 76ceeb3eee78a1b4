//! Which of MMSP's item types an entry is (10.2).

use super::description::beginning_as_plain;
use super::item::Draft;
use crate::model::{ItemType, Media, MediaRole};

impl Draft<'_, '_> {
    /// By the media, in the order of 10.2; a picture beside a real text is an article with a
    /// picture, and everything in a podcast is audio unless its media says video. Other forms of
    /// the same do not count.
    pub(super) fn item_type(&self, media: &[Media], description: Option<&String>) -> ItemType {
        if self.entry.live.is_some() {
            return ItemType::Livestream;
        }
        if self.entry.youtube_id.is_some() {
            let links = self.entry.links.iter();
            let is_short = links.clone().any(|link| link.href.value.contains("/shorts/"));
            return if is_short { ItemType::Short } else { ItemType::Video };
        }
        let own = || media.iter().filter(|file| file.role != Some(MediaRole::Alternate));
        let has = |kind: &str| own().any(|file| kind_of(file) == kind);
        if has("video") {
            ItemType::Video
        } else if has("audio") || self.context.is_podcast() {
            ItemType::Audio
        } else if has("image") && beginning_as_plain(description).chars().count() <= REAL_TEXT {
            ItemType::Image
        } else {
            ItemType::Article
        }
    }
}

/// Characters from which on a text is the thing and the picture beside it an illustration.
const REAL_TEXT: usize = 200;

/// `application/ogg` and streaming playlists are media too.
pub(super) fn kind_of(file: &Media) -> &str {
    match file.mime_type.as_str() {
        "application/ogg" | "application/x-ogg" => "audio",
        "application/x-mpegurl" | "application/vnd.apple.mpegurl" | "application/dash+xml" => {
            "video"
        }
        _ => file.mime_type.kind(),
    }
}
