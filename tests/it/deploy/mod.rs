//! What the program is deployed with and watched by: real tools judge the files, a real Prometheus
//! watches the real program, and what the files name is what the program shows.

mod catalogue;
mod dashboard;
mod exposition;
mod files;
mod names;
mod prometheus;
mod promql;
mod rules;
mod settings;
mod tools;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A file of the project.
fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// All documents of a YAML text.
fn documents(text: &str) -> Vec<Value> {
    let documents = text.split("\n---\n").filter(|document| !document.trim().is_empty());
    documents.map(|document| serde_norway::from_str(document).unwrap()).collect()
}

fn yaml(name: &str) -> Value {
    serde_norway::from_str(&read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Holds a file that is written from something else to that, or writes it when told to bless.
fn hold(name: &str, text: &str) {
    if std::env::var_os("BLESS").is_some() {
        fs::write(path(name), text).unwrap();
    }
    let is_same = fs::read_to_string(path(name)).is_ok_and(|found| found == text);
    assert!(is_same, "{name} is not what it is written from: `./dev bless` writes it anew");
}

/// The alerts of deploy/prometheus/rules.yaml.
fn alerts() -> Vec<Value> {
    let rules = yaml("deploy/prometheus/rules.yaml");
    let groups = rules["groups"].as_array().unwrap();
    groups.iter().flat_map(|group| group["rules"].as_array().unwrap().clone()).collect()
}
