//! A short run of every fuzz target, by ordinary means: the seeds, everything that was ever found,
//! and changes of both. The long runs are those of `fuzz/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;

use crate::claims;

/// Feeds of ours are seeds of everything that reads feeds.
const ALSO_FROM: [(&str, &str); 4] = [
    ("read", "fixtures/feeds"),
    ("convert", "fixtures/feeds"),
    ("manifest_check", "fixtures"),
    ("discovery", "fixtures/feeds/html"),
];

/// Longest input that is changed over and over; libFuzzer stops there too.
const LONGEST: usize = 4096;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// The inputs of a target that are kept beside the project.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let own = ["seeds", "found"].map(|kind| format!("fuzz/{kind}/{target}"));
    let also = ALSO_FROM.iter().filter(|(name, _)| *name == target).map(|(_, folder)| *folder);
    let folders = own.iter().map(String::as_str).chain(also);
    folders
        .flat_map(|folder| files(&root().join(folder)))
        .map(|file| fs::read(file).unwrap())
        .collect()
}

/// Pieces that break parsers more often than random bytes do.
const PIECES: [&str; 44] = [
    "<",
    ">",
    "&",
    "\"",
    "'",
    "]]>",
    "<![CDATA[",
    "<!--",
    "-->",
    "<?xml",
    "<!DOCTYPE x [",
    "&amp;",
    "&#0;",
    "&#xD800;",
    "&nbsp;",
    "<item>",
    "</item>",
    "<entry>",
    "</channel>",
    "<x:y>",
    "xmlns:x=\"http://www.itunes.com/dtds/podcast-1.0.dtd\"",
    "xml:base=\"//\"",
    "<a href=\"",
    "<script>",
    "<img src=x onerror=1>",
    "javascript:",
    "data:",
    "http://",
    "https://[::1]/",
    "%",
    "%00",
    "\u{0}",
    "\u{feff}",
    "\u{202e}",
    "\u{e4}",
    "{",
    "}",
    "[",
    "null",
    "1e999",
    "-1",
    "99999999999999999999",
    "9999-12-31T23:59:59Z",
    "Sat, 31 Feb 70000 25:61:61 +9999",
];

#[derive(Clone, Debug)]
enum Change {
    Cut(Index),
    Delete(Index, u8),
    Double(Index, u8),
    Flip(Index, u8),
    Insert(Index, Index),
    Splice(Index, Index, Index),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    prop_oneof![
        1 => at().prop_map(Change::Cut),
        3 => (at(), any::<u8>()).prop_map(|(at, n)| Change::Delete(at, n)),
        2 => (at(), any::<u8>()).prop_map(|(at, n)| Change::Double(at, n)),
        3 => (at(), any::<u8>()).prop_map(|(at, n)| Change::Flip(at, n)),
        5 => (at(), at()).prop_map(|(at, piece)| Change::Insert(at, piece)),
        2 => (at(), at(), at()).prop_map(|(at, other, from)| Change::Splice(at, other, from)),
    ]
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let at = |index: &Index| index.index(bytes.len() + 1);
        match self {
            Self::Cut(place) => bytes.truncate(at(place)),
            Self::Delete(place, many) => {
                let start = at(place);
                let end = (start + usize::from(*many)).min(bytes.len());
                bytes.drain(start..end);
            }
            Self::Double(place, many) => {
                let start = at(place);
                let end = (start + usize::from(*many)).min(bytes.len());
                let piece = bytes[start..end].to_vec();
                bytes.splice(start..start, piece);
            }
            Self::Flip(place, with) => {
                let place = place.index(bytes.len().max(1));
                if let Some(byte) = bytes.get_mut(place) {
                    *byte ^= with;
                }
            }
            Self::Insert(place, piece) => {
                let start = at(place);
                bytes.splice(start..start, piece.get(&PIECES).bytes());
            }
            Self::Splice(place, other, from) => {
                let start = at(place);
                let other = other.get(seeds);
                bytes.truncate(start);
                bytes.extend(&other[from.index(other.len() + 1)..]);
            }
        }
    }
}

/// Runs a claim over the seeds of its target and over some changes of them.
fn run(target: &str) {
    let claim = claims::named(target);
    let seeds = seeds(target);
    assert!(!seeds.is_empty(), "{target} has no seeds");
    for seed in &seeds {
        claim(seed);
    }
    let config = ProptestConfig { cases: CASES, ..ProptestConfig::default() };
    let strategy = (any::<Index>(), vec(change(), 1..8));
    TestRunner::new(config)
        .run(&strategy, |(seed, changes)| {
            let mut bytes = seed.get(&seeds).clone();
            bytes.truncate(LONGEST);
            for change in &changes {
                change.apply(&mut bytes, &seeds);
                bytes.truncate(LONGEST);
            }
            claim(&bytes);
            Ok(())
        })
        .unwrap();
}

const CASES: u32 = 200;

#[test]
fn reading_any_bytes_stays_within_its_limits() {
    run("read");
}

#[test]
fn converting_any_bytes_gives_a_valid_manifest_or_a_problem() {
    run("convert");
}

#[test]
fn decoding_any_bytes_is_bounded() {
    run("decode");
}

#[test]
fn cursors_of_any_position_read_back_the_same() {
    run("cursor");
}

#[test]
fn dates_of_any_form_read_back_the_same() {
    run("date");
}

#[test]
fn html_of_any_kind_becomes_harmless() {
    run("html");
}

#[test]
fn checking_any_bytes_agrees_with_reading_them() {
    run("manifest_check");
}

#[test]
fn link_fields_of_any_kind_give_addresses() {
    run("link_header");
}

#[test]
fn pages_of_any_kind_give_addresses() {
    run("discovery");
}

#[test]
fn whatever_a_client_sends_the_proxy_behind_it_has_the_last_word() {
    run("forwarded");
}

#[test]
fn nothing_that_is_plainly_private_is_open() {
    run("target");
}

#[test]
fn every_claim_has_a_short_run_and_a_fuzz_target() {
    for (name, _) in claims::ALL {
        assert!(include_str!("fuzzed.rs").contains(&format!("run(\"{name}\")")), "{name}");
        let target = root().join(format!("fuzz/targets/{name}.rs"));
        let text = fs::read_to_string(&target).unwrap();
        assert!(text.contains(&format!("\"{name}\"")), "{}", target.display());
    }
}

/// The pieces are the dictionary that the fuzz targets are run with.
static DICTIONARY: LazyLock<String> = LazyLock::new(|| {
    let quoted = PIECES.iter().map(|piece| {
        let bytes = piece.bytes().map(|byte| match byte {
            b'"' | b'\\' => format!("\\{}", char::from(byte)),
            b' '..=b'~' => char::from(byte).to_string(),
            _ => format!("\\x{byte:02x}"),
        });
        format!("\"{}\"\n", bytes.collect::<String>())
    });
    quoted.collect()
});

#[test]
fn the_dictionary_of_the_fuzz_targets_is_that_of_the_short_runs() {
    let path = root().join("fuzz/dictionary.txt");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, DICTIONARY.as_str()).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), *DICTIONARY);
}
