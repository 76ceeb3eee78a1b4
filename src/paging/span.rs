//! How far a page reaches.

use super::{Limit, Position};

/// The end of a page: at most so many items and bytes, but one item at least.
///
/// The reference client drops a document over 10 MiB and never follows `next_url`, so the first
/// page, unless a limit was named, runs down to everything that the source itself shows now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    items: usize,
    floor: Option<Position>,
    bytes: usize,
}

impl Span {
    /// Most bytes of a first page without a limit.
    pub const FIRST_BYTES: usize = 4 << 20;
    /// Most bytes of any other page.
    pub const BYTES: usize = 1 << 20;
    /// Most items of any page: what a source may show.
    pub const MAX_ITEMS: usize = 10_000;

    /// The first page without a limit: down to `floor`, the oldest position that the source shows.
    #[must_use]
    pub fn first(floor: Option<Position>) -> Self {
        Self { items: Limit::DEFAULT.items(), floor, bytes: Self::FIRST_BYTES }
    }

    /// A page that a limit ends.
    #[must_use]
    pub fn limited(limit: Limit) -> Self {
        Self { items: limit.items(), floor: None, bytes: Self::BYTES }
    }

    /// The same span with that many bytes set aside for what a page holds beside its items.
    #[must_use]
    pub fn less_bytes(self, bytes: usize) -> Self {
        Self { bytes: self.bytes.saturating_sub(bytes), ..self }
    }

    /// Whether a page that holds `taken` items in `bytes` bytes takes another one of `length`
    /// bytes.
    #[must_use]
    pub fn takes(&self, taken: usize, bytes: usize, next: &Position, length: usize) -> bool {
        let wanted = taken < self.items || self.floor.as_ref().is_some_and(|floor| next >= floor);
        let fits = taken < Self::MAX_ITEMS && bytes.saturating_add(length) <= self.bytes;
        taken == 0 || (wanted && fits)
    }

    /// The most items to look at, one more than a page can hold: it tells whether more follow.
    #[must_use]
    pub fn rows(&self) -> usize {
        1 + if self.floor.is_some() { Self::MAX_ITEMS } else { self.items }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    fn at(seconds: i64) -> Position {
        Position { published: Timestamp::saturating(seconds), id: "x:1".to_owned() }
    }

    #[test]
    fn a_limited_page_ends_at_its_limit_or_at_a_mebibyte() {
        let span = Span::limited(Limit::parse("3").unwrap());
        assert!(span.takes(2, 0, &at(1), 10));
        assert!(!span.takes(3, 0, &at(1), 10));
        assert!(span.takes(1, Span::BYTES - 10, &at(1), 10));
        assert!(!span.takes(1, Span::BYTES - 9, &at(1), 10));
        assert_eq!(span.rows(), 4);
    }

    #[test]
    fn the_first_page_goes_down_to_what_the_source_shows() {
        let span = Span::first(Some(at(50)));
        assert!(span.takes(99, 0, &at(1), 10), "a hundred items in any case");
        assert!(span.takes(100, 0, &at(50), 10));
        assert!(!span.takes(100, 0, &at(49), 10));
        assert!(!span.takes(Span::MAX_ITEMS, 0, &at(60), 10));
        assert!(!span.takes(100, Span::FIRST_BYTES, &at(60), 10));
    }

    #[test]
    fn a_page_holds_one_item_however_large() {
        let span = Span::limited(Limit::DEFAULT).less_bytes(usize::MAX);
        assert!(span.takes(0, 0, &at(1), Span::FIRST_BYTES));
    }

    #[test]
    fn what_is_set_aside_is_not_there_for_items() {
        let span = Span::limited(Limit::DEFAULT).less_bytes(Span::BYTES - 100);
        assert!(span.takes(1, 50, &at(1), 50));
        assert!(!span.takes(1, 50, &at(1), 51));
    }
}
