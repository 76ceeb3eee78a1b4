//! An item as the page shows it. Lists end somewhere: a publisher may have written thousands.

use super::files::{self, FileView, Player};
use super::words::{self, Moment};
use crate::model::{
    Author, GeoRestrictionType, Item, ItemType, LanguageTag, LiveStatus, Rating, Series, Thumbnail,
    Timestamp,
};
use crate::normalize;

/// An item, in words.
#[derive(Debug)]
pub(super) struct ItemView {
    pub(super) title: String,
    pub(super) url: String,
    pub(super) lang: Option<String>,
    pub(super) kind: &'static str,
    pub(super) published: Moment,
    /// What else there is to say in a word or two.
    pub(super) facts: Vec<String>,
    pub(super) authors: Vec<AuthorView>,
    pub(super) series: Option<String>,
    /// The beginning of its text, without markup.
    pub(super) excerpt: Option<String>,
    /// A small picture beside it.
    pub(super) picture: Option<String>,
    /// What stands on a video until it plays.
    pub(super) poster: Option<String>,
    pub(super) player: Player,
    pub(super) chapters_said: String,
    pub(super) chapters: Vec<ChapterView>,
    pub(super) files: Vec<FileView>,
    pub(super) tags: Vec<String>,
}

/// Who made it.
#[derive(Debug)]
pub(super) struct AuthorView {
    pub(super) name: String,
    pub(super) href: Option<String>,
}

/// A marked place.
#[derive(Debug)]
pub(super) struct ChapterView {
    pub(super) at: String,
    pub(super) title: String,
}

impl ItemView {
    /// An item as seen now, of a feed in that language.
    pub(super) fn of(item: &Item, feed_language: Option<&LanguageTag>, now: Timestamp) -> Self {
        let player = files::player(item);
        let picture = small(&item.thumbnail).map(|picture| picture.url.to_string());
        let is_seen = matches!(player, Player::Video { .. } | Player::Picture { .. });
        Self {
            title: words::beginning(&item.title, MAX_TITLE_CHARS),
            url: item.url.to_string(),
            lang: item.language.as_ref().or(feed_language).and_then(known_language),
            kind: kind(item.r#type),
            published: Moment::of(item.published, now),
            facts: facts(item),
            authors: authors(&item.authors),
            series: item.series.as_ref().map(series),
            excerpt: item.description.as_deref().and_then(excerpt),
            picture: picture.filter(|_| !is_seen),
            poster: item.thumbnail.first().map(|picture| picture.url.to_string()),
            player,
            chapters_said: words::count(item.chapters.len(), "chapter"),
            chapters: item.chapters.iter().take(MOST_CHAPTERS).map(ChapterView::of).collect(),
            files: files::files(item),
            tags: item.tags.iter().take(MOST_ITEM_TAGS).cloned().collect(),
        }
    }
}

impl ChapterView {
    fn of(chapter: &crate::model::Chapter) -> Self {
        Self { at: words::length(chapter.start_seconds), title: chapter.title.clone() }
    }
}

/// A language for `lang`: one that nobody named is none.
pub(super) fn known_language(tag: &LanguageTag) -> Option<String> {
    Some(tag.as_str()).filter(|tag| *tag != "und").map(str::to_owned)
}

pub(super) fn authors(authors: &[Author]) -> Vec<AuthorView> {
    let view = |author: &Author| AuthorView {
        name: author.name.clone(),
        href: author.url.as_ref().map(ToString::to_string),
    };
    authors.iter().take(MOST_AUTHORS).map(view).collect()
}

/// The beginning of a text of HTML, without its markup.
pub(super) fn excerpt(html: &str) -> Option<String> {
    let beginning = html.get(..html.floor_char_boundary(READ_BYTES)).unwrap_or(html);
    let text = normalize::text_of_html(beginning);
    (!text.is_empty()).then(|| words::beginning(&text, EXCERPT_CHARS))
}

fn kind(item_type: ItemType) -> &'static str {
    match item_type {
        ItemType::Video => "Video",
        ItemType::Audio => "Audio",
        ItemType::Article => "Article",
        ItemType::Image => "Picture",
        ItemType::Short => "Short",
        ItemType::Livestream => "Livestream",
    }
}

