//! RSS of every version: the elements of its own.

use super::itunes;
use super::source_feed::{
    Category, Channel, DateRole, Enclosure, Guid, Link, Markup, Person, PersonRole, Reference,
    SourceEntry, Text, TextRole,
};
use super::xml::{Element, Namespace};

/// Reads a child of an item; false if it is none of RSS's that we map.
pub(super) fn read_item_field<'t>(element: Element<'_, 't>, entry: &mut SourceEntry<'t>) -> bool {
    match &*element.lower_name() {
        "title" => {
            entry.title.get_or_insert_with(|| text(element));
        }
        "link" => read_link(element, entry),
        "description" => entry.texts.push((TextRole::Description, text(element))),
        "content" | "fullitem" => entry.texts.push((TextRole::Content, text(element))),
        "summary" | "abstract" => entry.texts.push((TextRole::Summary, text(element))),
        "body" => entry.texts.push((TextRole::BodyXhtml, text(element))),
        "guid" | "id" => read_guid(element, entry),
        "pubdate" | "date" | "pubdateparsed" => {
            entry.push_date(DateRole::PubDate, element.trimmed_text())
        }
        "published" => entry.push_date(DateRole::Published, element.trimmed_text()),
        "updated" | "modified" | "lastbuilddate" => {
            entry.push_date(DateRole::Updated, element.trimmed_text())
        }
        "author" => push_person(&mut entry.persons, PersonRole::Author, element),
        "tags" | "keywords" => itunes::read_keywords(element, &mut entry.categories),
        "category" => {
            read_category(element, &mut entry.categories);
            // The taxonomy has no place in a tag.
            return element.attribute("domain").is_none();
        }
        "enclosure" => entry.enclosures.push(enclosure(element)),
        "source" => {
            entry.source_feed = element.trimmed_text().map(Text::unsaid);
            return false;
        }
        "language" => entry.language = element.trimmed_text(),
        "expirationdate" => entry.expires = element.trimmed_text(),
        "image" | "thumbnail" => read_image(element, &mut entry.images),
        "comments" | "rating" => return false,
        _ => return false,
    }
    true
}

/// Reads a child of the channel.
pub(super) fn read_channel_field<'t>(element: Element<'_, 't>, channel: &mut Channel<'t>) {
    match &*element.lower_name() {
        "title" => {
            channel.title.get_or_insert_with(|| text(element));
        }
        "link" => channel.links.push(plain_link(element)),
        "description" => {
            channel.description.get_or_insert_with(|| text(element));
        }
        "subtitle" | "tagline" | "abstract" => {
            channel.subtitle.get_or_insert_with(|| text(element));
        }
        "language" => channel.language = channel.language.take().or_else(|| element.trimmed_text()),
        "image" | "logo" => {
            let mut found = Vec::new();
            read_image(element, &mut found);
            channel.image = channel.image.take().or(found.into_iter().next());
        }
        "icon" => {
            let value = element.trimmed_text();
            let icon = value.map(|value| Reference { value, base: element.base() });
            channel.icon = channel.icon.take().or(icon);
        }
        "managingeditor" => {
            push_person(&mut channel.persons, PersonRole::Editor, element);
            channel.contacts.extend(element.trimmed_text());
        }
        "author" => push_person(&mut channel.persons, PersonRole::Author, element),
        "webmaster" => channel.contacts.extend(element.trimmed_text()),
        "tags" | "keywords" => itunes::read_keywords(element, &mut channel.categories),
        "category" => read_category(element, &mut channel.categories),
        "ttl" => channel.ttl_minutes = element.trimmed_text(),
        "skiphours" | "skipdays" => {
            channel.quiet_times.extend(element.children().filter_map(Element::trimmed_text));
        }
        _ => {}
    }
}

/// The address in the `href` of an item or channel itself, as CDF has it.
pub(super) fn href_link<'t>(element: Element<'_, 't>) -> Option<Link<'t>> {
    let href = Reference { value: element.value("href")?, base: element.base() };
    Some(Link { href, ..Link::default() })
}

/// Elements in a text are HTML that nobody escaped.
fn text<'t>(element: Element<'_, 't>) -> Text<'t> {
    let has_elements = element.children().next().is_some();
    let markup = if has_elements { Markup::Html } else { Markup::Unsaid };
    Text { value: element.inner_html(), markup, base: element.base() }
}

fn read_link<'t>(element: Element<'_, 't>, entry: &mut SourceEntry<'t>) {
    if element.attribute("href").is_some() {
        super::atom::read_entry_link(element, entry);
    } else if let Some(value) = element.trimmed_text() {
        let link = Reference { value, base: element.base() };
        entry.permalink.get_or_insert(link);
    }
}

fn plain_link<'t>(element: Element<'_, 't>) -> Link<'t> {
    if element.attribute("href").is_some() {
        return super::atom::link(element);
    }
    let href = element
        .trimmed_text()
        .or_else(|| element.own_value_of(Namespace::Rdf, "resource"))
        .unwrap_or_default();
    Link { href: Reference { value: href, base: element.base() }, ..Link::default() }
}

fn read_guid<'t>(element: Element<'_, 't>, entry: &mut SourceEntry<'t>) {
    let Some(value) = element.trimmed_text() else { return };
    let is_no = |said: &str| ["false", "no", "0"].iter().any(|no| said.eq_ignore_ascii_case(no));
    let is_permalink = element.attribute("isPermaLink").map(|said| !is_no(said.trim()));
    entry.guid.get_or_insert(Guid { value, name: "guid", is_permalink });
}

/// A person by text, or by the parts that Atom has and some RSS borrows.
fn push_person<'t>(persons: &mut Vec<Person<'t>>, role: PersonRole, element: Element<'_, 't>) {
    let name = element.children().find(|child| child.name().eq_ignore_ascii_case("name"));
    let text = match name {
        Some(name) => name.trimmed_text(),
        None => element.trimmed_text(),
    };
    if let Some(text) = text {
        persons.push(Person { role, text, ..Person::default() });
    }
}

fn read_category<'t>(element: Element<'_, 't>, categories: &mut Vec<Category<'t>>) {
    let text = element.trimmed_text();
    let term = text.or_else(|| element.value("term")).or_else(|| element.value("text"));
    categories.extend(term.map(|term| Category { term }));
}

fn enclosure<'t>(element: Element<'_, 't>) -> Enclosure<'t> {
    let url = element.value("url").or_else(|| element.value("href"));
    let url = url.or_else(|| element.trimmed_text());
    Enclosure {
        url: Reference { value: url.unwrap_or_default(), base: element.base() },
        media_type: element.value("type"),
        length: element.value("length"),
        ..Enclosure::default()
    }
}

/// `<image><url>…</url></image>`, `<image href="…"/>` or an address as text.
fn read_image<'t>(element: Element<'_, 't>, images: &mut Vec<Reference<'t>>) {
    let nested = element.children().find(|child| child.name().eq_ignore_ascii_case("url"));
    let resource = || element.own_value_of(Namespace::Rdf, "resource");
    // RSS 1.0 points at its picture from the channel, and some point at nothing.
    let attribute =
        element.own_value("url").or_else(|| element.own_value("href")).or_else(resource);
    let value = match (nested, attribute) {
        (Some(url), _) => url.trimmed_text(),
        (None, Some(said)) => Some(said),
        (None, None) if element.children().next().is_none() => element.trimmed_text(),
        (None, None) => None,
    };
    if let Some(value) = value {
        images.push(Reference { value, base: element.base() });
    }
}
