//! Apple's podcast elements.

use std::borrow::Cow;

use super::modules::href;
use super::source_feed::{
    Category, Channel, Person, PersonRole, Reference, Season, SourceEntry, Text, TextRole,
};
use super::xml::{Element, Namespace};

/// Reads an `itunes:` child of an item; false if we only keep it.
pub(super) fn read_entry_field<'t>(element: Element<'_, 't>, entry: &mut SourceEntry<'t>) -> bool {
    entry.has_podcast_elements = true;
    match element.name().to_ascii_lowercase().as_str() {
        "title" => entry.itunes_title = element.trimmed_text().map(Text::unsaid),
        "author" => entry.persons.extend(author(element)),
        "duration" => entry.duration = element.trimmed_text(),
        "explicit" => entry.explicit = element.trimmed_text(),
        "episode" => entry.episode = entry.episode.take().or_else(|| element.trimmed_text()),
        "season" => {
            let season = |number| Season { number, name: None };
            entry.season = entry.season.take().or_else(|| element.trimmed_text().map(season));
        }
        "image" => entry.images.extend(href(element)),
        "link" if is_image_link(element) => entry.images.extend(href(element)),
        "summary" => {
            entry.texts.push((TextRole::ItunesSummary, Text::unsaid(element.inner_html())));
        }
        "subtitle" => {
            entry.texts.push((TextRole::ItunesSubtitle, Text::unsaid(element.inner_html())));
        }
        "keywords" => read_keywords(element, &mut entry.categories),
        "category" => read_category(element, &mut entry.categories),
        _ => return false,
    }
    true
}

/// Reads an `itunes:` child of the channel.
pub(super) fn read_channel_field<'t>(element: Element<'_, 't>, channel: &mut Channel<'t>) {
    channel.has_podcast_elements = true;
    match element.name().to_ascii_lowercase().as_str() {
        "author" => channel.persons.extend(author(element)),
        "image" => channel.itunes_image = channel.itunes_image.take().or_else(|| href(element)),
        "link" if is_image_link(element) => {
            channel.itunes_image = channel.itunes_image.take().or_else(|| href(element));
        }
        "explicit" => channel.explicit = element.trimmed_text(),
        "summary" => channel.subtitle = Some(Text::unsaid(element.inner_html())),
        "subtitle" => {
            channel.subtitle.get_or_insert_with(|| Text::unsaid(element.inner_html()));
        }
        "category" => read_category(element, &mut channel.categories),
        "keywords" => read_keywords(element, &mut channel.categories),
        "owner" => {
            let field =
                |name| element.child(Namespace::Itunes, name).and_then(Element::trimmed_text);
            let (name, email) = (field("name"), field("email"));
            channel.contacts.extend(email.clone());
            let role = PersonRole::Owner;
            let text = name.or_else(|| email.clone());
            channel.persons.extend(text.map(|text| Person {
                role,
                text,
                email,
                ..Person::default()
            }));
        }
        "title" => {
            channel.borrowed_title.get_or_insert_with(|| Text::unsaid(element.inner_html()));
        }
        "new-feed-url" => {
            let value = element.trimmed_text();
            channel.new_feed_url = value.map(|value| Reference { value, base: element.base() });
        }
        _ => {}
    }
}

/// How pictures were given before there was `itunes:image`.
fn is_image_link(element: Element<'_, '_>) -> bool {
    element.attribute("rel").is_some_and(|rel| rel.trim().eq_ignore_ascii_case("image"))
}

fn author<'t>(element: Element<'_, 't>) -> Option<Person<'t>> {
    let role = PersonRole::ItunesAuthor;
    Some(Person { role, text: element.trimmed_text()?, ..Person::default() })
}

/// Categories nest: `<itunes:category text="A"><itunes:category text="B"/></itunes:category>`.
fn read_category<'t>(element: Element<'_, 't>, categories: &mut Vec<Category<'t>>) {
    let said = element.attribute("text").map(|text| Cow::Owned(text.trim().to_owned()));
    let plain = || match element.children().next() {
        Some(_) => None,
        None => element.trimmed_text(),
    };
    if let Some(term) = said.filter(|text: &Cow<'_, str>| !text.is_empty()).or_else(plain) {
        categories.push(Category { term });
    }
    for child in element.children().filter(|child| child.is(Namespace::Itunes, "category")) {
        read_category(child, categories);
    }
}

/// Words parted by commas.
pub(super) fn read_keywords<'t>(element: Element<'_, 't>, categories: &mut Vec<Category<'t>>) {
    let text = element.text();
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    categories.extend(words.map(|word| Category { term: Cow::Owned(word.to_owned()) }));
}
