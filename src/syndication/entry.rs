//! Reads one item or entry: each child goes to the file that owns its vocabulary.

use std::borrow::Cow;

use super::source_feed::{Format, Guid, SourceEntry};
use super::xml::{Element, Namespace};
use super::{atom, modules, original, podcast, rss};

/// Reads an item or entry at its place in the document; none if it has not a single field that we
/// map.
pub(super) fn read<'t>(
    element: Element<'_, 't>,
    position: usize,
    format: Option<Format>,
) -> Option<SourceEntry<'t>> {
    let mut entry = SourceEntry {
        position,
        source: Cow::Borrowed(element.source()),
        base: element.base(),
        language: element.own_language(),
        live: podcast::live(element),
        guid: about(element),
        ..SourceEntry::default()
    };
    let mut is_mapped = entry.live.is_some() || entry.guid.is_some();
    for child in element.children() {
        if read_field(child, format, &mut entry) {
            is_mapped = is_mapped || !child.is_hollow();
        } else {
            entry.rest.push(original::of_element(child));
        }
    }
    if let Some(end) = entry.live.is_some().then(|| element.attribute("end")).flatten() {
        entry.rest.push(("podcast:liveItem@end".into(), end.into()));
    }
    entry.links.extend(rss::href_link(element));
    is_mapped |= !entry.links.is_empty() || !entry.categories.is_empty() || !entry.media.is_empty();
    is_mapped.then_some(entry)
}

/// What RDF calls the item: its identifier (RSS 1.0, 5.5), before any that a module gives it.
fn about<'t>(element: Element<'_, 't>) -> Option<Guid<'t>> {
    let value = element.own_value_of(Namespace::Rdf, "about")?;
    Some(Guid { value, name: "rdf:about", is_permalink: Some(true) })
}

fn read_field<'t>(
    element: Element<'_, 't>,
    format: Option<Format>,
    entry: &mut SourceEntry<'t>,
) -> bool {
    match element.namespace() {
        Namespace::Core if format.is_some_and(Format::is_atom) => {
            atom::read_entry_field(element, entry)
        }
        Namespace::Core => rss::read_item_field(element, entry),
        Namespace::Atom => atom::read_entry_field(element, entry),
        _ => modules::read_entry_field(element, entry),
    }
}
