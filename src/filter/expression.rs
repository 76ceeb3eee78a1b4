//! A parsed filter, and what it says of an item.

use std::ops::RangeInclusive;
use std::str::FromStr;

use serde_json::Value;

use super::item::Subject;
use super::{FilterError, parser};
use crate::model::Timestamp;

/// An expression over items (MMSP A.1).
#[derive(Clone, Debug, PartialEq)]
pub struct Filter(pub(super) Expression);

/// Terms and what joins them.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Is(Condition),
    Not(Condition),
    /// All of them.
    All(Vec<Expression>),
    /// One of them at least.
    Any(Vec<Expression>),
}

/// One thing that an item is or is not. What an item does not say, it is not.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Condition {
    /// Its type, in lower case.
    Type(&'static str),
    /// One of its tags, in any case.
    Tag(String),
    /// The name of one of its authors, in any case.
    Author(String),
    /// Its language, or a wider one (RFC 4647, 3.3.1).
    Language(String),
    /// Its duration in seconds.
    Duration(RangeInclusive<f64>),
    Published(RangeInclusive<Timestamp>),
    /// Part of its title or of the text of its description, in any case.
    Keyword(String),
    /// Its rating, in lower case.
    Rating(&'static str),
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        parser::parse(text).map(Self)
    }
}

impl Filter {
    /// Whether an item passes. `item` is an item object (MMSP 6) and `feed` the manifest it
    /// stands in, whose language and authors are the item's where it has none of its own.
    #[must_use]
    pub fn matches(&self, item: &Value, feed: &Value) -> bool {
        self.0.holds(&Subject::new(item, feed))
    }
}

impl Expression {
    fn holds(&self, subject: &Subject<'_>) -> bool {
        match self {
            Self::Is(condition) => condition.holds(subject),
            Self::Not(condition) => !condition.holds(subject),
            Self::All(terms) => terms.iter().all(|term| term.holds(subject)),
            Self::Any(terms) => terms.iter().any(|term| term.holds(subject)),
        }
    }
}

impl Condition {
    fn holds(&self, subject: &Subject<'_>) -> bool {
        match self {
            Self::Type(wanted) => subject.item_type() == Some(*wanted),
            Self::Tag(wanted) => subject.tags().any(|tag| is_same(tag, wanted)),
            Self::Author(wanted) => subject.authors().any(|name| is_same(name, wanted)),
            Self::Language(wanted) => subject.language().is_some_and(|tag| covers(wanted, tag)),
            Self::Duration(range) => subject.duration().is_some_and(|at| range.contains(&at)),
            Self::Published(range) => subject.published().is_some_and(|at| range.contains(&at)),
            Self::Keyword(wanted) => subject.says(&wanted.to_lowercase()),
            Self::Rating(wanted) => subject.rating() == Some(*wanted),
        }
    }
}

fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Whether a language range has a tag in it.
fn covers(range: &str, tag: &str) -> bool {
    let (range, tag) = (range.to_ascii_lowercase(), tag.to_ascii_lowercase());
    tag.strip_prefix(&range).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item() -> Value {
        json!({
            "type": "video",
            "title": "Fog over the Quay",
            "description": "<p>A <b>cl</b>imate talk &amp; more</p>",
            "published": "2026-03-01T12:00:00Z",
            "duration": 301,
            "tags": ["Sponsored", "sea"],
            "authors": [{"name": "Ada Byron"}],
            "language": "pt-BR",
            "content_rating": {"rating": "teen"},
        })
    }

    fn check(text: &str, want: bool) {
        let filter: Filter = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(filter.matches(&item(), &json!({})), want, "{text}");
    }

    #[test]
    fn the_drafts_examples_mean_what_it_says() {
        check("type:video AND duration:>=300", true);
        check("NOT tag:\"sponsored\" AND (type:article OR type:newsletter)", false);
        let third = "keyword:\"climate\" AND lang:en AND published:>=2026-01-01T00:00:00Z";
        check(third, false);
        check(&third.replace("lang:en", "lang:pt"), true);
    }

    #[test]
    fn each_condition_looks_at_its_own_member() {
        for (text, want) in [
            ("type:audio", false),
            ("TYPE:VIDEO", true),
            ("tag:\"SEA\"", true),
            ("tag:\"se\"", false),
            ("tag:\"\"", false),
            ("author:\"ada byron\"", true),
            ("author:\"Ada\"", false),
            ("lang:pt-br", true),
            ("lang:pt-BR-x1", false),
            ("lang:po", false),
            ("duration:>=301", true),
            ("duration:>=301.5", false),
            ("duration:<=300", false),
            ("duration:[300,302]", true),
            ("duration:[302,300]", false),
            ("published:<=2026-03-01", true),
            ("published:<=2026-02-28", false),
            ("published:>=2026-03-01", true),
            ("published:[2026-03-01T12:00:00Z,2026-03-01T12:00:00Z]", true),
            ("published:>=2026-03-01T14:00:00+02:00", true),
            ("published:[2026-03,2026-03]", true),
            ("published:<=2025", false),
            ("published:>=2026-03-01T12:01Z", false),
            ("published:<=20260301T120000Z", true),
            ("keyword:\"QUAY\"", true),
            ("keyword:\"talk & more\"", true),
            ("keyword:\"<b>\"", false),
            ("keyword:\"\"", true),
            ("rating:teen", true),
            ("rating:general", false),
        ] {
            check(text, want);
            check(&format!("NOT {text}"), !want);
        }
    }

    #[test]
    fn keywords_are_found_as_a_person_reads() {
        let html =
            "<p>The sea</p><p>food of\nthe <b>har</b>b<i>our</i><br>and <p>tide</p>less more";
        let item = json!({"type": "article", "title": "Low tide", "description": html});
        let filter = |word: &str| format!("keyword:\"{word}\"").parse::<Filter>().unwrap();
        for (word, want) in [
            ("sea food", true),
            ("seafood", false),
            ("of the harbour", true),
            ("harbour and", true),
            ("tideless", false),
            ("tide less", true),
            ("tide the", false),
        ] {
            assert_eq!(filter(word).matches(&item, &json!({})), want, "{word}");
        }
    }

    #[test]
    fn a_type_that_nobody_knows_is_an_article() {
        let item = json!({"type": "hologram", "title": "x"});
        for (text, want) in [("type:article", true), ("type:video", false)] {
            assert_eq!(text.parse::<Filter>().unwrap().matches(&item, &json!({})), want, "{text}");
        }
        let untyped = json!({"title": "x"});
        assert!(!"type:article".parse::<Filter>().unwrap().matches(&untyped, &json!({})));
    }

    #[test]
    fn and_binds_closer_than_or() {
        check("type:video OR type:audio AND type:audio", true);
        check("(type:video OR type:audio) AND type:audio", false);
        check("type:audio AND type:audio OR type:video", true);
        check("type:audio AND (type:audio OR type:video)", false);
    }

    #[test]
    fn what_an_item_does_not_say_it_is_not() {
        let bare = json!({"type": "article", "title": "x"});
        let feed = json!({"language": "en-GB", "authors": [{"name": "Ada"}]});
        for (text, want) in [
            ("duration:<=9", false),
            ("NOT duration:<=9", true),
            ("published:<=2999-01-01", false),
            ("rating:general", false),
            ("tag:\"x\"", false),
            ("lang:en", true),
            ("author:\"Ada\"", true),
            ("type:article", true),
        ] {
            assert_eq!(text.parse::<Filter>().unwrap().matches(&bare, &feed), want, "{text}");
        }
    }
}
