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

#[cfg(test)]
mod tests {
    use super::super::for_tests::item;
    use super::super::source_feed::DateRole;
    use super::super::{Limits, read};

    const ABOUT: &str = "rdf:about=' https://a.example/1 '";

    #[test]
    fn an_item_says_of_itself_where_it_is_and_what_it_speaks() {
        let attributes = format!("{ABOUT} xml:base='https://b.example/x/' xml:lang='pt-BR'");
        item(&attributes, "<title>x</title>", |entry| {
            assert_eq!(entry.base.as_ref().unwrap().as_str(), "https://b.example/x/");
            assert_eq!(entry.language.as_deref(), Some("pt-BR"));
            let guid = entry.guid.as_ref().unwrap();
            assert_eq!((&*guid.value, guid.is_permalink), ("https://a.example/1", Some(true)));
        });
        item("rdf:about=' '", "<title>x</title>", |entry| assert!(entry.guid.is_none()));
    }

    #[test]
    fn one_thing_that_we_map_is_enough_for_an_item() {
        let category = "<media:category scheme='urn:x'>Sea</media:category>";
        let file = "<media:group><media:content url='https://a.example/1.mp4'/></media:group>";
        for (attributes, inside) in
            [(ABOUT, ""), ("href='https://a.example/1'", ""), ("", category), ("", file)]
        {
            item(attributes, inside, |entry| assert_eq!(entry.position, 0));
        }
        let live = "<rss><channel><podcast:liveItem status='live'/></channel></rss>";
        assert_eq!(read(live, &Limits::default()).unwrap().entries.len(), 1);
        for hollow in ["", "<title/>", "<x:y>z</x:y>"] {
            let text = format!("<rss><channel><item>{hollow}</item></channel></rss>");
            let feed = read(&text, &Limits::default()).unwrap();
            assert_eq!((feed.entries.len(), feed.hollow), (0, vec![0]), "{hollow}");
        }
    }

    #[test]
    fn an_atom_without_a_namespace_is_read_as_atom() {
        let text =
            "<feed><entry><id>urn:x</id><issued>2024-03-05T10:00:00Z</issued></entry></feed>";
        let feed = read(text, &Limits::default()).unwrap();
        assert_eq!(&*feed.entries[0].guid.as_ref().unwrap().value, "urn:x");
        assert_eq!(feed.entries[0].dates[0].0, DateRole::Issued);
    }
}