fn facts(item: &Item) -> Vec<String> {
    let rating = item.content_rating.as_ref().and_then(|rating| match rating.rating {
        Rating::General => None,
        Rating::Teen => Some("For teens and older"),
        Rating::Mature => Some("For adults"),
        Rating::Explicit => Some("Explicit"),
    });
    let live = item.live_status.map(|status| match status {
        LiveStatus::Upcoming => "Announced",
        LiveStatus::Live => "Live now",
        LiveStatus::Ended => "Over",
        LiveStatus::Archived => "Recording",
    });
    let paywall = item.paywall.as_ref().filter(|paywall| paywall.paywalled);
    let region = item.geo_restriction.as_ref().map(|restriction| {
        let regions: Vec<&str> =
            restriction.regions.iter().take(MOST_REGIONS).map(String::as_str).collect();
        match restriction.r#type {
            GeoRestrictionType::Allowlist => format!("Only in {}", regions.join(", ")),
            GeoRestrictionType::Blocklist => format!("Not in {}", regions.join(", ")),
        }
    });
    [
        item.duration.map(words::length),
        live.map(str::to_owned),
        item.scheduled_start.map(|start| format!("Begins {}", words::date(start))),
        rating.map(str::to_owned),
        paywall.map(|_| "To be paid for".to_owned()),
        region,
        item.updated.map(|updated| format!("Changed {}", words::date(updated))),
        item.expires.map(|expires| format!("Until {}", words::date(expires))),
        item.license.as_ref().map(|licence| format!("Licence {licence}")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn series(series: &Series) -> String {
    let season = series.season_number.map(|number| format!("season {number}"));
    let episode = series.episode_number.map(|number| format!("episode {number}"));
    let place: Vec<String> = season.into_iter().chain(episode).collect();
    if place.is_empty() {
        return series.title.clone();
    }
    format!("{}: {}", series.title, place.join(", "))
}

/// The smallest picture that is large enough for its place, or the first.
fn small(pictures: &[Thumbnail]) -> Option<&Thumbnail> {
    let fits = |picture: &&Thumbnail| picture.width.is_some_and(|width| width >= THUMB_PIXELS);
    pictures.iter().filter(fits).min_by_key(|picture| picture.width).or_else(|| pictures.first())
}

/// The width of a small picture, on a screen of two pixels for one.
const THUMB_PIXELS: u64 = 240;
/// Of a feed as of an item.
pub(super) const MAX_TITLE_CHARS: usize = 300;
const EXCERPT_CHARS: usize = 320;
/// Bytes of a description that are read for its beginning.
const READ_BYTES: usize = 4 << 10;
const MOST_AUTHORS: usize = 10;
const MOST_ITEM_TAGS: usize = 12;
const MOST_CHAPTERS: usize = 200;
const MOST_REGIONS: usize = 20;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn view(more: serde_json::Value) -> ItemView {
        let mut item = json!({
            "id": "x:1", "type": "audio", "title": "A", "url": "https://a.example/1",
            "published": "2026-03-01T12:00:00Z",
            "source": {"type": "podcast", "feed_url": "https://a.example/feed"},
        });
        for (name, value) in more.as_object().unwrap() {
            item[name] = value.clone();
        }
        let feed_language = LanguageTag::parse("pt");
        let item = serde_json::from_value(item).unwrap();
        ItemView::of(&item, feed_language.as_ref(), Timestamp::EPOCH)
    }

    #[test]
    fn the_first_file_that_browsers_play_is_played() {
        let media =
            |mime: &str| json!({"url": format!("https://a.example/{mime}"), "mime_type": mime});
        for (files, played) in [
            (vec![media("audio/mpeg"), media("video/mp4")], "audio/mpeg"),
            (vec![media("application/x-mpegurl"), media("video/mp4")], "video/mp4"),
            (vec![media("video/vnd.mpegurl"), media("image/png")], ""),
            (vec![media("text/html"), media("audio/ogg")], "audio/ogg"),
            (vec![], ""),
        ] {
            let view = view(json!({"media": files}));
            let mime = match &view.player {
                Player::Audio { mime, .. } | Player::Video { mime, .. } => mime,
                Player::Nothing | Player::Picture { .. } => "",
            };
            assert_eq!(mime, played);
            assert_eq!(view.files.len(), files.len());
        }
        let picture = view(json!({"type": "image", "media": [media("image/png")]}));
        assert!(matches!(picture.player, Player::Picture { .. }));
    }

    #[test]
    fn what_a_publisher_wrote_a_thousand_times_is_shown_a_few_times() {
        let many = |value: serde_json::Value| vec![value; 1000];
        let view = view(json!({
            "title": "t".repeat(10_000),
            "description": format!("<script>no()</script><p>{}", "a b ".repeat(10_000)),
            "tags": many(json!("tag")),
            "authors": many(json!({"name": "Ada"})),
            "chapters": many(json!({"title": "c", "start_seconds": 61})),
            "media": many(json!({"url": "https://a.example/a", "mime_type": "audio/mpeg"})),
        }));
        assert_eq!((view.tags.len(), view.authors.len(), view.files.len()), (12, 10, 24));
        assert_eq!((view.chapters.len(), view.chapters_said.as_str()), (200, "1000 chapters"));
        assert_eq!(view.chapters[0].at, "1:01");
        assert_eq!(view.lang.as_deref(), Some("pt"));
        assert!(view.title.chars().count() <= 301);
        let excerpt = view.excerpt.unwrap();
        assert!(excerpt.starts_with("a b a b") && excerpt.chars().count() <= 321, "{excerpt}");
    }

    #[test]
    fn what_there_is_to_say_of_an_item_is_said_in_words() {
        let view = view(json!({
            "duration": 3723, "live_status": "upcoming", "scheduled_start": "2026-03-02T12:00:00Z",
            "content_rating": {"rating": "explicit"}, "license": "CC-BY-4.0",
            "geo_restriction": {"type": "allowlist", "regions": ["FR", "BE"]},
            "paywall": {"paywalled": true}, "language": "und",
            "series": {"id": "x:s", "title": "Sea", "season_number": 2, "episode_number": 5},
            "transcript": {"url": "https://a.example/t", "mime_type": "text/html", "language": "en"},
            "captions": [{"url": "https://a.example/c", "mime_type": "text/vtt", "language": "pt"}],
        }));
        let facts = [
            "1:02:03",
            "Announced",
            "Begins 2 March 2026, 12:00 UTC",
            "Explicit",
            "To be paid for",
            "Only in FR, BE",
            "Licence CC-BY-4.0",
        ];
        assert_eq!(view.facts, facts);
        assert_eq!((view.series.as_deref(), view.lang), (Some("Sea: season 2, episode 5"), None));
        let notes: Vec<_> = view.files.iter().filter_map(|file| file.note.as_deref()).collect();
        assert_eq!(notes, ["text/html, en", "text/vtt, pt"]);
    }
}
