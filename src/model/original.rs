//! What a source said that has no place in an item (MMSP 6.2, 10.1), in its own order.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// The name of a member: most are known beforehand.
pub type MemberName = Cow<'static, str>;

/// Members by qualified name, each name once.
///
/// A plain list: nearly every item has a few members or none, and a table for each would cost more
/// than all else that is kept of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Original(Vec<(MemberName, Kept)>);

/// A value that is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum Kept {
    /// Text.
    Text(String),
    /// What was said more than once under one name.
    List(Vec<Kept>),
    /// An element that has more to it than text.
    Members(Original),
    /// JSON that came as JSON.
    Json(Box<Value>),
}

impl Original {
    /// Brings members together: what is said again under a name joins what was said there first.
    #[must_use]
    pub fn of(members: Vec<(MemberName, Kept)>) -> Self {
        if members.len() <= FEW {
            let is_new = |(at, (name, _)): (usize, &(MemberName, Kept))| {
                members.iter().take(at).all(|(earlier, _)| earlier != name)
            };
            if members.iter().enumerate().all(is_new) {
                return Self(members);
            }
        }
        let mut joined: Vec<(MemberName, Kept)> = Vec::with_capacity(members.len());
        let mut places = HashMap::with_capacity(members.len());
        for (name, value) in members {
            match places.entry(name) {
                Entry::Vacant(free) => {
                    joined.push((free.key().clone(), value));
                    free.insert(joined.len() - 1);
                }
                Entry::Occupied(place) => {
                    if let Some((_, first)) = joined.get_mut(*place.get()) {
                        first.join(value);
                    }
                }
            }
        }
        Self(joined)
    }

    /// Whether nothing is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Members that are compared each with each, rather than looked up.
const FEW: usize = 16;

impl Kept {
    fn join(&mut self, again: Self) {
        match self {
            Self::List(list) => list.push(again),
            first => {
                let earlier = std::mem::replace(first, Self::List(Vec::with_capacity(2)));
                if let Self::List(list) = first {
                    list.extend([earlier, again]);
                }
            }
        }
    }
}

impl From<&str> for Kept {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Cow<'_, str>> for Kept {
    fn from(text: Cow<'_, str>) -> Self {
        Self::Text(text.into_owned())
    }
}

impl From<Value> for Kept {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text),
            Value::Array(list) => Self::List(list.into_iter().map(Self::from).collect()),
            other => Self::Json(Box::new(other)),
        }
    }
}

impl Serialize for Original {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Serialize for Kept {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(list) => serializer.collect_seq(list),
            Self::Members(members) => members.serialize(serializer),
            Self::Json(value) => value.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Original {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Map::deserialize(deserializer)?;
        let kept = members.into_iter().map(|(name, value)| (Cow::Owned(name), value.into()));
        Ok(Self(kept.collect()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_is_there_once_with_all_that_was_said_under_it() {
        let said = [("b", "1"), ("a", "2"), ("b", "3"), ("b", "4")];
        let many = (0..100).map(|n| (Cow::Owned(format!("n{n}")), Kept::from("x")));
        for rest in [Vec::new(), many.collect::<Vec<_>>()] {
            let told = said.map(|(name, text)| (Cow::Borrowed(name), Kept::from(text)));
            let kept = Original::of(told.into_iter().chain(rest.clone()).collect());
            let json = serde_json::to_value(&kept).unwrap();
            assert_eq!((&json["b"], &json["a"]), (&json!(["1", "3", "4"]), &json!("2")));
            let names: Vec<_> = json.as_object().unwrap().keys().take(2).collect();
            assert_eq!(names, ["b", "a"], "in the order of the source");
            assert_eq!(json.as_object().unwrap().len(), 2 + rest.len());
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let json =
            json!({"x": {"@a": "1", "#text": "t"}, "l": ["1", {"n": 2}], "n": null, "e": ""});
        let kept: Original = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(&kept).unwrap(), json);
    }
}
