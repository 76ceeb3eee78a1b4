//! A place in the order of a feed's items.

use crate::model::Timestamp;

/// Where an item stands: `published`, then `id` by its bytes. Greater means newer, so a page runs
/// from the greatest down (MMSP 5.5.2).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// When the item was published, as first seen.
    pub published: Timestamp,
    /// The item's id.
    pub id: String,
}

impl Position {
    /// The place after the last item of any feed: nothing stands below it, since no id is empty.
    #[must_use]
    pub fn end() -> Self {
        Self { published: Timestamp::EPOCH, id: String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64, id: &str) -> Position {
        Position { published: Timestamp::saturating(seconds), id: id.to_owned() }
    }

    #[test]
    fn newer_is_greater_and_ids_break_ties_by_bytes() {
        let mut positions = vec![at(5, "a:B"), at(6, "a:1"), at(5, "a:a"), Position::end()];
        positions.sort_by(|a, b| b.cmp(a));
        assert_eq!(positions, vec![at(6, "a:1"), at(5, "a:a"), at(5, "a:B"), Position::end()]);
    }
}
