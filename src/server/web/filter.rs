//! A filter (MMSP Appendix A) over the items of a page.

use serde_json::Value;

use super::words;
use crate::filter::{Filter, FilterError};

/// An expression as it was typed, and what is wrong with it.
#[derive(Debug)]
pub(super) struct FilterView {
    pub(super) text: String,
    pub(super) fault: Option<Fault>,
}

/// Where an expression stops being one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) said: String,
    /// What stands before the place, the character there, and what stands behind it.
    pub(super) before: String,
    pub(super) at: String,
    pub(super) after: String,
}

impl FilterView {
    /// Takes out what does not pass; where the expression is none, nothing.
    pub(super) fn apply(text: &str, items: &mut Vec<Value>, feed: &Value) -> Self {
        let mut fault = None;
        if !text.is_empty() {
            match text.parse::<Filter>() {
                Ok(filter) => items.retain(|item| filter.matches(item, feed)),
                Err(error) => fault = Some(Fault::of(text, &error)),
            }
        }
        Self { text: text.to_owned(), fault }
    }
}

impl Fault {
    fn of(text: &str, error: &FilterError) -> Self {
        let mut letters = text.chars();
        let before = letters.by_ref().take(error.position).collect();
        let at = letters.next();
        Self {
            said: words::capitalized(&error.to_string()),
            before,
            // The end has no letter to be marked.
            at: at.map_or_else(|| "␠".to_owned(), String::from),
            after: letters.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_help_names_every_type_and_so_does_the_error() {
        let help = include_str!("templates/filter.html");
        let error = "type:x".parse::<Filter>().unwrap_err().to_string();
        for known in crate::model::ITEM_TYPES {
            assert!(help.contains(known) && error.contains(known), "{known}");
        }
    }

    #[test]
    fn items_pass_or_the_place_of_the_fault_is_marked() {
        let feed = json!({"language": "en"});
        let items = || vec![json!({"type": "audio"}), json!({"type": "video"})];
        for (text, left, at) in [
            ("", 2, None),
            ("type:video AND lang:en", 1, None),
            ("type:film", 2, Some(("type:", "f", "ilm"))),
            ("type:video AND", 2, Some(("type:video", " ", "AND"))),
            ("NOT ", 2, Some(("NOT ", "␠", ""))),
        ] {
            let mut items = items();
            let view = FilterView::apply(text, &mut items, &feed);
            assert_eq!(items.len(), left, "{text}");
            let fault = view.fault.as_ref();
            let found = fault.map(|it| (it.before.as_str(), it.at.as_str(), it.after.as_str()));
            assert_eq!(found, at, "{text}");
        }
    }
}
