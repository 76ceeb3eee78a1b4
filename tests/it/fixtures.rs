//! Our own feeds, one trait each: the real converter's manifest of each is the one beside it.
//!
//! `BLESS=1` (`./dev bless`) writes down what the converter says now; the diff is for a person to
//! read. `fixtures/README.md` tells how the files belong together.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::manifest;

#[test]
fn every_feed_of_ours_becomes_the_manifest_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let feeds = feeds();
    assert!(feeds.len() > 100, "the fixtures are not where they should be");
    let faults: Vec<String> =
        feeds.iter().flat_map(|feed| Fixture::of(feed).judge(folder.path())).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn nothing_is_expected_of_a_feed_that_is_not_there() {
    for file in files().iter().filter(|file| !is_feed(file)) {
        let name = file.file_name().unwrap().to_str().unwrap();
        let stem = name.split('.').next().unwrap();
        let has_feed =
            FEEDS.iter().any(|ending| file.with_file_name(format!("{stem}.{ending}")).is_file());
        assert!(has_feed, "{} belongs to no feed", file.display());
    }
}

/// A feed and where everything that belongs to it lies.
struct Fixture {
    feed: PathBuf,
    /// `KIND/NAME.xml`.
    name: String,
}

impl Fixture {
    fn of(feed: &Path) -> Self {
        let name = feed.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        Self { feed: feed.to_owned(), name }
    }

    /// Converts the feed and compares everything that is expected of it.
    fn judge(&self, folder: &Path) -> Vec<String> {
        let report = folder.join("report.json");
        let output = self.convert(&report);
        let said = json(&fs::read(&report).unwrap_or_default());
        let mut faults = Vec::new();
        if output.status.success() {
            let made = json(&output.stdout);
            faults.extend(manifest::faults(&made));
            faults.extend(self.compare("mmsp", &made));
            if self.beside("report").is_file() {
                faults.extend(self.compare("report", &said));
            }
            faults.extend(self.refuse("problem"));
        } else {
            faults.extend(self.compare("problem", &said["problem"]));
            faults.extend(self.refuse("mmsp"));
        }
        faults.into_iter().map(|fault| format!("{}: {fault}", self.name)).collect()
    }

    fn convert(&self, report: &Path) -> Output {
        let headers = fs::read_to_string(self.feed.with_extension("headers")).unwrap_or_default();
        Command::new(env!("CARGO_BIN_EXE_mmsp-gateway"))
            .args(["convert", "--now", "2026-01-01T00:00:00Z"])
            .args(["--url", &format!("https://feeds.example.com/{}", self.name)])
            .args(headers.lines().flat_map(|header| ["--header", header]))
            .arg("--report")
            .args([report, &self.feed])
            .output()
            .unwrap()
    }

    /// Compares with the file beside the feed or, when blessing, writes it.
    fn compare(&self, what: &str, made: &Value) -> Option<String> {
        let file = self.beside(what);
        let made = format!("{made:#}\n");
        if is_blessing() {
            fs::write(&file, made).unwrap();
            return None;
        }
        let wanted = fs::read_to_string(&file).unwrap_or_default();
        difference(&wanted, &made).map(|difference| format!("not its {what}.json: {difference}"))
    }

    /// A feed either becomes a manifest or is a problem.
    fn refuse(&self, what: &str) -> Option<String> {
        let file = self.beside(what);
        if is_blessing() && file.is_file() {
            fs::remove_file(&file).unwrap();
        }
        file.is_file().then(|| format!("has a {what}.json and should have none"))
    }

    fn beside(&self, what: &str) -> PathBuf {
        self.feed.with_extension(format!("{what}.json"))
    }
}

/// The first line that differs, with both readings.
fn difference(wanted: &str, made: &str) -> Option<String> {
    if wanted == made {
        return None;
    }
    let mut lines = wanted.lines().zip(made.lines()).enumerate();
    let Some((at, (want, got))) = lines.find(|(_, (want, got))| want != got) else {
        return Some(format!("{} lines, not {}", made.lines().count(), wanted.lines().count()));
    };
    Some(format!("line {}\n  want {want}\n  got  {got}", at + 1))
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_default()
}

fn is_blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/feeds")
}

fn feeds() -> Vec<PathBuf> {
    let mut feeds = files();
    feeds.retain(|file| is_feed(file));
    feeds.sort();
    feeds
}

/// Every file in every folder of a kind.
fn files() -> Vec<PathBuf> {
    let list = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    list(&root()).flat_map(|kind| list(&kind).collect::<Vec<_>>()).collect()
}

fn is_feed(file: &Path) -> bool {
    let name = file.file_name().unwrap().to_str().unwrap();
    FEEDS.iter().any(|ending| name.split_once('.').is_some_and(|(_, rest)| rest == *ending))
}

const FEEDS: [&str; 2] = ["xml", "json"];
