//! The vocabularies that extend RSS and Atom, each read by its own file or, where it is a line or
//! two, here.

use std::borrow::Cow;

use super::source_feed::{
    Category, Channel, ChapterMark, DateRole, Guid, License, Person, PersonRole, Reference,
    SourceEntry, Str, Text, TextRole,
};
use super::xml::{Element, Namespace};
use super::{itunes, media_rss, podcast};

/// Reads a child of an entry that is from a module; false if we map none of it.
pub(super) fn read_entry_field<'t>(element: Element<'_, 't>, entry: &mut SourceEntry<'t>) -> bool {
    let name = element.lower_name();
    match (element.namespace(), &*name) {
        (Namespace::Itunes, _) => itunes::read_entry_field(element, entry),
        (Namespace::Podcast, _) => podcast::read_entry_field(element, entry),
        (Namespace::Media, _) => media_rss::read_entry_field(element, entry),
        (Namespace::Content, "encoded") => {
            let text = Text { base: element.base(), ..Text::unsaid(element.inner_html()) };
            push_text(entry, TextRole::ContentEncoded, text)
        }
        (Namespace::Xhtml, "body" | "div") => {
            let text = Text {
                value: element.inner_markup(),
                markup: super::source_feed::Markup::Html,
                base: element.base(),
            };
            push_text(entry, TextRole::BodyXhtml, text)
        }
        (Namespace::Dc | Namespace::DcTerms, _) => dublin_core(element, &name, entry),
        (Namespace::FeedBurner, "origlink") => {
            entry.canonical = reference(element);
            true
        }
        (Namespace::FeedBurner, "origenclosurelink") => {
            entry.own_enclosure = reference(element);
            true
        }
        (Namespace::YouTube, "videoid") => {
            entry.youtube_id = element.trimmed_text();
            true
        }
        (Namespace::GooglePlay, "description") => {
            let text = Text::unsaid(element.inner_html());
            push_text(entry, TextRole::GooglePlayDescription, text)
        }
        (Namespace::GooglePlay, "explicit") => {
            entry.explicit = entry.explicit.take().or_else(|| element.trimmed_text());
            true
        }
        (Namespace::GooglePlay, "author") => {
            entry.persons.extend(person(element, PersonRole::ItunesAuthor));
            true
        }
        (Namespace::GooglePlay, "image") => {
            entry.images.extend(href(element));
            true
        }
        (Namespace::Psc, "chapters") => {
            entry.chapters.extend(element.children().filter_map(chapter));
            // A chapter of MMSP has no link.
            element.children().all(|chapter| chapter.attribute("href").is_none())
        }
        (Namespace::CreativeCommons, "license") => {
            read_license(element, "creativeCommons:license", entry)
        }
        (Namespace::Cc, "license") => read_license(element, "cc:license", entry),
        _ => false,
    }
}

/// Reads a child of the feed that is from a module.
pub(super) fn read_channel_field<'t>(element: Element<'_, 't>, channel: &mut Channel<'t>) {
    let name = element.lower_name();
    match (element.namespace(), &*name) {
        (Namespace::Itunes, _) => itunes::read_channel_field(element, channel),
        (Namespace::Podcast, _) => podcast::read_channel_field(element, channel),
        (Namespace::Media, _) => media_rss::read_channel_field(element, channel),
        (Namespace::GooglePlay, "image") => {
            channel.itunes_image = channel.itunes_image.take().or_else(|| href(element));
        }
        (Namespace::GooglePlay, "author") => {
            channel.persons.extend(person(element, PersonRole::ItunesAuthor));
        }
        (Namespace::GooglePlay, "description") => {
            channel.subtitle.get_or_insert_with(|| Text::unsaid(element.inner_html()));
        }
        (Namespace::Dc | Namespace::DcTerms, "language") => {
            channel.language = channel.language.take().or_else(|| element.trimmed_text());
        }
        (Namespace::Dc | Namespace::DcTerms, "title") => {
            channel.borrowed_title.get_or_insert_with(|| Text::unsaid(element.inner_html()));
        }
        (Namespace::Dc | Namespace::DcTerms, "description") => {
            channel.subtitle.get_or_insert_with(|| Text::unsaid(element.inner_html()));
        }
        (Namespace::Dc | Namespace::DcTerms, "creator" | "author") => {
            channel.persons.extend(person(element, PersonRole::Creator));
        }
        (Namespace::Dc | Namespace::DcTerms, "publisher") => {
            channel.contacts.extend(element.trimmed_text());
        }
        (Namespace::Dc | Namespace::DcTerms, "subject") => {
            channel.categories.extend(subject(element));
        }
        (Namespace::Syndication, "updateperiod") => channel.update_period = element.trimmed_text(),
        (Namespace::Syndication, "updatefrequency") => {
            channel.update_frequency = element.trimmed_text();
        }
        (Namespace::CreativeCommons | Namespace::Cc, "license") => {
            channel.license = channel.license.take().or_else(|| license(element));
        }
        (Namespace::History, "complete") => channel.is_complete = true,
        (Namespace::History, "archive") => channel.is_archive = true,
        _ => {}
    }
}

