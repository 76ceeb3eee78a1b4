//! Lists in settings: a real list, or one text with commas as the environment has it.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserializer;
use serde::de::{Error, SeqAccess, Visitor};

/// A value that a list in the settings may hold.
pub(crate) trait Entry: Sized {
    /// What a good one looks like.
    const EXPECTED: &'static str;

    /// Reads one entry, already trimmed and not empty.
    fn parse(text: &str) -> Option<Self>;
}

/// Reads a list of entries, for `#[serde(deserialize_with)]`.
pub(crate) fn list<'de, T: Entry, D: Deserializer<'de>>(source: D) -> Result<Vec<T>, D::Error> {
    source.deserialize_any(ListVisitor(PhantomData))
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Entry> Visitor<'de> for ListVisitor<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list, or a text with commas, of {}", T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(entry).collect()
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        entry(&number.to_string()).map(|value| vec![value])
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        entry(&number.to_string()).map(|value| vec![value])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Text(text)) = seq.next_element()? {
            values.push(entry(text.trim())?);
        }
        Ok(values)
    }
}

fn entry<T: Entry, E: Error>(text: &str) -> Result<T, E> {
    T::parse(text).ok_or_else(|| E::custom(format_args!("`{text}` is not {}", T::EXPECTED)))
}

/// An element of a list: a text, or a number that is read as one.
struct Text(String);

impl<'de> serde::Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl Visitor<'_> for TextVisitor {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a whole number")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.to_owned()))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Text, E> {
                Ok(Text(number.to_string()))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Text, E> {
                Ok(Text(number.to_string()))
            }
        }
        source.deserialize_any(TextVisitor)
    }
}
