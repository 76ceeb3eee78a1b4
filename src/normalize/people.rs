//! Authors and tags.

use super::item::Draft;
use super::{address, plain_text};
use crate::model::{Author, HttpsUrl};
use crate::syndication::person::{as_mail, mailboxes, parse_person};
use crate::syndication::source_feed::{Category, Person, Reference};

impl Draft<'_, '_> {
    /// Authors of the item, hosts first; the feed's are not copied (MMSP 6.2: they are inherited).
    pub(super) fn authors(&mut self) -> Vec<Author> {
        let (entry, context) = (self.entry, self.context);
        let named = named(&entry.persons);
        let mut last = None;
        for (person, name) in &named {
            let is_first = !last.replace(*person).is_some_and(|last| std::ptr::eq(last, *person));
            // The name is taken out; a mail address beside it has no place in an author.
            if is_first && name != person.text.trim() {
                self.keep(person.role.name(), person.text.trim());
            }
        }
        let base = entry.base.as_deref().unwrap_or(&context.base);
        authors(named, &|reference| address::resolve(reference, base).map(|a| a.url))
    }

    /// Tags of the item, each once.
    pub(super) fn tags(&self) -> Vec<String> {
        tags(&self.entry.categories)
    }
}

/// The people who have a name, with it.
pub(super) fn named<'p, 't>(
    persons: impl IntoIterator<Item = &'p Person<'t>>,
) -> Vec<(&'p Person<'t>, String)>
where
    't: 'p,
{
    let with_names = |person| names(person).into_iter().map(move |name| (person, name));
    persons.into_iter().flat_map(with_names).collect()
}

/// Turns people into authors: by role, each name once.
pub(super) fn authors(
    mut named: Vec<(&Person<'_>, String)>,
    resolve: &dyn Fn(&Reference<'_>) -> Option<HttpsUrl>,
) -> Vec<Author> {
    named.sort_by_key(|(person, _)| person.role);
    let mut authors: Vec<Author> = Vec::new();
    for (person, name) in named {
        if authors.len() == MAX_AUTHORS
            || authors.iter().any(|a| a.name.eq_ignore_ascii_case(&name))
        {
            continue;
        }
        authors.push(Author {
            name,
            url: person.page.as_ref().and_then(resolve),
            avatar: person.picture.as_ref().and_then(resolve),
        });
    }
    authors
}

/// The names in a person's text: one, or those of a list of mail addresses.
fn names(person: &Person<'_>) -> Vec<String> {
    let text = plain_text::beginning(&person.text, LONGEST_NAME);
    match mailboxes(text).as_slice() {
        [] | [_] => name(person, text).into_iter().collect(),
        many => many.iter().filter_map(|one| name(&Person::default(), one)).collect(),
    }
}

/// The name to show: without one the mail address, which is what the source shows as well.
fn name(person: &Person<'_>, text: &str) -> Option<String> {
    let text = match as_mail(text) {
        // `<mail>` is no tag.
        Some(mail) => mail.to_owned(),
        None => plain_text::of_html(text),
    };
    let parts = parse_person(&text);
    let name = parts.name.map(|name| name.into_owned());
    let mail =
        || parts.email.map(str::to_owned).or_else(|| person.email.as_deref().map(str::to_owned));
    name.or_else(mail)
        .or_else(|| person.page.as_ref().map(|page| page.value.trim().to_owned()))
        .filter(|name| !name.is_empty())
}

/// A mail address of somebody, if there is one to be had.
pub(super) fn mail(text: &str) -> Option<String> {
    let found = parse_person(text).email.or_else(|| as_mail(text))?;
    // The protocol's schema wants what its mail format checks: a dot in the host is enough.
    found.contains('.').then(|| found.to_owned())
}

/// Turns categories into tags, each once. The term counts (Appendix C), not the label.
pub(super) fn tags(categories: &[Category<'_>]) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for category in categories {
        let tag = plain_text::of_html(plain_text::beginning(&category.term, LONGEST_NAME));
        if !tag.is_empty() && tags.len() < MAX_TAGS && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

/// Bytes of a name or tag that are looked at.
const LONGEST_NAME: usize = 1 << 10;
const MAX_AUTHORS: usize = 50;
const MAX_TAGS: usize = 200;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::for_tests::item;
    use super::*;

    #[test]
    fn authors_are_told_once_by_their_name_and_mail_is_kept_apart() {
        let item = item(
            "<author>robin@example.com (Robin Ash)</author><dc:creator>robin ash</dc:creator>\
             <dc:creator>Ines</dc:creator>",
        );
        assert_eq!(item["authors"], json!([{ "name": "Robin Ash" }, { "name": "Ines" }]));
        assert_eq!(item["original"]["author"], "robin@example.com (Robin Ash)");
        assert_eq!(item["original"]["dc:creator"], Value::Null);
    }

    #[test]
    fn tags_are_told_once_without_empty_ones() {
        let item = item(
            "<category>Sea &amp;amp; Quay</category><category> </category><category>fog</category>\
             <category>Sea &amp;amp; Quay</category>",
        );
        assert_eq!(item["tags"], json!(["Sea & Quay", "fog"]));
    }

    #[test]
    fn more_names_and_tags_than_anyone_means_are_cut_off() {
        let many = |element: &str, count: usize| {
            let elements: String =
                (0..count).map(|n| format!("<{element}>n{n}</{element}>")).collect();
            item(&elements)
        };
        let count = |list: &Value| list.as_array().unwrap().len();
        assert_eq!(count(&many("dc:creator", MAX_AUTHORS + 1)["authors"]), MAX_AUTHORS);
        assert_eq!(count(&many("category", MAX_TAGS + 1)["tags"]), MAX_TAGS);
    }

    #[test]
    fn authors_are_named_without_their_addresses() {
        for (said, want) in [
            ("ines@example.com (Ines)", json!([{ "name": "Ines" }])),
            ("&lt;ines@example.com&gt;", json!([{ "name": "ines@example.com" }])),
            (
                "ines@example.com (Ines), Kim &lt;kim@example.com&gt;",
                json!([{ "name": "Ines" }, { "name": "Kim" }]),
            ),
            ("Ines, Kim", json!([{ "name": "Ines, Kim" }])),
            ("&lt;a href='https://a.example/'&gt;Ines&lt;/a&gt;", json!([{ "name": "Ines" }])),
        ] {
            let item = item(&format!("<title>x</title><author>{said}</author>"));
            assert_eq!(item["authors"], want, "{said}");
        }
    }
}
