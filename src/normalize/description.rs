//! The text of an item: the fullest one there is, as safe HTML.

use std::borrow::Cow;

use super::item::Draft;
use super::mended::Mend;
use super::plain_text;
use crate::syndication::decode_html_entities;
use crate::syndication::source_feed::{Markup, Text, TextRole};

impl Draft<'_, '_> {
    /// The description. Full text comes before summaries; what is not taken stays in `original`,
    /// unless it says the same.
    pub(super) fn description(&mut self) -> Option<String> {
        let entry = self.entry;
        let mut texts: Vec<_> = entry.texts.iter().collect();
        texts.sort_by_key(|(role, _)| *role);
        let mut chosen: Option<(String, &Text<'_>)> = None;
        for (role, text) in texts {
            match &chosen {
                None => {
                    let html = self.html(text);
                    if shows_nothing(&html) {
                        // What it was stays in `original`.
                        self.keep_text(*role, text);
                        continue;
                    }
                    chosen = Some((html, text));
                }
                Some((_, taken)) if taken.value.trim() == text.value.trim() => {}
                Some(_) => self.keep_text(*role, text),
            }
        }
        chosen.map(|(html, _)| html)
    }

    fn keep_text(&mut self, role: TextRole, text: &Text<'_>) {
        let value = self.within_limit(&text.value);
        if !value.trim().is_empty() {
            self.keep(role.name(), value.as_ref());
        }
    }

    fn html(&mut self, text: &Text<'_>) -> String {
        let value = self.within_limit(&text.value);
        let markup = match text.markup {
            Markup::Plain => return escape(value.trim()),
            Markup::Html => plain_text::without_cdata_marks(&value),
            Markup::Unsaid => unescape_twice_escaped(plain_text::without_cdata_marks(&value)),
        };
        if self.context.settings.sanitize {
            let base = text.base.as_deref().or(self.entry.base.as_deref());
            self.context.sanitizer.clean(&markup, base)
        } else {
            markup.trim().to_owned()
        }
    }

    fn within_limit<'v>(&mut self, value: &'v str) -> Cow<'v, str> {
        let limit = self.context.max_text_bytes;
        if value.len() <= limit {
            return Cow::Borrowed(value);
        }
        self.mended.note(Mend::LongText);
        Cow::Borrowed(value.get(..value.floor_char_boundary(limit)).unwrap_or_default())
    }
}

/// The beginning of a description as plain text: enough for its first sentence and its weight as a
/// text. Costs as much as all else that is done to an item: only for those who need it.
pub(super) fn beginning_as_plain(description: Option<&String>) -> String {
    let html = description.map_or("", String::as_str);
    plain_text::of_html(plain_text::beginning(html, READ_FOR_PLAIN))
}

/// Bytes of a description that are looked at for that.
const READ_FOR_PLAIN: usize = 64 << 10;

/// Whether HTML is nothing but space and tags around it.
fn shows_nothing(html: &str) -> bool {
    let text = html.trim_start();
    let may_be_space = text.is_empty() || (text.starts_with(['&', '<']) && html.len() < MOST_SPACE);
    may_be_space && !has_picture(text) && plain_text::of_html(text).is_empty()
}

/// Bytes of HTML from which on there is something in it.
const MOST_SPACE: usize = 512;

/// Whether there is something to see that is no text.
fn has_picture(html: &str) -> bool {
    let html = html.to_ascii_lowercase();
    ["<img", "<picture", "<video", "<audio", "<iframe", "<embed", "<object"]
        .iter()
        .any(|tag| html.contains(tag))
}

/// HTML that was escaped once too often has no tags, but would have some.
fn unescape_twice_escaped(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains('<') || !text.contains("&lt;") {
        return text;
    }
    let decoded = decode_html_entities(&text);
    if plain_text::has_tags(&decoded) { Cow::Owned(decoded.into_owned()) } else { text }
}

fn escape(text: &str) -> String {
    quick_xml::escape::partial_escape(text).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::for_tests::{item, read};

    #[test]
    fn a_text_that_shows_nothing_gives_way_to_one_that_does() {
        let of = |full: &str| {
            let inside = format!(
                "<content:encoded>{full}</content:encoded><description>Low water</description>"
            );
            item(&inside)["description"].clone()
        };
        for empty in
            ["", "&lt;p>&lt;/p>", "&lt;div>&lt;p>&amp;nbsp;&lt;br>&lt;/p>&lt;/div>", "&amp;nbsp;"]
        {
            assert_eq!(of(empty), "Low water", "{empty}");
        }
        assert_eq!(of("&lt;p>Fog&lt;/p>"), "<p>Fog</p>");
        assert_eq!(
            of("&lt;img src='https://a.example/1.png'>"),
            "<img src=\"https://a.example/1.png\">"
        );
    }

    #[test]
    fn a_shorter_text_is_kept_unless_it_is_empty_or_says_the_same() {
        for (short, kept) in [("Low", json!("Low")), (" Full ", Value::Null), (" ", Value::Null)] {
            let item = item(&format!(
                "<content:encoded>Full</content:encoded><description>{short}</description>"
            ));
            assert_eq!(item["description"], "Full");
            assert_eq!(item["original"]["description"], kept, "{short:?}");
        }
    }

    #[test]
    fn what_was_escaped_once_too_often_is_read_where_it_has_tags_of_no_other_kind() {
        for (text, want) in [
            ("&amp;lt;p>Fog&amp;lt;/p>", "<p>Fog</p>"),
            ("1 &amp;lt; 2", "1 &lt; 2"),
            ("&lt;p>the tag &amp;lt;b&amp;gt;&lt;/p>", "<p>the tag &lt;b&gt;</p>"),
        ] {
            let item = item(&format!("<description>{text}</description>"));
            assert_eq!(item["description"], want, "{text}");
        }
    }

    #[test]
    fn plain_text_means_what_it_says() {
        let feed = r#"{"version":"https://jsonfeed.org/version/1.1","title":"x",
            "items":[{"id":"urn:x","content_text":"1 < 2 & 3"}]}"#;
        assert_eq!(read(feed).items[0]["description"], "1 &lt; 2 &amp; 3");
    }
}
