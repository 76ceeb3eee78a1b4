//! An item as a filter looks at it.

use serde_json::Value;

use crate::model::{ITEM_TYPES, Timestamp};

/// An item object and the manifest it stands in.
pub(super) struct Subject<'a> {
    pub(super) item: &'a Value,
    pub(super) feed: &'a Value,
}

impl<'a> Subject<'a> {
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
        let title = self.text("title").unwrap_or_default();
        let description = self.text("description").unwrap_or_default();
        title.to_lowercase().contains(word) || words_of(description).to_lowercase().contains(word)
    }
}

fn list<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The text of HTML, without its tags; what is marked inside a word does not part it.
fn words_of(html: &str) -> String {
    if !html.contains(['<', '&']) {
        return html.to_owned();
    }
    let mut out = String::with_capacity(html.len());
    for token in html5gum::Tokenizer::new(html) {
        let Ok(token) = token;
        if let html5gum::Token::String(text) = token {
            out.push_str(&String::from_utf8_lossy(&text));
        }
    }
    out
}
