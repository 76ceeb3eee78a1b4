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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::for_tests::{kept, terms};
    use super::*;

    /// Reads a feed with these members beside its version.
    fn feed(members: Value) -> SourceFeed<'static> {
        let mut feed = json!({ "version": "https://jsonfeed.org/version/1.1" });
        feed.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        read(&feed.to_string(), &Limits::default()).unwrap()
    }

    fn item(members: Value) -> SourceEntry<'static> {
        feed(json!({ "items": [members] })).entries.remove(0)
    }

    #[test]
    fn the_feed_is_read_member_by_member() {
        let channel = feed(json!({
            "title": "Pier", "description": "News", "language": "en",
            "home_page_url": "https://a.example/", "next_url": "https://a.example/2",
            "icon": "https://a.example/512.png", "favicon": "https://a.example/64.png",
            "authors": [{ "name": "Ines" }],
        }))
        .channel;
        assert_eq!(&*channel.title.unwrap().value, "Pier");
        assert_eq!(&*channel.description.unwrap().value, "News");
        assert_eq!(channel.language.as_deref(), Some("en"));
        let links: Vec<_> = channel.links.iter().map(|l| (&*l.rel, &*l.href.value)).collect();
        assert_eq!(links, [("", "https://a.example/"), ("next", "https://a.example/2")]);
        assert_eq!(&*channel.icon.unwrap().value, "https://a.example/512.png");
        assert_eq!(&*channel.image.unwrap().value, "https://a.example/64.png");
        assert_eq!(&*channel.persons[0].text, "Ines");
    }

    #[test]
    fn an_item_is_read_member_by_member() {
        let members = json!({
            "id": 7, "url": "https://a.example/7", "external_url": "https://b.example/",
            "title": " Fog ", "content_html": "<p>x", "content_text": "x", "summary": "s",
            "image": "https://a.example/1.jpg", "banner_image": "https://a.example/2.jpg",
            "date_published": "2024-03-05T10:00:00Z", "date_modified": "2024-03-06T10:00:00Z",
            "tags": ["sea", 1], "language": "pt", "_x": { "y": 1 }, "title_of_nobody": "",
        });
        let entry = item(members.clone());
        assert_eq!(serde_json::from_str::<Value>(&entry.source).unwrap(), members);
        let guid = entry.guid.as_ref().unwrap();
        assert_eq!((&*guid.value, guid.is_permalink), ("7", Some(false)));
        assert_eq!(&*entry.permalink.as_ref().unwrap().value, "https://a.example/7");
        assert_eq!(&*entry.title.as_ref().unwrap().value, "Fog");
        let texts: Vec<_> = entry.texts.iter().map(|(r, t)| (*r, t.markup, &*t.value)).collect();
        assert_eq!(
            texts,
            [
                (TextRole::ContentEncoded, Markup::Html, "<p>x"),
                (TextRole::Content, Markup::Plain, "x"),
                (TextRole::Summary, Markup::Plain, "s"),
            ]
        );
        let images: Vec<_> = entry.images.iter().map(|image| &*image.value).collect();
        assert_eq!(images, ["https://a.example/1.jpg", "https://a.example/2.jpg"]);
        let dates: Vec<_> = entry.dates.iter().map(|(role, text)| (*role, &**text)).collect();
        assert_eq!(
            dates,
            [
                (DateRole::JsonPublished, "2024-03-05T10:00:00Z"),
                (DateRole::JsonModified, "2024-03-06T10:00:00Z"),
            ]
        );
        assert_eq!(terms(&entry.categories), ["sea"]);
        assert_eq!(entry.language.as_deref(), Some("pt"));
        assert_eq!(kept(&entry), ["external_url", "_x", "title_of_nobody"]);
    }

    #[test]
    fn an_item_without_an_address_of_its_own_has_the_one_it_speaks_of() {
        let entry = item(json!({ "external_url": "https://b.example/" }));
        assert_eq!(&*entry.permalink.as_ref().unwrap().value, "https://b.example/");
        assert_eq!(kept(&entry), [""; 0]);
    }

    #[test]
    fn an_item_with_nothing_that_we_map_is_left_out() {
        let feed = feed(json!({ "items": [{ "_x": 1 }, "x", { "title": "A" }, {}] }));
        let places: Vec<_> = feed.entries.iter().map(|entry| entry.position).collect();
        assert_eq!((places, feed.hollow), (vec![2], vec![0, 1, 3]));
    }

    #[test]
    fn attachments_are_files_with_a_size_and_a_length() {
        let entry = item(json!({
            "attachments": [
                {
                    "url": "https://a.example/1.mp3", "mime_type": "audio/mpeg", "title": "A",
                    "size_in_bytes": 9, "duration_in_seconds": 3,
                },
                { "mime_type": "audio/mpeg" },
            ],
        }));
        let [file] = &entry.enclosures[..] else { panic!("{:?}", entry.enclosures) };
        assert_eq!(&*file.url.value, "https://a.example/1.mp3");
        assert_eq!(file.media_type.as_deref(), Some("audio/mpeg"));
        assert_eq!(file.title.as_deref(), Some("A"));
        assert_eq!((file.length.as_deref(), file.duration.as_deref()), (Some("9"), Some("3")));
    }

    #[test]
    fn authors_are_a_list_or_one_in_either_version() {
        let ines = json!({
            "name": "Ines", "url": "https://a.example/", "avatar": "https://a.example/i.jpg",
        });
        for members in [
            json!({ "authors": [ines] }),
            json!({ "authors": ines }),
            json!({ "author": ines }),
            json!({ "authors": [], "author": ines }),
            json!({ "authors": [ines], "author": { "name": "Robin" } }),
        ] {
            let mut entry = item(members.clone());
            let person = entry.persons.remove(0);
            assert_eq!((&*person.text, entry.persons.len()), ("Ines", 0), "{members}");
            assert_eq!(&*person.page.unwrap().value, "https://a.example/");
            assert_eq!(&*person.picture.unwrap().value, "https://a.example/i.jpg");
        }
    }

    #[test]
    fn a_list_that_names_the_format_is_no_broken_feed() {
        let list = "[\"https://jsonfeed.org/version/1\", ";
        assert_eq!(read(list, &Limits::default()).err(), Some(ReadError::NotAFeed));
    }
}
