//! One outline of a list.

use quick_xml::events::BytesStart;
use quick_xml::events::attributes::Attribute;

use super::declared::Declared;

/// A feed of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// What the list calls it; may be empty.
    pub title: String,
    /// Its address, or that of its page where the list has no other.
    pub url: String,
}

impl Outline {
    /// The feed that an outline names, if it names one.
    pub(super) fn of(tag: &BytesStart<'_>, declared: &Declared<'_>) -> Option<Self> {
        let find = |name: &str| {
            let found = attributes(tag).find(|attribute| is_named(attribute, name))?;
            let value = declared.decode(&found.value).trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        let url = find(FEED).or_else(|| find("htmlUrl"))?;
        let title = find("title").or_else(|| find("text")).unwrap_or_default();
        Some(Self { title, url })
    }
}

/// The tag with another address of the feed: in the place of the old one, else behind the rest.
pub(super) fn with_feed(tag: &BytesStart<'_>, url: &str) -> BytesStart<'static> {
    let mut changed = BytesStart::new(tag.name().as_ref().to_owned());
    let mut is_set = false;
    for attribute in attributes(tag) {
        let name = attribute.key.as_ref();
        if !is_named(&attribute, FEED) {
            // As it stands, but for quotes that its own kind of quotes may hold.
            let value = attribute.value.replace('"', "&quot;").into();
            changed.push_attribute(Attribute { key: attribute.key, value });
        } else if !std::mem::replace(&mut is_set, true) {
            changed.push_attribute((name, url));
        }
    }
    if !is_set {
        changed.push_attribute((FEED, url));
    }
    changed
}

const FEED: &str = "xmlUrl";

fn attributes<'a>(tag: &'a BytesStart<'_>) -> impl Iterator<Item = Attribute<'a>> {
    let mut attributes = tag.html_attributes();
    attributes.with_checks(false);
    attributes.filter_map(Result::ok)
}

fn is_named(attribute: &Attribute<'_>, name: &str) -> bool {
    attribute.key.as_ref().eq_ignore_ascii_case(name)
}
