//! What documents say can be typed can be, settings that they name exist, and the guides work as
//! they are written.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use clap::Parser as _;
use mmsp_gateway::cli::Cli;
use mmsp_gateway::settings::{self, Depth};
use serde_json::Value;

use super::{quoted, root};
use crate::help::Stage;

/// Fields of the event that tells where the gateway listens; they begin like settings.
const FIELDS: [&str; 6] = [
    "server.https",
    "server.http",
    "server.metrics",
    "server.manifests",
    "server.named",
    "server.certificate",
];

/// The documents that people read.
fn documents() -> Vec<PathBuf> {
    let mut found: Vec<_> =
        ["README.md", "CONTRIBUTING.md", "deploy/README.md"].map(|name| root().join(name)).into();
    for folder in ["docs", "docs/guides"] {
        let inside = fs::read_dir(root().join(folder)).unwrap();
        let inside = inside.map(|entry| entry.unwrap().path());
        found.extend(inside.filter(|path| path.extension().is_some_and(|it| it == "md")));
    }
    found.sort();
    found
}

/// The blocks of a document: what each is, and its text.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else { continue };
        let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        blocks.push((kind.to_owned(), inside.join("\n")));
    }
    blocks
}

/// The words of a line for the shell, up to where its input or output goes, or a comment begins.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in line.chars() {
        match (letter, quote) {
            ('\'' | '"', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            (' ', None) => words.push(String::new()),
            ('|' | '<' | '>' | '#', None) => break,
            (letter, _) => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_command_that_a_document_shows_can_be_typed() {
    let mut shown = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for (_, block) in blocks(&text).iter().filter(|(kind, _)| kind == "sh") {
            for line in block.lines().filter(|line| !line.starts_with('#')) {
                let words = words(line);
                // Behind variables that are set for it.
                let at = words.iter().position(|word| !word.contains('=')).unwrap_or(0);
                if words.get(at).is_none_or(|word| word != "mmsp-gateway") {
                    continue;
                }
                let parsed = Cli::try_parse_from(&words[at..]);
                assert!(parsed.is_ok(), "{}: {line}\n{}", document.display(), parsed.unwrap_err());
                shown += 1;
            }
        }
    }
    assert!(shown > 15, "{shown}");
}

#[test]
fn every_setting_that_a_document_names_exists() {
    let loaded = settings::load(&[], [], Depth::Values).unwrap();
    let in_force = loaded.in_force.to_json_lines();
    let keys = in_force.lines().map(|line| {
        let setting: Value = serde_json::from_str(line).unwrap();
        setting["key"].as_str().unwrap().to_owned()
    });
    let mut known: HashSet<String> = keys.collect();
    known.insert("feeds.NAME.url".to_owned());
    let sections: HashSet<&str> = known.iter().filter_map(|key| key.split('.').next()).collect();
    // The fields of the log, which begin like settings too, have a document of their own.
    let logs = fs::read_to_string(root().join("docs/logs.md")).unwrap();
    let fields: HashSet<&str> = quoted(&logs).chain(FIELDS).collect();
    let mut named = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for quoted in quoted(&text) {
            let name = quoted.split(['=', ' ']).next().unwrap();
            let section = name.split_once('.').map_or("", |(section, _)| section);
            let is_key = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._".contains(&b));
            if !is_key || !sections.contains(section) || fields.contains(name) {
                continue;
            }
            let is_file = [".rs", ".toml", ".md", ".db"].iter().any(|end| name.ends_with(end));
            let is_family = name.ends_with('_') && known.iter().any(|key| key.starts_with(name));
            let exists = known.contains(name) || is_file || is_family;
            assert!(exists, "{} names {name}", document.display());
            named += 1;
        }
        for variable in text.split("MMSP_GATEWAY__").skip(1) {
            let is_part = |c: &char| c.is_ascii_uppercase() || *c == '_';
            let name: String = variable.chars().take_while(is_part).collect();
            let key = name.trim_end_matches("_FILE").replace("__", ".").to_lowercase();
            let exists = known.contains(&key) || ["section.key", "feeds.blog.url"].contains(&&*key);
            assert!(exists, "{} names MMSP_GATEWAY__{name}", document.display());
        }
    }
    assert!(named > 50, "{named}");
}

/// Does what a guide says, from the top to the end.
fn follow(guide: &str) {
    let stage = Stage::set();
    let text = fs::read_to_string(root().join("docs/guides").join(guide)).unwrap();
    let mut serving = Vec::new();
    let mut exports = String::new();
    let mut done = 0;
    for (kind, block) in blocks(&text) {
        match kind.as_str() {
            "toml" => {
                let name = block.lines().next().unwrap().trim_start_matches("# ");
                assert!(name.ends_with(".toml") && !name.contains('/'), "{name}");
                fs::write(stage.folder().join(name), stage.here(&block)).unwrap();
            }
            "sh" if block.contains("mmsp-gateway serve") => {
                serving.push(stage.serve(&block));
                if block.contains("--config") {
                    stage.wait_for_a_feed();
                }
                done += 1;
            }
            "sh" => {
                stage.works(&format!("{exports}{block}"));
                // All in one terminal.
                for line in block.lines().filter(|line| line.starts_with("export ")) {
                    exports += &format!("{line}\n");
                }
                done += 1;
            }
            _ => {}
        }
    }
    assert!(done > 3, "{guide}");
}

#[test]
fn readers_can_do_what_their_guide_says() {
    follow("readers.md");
}

#[test]
fn operators_can_do_what_their_guide_says() {
    follow("operators.md");
}

#[test]
fn publishers_can_do_what_their_guide_says() {
    follow("publishers.md");
}
