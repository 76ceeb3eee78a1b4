//! The run of items that a page holds, gathered newest first until its span ends.

use std::ops::ControlFlow;

use super::{Position, Span};
use crate::model::Timestamp;

/// An item as a page takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it stands.
    pub position: Position,
    /// The item object, in JSON.
    pub json: String,
}

/// A run of items and whether older ones follow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// The items, newest first.
    pub entries: Vec<Entry>,
    /// Whether there are older ones.
    pub has_more: bool,
    /// When one of them last changed.
    pub changed_at: Option<Timestamp>,
    bytes: usize,
}

impl Stretch {
    /// Items that are all there already, newest first.
    #[must_use]
    pub fn of(entries: Vec<Entry>, has_more: bool) -> Self {
        Self { entries, has_more, ..Self::default() }
    }

    /// Takes the next older item if the span has room for it; breaks where the page is full.
    pub fn offer(&mut self, span: &Span, entry: Entry, changed_at: Timestamp) -> ControlFlow<()> {
        let length = entry.json.len() + 1; // and a comma
        if !span.takes(self.entries.len(), self.bytes, &entry.position, length) {
            self.has_more = true;
            return ControlFlow::Break(());
        }
        self.bytes += length;
        self.changed_at = self.changed_at.max(Some(changed_at));
        self.entries.push(entry);
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paging::Limit;

    #[test]
    fn the_item_that_finds_no_room_says_that_more_follow() {
        let span = Span::limited(Limit::parse("2").unwrap());
        let mut stretch = Stretch::default();
        for (seconds, flow) in [
            (9, ControlFlow::Continue(())),
            (8, ControlFlow::Continue(())),
            (7, ControlFlow::Break(())),
        ] {
            let published = Timestamp::saturating(seconds);
            let position = Position { published, id: "x:1".to_owned() };
            let entry = Entry { position, json: "{}".to_owned() };
            assert_eq!(stretch.offer(&span, entry, Timestamp::saturating(20 - seconds)), flow);
        }
        assert_eq!((stretch.entries.len(), stretch.has_more), (2, true));
        assert_eq!(stretch.changed_at, Some(Timestamp::saturating(12)));
    }

    #[test]
    fn each_item_counts_with_the_comma_behind_it() {
        let span = Span::limited(Limit::DEFAULT).less_bytes(Span::BYTES - 90);
        let mut stretch = Stretch::default();
        let mut offers = 0;
        let json = format!("\"{}\"", "x".repeat(7));
        let entry = Entry { position: Position::end(), json };
        while stretch.offer(&span, entry.clone(), Timestamp::EPOCH).is_continue() {
            offers += 1;
        }
        assert_eq!((offers, stretch.has_more), (9, true));
    }

    #[test]
    fn items_that_are_all_there_are_taken_as_they_are() {
        let entry = Entry { position: Position::end(), json: "{}".to_owned() };
        let stretch = Stretch::of(vec![entry.clone()], true);
        assert_eq!(
            (stretch.entries, stretch.has_more, stretch.changed_at),
            (vec![entry], true, None)
        );
    }
}
