//! Decides whether a link leads to a feed, however it is written.

use crate::model::{MimeType, SourceUrl};

use super::{Candidate, FeedType};

/// A link of a page or of its header, its text decoded.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Link<'l> {
    pub(super) rel: &'l str,
    pub(super) media_type: Option<&'l str>,
    pub(super) href: &'l str,
    pub(super) title: Option<&'l str>,
}

impl Link<'_> {
    /// The feed that the link leads to, if it says so.
    pub(super) fn candidate(&self, base: &SourceUrl) -> Option<Candidate> {
        let has_word = |word| self.rel.split_ascii_whitespace().any(|rel| word_is(rel, word));
        let relation = match (has_word("feed"), has_word("alternate")) {
            (true, _) => Relation::Feed,
            (false, true) => Relation::Alternate,
            (false, false) => return None,
        };
        let url = self.target(base)?;
        Some(Candidate {
            r#type: self.feed_type(relation, &url)?,
            url,
            title: self.one_line_title(),
        })
    }

    fn feed_type(&self, relation: Relation, url: &SourceUrl) -> Option<FeedType> {
        let written = self.media_type.map(str::trim).filter(|text| !text.is_empty());
        let Some(written) = written else {
            // `alternate` alone is a translation or a page for telephones.
            return (relation == Relation::Feed).then_some(FeedType::Unsaid);
        };
        let media_type = MimeType::parse(written)?;
        FeedType::of_media_type(&media_type).or_else(|| {
            let generic = FeedType::of_generic_media_type(&media_type)?;
            (relation == Relation::Feed || self.is_feed_by_name(generic, url)).then_some(generic)
        })
    }

    /// JSON has to say `feed`: WordPress offers each page as JSON under `/wp-json/` as well.
    fn is_feed_by_name(&self, feed_type: FeedType, url: &SourceUrl) -> bool {
        let words: &[&str] = if feed_type == FeedType::Json { &["feed"] } else { &XML_NAMES };
        let address = [url.url().path(), url.url().query().unwrap_or_default()].join("?");
        let names = [address, self.title.unwrap_or_default().to_owned()];
        names.iter().any(|name| {
            let name = name.to_ascii_lowercase();
            words.iter().any(|word| name.contains(word)) && !name.contains("/wp-json/")
        })
    }

    fn target(&self, base: &SourceUrl) -> Option<SourceUrl> {
        // As browsers do: pages break long addresses over lines.
        let href: String = self.href.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
        let href = href.trim();
        if href.is_empty() {
            return None;
        }
        let is_feed_scheme =
            href.get(..FEED_SCHEME.len()).is_some_and(|start| word_is(start, FEED_SCHEME));
        if is_feed_scheme { SourceUrl::parse(href).ok() } else { base.join(href).ok() }
    }

    fn one_line_title(&self) -> Option<String> {
        let words: Vec<&str> = self.title?.split_whitespace().collect();
        let title: String = words.join(" ").chars().take(MAX_TITLE_CHARS).collect();
        (!title.is_empty()).then_some(title)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Alternate,
    Feed,
}

fn word_is(text: &str, word: &str) -> bool {
    text.eq_ignore_ascii_case(word)
}

/// `feed:https://…` and `feed://…`, which [`SourceUrl::parse`] knows.
const FEED_SCHEME: &str = "feed:";

/// What feeds of unsaid XML are called, in their address or title.
const XML_NAMES: [&str; 5] = ["rss", "atom", "rdf", "feed", "podcast"];

