//! Files, judged by themselves.

use std::fs;

use serde_json::{Value, json};

use super::{everything, run, text};
use crate::support::feed;

/// What `check` says of a file of that content: its exit code and standard output.
fn check_file(content: &str, options: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("input"), content).unwrap();
    let arguments: Vec<&str> = options.iter().copied().chain(["input"]).collect();
    let output = run(folder.path(), &arguments, &[]);
    assert_eq!(text(&output.stderr), "");
    (output.status.code(), text(&output.stdout))
}

#[test]
fn a_good_manifest_in_a_file_is_good() {
    let (code, said) = check_file(&everything().to_string(), &[]);
    let want = "input: MMSP manifest, 2 items\n  note: the pages behind the first are not looked \
                at\n  good\n";
    assert_eq!((code, said.as_str()), (Some(0), want));
}

#[test]
fn findings_are_told_in_lines_and_as_json_and_end_with_1() {
    let mut manifest = everything();
    manifest["items"][1]["url"] = json!("http://a.example/1");
    manifest["icon"] = json!(7);
    let (code, said) = check_file(&manifest.to_string(), &[]);
    assert_eq!(code, Some(1));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "input: MMSP manifest, 2 items, 1 skipped");
    assert!(lines[1].starts_with("  skip    6.1   $.items[1].url: it is \"http://a.example/1\";"));
    assert!(lines[2].starts_with("  drop    5.2   $.icon: it is the number 7;"), "{said}");
    assert_eq!(lines.last(), Some(&"  not good: 1 skip, 1 drop"));
    let (code, said) = check_file(&manifest.to_string(), &["--json"]);
    assert_eq!(code, Some(1));
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["kind"], "manifest");
    assert_eq!(said["good"], false);
    assert_eq!((&said["items"], &said["skipped"]), (&json!(2), &json!(1)));
    assert_eq!(said["findings"][0]["severity"], "skip");
    assert_eq!(said["findings"][0]["clause"], "6.1");
    assert_eq!(said["findings"][0]["at"], "$.items[1].url");
}

#[test]
fn mere_advice_fails_only_where_that_was_asked_for() {
    let mut manifest = everything();
    manifest["surprise"] = json!(1);
    assert_eq!(check_file(&manifest.to_string(), &[]).0, Some(0));
    assert_eq!(check_file(&manifest.to_string(), &["--strict"]).0, Some(1));
    assert_eq!(check_file(&everything().to_string(), &["--strict"]).0, Some(0));
}

#[test]
fn a_legacy_feed_is_told_what_will_be_lost_or_mended() {
    let (code, said) = check_file(&feed::rss(0..2), &[]);
    assert_eq!((code, said.as_str()), (Some(0), "input: legacy feed (rss20), 2 items\n  good\n"));
    let worse = feed::rss(0..2)
        .replace("https://example.org/1<", "http://example.org/1<")
        .replacen("Mon, 01 Jan 2024 00:01:00 GMT", "soon", 1)
        .replace("</channel>", "<item/></channel>");
    let (code, said) = check_file(&worse, &[]);
    assert_eq!(code, Some(1));
    for line in [
        "  skip    10.1  entry 3: an entry holds nothing that can be shown; left out. To do: give",
        "  drop    10.1  entry 1: a date cannot be read",
        "  advice  10.1  entry 1: an http address; written as https. To do: serve it over https",
    ] {
        assert!(said.contains(line), "{said}");
    }
}

#[test]
fn what_is_neither_is_told_apart() {
    let page =
        "<!DOCTYPE html><link rel=alternate type=application/rss+xml href=https://a.example/f>";
    for (content, kind, want) in [
        (page, "page", "it offers https://a.example/f"),
        ("Hello", "unknown", "not an RSS, Atom or JSON feed"),
        ("", "unknown", "empty"),
        ("{\"mmsp\": \"1.0\"", "manifest", "not JSON"),
        ("[1]", "manifest", "not a JSON object"),
        ("\u{feff}{\"mmsp\":\"1.0\"}", "manifest", "not JSON"),
    ] {
        let (code, said) = check_file(content, &["--json"]);
        assert_eq!(code, Some(1), "{content}");
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["kind"], kind, "{content}");
        assert_eq!(said["findings"][0]["severity"], "reject");
        let what = said["findings"][0]["what"].as_str().unwrap();
        assert!(what.contains(want), "{what}");
    }
}

#[test]
fn a_header_that_a_file_came_with_is_judged_too() {
    let manifest = everything().to_string();
    let header = ["--header", "Content-Type: application/json"];
    let (code, said) = check_file(&manifest, &header);
    assert_eq!(code, Some(1));
    assert!(said.contains("breach  5.6   input: Content-Type is \"application/json\""), "{said}");
    let header = ["--header", "Content-Type: application/mmsp+json"];
    assert_eq!(check_file(&manifest, &header).0, Some(0));
    let (_, said) = check_file("<html>", &[header[0], header[1], "--json"]);
    assert!(said.contains("\"kind\":\"manifest\""), "{said}");
}

#[test]
fn several_inputs_are_checked_each_and_the_worst_counts() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.json"), everything().to_string()).unwrap();
    fs::write(folder.path().join("b.xml"), feed::rss(0..1)).unwrap();
    let output = run(folder.path(), &["--json", "a.json", "nowhere", "b.xml"], &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("mmsp-gateway: nowhere: "));
    let said = text(&output.stdout);
    let kinds: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["kind"].clone())
        .collect();
    assert_eq!(kinds, ["manifest", "feed"]);
    let output = run(folder.path(), &["--header", "nonsense", "a.json"], &[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(run(folder.path(), &["https://u:p@a.example/"], &[]).status.code(), Some(2));
    assert_eq!(run(folder.path(), &["--pages", "0", "a.json"], &[]).status.code(), Some(2));
}
