//! Atom 1.0 (RFC 4287) and 0.3.

use std::borrow::Cow;

use base64::Engine as _;

use super::modules::reference;
use super::original;
use super::source_feed::{
    Category, Channel, DateRole, Enclosure, Guid, Link, Markup, Person, PersonRole, Reference,
    SourceEntry, Text, TextRole,
};
use super::xml::{Element, Namespace};

/// Reads a child of an entry; false if it is none of Atom's that we map.
pub(super) fn read_entry_field<'t>(element: Element<'_, 't>, entry: &mut SourceEntry<'t>) -> bool {
    match &*element.lower_name() {
        "title" => {
            entry.title.get_or_insert_with(|| title(element));
        }
        "id" => {
            if let Some(value) = element.trimmed_text() {
                entry.guid.get_or_insert(Guid { value, name: "id", is_permalink: Some(false) });
            }
        }
        "link" => read_entry_link(element, entry),
        "content" => return read_content(element, entry),
        "summary" | "tagline" => entry.texts.push((TextRole::Summary, text_construct(element))),
        "published" => entry.push_date(DateRole::Published, element.trimmed_text()),
        "issued" => entry.push_date(DateRole::Issued, element.trimmed_text()),
        "created" => entry.push_date(DateRole::Created, element.trimmed_text()),
        "updated" => entry.push_date(DateRole::Updated, element.trimmed_text()),
        "modified" => entry.push_date(DateRole::Modified, element.trimmed_text()),
        "author" => entry.persons.push(person(element, PersonRole::Author)),
        "category" => {
            entry.categories.push(category(element));
            // Scheme and label have no place in a tag.
            return element.attribute("scheme").or(element.attribute("label")).is_none();
        }
        "source" => {
            entry.source_feed = element.child(Namespace::Atom, "title").map(title);
            let authors = element.children().filter(|child| child.is(Namespace::Atom, "author"));
            entry.source_persons.extend(authors.map(|author| person(author, PersonRole::Author)));
            return false;
        }
        _ => return false,
    }
    true
}

/// Reads a child of the feed.
pub(super) fn read_feed_field<'t>(element: Element<'_, 't>, channel: &mut Channel<'t>) {
    match &*element.lower_name() {
        "id" => channel.id = channel.id.take().or_else(|| element.trimmed_text()),
        "title" => {
            channel.title.get_or_insert_with(|| title(element));
        }
        "subtitle" | "tagline" => {
            channel.description.get_or_insert_with(|| text_construct(element));
        }
        "info" => {
            channel.subtitle.get_or_insert_with(|| text_construct(element));
        }
        "link" => channel.links.push(link(element)),
        "icon" => channel.icon = channel.icon.take().or_else(|| reference(element)),
        "logo" => channel.image = channel.image.take().or_else(|| reference(element)),
        "author" => channel.persons.push(person(element, PersonRole::Author)),
        "category" => channel.categories.push(category(element)),
        "language" => channel.language = channel.language.take().or_else(|| element.trimmed_text()),
        _ => {}
    }
}

/// Reads a child of an RSS channel: where RSS has a word of its own, that comes first wherever it
/// stands.
pub(super) fn read_channel_field<'t>(element: Element<'_, 't>, channel: &mut Channel<'t>) {
    match element.name().to_ascii_lowercase().as_str() {
        "title" => {
            channel.borrowed_title.get_or_insert_with(|| title(element));
        }
        "subtitle" | "tagline" => {
            channel.subtitle.get_or_insert_with(|| text_construct(element));
        }
        _ => read_feed_field(element, channel),
    }
}

/// Reads a child of an RSS item; the same holds.
pub(super) fn read_item_field<'t>(element: Element<'_, 't>, entry: &mut SourceEntry<'t>) -> bool {
    match element.name().to_ascii_lowercase().as_str() {
        "title" => {
            entry.borrowed_title.get_or_insert_with(|| ("atom:title", title(element)));
            true
        }
        "id" => {
            let guid = |value| Guid { value, name: "atom:id", is_permalink: Some(false) };
            entry.borrowed_guid = entry.borrowed_guid.take().or(element.trimmed_text().map(guid));
            true
        }
        _ => read_entry_field(element, entry),
    }
}

/// Reads an `atom:link`, in whatever format it stands.
pub(super) fn link<'t>(element: Element<'_, 't>) -> Link<'t> {
    let href = match element.attribute("href") {
        Some(_) => element.own_value("href"),
        None => element.trimmed_text(),
    };
    Link {
        href: Reference { value: href.unwrap_or_default(), base: element.base() },
        rel: relation(element.own_value("rel").unwrap_or(Cow::Borrowed("alternate"))),
        media_type: element.value("type"),
        title: element.value("title"),
        length: element.value("length"),
    }
}

/// Reads a link of an entry; enclosures go with the files.
pub(super) fn read_entry_link<'t>(element: Element<'_, 't>, entry: &mut SourceEntry<'t>) {
    let link = link(element);
    if link.rel == "enclosure" {
        if link.title.is_some() {
            // A file has no title in MMSP.
            entry.rest.push(original::of_element(element));
        }
        entry.enclosures.push(Enclosure {
            url: link.href,
            media_type: link.media_type,
            length: link.length,
            ..Enclosure::default()
        });
    } else {
        entry.links.push(link);
    }
}

