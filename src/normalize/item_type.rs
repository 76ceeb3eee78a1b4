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

#[cfg(test)]
mod tests {
    use super::super::for_tests::{episode, item};

    fn file(name: &str, kind: &str) -> String {
        format!("<enclosure url='https://a.example/{name}' type='{kind}'/>")
    }

    #[test]
    fn the_media_tells_the_type() {
        for (name, kind, want) in [
            ("1.mp4", "video/mp4", "video"),
            ("1.mp3", "audio/mpeg", "audio"),
            ("1.jpg", "image/jpeg", "image"),
            ("1.pdf", "application/pdf", "article"),
            ("1", "application/ogg", "audio"),
            ("1", "application/x-mpegURL", "video"),
            ("1", "application/dash+xml", "video"),
        ] {
            assert_eq!(item(&file(name, kind))["type"], want, "{kind}");
        }
        assert_eq!(item("<title>x</title>")["type"], "article");
    }

    #[test]
    fn a_picture_beside_a_real_text_is_an_article_with_a_picture() {
        for (letters, want) in [(200, "image"), (201, "article")] {
            let text = format!("<description>{}</description>", "x".repeat(letters));
            let item = item(&format!("{}{text}", file("1.jpg", "image/jpeg")));
            assert_eq!(item["type"], want, "{letters}");
        }
        let text = format!("<description>{}</description>", "x".repeat(201));
        assert_eq!(item(&text)["type"], "article");
    }

    #[test]
    fn all_of_a_podcast_is_audio_but_its_video() {
        assert_eq!(episode("<title>x</title>")["type"], "audio");
        assert_eq!(episode(&file("1.mp4", "video/mp4"))["type"], "video");
        let alternate = "<podcast:alternateEnclosure type='video/mp4'>\
                         <podcast:source uri='https://a.example/1.mp4'/>\
                         </podcast:alternateEnclosure>";
        let both = format!("{}{alternate}", file("1.mp3", "audio/mpeg"));
        assert_eq!(episode(&both)["type"], "audio");
    }
}
