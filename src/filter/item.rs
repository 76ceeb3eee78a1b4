//! An item as a filter looks at it.

use std::cell::OnceCell;

use html5gum::Token;
use serde_json::Value;

use crate::model::{ITEM_TYPES, Timestamp};

/// An item object and the manifest it stands in.
pub(super) struct Subject<'a> {
    item: &'a Value,
    feed: &'a Value,
    /// What it says, in lower case: made once, however many keywords are looked for.
    words: OnceCell<String>,
}

impl<'a> Subject<'a> {
    pub(super) fn new(item: &'a Value, feed: &'a Value) -> Self {
        Self { item, feed, words: OnceCell::new() }
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.item.get(name)?.as_str()
    }

    /// Its type; one that nobody knows stands for an article (MMSP 6.3).
    pub(super) fn item_type(&self) -> Option<&'static str> {
        let said = self.text("type")?;
        Some(ITEM_TYPES.iter().find(|known| **known == said).copied().unwrap_or("article"))
    }

    pub(super) fn tags(&self) -> impl Iterator<Item = &'a str> {
        list(self.item, "tags").iter().filter_map(Value::as_str)
    }

    /// The names of its authors, else of the feed's (MMSP 6.2).
    pub(super) fn authors(&self) -> impl Iterator<Item = &'a str> {
        let own = list(self.item, "authors");
        let authors = if own.is_empty() { list(self.feed, "authors") } else { own };
        authors.iter().filter_map(|author| author.get("name")?.as_str())
    }

    /// Its language, else the feed's (MMSP 6.2).
    pub(super) fn language(&self) -> Option<&'a str> {
        self.text("language").or_else(|| self.feed.get("language")?.as_str())
    }

    pub(super) fn duration(&self) -> Option<f64> {
        self.item.get("duration")?.as_f64()
    }

    pub(super) fn published(&self) -> Option<Timestamp> {
        Timestamp::parse_rfc3339(self.text("published")?)
    }

    pub(super) fn rating(&self) -> Option<&'a str> {
        self.item.get("content_rating")?.get("rating")?.as_str()
    }

    /// Whether a word, given in lower case, is in its title or in the text of its description.
    pub(super) fn says(&self, word: &str) -> bool {
        let words = self.words.get_or_init(|| {
            let title = self.text("title").unwrap_or_default();
            let description = words_of(self.text("description").unwrap_or_default());
            // No word goes from the one over to the other.
            format!("{title}\n{description}").to_lowercase()
        });
        words.contains(word)
    }
}

fn list<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The text of HTML without its tags, on one line; what is marked inside a word does not part it.
fn words_of(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    for token in html5gum::Tokenizer::new(html) {
        let Ok(token) = token;
        match token {
            Token::String(text) => out.push_str(&String::from_utf8_lossy(&text)),
            Token::StartTag(tag) if !is_inline(&tag.name) => out.push(' '),
            Token::EndTag(tag) if !is_inline(&tag.name) => out.push(' '),
            _ => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_inline(name: &[u8]) -> bool {
    INLINE.iter().any(|inline| inline.as_bytes() == name)
}

/// Elements that leave the letters on their sides together.
const INLINE: [&str; 24] = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd",
    "mark", "q", "s", "small", "span", "strong", "sub", "sup", "u", "wbr",
];
