//! Podcasting 2.0 (`podcast:`).

use super::source_feed::{
    Channel, Enclosure, License, Live, Person, PersonRole, Reference, Season, SourceEntry,
    TimedText,
};
use super::xml::{Element, Namespace};

/// Reads a `podcast:` child of an item; false if we only keep it.
pub(super) fn read_entry_field<'t>(element: Element<'_, 't>, entry: &mut SourceEntry<'t>) -> bool {
    entry.has_podcast_elements = true;
    match &*element.lower_name() {
        "transcript" => entry.transcripts.extend(transcript(element)),
        "chapters" => entry.chapters_url = address(element, "url"),
        "person" => {
            let person = person(element);
            let is_author = person.is_some();
            entry.persons.extend(person);
            return is_author;
        }
        "season" => {
            if let Some(number) = element.trimmed_text() {
                entry.season = Some(Season { number, name: element.own_value("name") });
            }
        }
        "episode" => entry.episode = element.trimmed_text().or_else(|| entry.episode.take()),
        "alternateenclosure" => entry.enclosures.extend(alternate_enclosures(element)),
        "license" => {
            let value = element.own_value("url").or_else(|| element.trimmed_text());
            let license = |value| License { name: "podcast:license", value };
            entry.license = value.map(license).or_else(|| entry.license.take());
        }
        _ => return false,
    }
    true
}

/// Reads a `podcast:` child of the channel; live items are entries and read as such.
pub(super) fn read_channel_field<'t>(element: Element<'_, 't>, channel: &mut Channel<'t>) {
    channel.has_podcast_elements = true;
    match &*element.lower_name() {
        "guid" => channel.podcast_guid = element.trimmed_text(),
        "license" => {
            channel.license = element.own_value("url").or_else(|| element.trimmed_text());
        }
        "person" => channel.persons.extend(person(element)),
        _ => {}
    }
}

/// What a `podcast:liveItem` says in its own attributes.
pub(super) fn live<'t>(element: Element<'_, 't>) -> Option<Live<'t>> {
    element
        .is(Namespace::Podcast, "liveItem")
        .then(|| Live { status: element.own_value("status"), start: element.own_value("start") })
}

fn transcript<'t>(element: Element<'_, 't>) -> Option<TimedText<'t>> {
    let is_caption = element.attribute("rel").is_some_and(|rel| rel.trim() == "captions");
    Some(TimedText {
        url: address(element, "url")?,
        media_type: element.own_value("type"),
        language: element.own_value("language"),
        is_caption,
    })
}

/// Hosts and guests are authors; who cuts or mixes is kept as the source has it.
fn person<'t>(element: Element<'_, 't>) -> Option<Person<'t>> {
    let said = element.attribute("role").unwrap_or("host").trim().to_ascii_lowercase();
    let role = match said.as_str() {
        "host" | "co-host" | "" => PersonRole::Host,
        "guest" => PersonRole::Guest,
        _ => return None,
    };
    Some(Person {
        role,
        text: element.trimmed_text()?,
        email: None,
        page: address(element, "href"),
        picture: address(element, "img"),
    })
}

/// Each `podcast:source` of it is an address of the same file.
fn alternate_enclosures<'t>(element: Element<'_, 't>) -> Vec<Enclosure<'t>> {
    let sources = element.children().filter(|child| child.is(Namespace::Podcast, "source"));
    sources
        .filter_map(|source| {
            Some(Enclosure {
                url: address(source, "uri")?,
                media_type: source.own_value("contentType").or_else(|| element.own_value("type")),
                length: element.own_value("length"),
                title: element.own_value("title"),
                bitrate_bps: element.own_value("bitrate"),
                height: element.own_value("height"),
                is_alternate: true,
                ..Enclosure::default()
            })
        })
        .collect()
}

fn address<'t>(element: Element<'_, 't>, name: &str) -> Option<Reference<'t>> {
    let value = element.own_value(name)?;
    Some(Reference { value, base: element.base() })
}

#[cfg(test)]
mod tests {
    use super::super::for_tests::{channel, item, kept};
    use super::*;

    #[test]
    fn an_episode_is_read_member_by_member() {
        let inside = "<podcast:chapters url='https://a.example/1.json'/>\
            <podcast:season name='Pier'>2</podcast:season><itunes:season>1</itunes:season>\
            <itunes:episode>6</itunes:episode><podcast:episode>7</podcast:episode>\
            <podcast:license url='https://c.example/by'>by</podcast:license>";
        item("", inside, |entry| {
            let chapters = entry.chapters_url.as_ref().unwrap();
            assert_eq!(&*chapters.value, "https://a.example/1.json");
            let season = entry.season.as_ref().unwrap();
            assert_eq!((&*season.number, season.name.as_deref()), ("2", Some("Pier")));
            assert_eq!(entry.episode.as_deref(), Some("7"));
            assert_eq!(&*entry.license.as_ref().unwrap().value, "https://c.example/by");
        });
    }

    #[test]
    fn hosts_and_guests_are_authors_and_who_edits_is_kept() {
        let people = "<podcast:person href='https://a.example/i' img='https://a.example/i.jpg'>Ines\
            </podcast:person><podcast:person role=' Co-Host '>Kim</podcast:person>\
            <podcast:person role='guest'>Robin</podcast:person>\
            <podcast:person role='editor'>Ash</podcast:person>";
        let want =
            [(PersonRole::Host, "Ines"), (PersonRole::Host, "Kim"), (PersonRole::Guest, "Robin")];
        item("", people, |entry| {
            let persons: Vec<_> = entry.persons.iter().map(|p| (p.role, &*p.text)).collect();
            assert_eq!(persons, want);
            assert_eq!(&*entry.persons[0].page.as_ref().unwrap().value, "https://a.example/i");
            assert_eq!(
                &*entry.persons[0].picture.as_ref().unwrap().value,
                "https://a.example/i.jpg"
            );
            assert_eq!(kept(entry), ["podcast:person"]);
        });
        channel(people, |channel| {
            let persons: Vec<_> = channel.persons.iter().map(|p| (p.role, &*p.text)).collect();
            assert_eq!(persons, want);
        });
    }

    #[test]
    fn a_show_has_its_license() {
        for (license, want) in [
            (
                "<podcast:license url='https://c.example/by'>by</podcast:license>",
                "https://c.example/by",
            ),
            ("<podcast:license>cc-by-4.0</podcast:license>", "cc-by-4.0"),
        ] {
            channel(license, |channel| assert_eq!(channel.license.as_deref(), Some(want)));
        }
    }

    #[test]
    fn each_source_of_another_form_is_a_file_with_what_is_said_of_the_form() {
        let inside = "<podcast:alternateEnclosure type='video/mp4' length='9' bitrate='8.5' \
            height='720' title='HD'><podcast:source uri='https://a.example/1.mp4'/>\
            <podcast:source uri='ipfs://x' contentType='video/webm'/></podcast:alternateEnclosure>";
        item("", inside, |entry| {
            let [first, second] = &entry.enclosures[..] else { panic!() };
            assert_eq!(&*first.url.value, "https://a.example/1.mp4");
            assert_eq!(first.media_type.as_deref(), Some("video/mp4"));
            assert_eq!(second.media_type.as_deref(), Some("video/webm"));
            for file in [first, second] {
                assert_eq!(file.length.as_deref(), Some("9"));
                assert_eq!(file.bitrate_bps.as_deref(), Some("8.5"));
                assert_eq!(file.height.as_deref(), Some("720"));
                assert_eq!(file.title.as_deref(), Some("HD"));
                assert!(file.is_alternate);
            }
        });
    }
}
