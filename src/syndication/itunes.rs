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
    match &*element.lower_name() {
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
    match &*element.lower_name() {
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
    let said = element.own_value("text");
    let plain = || match element.children().next() {
        Some(_) => None,
        None => element.trimmed_text(),
    };
    if let Some(term) = said.or_else(plain) {
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

#[cfg(test)]
mod tests {
    use super::super::for_tests::{channel, item, kept, terms};
    use super::*;

    const CATEGORIES: &str = "<itunes:category text='Arts'><itunes:category text=' Books '/>\
        </itunes:category><itunes:category text=''>Sea</itunes:category>\
        <itunes:keywords>fog,, quay </itunes:keywords>";
    const NAMES: [&str; 5] = ["Arts", "Books", "Sea", "fog", "quay"];

    #[test]
    fn an_episode_is_read_member_by_member() {
        let inside = "<itunes:title>A</itunes:title><itunes:author>Ines</itunes:author>\
            <itunes:season>2</itunes:season><itunes:season>3</itunes:season>\
            <itunes:summary>long</itunes:summary><itunes:subtitle>short</itunes:subtitle>\
            <itunes:order>1</itunes:order>";
        item("", &format!("{inside}{CATEGORIES}"), |entry| {
            assert_eq!(&*entry.itunes_title.as_ref().unwrap().value, "A");
            let person = &entry.persons[0];
            assert_eq!((person.role, &*person.text), (PersonRole::ItunesAuthor, "Ines"));
            assert_eq!(&*entry.season.as_ref().unwrap().number, "2");
            let texts: Vec<_> =
                entry.texts.iter().map(|(role, text)| (*role, &*text.value)).collect();
            let want = [(TextRole::ItunesSummary, "long"), (TextRole::ItunesSubtitle, "short")];
            assert_eq!(texts, want);
            assert_eq!(terms(&entry.categories), NAMES);
            assert_eq!(kept(entry), ["itunes:order"]);
        });
    }

    #[test]
    fn a_show_is_filed_and_made_by_somebody() {
        channel(&format!("<itunes:author>Ines</itunes:author>{CATEGORIES}"), |channel| {
            assert_eq!(channel.persons[0].role, PersonRole::ItunesAuthor);
            assert_eq!(terms(&channel.categories), NAMES);
        });
    }

    #[test]
    fn a_link_to_a_picture_is_a_picture_and_another_link_is_none() {
        let link = |rel: &str| format!("<itunes:link rel='{rel}' href='https://a.example/1.jpg'/>");
        item("", &format!("<title>x</title>{}{}", link(" Image "), link("self")), |entry| {
            let pictures: Vec<_> = entry.images.iter().map(|image| &*image.value).collect();
            assert_eq!(pictures, ["https://a.example/1.jpg"]);
            assert_eq!(kept(entry), ["itunes:link"]);
        });
        channel(&link("image"), |channel| assert!(channel.itunes_image.is_some()));
        channel(&link("self"), |channel| assert!(channel.itunes_image.is_none()));
    }
}
