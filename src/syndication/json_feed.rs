//! JSON Feed 1.0 and 1.1.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::source_feed::{
    Category, Channel, DateRole, Enclosure, Format, Guid, Link, Markup, Person, PersonRole,
    Reference, SourceEntry, SourceFeed, Str, Text, TextRole,
};
use super::{Limits, ReadError};

/// Reads a JSON Feed; JSON of any other kind is no feed.
pub(super) fn read<'t>(text: &str, limits: &Limits) -> Result<SourceFeed<'t>, ReadError> {
    let not_this = if text.starts_with('{') && text.contains("jsonfeed.org/version") {
        ReadError::Malformed
    } else {
        ReadError::NotAFeed
    };
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let document = stream.next().and_then(Result::ok).ok_or(not_this)?;
    let root = document.as_object().ok_or(ReadError::NotAFeed)?;
    let format = format_of(root).ok_or(ReadError::NotAFeed)?;
    let items = root.get("items").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let (mut entries, mut hollow) = (Vec::new(), Vec::new());
    for (position, item) in items.iter().enumerate().take(limits.max_entries) {
        let is_mapped = |item: &&Map<String, Value>| {
            item.keys().any(|name| name == "external_url" || MAPPED.contains(&name.as_str()))
        };
        match item.as_object().filter(is_mapped) {
            Some(item) => entries.push(entry(position, item)),
            None => hollow.push(position),
        }
    }
    Ok(SourceFeed {
        format,
        channel: channel(root),
        entries,
        hollow,
        deleted: Vec::new(),
        beyond_limit: items.len().saturating_sub(limits.max_entries),
        complete: true,
        faults: 0,
    })
}

fn format_of(root: &Map<String, Value>) -> Option<Format> {
    let version = root.get("version")?.as_str()?.to_ascii_lowercase();
    if !version.contains("jsonfeed.org/version/") {
        return None;
    }
    Some(if version.trim_end_matches('/').ends_with("/1") {
        Format::Json10
    } else {
        Format::Json11
    })
}

fn channel<'t>(root: &Map<String, Value>) -> Channel<'t> {
    Channel {
        id: None,
        title: string(root, "title").map(plain),
        links: [("home_page_url", ""), ("next_url", "next")]
            .into_iter()
            .filter_map(|(name, rel)| {
                let href = reference(string(root, name)?);
                Some(Link { href, rel: Cow::Borrowed(rel), ..Link::default() })
            })
            .collect(),
        description: string(root, "description").map(plain),
        language: string(root, "language"),
        icon: string(root, "icon").map(reference),
        image: string(root, "favicon").map(reference),
        persons: persons(root),
        ..Channel::default()
    }
}

fn entry<'t>(position: usize, item: &Map<String, Value>) -> SourceEntry<'t> {
    let source = Cow::Owned(Value::Object(item.clone()).to_string());
    let mut entry = SourceEntry { position, source, ..SourceEntry::default() };
    let texts = [
        ("content_html", TextRole::ContentEncoded, Markup::Html),
        ("content_text", TextRole::Content, Markup::Plain),
        ("summary", TextRole::Summary, Markup::Plain),
    ];
    for (name, role, markup) in texts {
        if let Some(value) = string(item, name) {
            entry.texts.push((role, Text { value, markup, base: None }));
        }
    }
    let dates =
        [("date_published", DateRole::JsonPublished), ("date_modified", DateRole::JsonModified)];
    for (name, role) in dates {
        entry.dates.extend(string(item, name).map(|value| (role, value)));
    }
    entry.guid = id(item).map(|value| Guid { value, name: "id", is_permalink: Some(false) });
    entry.title = string(item, "title").map(plain);
    entry.permalink = string(item, "url").or_else(|| string(item, "external_url")).map(reference);
    entry.images.extend(string(item, "image").map(reference));
    entry.images.extend(string(item, "banner_image").map(reference));
    entry.language = string(item, "language");
    entry.persons = persons(item);
    if let Some(tags) = item.get("tags").and_then(Value::as_array) {
        let terms = tags.iter().filter_map(Value::as_str);
        entry.categories.extend(terms.map(|term| Category { term: Cow::Owned(term.to_owned()) }));
    }
    if let Some(files) = item.get("attachments").and_then(Value::as_array) {
        entry.enclosures =
            files.iter().filter_map(Value::as_object).filter_map(attachment).collect();
    }
    let has_url = item.contains_key("url");
    let is_mapped = |name: &str| MAPPED.contains(&name) || (name == "external_url" && !has_url);
    let rest = item.iter().filter(|(name, _)| !is_mapped(name));
    entry.rest.extend(rest.map(|(name, value)| (name.clone().into(), value.clone().into())));
    entry
}

/// Members of an item that have a place of their own.
const MAPPED: [&str; 15] = [
    "id",
    "url",
    "title",
    "content_html",
    "content_text",
    "summary",
    "image",
    "banner_image",
    "date_published",
    "date_modified",
    "author",
    "authors",
    "tags",
    "language",
    "attachments",
];

fn attachment<'t>(file: &Map<String, Value>) -> Option<Enclosure<'t>> {
    let number = |name: &str| file.get(name).map(|value| Cow::Owned(value.to_string()));
    Some(Enclosure {
        url: reference(string(file, "url")?),
        media_type: string(file, "mime_type"),
        length: number("size_in_bytes"),
        duration: number("duration_in_seconds"),
        title: string(file, "title"),
        ..Enclosure::default()
    })
}

fn persons<'t>(object: &Map<String, Value>) -> Vec<Person<'t>> {
    let many = object.get("authors").and_then(Value::as_array).map(Vec::as_slice);
    let single = object.get("authors").filter(|authors| authors.is_object());
    let one = single.or_else(|| object.get("author")).map(std::slice::from_ref);
    many.filter(|list| !list.is_empty())
        .or(one)
        .unwrap_or_default()
        .iter()
        .filter_map(Value::as_object)
        .map(|person| Person {
            role: PersonRole::Author,
            text: string(person, "name").unwrap_or_default(),
            email: None,
            page: string(person, "url").map(reference),
            picture: string(person, "avatar").map(reference),
        })
        .collect()
}

/// JSON Feed asks readers to take a number for an id too.
fn id<'t>(item: &Map<String, Value>) -> Option<Str<'t>> {
    match item.get("id")? {
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        _ => string(item, "id"),
    }
}

fn string<'t>(object: &Map<String, Value>, name: &str) -> Option<Str<'t>> {
    let text = object.get(name)?.as_str()?.trim();
    (!text.is_empty()).then(|| Cow::Owned(text.to_owned()))
}

fn plain(value: Str<'_>) -> Text<'_> {
    Text { value, markup: Markup::Plain, base: None }
}

fn reference(value: Str<'_>) -> Reference<'_> {
    Reference { value, base: None }
}
