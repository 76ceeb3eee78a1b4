//! Layers of settings: defaults, files, environment; the later one wins, key by key.

use std::collections::BTreeMap;
use std::fmt;

use config::{Config, ConfigError, Map, Source, Value, ValueKind};

/// Values by section and key, each with where it comes from.
#[derive(Clone, Default)]
pub(super) struct Layer(pub(super) Map<String, Value>);

impl Layer {
    /// Changes every value that is no section.
    pub(super) fn each(&mut self, change: &mut impl FnMut(&mut Value)) {
        fn walk(table: &mut Map<String, Value>, change: &mut impl FnMut(&mut Value)) {
            for value in table.values_mut() {
                match &mut value.kind {
                    ValueKind::Table(inside) => walk(inside, change),
                    _ => change(value),
                }
            }
        }
        walk(&mut self.0, change);
    }

    /// Puts a value under a key such as `server.listen`.
    pub(super) fn put(&mut self, key: &str, value: Value) {
        fn walk(table: &mut Map<String, Value>, key: &str, value: Value) {
            let Some((section, rest)) = key.split_once('.') else {
                table.insert(key.to_owned(), value);
                return;
            };
            let inside = table.entry(section.to_owned()).or_default();
            if !matches!(inside.kind, ValueKind::Table(_)) {
                let origin = value.origin().map(str::to_owned);
                *inside = Value::new(origin.as_ref(), Map::<String, Value>::new());
            }
            if let ValueKind::Table(inside) = &mut inside.kind {
                walk(inside, rest, value);
            }
        }
        walk(&mut self.0, key, value);
    }
}

/// Nothing of what is in it: there may be secrets.
impl fmt::Debug for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Layer")
    }
}

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, ConfigError> {
        Ok(self.0.clone())
    }
}

/// All keys with their values, the layers laid over one another.
pub(super) fn merge(layers: Vec<Layer>, known: &Table) -> Result<Table, ConfigError> {
    let mut table = Table::default();
    layers.iter().for_each(|layer| find_sections("", &layer.0, &mut table.sections));
    let merged = layers.into_iter().fold(Config::builder(), |all, layer| all.add_source(layer));
    flatten("", &merged.build()?.cache, known, &mut table.values);
    Ok(table)
}

/// Notes where sections stand: what is laid over one another knows it of values only.
fn find_sections(prefix: &str, table: &Map<String, Value>, found: &mut BTreeMap<String, String>) {
    for (name, value) in table {
        if let ValueKind::Table(inside) = &value.kind {
            let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            find_sections(&key, inside, found);
            if let Some(origin) = value.origin() {
                found.insert(key, origin.to_owned());
            }
        }
    }
}

/// A section becomes its keys; a known key has none, whatever stands there.
fn flatten(prefix: &str, value: &Value, known: &Table, found: &mut BTreeMap<String, Value>) {
    match &value.kind {
        ValueKind::Table(table) if !table.is_empty() && !known.is_value(prefix) => {
            for (key, value) in table {
                let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                flatten(&key, value, known, found);
            }
        }
        _ => drop(found.insert(prefix.to_owned(), value.clone())),
    }
}

/// Values by their full keys. A section without anything in it stands under its own name.
#[derive(Clone, Default)]
pub(super) struct Table {
    pub(super) values: BTreeMap<String, Value>,
    sections: BTreeMap<String, String>,
}

impl Table {
    /// Where a section inside of another stands: the one of that name, or that such a key lacks in.
    fn inner_section(&self, key: &str) -> Option<&str> {
        let around = key.rsplit_once('.').map(|(section, _)| section);
        let names = [Some(key), around].into_iter().flatten();
        let mut inner = names.filter(|name| name.contains('.'));
        inner.find_map(|name| self.sections.get(name)).map(String::as_str)
    }

    /// Whether a key is there that is no section.
    pub(super) fn is_value(&self, key: &str) -> bool {
        let kind = self.values.get(key).map(|value| &value.kind);
        kind.is_some_and(|kind| !matches!(kind, ValueKind::Table(_)))
    }

    /// The names of all sections, those inside of others left out.
    pub(super) fn sections(&self) -> impl Iterator<Item = &str> {
        self.sections.keys().map(String::as_str).filter(|name| !name.contains('.'))
    }

    /// Where the value of a key comes from.
    pub(super) fn origin(&self, key: &str) -> &str {
        let section = || self.sections.get(key).map(String::as_str).or(self.inner_section(key));
        self.values.get(key).and_then(Value::origin).or_else(section).unwrap_or(DEFAULT)
    }

    /// Whether a key has a value that says something.
    pub(super) fn is_set(&self, key: &str) -> bool {
        self.values.get(key).is_some_and(|value| match &value.kind {
            ValueKind::String(text) => !text.trim().is_empty(),
            ValueKind::Array(values) => !values.is_empty(),
            _ => true,
        })
    }

    /// The keys of a section, by their names in it.
    pub(super) fn section<'a>(
        &'a self,
        name: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.values.iter().filter_map(move |(key, value)| {
            Some((key.strip_prefix(name)?.strip_prefix('.')?, value))
        })
    }
}

/// The origin of what nobody has set.
pub(super) const DEFAULT: &str = "default";
