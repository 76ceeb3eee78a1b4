//! Keeps what the mapping has no place for: elements by qualified name.

use std::borrow::Cow;

use super::xml::{Element, Namespace};
use crate::model::{Kept, MemberName, Original};

/// The name and the value that an element has in `original`.
pub(super) fn of_element(element: Element<'_, '_>) -> (MemberName, Kept) {
    (qualified_name(element), value(element, 0))
}

/// The element's name with the usual prefix of its vocabulary; bare in the format's own.
pub(super) fn qualified_name(element: Element<'_, '_>) -> MemberName {
    Cow::Owned(match element.namespace() {
        Namespace::Core | Namespace::Atom if element.name() == "category" => return CATEGORY,
        Namespace::Core | Namespace::Atom => element.name().to_owned(),
        Namespace::Other => element.written_name().to_owned(),
        known => match known.usual_prefix() {
            Some(prefix) => [prefix, ":", element.name()].concat(),
            None => element.written_name().to_owned(),
        },
    })
}

/// What is kept most often, twenty times an item.
const CATEGORY: MemberName = Cow::Borrowed("category");

/// Text alone is a string; attributes become members with an `@`, children members by name.
fn value(element: Element<'_, '_>, depth: usize) -> Kept {
    let attributes = element.named_attributes();
    // To the letter: there may be many, for long.
    let mut members: Vec<(MemberName, Kept)> = Vec::with_capacity(attributes.len() + 1);
    for (name, text) in attributes {
        let name = match name {
            "domain" => "@domain".into(),
            other => ["@", other].concat().into(),
        };
        members.push((name, text.into()));
    }
    let has_children = element.children().next().is_some() && depth < MAX_DEPTH;
    if has_children {
        let children = element.children();
        members.extend(children.map(|child| (qualified_name(child), value(child, depth + 1))));
    } else if let Some(text) = element.trimmed_text() {
        if members.is_empty() {
            return text.into();
        }
        members.push((Cow::Borrowed("#text"), text.into()));
    }
    if members.is_empty() { "".into() } else { Kept::Members(Original::of(members)) }
}

/// Deeper structure than this is kept as text.
const MAX_DEPTH: usize = 6;
