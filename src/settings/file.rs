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
    let faults = faults(text);
    if !faults.is_empty() {
        let told = faults.iter().map(|(line, what)| format!("{name}:{line}: {what}"));
        return Err(told.collect());
    }
    let (table, _) = DeTable::parse_recoverable(text);
    Ok(Layer(Place { name, text }.table(table.get_ref())))
}

/// Every line that is wrong, and what is wrong with it. The reader goes on after a fault, and takes
/// what follows from it for more of them: so the first is told, its line left out, and the rest
/// read again. A fault inside of an open list or text leaves nothing that could be judged by
/// itself.
fn faults(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let mut faults = Vec::new();
    while faults.len() < MOST_FAULTS {
        let Some((line, what)) = first_fault(&lines.join("\n")) else { break };
        let is_new = faults.last().is_none_or(|(last, _)| *last < line);
        if !is_new {
            break;
        }
        faults.push((line, what));
        let before = lines.iter().take(line - 1).copied().collect::<Vec<_>>().join("\n");
        let Some(broken) = lines.get_mut(line - 1) else { break };
        if first_fault(&before).is_some() {
            break;
        }
        // The keys that follow belong to some section.
        *broken = if broken.trim_start().starts_with('[') { "[[\"\"]]" } else { "" };
    }
    faults
}

/// The first line, from 1, that is wrong, and what is wrong with it.
fn first_fault(text: &str) -> Option<(usize, String)> {
    let start = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
    let (_, errors) = DeTable::parse_recoverable(text);
    let first = errors.iter().min_by_key(|error| line_of(text, start(error)))?;
    Some((line_of(text, start(first)), first.message().replace('\n', ", ")))
}

/// The line of a byte, from 1.
fn line_of(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}

/// More would hide the first, and a file that is no settings file at all has one in each line.
const MOST_FAULTS: usize = 20;

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
        Value::new(Some(&format!("{}:{}", self.name, line_of(self.text, start))), kind)
    }
}