fn dublin_core<'t>(element: Element<'_, 't>, name: &str, entry: &mut SourceEntry<'t>) -> bool {
    match name {
        "title" => {
            let title = || ("dc:title", Text::unsaid(element.inner_html()));
            entry.borrowed_title.get_or_insert_with(title);
        }
        "creator" | "author" => entry.persons.extend(person(element, PersonRole::Creator)),
        "date" => entry.push_date(DateRole::DcDate, element.trimmed_text()),
        "issued" | "available" => entry.push_date(DateRole::Issued, element.trimmed_text()),
        "created" => entry.push_date(DateRole::Created, element.trimmed_text()),
        "modified" => entry.push_date(DateRole::Modified, element.trimmed_text()),
        "subject" => entry.categories.extend(subject(element)),
        "description" => {
            let text = Text::unsaid(element.inner_html());
            return push_text(entry, TextRole::DcDescription, text);
        }
        "abstract" => {
            return push_text(entry, TextRole::Abstract, Text::unsaid(element.inner_html()));
        }
        "language" => entry.language = entry.language.take().or_else(|| element.trimmed_text()),
        "identifier" if entry.borrowed_guid.is_none() => {
            let value = element.trimmed_text();
            let guid = |value| Guid { value, name: "dc:identifier", is_permalink: Some(false) };
            entry.borrowed_guid = value.map(guid);
        }
        "license" => return read_license(element, "dcterms:license", entry),
        "valid" => entry.expires = end_of_period(element),
        _ => return false,
    }
    true
}

fn read_license<'t>(
    element: Element<'_, 't>,
    name: &'static str,
    entry: &mut SourceEntry<'t>,
) -> bool {
    let found = license(element).map(|value| License { name, value });
    entry.license = entry.license.take().or(found);
    true
}

fn push_text<'t>(entry: &mut SourceEntry<'t>, role: TextRole, text: Text<'t>) -> bool {
    entry.texts.push((role, text));
    true
}

fn person<'t>(element: Element<'_, 't>, role: PersonRole) -> Option<Person<'t>> {
    Some(Person { role, text: element.trimmed_text()?, ..Person::default() })
}

fn subject<'t>(element: Element<'_, 't>) -> Option<Category<'t>> {
    Some(Category { term: element.trimmed_text()? })
}

/// The address that is the text of an element.
pub(super) fn reference<'t>(element: Element<'_, 't>) -> Option<Reference<'t>> {
    Some(Reference { value: element.trimmed_text()?, base: element.base() })
}

/// The address in `href` or `url`, or the text itself.
pub(super) fn href<'t>(element: Element<'_, 't>) -> Option<Reference<'t>> {
    let name = if element.attribute("href").is_some() { "href" } else { "url" };
    let value = element.own_value(name).or_else(|| element.trimmed_text())?;
    Some(Reference { value, base: element.base() })
}

fn license<'t>(element: Element<'_, 't>) -> Option<Str<'t>> {
    let resource = element.own_value_of(Namespace::Rdf, "resource");
    resource.or_else(|| element.own_value("href")).or_else(|| element.trimmed_text())
}

/// The end of a `dcterms:valid` period: `start=…; end=…`.
fn end_of_period<'t>(element: Element<'_, 't>) -> Option<Str<'t>> {
    let text = element.trimmed_text()?;
    let end = text.split(';').find_map(|part| part.trim().strip_prefix("end="))?;
    Some(Cow::Owned(end.trim().to_owned()))
}

fn chapter<'t>(element: Element<'_, 't>) -> Option<ChapterMark<'t>> {
    Some(ChapterMark {
        start: element.value("start")?,
        title: element.value("title")?,
        image: element.value("image").map(|value| Reference { value, base: element.base() }),
    })
}
