//! Reads a JSON text into memory: bounded, and noticing what parsers pass over in silence.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::path::Path;
use super::{MAX_BYTES, MAX_VALUES, ManifestError};

/// A document, and the places of members that stand there twice.
pub(super) struct Tree {
    pub(super) value: Value,
    pub(super) doubles: Vec<String>,
}

/// Reads a JSON text of RFC 8259 in UTF-8; of a member that is there twice the last one counts.
pub(super) fn read(bytes: &[u8]) -> Result<Tree, ManifestError> {
    if bytes.len() > MAX_BYTES {
        return Err(ManifestError::TooLarge);
    }
    let notes = RefCell::new(Notes::default());
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let read = Place { path: Path::Root, notes: &notes }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    let notes = notes.into_inner();
    match read {
        Ok(value) => Ok(Tree { value, doubles: notes.doubles }),
        Err(_) if notes.values > MAX_VALUES => Err(ManifestError::TooManyValues),
        Err(error) => Err(ManifestError::NotJson(error.to_string())),
    }
}

#[derive(Default)]
struct Notes {
    values: usize,
    doubles: Vec<String>,
}

/// Doubles that are noted; a document with more has worse faults.
const MAX_DOUBLES: usize = 100;

struct Place<'p> {
    path: Path<'p>,
    notes: &'p RefCell<Notes>,
}

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let mut notes = self.notes.borrow_mut();
        notes.values += 1;
        if notes.values > MAX_VALUES {
            return Err(D::Error::custom("too many values"));
        }
        drop(notes);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Place<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut elements = Vec::new();
        let place = |at| Place { path: self.path.element(at), notes: self.notes };
        while let Some(element) = list.next_element_seed(place(elements.len()))? {
            elements.push(element);
        }
        Ok(Value::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let path = self.path.member(&name);
            let value = map.next_value_seed(Place { path, notes: self.notes })?;
            if members.contains_key(&name) {
                let mut notes = self.notes.borrow_mut();
                if notes.doubles.len() < MAX_DOUBLES {
                    notes.doubles.push(path.to_string());
                }
            }
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_the_values_that_it_says() {
        let text = r#"{"a":[null,true,-1,1.5,18446744073709551615,"x\u00e4"],"b":{}}"#;
        let tree = read(text.as_bytes()).unwrap();
        assert_eq!(tree.value, serde_json::from_str::<Value>(text).unwrap());
        assert!(tree.doubles.is_empty());
    }

    #[test]
    fn members_that_are_there_twice_are_noticed_and_the_last_counts() {
        let tree = read(br#"{"a":1,"b":[{"c":1,"c":2}],"a":3}"#).unwrap();
        assert_eq!(tree.doubles, ["$.b[0].c", "$.a"]);
        assert_eq!(tree.value["a"], 3);
        let many = format!("{{{}\"a\":1}}", "\"a\":1,".repeat(1_000));
        assert_eq!(read(many.as_bytes()).unwrap().doubles.len(), MAX_DOUBLES);
    }

    #[test]
    fn bytes_values_and_depth_have_their_limits() {
        let error = |bytes: &[u8]| read(bytes).err().unwrap();
        assert!(matches!(error(&vec![b' '; MAX_BYTES]), ManifestError::NotJson(_)));
        assert_eq!(error(&vec![b' '; MAX_BYTES + 1]), ManifestError::TooLarge);
        let many = format!("[{}0]", "0,".repeat(MAX_VALUES));
        assert_eq!(error(many.as_bytes()), ManifestError::TooManyValues);
        let cut = format!("[{}", "0,".repeat(MAX_VALUES - 1));
        assert!(matches!(error(cut.as_bytes()), ManifestError::NotJson(_)));
        let deep = "[".repeat(100_000);
        assert!(matches!(error(deep.as_bytes()), ManifestError::NotJson(_)));
        assert!(matches!(error(b"{} {}"), ManifestError::NotJson(_)));
    }
}
