//! Reads variables of the environment, and the files that some of them name.
//!
//! `MMSP_GATEWAY__SECTION__KEY` sets a key; `…_FILE` names a file with the value, for secrets only.
//! A variable with one underscore is an error only where it spells a setting: Kubernetes gives
//! every container variables that begin with the name of each service (ADR 41).

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};

use config::{Value, ValueKind};

use super::layers::{Layer, Table};
use super::secret_keys;

/// The values of the environment; what cannot be read is a fault.
pub(super) fn read(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
    defaults: &Table,
    faults: &mut Vec<String>,
) -> Layer {
    let mut layer = Layer::default();
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut variables: Vec<_> = environment.into_iter().filter_map(ours).collect();
    variables.sort();
    for (name, value) in variables {
        let Some(rest) = strip_prefix(&name, PREFIX) else {
            faults.extend(misspelt_prefix(&name, defaults));
            continue;
        };
        let read = Variable { name: &name, key: rest.to_ascii_lowercase().replace("__", ".") };
        match read.value(value, defaults) {
            Ok((key, value)) => {
                if let Some(other) = seen.insert(key.clone(), name.clone()) {
                    faults.push(format!("{other}, {name}: {key} is set twice: leave one away"));
                }
                layer.put(&key, value);
            }
            Err(fault) => faults.push(format!("{name}: {fault}")),
        }
    }
    layer
}

struct Variable<'a> {
    name: &'a str,
    key: String,
}

impl Variable<'_> {
    /// The key that is meant, and its value; or what is wrong.
    fn value(self, text: OsString, defaults: &Table) -> Result<(String, Value), String> {
        let is_known = defaults.values.contains_key(&self.key);
        let named = self.key.strip_suffix("_file").filter(|_| !is_known);
        let Ok(text) = text.into_string() else {
            return Err("its value is not UTF-8".to_owned());
        };
        match named {
            Some(key) if secret_keys().contains(&key) => {
                let secret = secret(text.trim())?;
                let origin = format!("{} ({})", self.name, text.trim());
                Ok((key.to_owned(), Value::new(Some(&origin), secret)))
            }
            Some(key) if defaults.values.contains_key(key) => Err(format!(
                "only {} can stand in a file of their own, not {key}",
                secret_keys().join(", ")
            )),
            _ => {
                let kind = of_kind(&text, defaults.values.get(&self.key).map(|value| &value.kind));
                Ok((self.key, Value::new(Some(&self.name.to_owned()), kind)))
            }
        }
    }
}

/// Gives a text the kind that the default has, where it can be read as that.
fn of_kind(text: &str, default: Option<&ValueKind>) -> ValueKind {
    let text = text.trim();
    let read = match default {
        Some(ValueKind::I64(_)) => text.parse().ok().map(ValueKind::I64),
        Some(ValueKind::Boolean(_)) => text.parse().ok().map(ValueKind::Boolean),
        _ => None,
    };
    read.unwrap_or_else(|| ValueKind::String(text.to_owned()))
}

/// Reads the file of a secret. Says nothing of what is in it.
fn secret(path: &str) -> Result<String, String> {
    if path.is_empty() {
        return Err("it names no file".to_owned());
    }
    let mut bytes = Vec::new();
    let read =
        |bytes: &mut Vec<u8>| File::open(path)?.take(MOST_BYTES + 1).read_to_end(bytes).map(drop);
    read(&mut bytes).map_err(|error: io::Error| format!("{path} cannot be read: {error}"))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("{path} is larger than the {MOST_BYTES} bytes that secrets may have"));
    }
    let secret = String::from_utf8(bytes).map_err(|_| format!("{path} is not UTF-8"))?;
    let secret = secret.trim_end_matches(['\r', '\n']);
    if secret.trim().is_empty() {
        return Err(format!("{path} is empty"));
    }
    Ok(secret.to_owned())
}

/// A variable that may be meant for us.
fn ours((name, value): (OsString, OsString)) -> Option<(String, OsString)> {
    let name = name.into_string().ok()?;
    strip_prefix(&name, NAME).is_some().then_some((name, value))
}

fn strip_prefix<'a>(name: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = name.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// A variable that spells a setting with too few underscores is not ignored in silence.
fn misspelt_prefix(name: &str, defaults: &Table) -> Option<String> {
    let letters = |text: &str| text.to_ascii_lowercase().replace(['_', '.'], "");
    let spelt = letters(strip_prefix(name, NAME)?);
    let variable = |key: &str| format!("{PREFIX}{}", key.to_ascii_uppercase().replace('.', "__"));
    let plain = defaults.values.keys().map(|key| variable(key));
    let files = secret_keys().into_iter().map(|key| format!("{}_FILE", variable(key)));
    let meant: HashSet<String> = plain.chain(files).collect();
    let meant = meant
        .into_iter()
        .find(|meant| strip_prefix(meant, PREFIX).is_some_and(|rest| letters(rest) == spelt))?;
    Some(format!("{name}: this sets nothing; did you mean {meant}?"))
}

const NAME: &str = "MMSP_GATEWAY_";
const PREFIX: &str = "MMSP_GATEWAY__";

/// A file of keys or tokens, a hundred or so of them.
const MOST_BYTES: u64 = 65_536;
