//! Media RSS (`media:`): files, pictures and what is said of them, in and out of groups.

use super::source_feed::{
    Category, Channel, DateRole, License, MediaContent, MediaRating, Person, PersonRole, Picture,
    Reference, Restriction, SourceEntry, Text, TextRole, TimedText,
};
use super::xml::{Element, Namespace};
use super::{itunes, original};

/// Reads a `media:` child of an entry; false if we only keep it.
pub(super) fn read_entry_field<'t>(element: Element<'_, 't>, entry: &mut SourceEntry<'t>) -> bool {
    read_field(element, entry, None)
}

/// Reads a `media:` child of the feed.
pub(super) fn read_channel_field<'t>(element: Element<'_, 't>, channel: &mut Channel<'t>) {
    match &*element.lower_name() {
        "thumbnail" => {
            let found = picture(element).map(|picture| picture.url);
            channel.image = channel.image.take().or(found);
        }
        "title" => channel.media_title = Some(text(element)),
        "description" => {
            channel.subtitle.get_or_insert_with(|| text(element));
        }
        "keywords" => itunes::read_keywords(element, &mut channel.categories),
        "rating" => channel.rating = rating(element),
        _ => {}
    }
}

fn read_field<'t>(
    element: Element<'_, 't>,
    entry: &mut SourceEntry<'t>,
    group: Option<usize>,
) -> bool {
    match &*element.lower_name() {
        "group" => {
            let number =
                entry.media.iter().filter_map(|media| media.group).max().map_or(0, |n| n + 1);
            read_children(element, entry, Some(number));
        }
        "content" => {
            entry.media.extend(content(element, group));
            read_children(element, entry, group);
        }
        "thumbnail" => entry.thumbnails.extend(picture(element)),
        "title" => {
            entry.media_title.get_or_insert_with(|| text(element));
        }
        "description" => entry.texts.push((TextRole::MediaDescription, text(element))),
        "keywords" => itunes::read_keywords(element, &mut entry.categories),
        "category" => {
            entry.categories.extend(element.trimmed_text().map(|term| Category { term }));
            // Scheme and label have no place in a tag.
            return element.attribute("scheme").or(element.attribute("label")).is_none();
        }
        "credit" => return read_credit(element, entry),
        "rating" => entry.rating = entry.rating.take().or_else(|| rating(element)),
        "adult" => {
            let value = element.trimmed_text();
            entry.explicit = entry.explicit.take().or(value);
        }
        "restriction" => return read_restriction(element, entry),
        "subtitle" => entry.transcripts.extend(subtitle(element)),
        "license" => {
            let value = element.own_value("href").or_else(|| element.trimmed_text());
            let found = value.map(|value| License { name: "media:license", value });
            entry.license = entry.license.take().or(found);
        }
        "date" => {
            if let Some(date) = element.trimmed_text() {
                entry.dates.push((DateRole::MediaDate, date));
            }
        }
        _ => return false,
    }
    true
}

fn read_children<'t>(element: Element<'_, 't>, entry: &mut SourceEntry<'t>, group: Option<usize>) {
    for child in element.children() {
        if child.namespace() != Namespace::Media || !read_field(child, entry, group) {
            entry.rest.push(original::of_element(child));
        }
    }
}

fn content<'t>(element: Element<'_, 't>, group: Option<usize>) -> Option<MediaContent<'t>> {
    let address = element.own_value("url").or_else(|| {
        let player = element.child(Namespace::Media, "player")?;
        player.own_value("url")
    })?;
    Some(MediaContent {
        url: Reference { value: address, base: element.base() },
        media_type: element.own_value("type"),
        medium: element.own_value("medium"),
        size: element.own_value("fileSize"),
        duration: element.own_value("duration"),
        width: element.own_value("width"),
        height: element.own_value("height"),
        bitrate_kbps: element.own_value("bitrate"),
        expression: element.own_value("expression"),
        is_default: element.attribute("isDefault").is_some_and(|said| said.trim() == "true"),
        group,
    })
}

fn picture<'t>(element: Element<'_, 't>) -> Option<Picture<'t>> {
    let value = element.own_value("url").or_else(|| element.trimmed_text())?;
    Some(Picture {
        url: Reference { value, base: element.base() },
        width: element.own_value("width"),
        height: element.own_value("height"),
    })
}

fn text<'t>(element: Element<'_, 't>) -> Text<'t> {
    Text { base: element.base(), ..Text::unsaid(element.inner_html()) }
}

