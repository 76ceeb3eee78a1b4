//! Keeps what the mapping has no place for: elements as JSON, by qualified name.

use serde_json::map::Entry;
use serde_json::{Map, Value};

use super::xml::{Element, Namespace};

/// The name and the value that an element has in `original`.
pub(super) fn of_element(element: Element<'_, '_>) -> (String, Value) {
    (qualified_name(element), value(element, 0))
}

/// The element's name with the usual prefix of its vocabulary; bare in the format's own.
pub(super) fn qualified_name(element: Element<'_, '_>) -> String {
    match element.namespace() {
        Namespace::Core | Namespace::Atom => element.name().to_owned(),
        Namespace::Other => element.written_name().to_owned(),
        known => match known.usual_prefix() {
            Some(prefix) => [prefix, ":", element.name()].concat(),
            None => element.written_name().to_owned(),
        },
    }
}

/// Text alone is a string; attributes become members with an `@`, children members by name.
fn value(element: Element<'_, '_>, depth: usize) -> Value {
    let mut members = Map::new();
    for (name, text) in element.named_attributes() {
        members.insert(["@", name].concat(), Value::from(text));
    }
    if depth < MAX_DEPTH {
        for child in element.children() {
            insert(&mut members, qualified_name(child), value(child, depth + 1));
        }
    }
    let text = if element.children().next().is_some() && depth < MAX_DEPTH {
        None
    } else {
        element.trimmed_text()
    };
    match text {
        Some(text) if members.is_empty() => Value::from(text.as_ref()),
        Some(text) => {
            members.insert("#text".to_owned(), Value::from(text.as_ref()));
            Value::Object(members)
        }
        None if members.is_empty() => Value::from(""),
        None => Value::Object(members),
    }
}

/// Adds a member; one that is there already becomes a list.
pub(crate) fn insert(members: &mut Map<String, Value>, name: String, value: Value) {
    match members.entry(name) {
        Entry::Vacant(free) => {
            free.insert(value);
        }
        Entry::Occupied(mut taken) => match taken.get_mut() {
            Value::Array(list) => list.push(value),
            first => {
                let list = vec![first.take(), value];
                *first = Value::Array(list);
            }
        },
    }
}

/// Deeper structure than this is kept as text.
const MAX_DEPTH: usize = 6;
