//! Reads values as the modules want them, and says in plain words what is wrong with one.
//!
//! Strictly: 1.5 is no whole number and `"yes"` is not `true`. What the environment has, which is
//! all text, was given its kind before.

use std::fmt::{self, Display};

use config::{Value, ValueKind};
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeOwned, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

/// What is wrong with a value.
#[derive(Debug, PartialEq)]
pub(super) enum ValueError {
    /// Another kind, or out of its bounds: what was expected, and what was found.
    Unexpected { expected: String, found: String },
    /// What a module says of it.
    Said(String),
}

impl ValueError {
    /// The fault of that key, as a sentence. Of a secret nothing is told that was found.
    pub(super) fn sentence(&self, key: &str, is_secret: bool) -> String {
        match self {
            Self::Unexpected { expected, .. } if is_secret => format!("{key} must be {expected}"),
            Self::Unexpected { expected, found } => {
                format!("{key} must be {expected}, not {found}")
            }
            Self::Said(_) if is_secret => format!("{key} cannot be read"),
            Self::Said(said) => format!("{key}: {said}"),
        }
    }
}

/// Reads a section from those of its keys that are there.
pub(super) fn read<'a, T: DeserializeOwned>(
    table: impl IntoIterator<Item = (&'a str, &'a Value)>,
) -> Result<T, ValueError> {
    let entries = table.into_iter().map(|(key, value)| (key, Reader(value)));
    T::deserialize(MapDeserializer::new(entries))
}

#[derive(Clone, Copy)]
struct Reader<'a>(&'a Value);

impl<'de> de::Deserializer<'de> for Reader<'_> {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match &self.0.kind {
            ValueKind::Nil => visitor.visit_unit(),
            ValueKind::Boolean(is) => visitor.visit_bool(*is),
            ValueKind::I64(number) => visitor.visit_i64(*number),
            ValueKind::U64(number) => visitor.visit_u64(*number),
            ValueKind::I128(number) => visitor.visit_i128(*number),
            ValueKind::U128(number) => visitor.visit_u128(*number),
            ValueKind::Float(number) => visitor.visit_f64(*number),
            ValueKind::String(text) => visitor.visit_str(text),
            ValueKind::Array(values) => {
                visitor.visit_seq(SeqDeserializer::new(values.iter().map(Reader)))
            }
            ValueKind::Table(table) => {
                let entries = table.iter().map(|(key, value)| (key.as_str(), Reader(value)));
                visitor.visit_map(MapDeserializer::new(entries))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        match &self.0.kind {
            ValueKind::String(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            _ => Err(ValueError::Unexpected {
                expected: one_of(variants),
                found: shown(&self.0.kind),
            }),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl IntoDeserializer<'_, ValueError> for Reader<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl de::Error for ValueError {
    fn custom<T: Display>(said: T) -> Self {
        Self::Said(said.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::Unexpected { expected: plain(&expected.to_string()), found: told(found) }
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn unknown_variant(found: &str, variants: &'static [&'static str]) -> Self {
        // A secret may be put beside its key by mistake, and is longer than any of these.
        let longest = variants.iter().map(|variant| variant.len()).max().unwrap_or(0);
        let is_near = found.chars().count() <= longest + 2;
        let found = if is_near { quoted(found) } else { "a longer text".to_owned() };
        Self::Unexpected { expected: one_of(variants), found }
    }
}

impl Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence("it", false))
    }
}

impl std::error::Error for ValueError {}

/// What serde calls kinds, as the settings file does.
fn plain(expected: &str) -> String {
    match expected {
        "a boolean" => "true or false",
        "a string" | "path string" => "a text",
        other => other,
    }
    .to_owned()
}

fn one_of(variants: &[&str]) -> String {
    match variants {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => variants.concat(),
    }
}

fn told(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(is) => is.to_string(),
        Unexpected::Unsigned(number) => number.to_string(),
        Unexpected::Signed(number) => number.to_string(),
        Unexpected::Float(number) => number.to_string(),
        Unexpected::Str(text) => quoted(text),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a section".to_owned(),
        Unexpected::Unit => "nothing".to_owned(),
        other => other.to_string(),
    }
}

fn shown(kind: &ValueKind) -> String {
    match kind {
        ValueKind::Array(_) => told(Unexpected::Seq),
        ValueKind::Table(_) => told(Unexpected::Map),
        other => other.to_string(),
    }
}

fn quoted(text: &str) -> String {
    if text.is_empty() {
        return "an empty text".to_owned();
    }
    let more = if text.chars().nth(SHOWN_CHARS).is_some() { "\u{2026}" } else { "" };
    let shown: String = text.chars().take(SHOWN_CHARS).collect();
    format!("\"{}{more}\"", shown.escape_debug())
}

/// As much of a text as makes it known again.
const SHOWN_CHARS: usize = 64;
