//! The floors of the house, held by reading the source.

use std::fs;
use std::path::{Path, PathBuf};

/// Each module with its floor: it imports from lower floors only.
const FLOORS: [(&str, u8); 24] = [
    ("bounds", 0),
    ("current", 0),
    ("fault", 0),
    ("model", 0),
    ("metrics", 0),
    ("syndication", 1),
    ("manifest", 1),
    ("discovery", 1),
    ("filter", 1),
    ("paging", 1),
    ("normalize", 2),
    ("opml", 2),
    ("convert", 3),
    ("fetch", 4),
    ("store", 4),
    ("cache", 4),
    ("clock", 4),
    ("gateway", 5),
    ("server", 6),
    ("telemetry", 6),
    ("settings", 7),
    ("cli", 8),
    ("lib", 9),
    ("main", 9),
];

/// What floors 0 to 3 do not do: "now" is an argument, and bytes come from whoever calls.
const IMPURE: [&str; 9] = [
    "async fn",
    "async move",
    ".await",
    "SystemTime",
    "Instant::now",
    "std::env",
    "std::net::Tcp",
    "std::fs",
    "tokio::",
];

/// Drawers that things are put in for want of a place.
const DRAWERS: [&str; 5] = ["util", "utils", "common", "helpers", "types"];

/// A longer file holds two ideas; comments and tests count for less.
const MOST_LINES_OF_CODE: usize = 350;
const MOST_LINES: usize = 550;

struct Source {
    path: PathBuf,
    module: String,
    text: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let inside = path.strip_prefix(&root).unwrap();
                let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
                let module = first.trim_end_matches(".rs").to_owned();
                let text = fs::read_to_string(&path).unwrap();
                found.push(Source { path, module, text });
            }
        }
    }
    assert!(found.len() > 10);
    found
}

fn floor(module: &str) -> Option<u8> {
    FLOORS.iter().find(|(name, _)| *name == module).map(|(_, floor)| *floor)
}

/// The part of a file that is built into the program.
fn outside_tests(source: &Source) -> &str {
    if source.path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests")) {
        return "";
    }
    source.text.split("#[cfg(test)]\nmod tests").next().unwrap()
}

/// The modules that a file names as `crate::module`, in groups too.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for rest in text.split("crate::").skip(1) {
        if let Some(group) = rest.strip_prefix('{') {
            let group = group.split('}').next().unwrap();
            found.extend(group.split(',').map(first_name).filter(|name| !name.is_empty()));
        } else {
            found.push(first_name(rest));
        }
    }
    found
}

fn first_name(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

/// Lines without their comments.
fn code(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_module_has_a_floor() {
    for source in sources() {
        assert!(floor(&source.module).is_some(), "{} has no floor", source.path.display());
    }
}

#[test]
fn a_module_imports_only_from_lower_floors() {
    let mut faults = Vec::new();
    for source in &sources() {
        let own = floor(&source.module).unwrap();
        for import in imports(&code(outside_tests(source))) {
            let Some(other) = floor(&import) else { continue };
            // The model is the ground that even the other ground floor stands on.
            if import != source.module && import != "model" && other >= own {
                faults.push(format!("{} imports {import}", source.path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_pure_floors_have_no_clock_no_socket_and_no_waiting() {
    for source in sources().iter().filter(|source| floor(&source.module).unwrap() <= 3) {
        let code = code(outside_tests(source));
        for word in IMPURE {
            assert!(!code.contains(word), "{} uses {word}", source.path.display());
        }
    }
}

#[test]
fn http_is_spoken_of_by_the_server_only() {
    for source in sources().iter().filter(|source| source.module != "server") {
        let code = code(outside_tests(source));
        for word in ["HttpResponse", "HttpRequest", "HttpServer"] {
            assert!(!code.contains(word), "{} uses {word}", source.path.display());
        }
    }
}

#[test]
fn nothing_is_put_in_a_drawer() {
    for source in sources() {
        for part in source.path.components() {
            let part = part.as_os_str().to_str().unwrap().trim_end_matches(".rs");
            assert!(!DRAWERS.contains(&part), "{}", source.path.display());
        }
    }
}

#[test]
fn files_are_short_enough_to_hold_one_idea() {
    for source in &sources() {
        let lines = source.text.lines().count();
        let code = code(outside_tests(source));
        let code = code.lines().filter(|line| !line.trim().is_empty()).count();
        let is_short = lines <= MOST_LINES && code <= MOST_LINES_OF_CODE;
        assert!(is_short, "{} has {code} of {lines} lines", source.path.display());
    }
}