/// A registered relation may be written as its IANA address (RFC 4287, 4.2.7.2).
fn relation(rel: Cow<'_, str>) -> Cow<'_, str> {
    if rel.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') {
        return rel;
    }
    let rel = rel.to_ascii_lowercase();
    let short = rel.strip_prefix("http://www.iana.org/assignments/relation/");
    Cow::Owned(short.unwrap_or(&rel).to_owned())
}

fn person<'t>(element: Element<'_, 't>, role: PersonRole) -> Person<'t> {
    let field = |name: &str| {
        element
            .children()
            .find(|child| child.name().eq_ignore_ascii_case(name))
            .and_then(Element::trimmed_text)
    };
    let page = field("uri").or_else(|| field("url")).or_else(|| field("homepage"));
    let name = field("name");
    // An author without parts is what RSS habits make of it: the text itself.
    let text = match (name, &page) {
        (Some(name), _) => name,
        (None, None) if element.children().next().is_none() => {
            element.trimmed_text().unwrap_or_default()
        }
        (None, _) => Cow::Borrowed(""),
    };
    Person {
        role,
        text,
        email: field("email"),
        page: page.map(|value| Reference { value, base: element.base() }),
        picture: None,
    }
}

fn category<'t>(element: Element<'_, 't>) -> Category<'t> {
    Category { term: element.value("term").or_else(|| element.trimmed_text()).unwrap_or_default() }
}

/// Content may be of any type and may only be pointed at (RFC 4287, 4.1.3).
fn read_content<'t>(element: Element<'_, 't>, entry: &mut SourceEntry<'t>) -> bool {
    if let Some(value) = element.value("src") {
        let media_type = element.value("type");
        let href = Reference { value, base: element.base() };
        if media_type.as_deref().is_some_and(is_media) {
            entry.enclosures.push(Enclosure { url: href, media_type, ..Enclosure::default() });
            return true;
        }
        let rel = Cow::Borrowed("content-src");
        entry.links.push(Link { href, rel, media_type, ..Link::default() });
        return false;
    }
    let is_text = !element.attribute("type").is_some_and(is_media);
    if is_text {
        // An entry is in the language of its text unless it says otherwise.
        let language = element.own_value_of(Namespace::Xml, "lang");
        entry.language = entry.language.take().or(language);
        entry.texts.push((TextRole::Content, text_construct(element)));
    }
    is_text
}

/// Whether a media type is that of something to hear or see.
fn is_media(media_type: &str) -> bool {
    let media_type = media_type.trim().to_ascii_lowercase();
    ["audio/", "video/", "image/"].iter().any(|kind| media_type.starts_with(kind))
}

/// A title without a type is text (RFC 4287, 3.1.1): every character means itself.
fn title<'t>(element: Element<'_, 't>) -> Text<'t> {
    let text = text_construct(element);
    match text.markup {
        Markup::Unsaid => Text { markup: Markup::Plain, ..text },
        _ => text,
    }
}

/// Reads a text construct by its `type`, or by `type` and `mode` as Atom 0.3 had it.
pub(super) fn text_construct<'t>(element: Element<'_, 't>) -> Text<'t> {
    let declared = element.attribute("type").unwrap_or_default().trim().to_ascii_lowercase();
    let mode = element.attribute("mode").unwrap_or_default().trim().to_ascii_lowercase();
    let has_elements = element.children().next().is_some();
    let html = |value| Text { value, markup: Markup::Html, base: element.base() };
    let plain = |value| Text { value, markup: Markup::Plain, base: element.base() };
    match (declared.as_str(), mode.as_str()) {
        (_, "base64") => decode_base64(element, &declared),
        ("xhtml", _) => html(inside_div(element)),
        (_, "xml") | ("application/xhtml+xml", "") => match has_elements {
            true => html(inside_div(element)),
            false if declared.contains("html") => html(element.text()),
            false => plain(element.text()),
        },
        ("html" | "text/html" | "application/xhtml+xml", _) => html(element.inner_html()),
        ("text" | "text/plain", "") if !has_elements => plain(element.text()),
        ("text" | "text/plain", "escaped") => plain(element.text()),
        _ if has_elements => html(inside_div(element)),
        ("", _) => Text { markup: Markup::Unsaid, ..plain(element.text()) },
        (other, _) if other.ends_with("xml") => html(element.inner_html()),
        // Any other media type is written in base64 (RFC 4287, 4.1.3.3).
        (other, _) if other.contains('/') && !other.starts_with("text/") => {
            decode_base64(element, other)
        }
        _ => plain(element.text()),
    }
}

/// The inside of the `div` that wraps XHTML (RFC 4287, 3.1.1.3), or all there is.
fn inside_div<'t>(element: Element<'_, 't>) -> Cow<'t, str> {
    let mut children = element.children();
    match (children.next(), children.next()) {
        (Some(only), None) if only.name().eq_ignore_ascii_case("div") => only.inner_markup(),
        _ => element.inner_markup(),
    }
}

fn decode_base64<'t>(element: Element<'_, 't>, declared: &str) -> Text<'t> {
    let packed: String = element.text().chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let decoded = base64::engine::general_purpose::STANDARD.decode(packed).ok();
    let value = match decoded.and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(text) => Cow::Owned(text),
        None => element.text(),
    };
    let markup = if declared.contains("html") { Markup::Html } else { Markup::Unsaid };
    Text { value, markup, base: element.base() }
}
