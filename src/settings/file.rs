//! Reads a settings file (TOML): each value with the line that it stands in.

use std::fs;
use std::path::Path;

use config::{Map, Value, ValueKind};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::layers::{DEFAULT, Layer};

/// The values of a file, or every fault of its form.
pub(super) fn read(path: &Path) -> Result<Layer, Vec<String>> {
    let name = path.display().to_string();
    match fs::read(path).map(String::from_utf8) {
        Ok(Ok(text)) => parse(&name, &text),
        Ok(Err(_)) => Err(vec![format!("{name}: the settings file is not UTF-8")]),
        Err(error) => Err(vec![format!("{name}: the settings file cannot be read: {error}")]),
    }
}

fn parse(name: &str, text: &str) -> Result<Layer, Vec<String>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let place = Place { name, text };
    let fault = |error: &toml::de::Error| {
        let line = error.span().map_or(1, |span| place.line(span.start));
        format!("{name}:{line}: {}", error.message().replace('\n', ", "))
    };
    if errors.is_empty() {
        Ok(Layer(place.table(table.get_ref())))
    } else {
        Err(errors.iter().map(fault).collect())
    }
}

/// The defaults, which need no lines.
pub(super) fn defaults(text: &str) -> Result<Layer, Vec<String>> {
    let mut layer = parse(DEFAULT, text)?;
    layer.each(&mut |value| *value = Value::new(Some(&DEFAULT.to_owned()), value.kind.clone()));
    Ok(layer)
}

#[derive(Clone, Copy)]
struct Place<'a> {
    name: &'a str,
    text: &'a str,
}

impl Place<'_> {
    fn table(self, table: &DeTable<'_>) -> Map<String, Value> {
        table
            .iter()
            .map(|(key, value)| (key.get_ref().to_string(), self.value(key.span().start, value)))
            .collect()
    }

    fn value(self, start: usize, value: &Spanned<DeValue<'_>>) -> Value {
        let kind = match value.get_ref() {
            DeValue::String(text) => ValueKind::String(text.to_string()),
            DeValue::Integer(number) => {
                match i64::from_str_radix(number.as_str(), number.radix()) {
                    Ok(number) => ValueKind::I64(number),
                    Err(_) => ValueKind::String(number.to_string()),
                }
            }
            DeValue::Float(number) => {
                number.as_str().parse().map_or(ValueKind::Nil, ValueKind::Float)
            }
            DeValue::Boolean(is) => ValueKind::Boolean(*is),
            DeValue::Datetime(date) => ValueKind::String(date.to_string()),
            DeValue::Array(values) => ValueKind::Array(
                values.iter().map(|value| self.value(value.span().start, value)).collect(),
            ),
            DeValue::Table(table) => ValueKind::Table(self.table(table)),
        };
        Value::new(Some(&format!("{}:{}", self.name, self.line(start))), kind)
    }

    /// The line of a byte, from 1.
    fn line(self, byte: usize) -> usize {
        self.text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
    }
}