const MAX_TITLE_CHARS: usize = 300;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rel: &str, media_type: Option<&str>, href: &str) -> Option<(FeedType, String)> {
        let base = SourceUrl::parse("https://a.example/blog/").unwrap();
        let link = Link { rel, media_type, href, title: None };
        link.candidate(&base).map(|found| (found.r#type, found.url.to_string()))
    }

    #[test]
    fn media_types_are_read_as_pages_write_them() {
        for (text, want) in [
            ("application/mmsp+json", Some(FeedType::Mmsp)),
            ("application/mmsp+json; version=1.0", Some(FeedType::Mmsp)),
            (" Application/RSS+XML ;charset=utf-8", Some(FeedType::Rss)),
            ("text/rss", Some(FeedType::Rss)),
            ("application/atom+xml", Some(FeedType::Atom)),
            ("application/x.atom+xml", Some(FeedType::Atom)),
            ("application/rdf+xml", Some(FeedType::Rdf)),
            ("application/feed+json", Some(FeedType::Json)),
            ("application/ atom+xml", None),
            ("application/json+oembed", None),
            ("text/xml+oembed", None),
            ("text/html", None),
            ("image/svg+xml", None),
            ("", None),
        ] {
            let found = read("alternate", Some(text), "/x").map(|(feed_type, _)| feed_type);
            assert_eq!(found, want, "{text}");
        }
    }

    #[test]
    fn types_that_say_nothing_of_feeds_need_a_name_that_does() {
        for (media_type, href, title, want) in [
            ("text/xml", "/feed/rss/", "", Some(FeedType::Xml)),
            ("text/xml", "/x.php?type=RSS", "", Some(FeedType::Xml)),
            ("application/xml", "/1", "RSS .92", Some(FeedType::Xml)),
            ("application/xml", "/sitemap.xml", "Sitemap", None),
            ("application/json", "/feed.json", "", Some(FeedType::Json)),
            ("application/json", "/1", "JSON Feed", Some(FeedType::Json)),
            ("application/json", "/wp-json/wp/v2/posts/7", "JSON", None),
            ("application/json", "/wp-json/wp/v2/posts/feedback", "JSON", None),
            ("application/json", "/api/rss", "", None),
        ] {
            let base = SourceUrl::parse("https://feed.example/").unwrap();
            let link =
                Link { rel: "alternate", media_type: Some(media_type), href, title: Some(title) };
            let found = link.candidate(&base).map(|found| found.r#type);
            assert_eq!(found, want, "{media_type} {href} {title}");
        }
    }

    #[test]
    fn relations_are_whole_words_in_any_case() {
        let rss = Some("application/rss+xml");
        for rel in ["alternate", " ALTERNATE ", "foo\tAlternate bar", "feed", "home alternate"] {
            assert!(read(rel, rss, "/f").is_some(), "{rel}");
        }
        for rel in ["", "alter nate", "alternates", "stylesheet", "self", "service.feed"] {
            assert_eq!(read(rel, rss, "/f"), None, "{rel}");
        }
    }

    #[test]
    fn a_link_to_a_feed_needs_no_type_and_one_to_an_alternate_does() {
        assert_eq!(read("feed", None, "/f").map(|found| found.0), Some(FeedType::Unsaid));
        assert_eq!(read("alternate", None, "/rss"), None);
        assert_eq!(read("feed", Some("text/html"), "/f"), None);
    }

    #[test]
    fn addresses_are_resolved_as_browsers_do() {
        for (href, want) in [
            ("f.xml", Some("https://a.example/blog/f.xml")),
            (" ../f.xml\n", Some("https://a.example/f.xml")),
            ("/a\n  b", Some("https://a.example/a%20%20b")),
            ("//b.example/f", Some("https://b.example/f")),
            ("?format=atom", Some("https://a.example/blog/?format=atom")),
            ("HTTP://B.example/f#x", Some("http://b.example/f")),
            ("feed://b.example/f", Some("https://b.example/f")),
            ("FEED:http://b.example/f", Some("http://b.example/f")),
            ("\u{e9}\u{e9}", Some("https://a.example/blog/%C3%A9%C3%A9")),
            ("javascript:alert(1)", None),
            ("java\tscript:alert(1)", None),
            ("file:///etc/passwd", None),
            ("https://user:pass@b.example/f", None),
            ("https://", None),
            ("  ", None),
        ] {
            let found = read("alternate", Some("application/rss+xml"), href);
            assert_eq!(found.map(|found| found.1).as_deref(), want, "{href:?}");
        }
    }

    #[test]
    fn a_title_is_one_line_and_not_endless() {
        let base = SourceUrl::parse("https://a.example/").unwrap();
        let title = |text: &str| {
            let link = Link { rel: "feed", media_type: None, href: "/f", title: Some(text) };
            link.candidate(&base).unwrap().title
        };
        assert_eq!(title(" All\n  posts ").as_deref(), Some("All posts"));
        assert_eq!(title(" \n"), None);
        assert_eq!(title(&"\u{e9}".repeat(5000)).unwrap().chars().count(), MAX_TITLE_CHARS);
    }
}
