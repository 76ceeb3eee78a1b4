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
