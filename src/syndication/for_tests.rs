//! What the tests of this module stand on: a piece of a feed as text in, what was read of it out.

use super::source_feed::{Category, Channel, SourceEntry};
use super::{Limits, read};

/// Reads an item of an RSS feed, with these attributes and that inside it.
pub(super) fn item(attributes: &str, inside: &str, look: impl FnOnce(&SourceEntry<'_>)) {
    let text = format!("<rss><channel><item {attributes}>{inside}</item></channel></rss>");
    let feed = read(&text, &Limits::default()).unwrap();
    look(feed.entries.first().unwrap_or_else(|| panic!("left out: {text}")));
}

/// Reads an RSS feed with that inside its channel.
pub(super) fn channel(inside: &str, look: impl FnOnce(&Channel<'_>)) {
    let text = format!("<rss><channel>{inside}</channel></rss>");
    look(&read(&text, &Limits::default()).unwrap().channel);
}

/// The names of what was kept without being mapped.
pub(super) fn kept<'e>(entry: &'e SourceEntry<'_>) -> Vec<&'e str> {
    entry.rest.iter().map(|(name, _)| &**name).collect()
}

pub(super) fn terms<'c>(categories: &'c [Category<'_>]) -> Vec<&'c str> {
    categories.iter().map(|category| &*category.term).collect()
}
