//! The entities that a list declares for itself: plain text, one level deep, as in feeds, and no
//! more growth of the whole than a list may need.

use std::borrow::Cow;
use std::cell::Cell;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::syndication::{Entities, decode_html_entities};

/// What a list declares. Nothing is fetched (MMSP 12.4).
#[derive(Debug)]
pub(super) struct Declared<'t> {
    entities: Entities<'t>,
    /// By how many bytes values may still grow.
    left_bytes: Cell<usize>,
}

impl<'t> Declared<'t> {
    /// Looks for a DOCTYPE in front of the first element.
    pub(super) fn find(text: &'t str) -> Self {
        let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
        let declaration = loop {
            match reader.read_event() {
                Ok(Event::DocType(declaration)) => break declaration.into_inner(),
                Ok(Event::Start(_) | Event::Empty(_) | Event::Eof) | Err(_) => break "".into(),
                Ok(_) => {}
            }
        };
        let entities = match declaration {
            Cow::Borrowed(declaration) => Entities::of_doctype(declaration, MAX_EXPANDED),
            Cow::Owned(_) => Entities::default(),
        };
        Self { entities, left_bytes: Cell::new(MOST_GROWTH_BYTES) }
    }

    /// Decodes the value of an attribute; one that grows too far is read without what is declared.
    pub(super) fn decode<'a>(&self, value: &'a str) -> Cow<'a, str>
    where
        't: 'a,
    {
        if value.len() > MOST_VALUE_BYTES {
            return decode_html_entities(value);
        }
        let decoded = self.entities.decode(value);
        match self.left_bytes.get().checked_sub(decoded.len().saturating_sub(value.len())) {
            Some(left) => {
                self.left_bytes.set(left);
                decoded
            }
            None => decode_html_entities(value),
        }
    }
}

/// No address is that long.
const MOST_VALUE_BYTES: usize = 8_192;
const MOST_GROWTH_BYTES: usize = 1 << 20;

/// Bytes that references to entities of the list's own may become.
const MAX_EXPANDED: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_grows_by_a_mebibyte_at_the_most() {
        let list = format!("<!DOCTYPE opml [<!ENTITY a \"{}\">]><opml/>", "x".repeat(256));
        let declared = Declared::find(&list);
        assert_eq!(declared.decode("&a;").len(), 256);
        let value = "&a;".repeat(MOST_VALUE_BYTES / 3);
        let grown: usize = (0..100).map(|_| declared.decode(&value).len() - value.len()).sum();
        assert!((MOST_GROWTH_BYTES / 2..MOST_GROWTH_BYTES).contains(&grown), "{grown}");
        assert_eq!(declared.decode(&"&a;".repeat(MOST_VALUE_BYTES)).len(), 3 * MOST_VALUE_BYTES);
    }

    #[test]
    fn a_longer_value_than_any_address_is_read_without_what_is_declared() {
        let list = format!("<!DOCTYPE opml [<!ENTITY a \"{}\">]><opml/>", "x".repeat(256));
        let longest = format!("&a;{}", "y".repeat(MOST_VALUE_BYTES - 3));
        assert_eq!(Declared::find(&list).decode(&longest).len(), 256 + MOST_VALUE_BYTES - 3);
        let longer = format!("{longest}y");
        assert_eq!(Declared::find(&list).decode(&longer), longer);
    }
}
