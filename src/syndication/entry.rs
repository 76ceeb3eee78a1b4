//! Reads one item or entry: each child goes to the file that owns its vocabulary.

use std::borrow::Cow;

use super::source_feed::{DateRole, Format, Guid, SourceEntry};
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
    entry.push_date(DateRole::Updated, element.own_value("lastmod"));
    settle(&mut entry);
    is_mapped |= !entry.links.is_empty() || !entry.categories.is_empty() || !entry.media.is_empty();
    is_mapped |= !entry.dates.is_empty();
    is_mapped.then_some(entry)
}

/// Puts what other vocabularies say where the format's own says nothing; what is not needed stays
/// in `original`.
fn settle(entry: &mut SourceEntry<'_>) {
    if let Some((name, title)) = entry.borrowed_title.take() {
        match entry.title.as_ref().map(|own| own.value.trim()).filter(|own| !own.is_empty()) {
            None => entry.title = Some(title),
            Some(own) if own == title.value.trim() => {}
            Some(_) => entry.rest.push((name.into(), title.value.trim().into())),
        }
    }
    if let Some(guid) = entry.borrowed_guid.take() {
        match &entry.guid {
            None => entry.guid = Some(guid),
            Some(own) if own.value == guid.value => {}
            Some(_) => entry.rest.push((guid.name.into(), guid.value.as_ref().into())),
        }
    }
    // An entry without an author has those of the feed it is from (RFC 4287, 4.2.11).
    if entry.persons.is_empty() {
        entry.persons.append(&mut entry.source_persons);
    }
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
        Namespace::Atom if format.is_some_and(|format| !format.is_atom()) => {
            atom::read_item_field(element, entry)
        }
        Namespace::Atom => atom::read_entry_field(element, entry),
        _ => modules::read_entry_field(element, entry),
    }
}

#[cfg(test)]
mod tests {
    use super::super::for_tests::{item, kept};
    use super::super::source_feed::{DateRole, SourceEntry};
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

    fn check(feed: &str, judge: impl Fn(&SourceEntry<'_>)) {
        let feed = read(feed, &Limits::default()).unwrap();
        judge(&feed.entries[0]);
    }

    fn rss(inside: &str) -> String {
        format!("<rss version='2.0'><channel><item>{inside}</item></channel></rss>")
    }

    fn atom(inside: &str) -> String {
        format!("<feed xmlns='http://www.w3.org/2005/Atom'><entry>{inside}</entry></feed>")
    }

    #[test]
    fn what_the_format_says_comes_before_what_it_borrows_wherever_it_stands() {
        let own = "<title>Own</title><guid>urn:own</guid>";
        let other = "<dc:title>Other</dc:title><atom:title>x</atom:title>\
                     <atom:id>urn:other</atom:id><dc:identifier>urn:third</dc:identifier>";
        let said = |entry: &SourceEntry<'_>| {
            let title = entry.title.as_ref().unwrap().value.to_string();
            (title, entry.guid.as_ref().unwrap().value.to_string())
        };
        for inside in [format!("{own}{other}"), format!("{other}{own}")] {
            check(&rss(&inside), |entry| {
                assert_eq!(said(entry), ("Own".to_owned(), "urn:own".to_owned()));
                assert_eq!(kept(entry), ["dc:identifier", "dc:title", "atom:id"], "{inside}");
            });
        }
        check(&rss(&format!("<title> </title>{other}")), |entry| {
            assert_eq!(said(entry), ("Other".to_owned(), "urn:other".to_owned()));
        });
    }

    #[test]
    fn an_entry_without_an_author_has_those_of_its_source() {
        let source = "<source><author><name>Ines</name></author></source>";
        let names = |inside: &str, want: &[&str]| {
            check(&atom(inside), |entry| {
                let names: Vec<_> = entry.persons.iter().map(|p| p.text.as_ref()).collect();
                assert_eq!(names, want, "{inside}");
            });
        };
        names(&format!("<id>urn:x</id>{source}"), &["Ines"]);
        names(&format!("<author><name>Kim</name></author>{source}"), &["Kim"]);
    }

    #[test]
    fn a_recording_that_content_points_at_is_a_file_and_a_page_is_a_link() {
        check(&atom("<content type='audio/mpeg' src='1.mp3'/>"), |entry| {
            assert_eq!(entry.enclosures[0].url.value, "1.mp3");
            assert!(entry.links.is_empty());
        });
        check(&atom("<content type='text/html' src='1.html'/><title>x</title>"), |entry| {
            assert_eq!(entry.links[0].href.value, "1.html");
            assert!(entry.enclosures.is_empty());
        });
    }

    #[test]
    fn a_channel_of_cdf_says_when_an_item_changed_in_an_attribute() {
        check("<CHANNEL><ITEM LASTMOD='2004-04-06T23:05:43-05:00'/></CHANNEL>", |entry| {
            assert_eq!(entry.dates, [(DateRole::Updated, "2004-04-06T23:05:43-05:00".into())]);
        });
    }
}