/// Authors among the credits are authors; actors and producers are only kept.
fn read_credit<'t>(element: Element<'_, 't>, entry: &mut SourceEntry<'t>) -> bool {
    let role = element.attribute("role").unwrap_or_default().trim().to_ascii_lowercase();
    if !matches!(role.as_str(), "author" | "uploader" | "owner" | "writer") {
        return false;
    }
    if let Some(text) = element.trimmed_text() {
        entry.persons.push(Person { role: PersonRole::Author, text, ..Person::default() });
    }
    true
}

fn rating<'t>(element: Element<'_, 't>) -> Option<MediaRating<'t>> {
    Some(MediaRating { value: element.trimmed_text()?, scheme: element.own_value("scheme") })
}

fn read_restriction<'t>(element: Element<'_, 't>, entry: &mut SourceEntry<'t>) -> bool {
    let is_country = element.attribute("type").is_some_and(|kind| kind.trim() == "country");
    let relationship = element.attribute("relationship").unwrap_or_default().trim();
    match (is_country, relationship, element.trimmed_text()) {
        (true, "allow" | "deny", Some(countries)) => {
            let is_allowed = relationship == "allow";
            entry.country_restriction = Some(Restriction { countries, is_allowed });
            true
        }
        _ => false,
    }
}

fn subtitle<'t>(element: Element<'_, 't>) -> Option<TimedText<'t>> {
    let value = element.own_value("href").or_else(|| element.own_value("url"))?;
    Some(TimedText {
        url: Reference { value, base: element.base() },
        media_type: element.own_value("type"),
        language: element.own_value("lang"),
        is_caption: true,
    })
}

#[cfg(test)]
mod tests {
    use super::super::for_tests::{channel, item, kept, terms};
    use super::*;

    #[test]
    fn a_feed_has_a_picture_a_text_words_and_a_rating() {
        let inside = "<media:thumbnail url='https://a.example/1.jpg'/>\
            <media:description>About</media:description><media:keywords>fog, sea</media:keywords>\
            <media:rating scheme='urn:mpaa'>g</media:rating>";
        channel(inside, |channel| {
            assert_eq!(&*channel.image.as_ref().unwrap().value, "https://a.example/1.jpg");
            assert_eq!(&*channel.subtitle.as_ref().unwrap().value, "About");
            assert_eq!(terms(&channel.categories), ["fog", "sea"]);
            assert_eq!(&*channel.rating.as_ref().unwrap().value, "g");
        });
    }

    #[test]
    fn an_entry_is_read_member_by_member() {
        let inside = "<media:title>A</media:title>\
            <media:description xml:base='https://b.example/'>text</media:description>\
            <media:keywords>fog</media:keywords><media:category>sea</media:category>\
            <media:category label='Quay'>quay</media:category><media:adult>true</media:adult>\
            <media:license href='https://c.example/by'>BY</media:license>";
        item("", inside, |entry| {
            assert_eq!(&*entry.media_title.as_ref().unwrap().value, "A");
            let (role, text) = &entry.texts[0];
            assert_eq!((*role, &*text.value), (TextRole::MediaDescription, "text"));
            assert_eq!(text.base.as_ref().unwrap().as_str(), "https://b.example/");
            assert_eq!(terms(&entry.categories), ["fog", "sea", "quay"]);
            assert_eq!(entry.explicit.as_deref(), Some("true"));
            assert_eq!(&*entry.license.as_ref().unwrap().value, "https://c.example/by");
            assert_eq!(kept(entry), ["media:category"]);
        });
    }

    #[test]
    fn authors_among_the_credits_are_authors() {
        let inside = "<media:credit role=' Author '>Ines</media:credit>\
            <media:credit role='actor'>Robin</media:credit><media:credit>Kim</media:credit>";
        item("", &format!("<title>x</title>{inside}"), |entry| {
            let persons: Vec<_> = entry.persons.iter().map(|p| (p.role, &*p.text)).collect();
            assert_eq!(persons, [(PersonRole::Author, "Ines")]);
            assert_eq!(kept(entry), ["media:credit", "media:credit"]);
        });
    }

    #[test]
    fn files_know_their_group_and_what_is_unknown_inside_is_kept() {
        let file = |name: &str| {
            format!(
                "<media:content url='https://a.example/{name}'><media:hash>1</media:hash>\
                 <media:title>{name}</media:title></media:content>"
            )
        };
        let group = |name: &str| format!("<media:group>{}</media:group>", file(name));
        let inside = [file("0"), group("1"), group("2"), group("3")].concat();
        item("", &inside, |entry| {
            let groups: Vec<_> = entry.media.iter().map(|file| file.group).collect();
            assert_eq!(groups, [None, Some(0), Some(1), Some(2)]);
            assert_eq!(kept(entry), ["media:hash"; 4]);
        });
    }
}
