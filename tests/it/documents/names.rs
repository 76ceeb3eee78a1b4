//! Tests and files that documents name exist.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use super::{quoted, root};

/// Documents whose tables name tests in their last column.
const WITH_TESTS: [&str; 4] =
    ["ARCHITECTURE.md", "docs/conformance.md", "docs/performance.md", "docs/threat-model.md"];

/// What a file's name ends with, where a document speaks of one.
const ENDINGS: [&str; 5] = [".rs", ".toml", ".md", ".json", ".sql"];

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found
}

/// The names of all tests of the project.
fn tests() -> HashSet<String> {
    let mut found = HashSet::new();
    for path in files("src", ".rs").into_iter().chain(files("tests", ".rs")) {
        let text = fs::read_to_string(path).unwrap();
        let mut is_test = false;
        for line in text.lines().map(str::trim_start) {
            if line.starts_with("#[") {
                is_test |= line.contains("test]") || line.contains("::test(");
            } else {
                let name = line.trim_start_matches("async ").strip_prefix("fn ");
                found.extend(name.filter(|_| is_test).map(word));
                is_test = false;
            }
        }
    }
    found
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

/// A feed of ours with the manifest that it becomes.
fn is_fixture(name: &str) -> bool {
    name.contains('/') && root().join(format!("fixtures/feeds/{name}.mmsp.json")).exists()
}

/// What begins with a slash is a path of the web.
fn is_file(name: &str) -> bool {
    let is_path = !name.starts_with('/') && !name.contains(' ');
    is_path && ENDINGS.iter().any(|ending| name.ends_with(ending))
}

#[test]
fn every_test_that_a_document_names_exists() {
    let tests = tests();
    let mut named = 0;
    for document in WITH_TESTS {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for row in text.lines().filter(|line| line.starts_with('|')) {
            let last = row.trim_end_matches('|').rsplit('|').next().unwrap();
            for name in quoted(last).filter(|name| !is_file(name)) {
                assert!(tests.contains(name) || is_fixture(name), "{document} names {name}");
                named += 1;
            }
        }
    }
    assert!(named > 50, "{named}");
}

#[test]
fn every_file_that_a_document_names_exists() {
    let documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"];
    let documents = documents.iter().map(|name| root().join(name)).chain(files("docs", ".md"));
    let mut named = 0;
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        for name in quoted(&text).filter(|name| name.contains('/') && is_file(name)) {
            let exists = root().join(name).exists() || root().join("src").join(name).exists();
            assert!(exists, "{} names {name}", document.display());
            named += 1;
        }
    }
    assert!(named > 50, "{named}");
}
