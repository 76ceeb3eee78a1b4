//! `convert`: manifests, reports, and what goes wrong on the way.

use std::fs;
use std::process::Output;

use serde_json::Value;

use super::{errors, run};
use crate::support::{feed, manifest};

/// What `convert` makes of a feed in a file, with the report it writes.
fn convert(document: &[u8], options: &[&str]) -> (Output, Value) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("feed.xml"), document).unwrap();
    let mut arguments = vec!["convert", "--report", "report.json"];
    arguments.extend(options);
    arguments.push("feed.xml");
    let output = run(folder.path(), &arguments, &[]);
    let report = fs::read_to_string(folder.path().join("report.json")).unwrap_or_default();
    (output, serde_json::from_str(&report).unwrap_or_default())
}

#[test]
fn convert_reports_what_it_read_merged_and_mended() {
    let document = feed::rss(0..2).replace("https://example.org/1<", "http://example.org/1<");
    let options = ["--url", "https://a.example/f", "--header", "Content-Type: text/xml"];
    let (output, report) = convert(document.as_bytes(), &options);
    let manifest: Value = serde_json::from_slice(&output.stdout).unwrap();
    manifest::check(&manifest);
    assert_eq!(manifest["items"][0]["original"]["link"], "http://example.org/1");
    let source = &report["source"];
    assert_eq!(source["format"], "rss20");
    assert_eq!(source["type"], "rss");
    assert_eq!(source["encoding"], "UTF-8");
    assert_eq!(source["page"], "https://example.org/");
    assert_eq!(source["url"], "https://a.example/f");
    assert_eq!(report["items"][0]["position"], 0);
    assert_eq!(report["items"][0]["id"], feed::id(1));
    assert_eq!(report["mended"][0]["count"], 1);
}

#[test]
fn convert_gives_as_many_items_as_it_was_told_to() {
    let (output, _) = convert(feed::rss(0..5).as_bytes(), &["--limit", "2"]);
    let manifest: Value = serde_json::from_slice(&output.stdout).unwrap();
    manifest::check(&manifest);
    assert_eq!(manifest::ids(&manifest), [feed::id(4), feed::id(3)]);
    assert_eq!(manifest["pagination"]["has_more"], true);
}

#[test]
fn convert_dates_undated_items_by_the_time_it_is_told() {
    let document = "<rss><channel><item><title>A</title></item><item><title>B</title></item>\
                    </channel></rss>";
    let (output, _) = convert(document.as_bytes(), &["--now", "2026-01-01T00:00:00Z"]);
    let manifest: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(manifest["items"][0]["published"], "2026-01-01T00:00:00Z");
    assert_eq!(manifest["items"][1]["published"], "2025-12-31T23:59:59Z");
}

#[test]
fn convert_fails_in_one_line_and_reports_the_problem() {
    for (document, problem) in [
        ("", "/problems/source-empty"),
        ("Hello", "/problems/not-a-feed"),
        ("<!DOCTYPE html><p>Hello", "/problems/no-feed-found"),
        ("<rss><channel><title>A</title><item><title>B", "/problems/source-truncated"),
    ] {
        let (output, report) = convert(document.as_bytes(), &[]);
        assert_eq!(output.status.code(), Some(1), "{document}");
        assert_eq!(errors(&output).lines().count(), 1, "{}", errors(&output));
        assert!(output.stdout.is_empty());
        assert_eq!(report["problem"]["type"], problem, "{document}");
    }
}

#[test]
fn convert_called_wrongly_exits_with_2() {
    for options in [
        &["--header", "nonsense"][..],
        &["--url", "ftp://a.example/"],
        &["--now", "x"],
        &["--limit", "0"],
    ] {
        let (output, _) = convert(feed::rss(0..1).as_bytes(), options);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {}", errors(&output));
    }
}

#[test]
fn convert_of_several_inputs_writes_a_manifest_each() {
    let folder = tempfile::tempdir().unwrap();
    let (inside, out) = (folder.path().join("in"), folder.path().join("deep/out"));
    fs::create_dir(&inside).unwrap();
    for name in ["a.xml", "b.xml"] {
        fs::write(inside.join(name), feed::rss(0..1)).unwrap();
    }
    assert_eq!(run(folder.path(), &["convert", "in"], &[]).status.code(), Some(2));
    let output = run(folder.path(), &["convert", "--out", "deep/out", "in"], &[]);
    assert!(output.status.success(), "{}", errors(&output));
    for name in ["a.xml.mmsp.json", "b.xml.mmsp.json"] {
        let manifest = fs::read_to_string(out.join(name)).unwrap();
        manifest::check(&serde_json::from_str(&manifest).unwrap());
    }
}

#[test]
fn convert_of_several_inputs_goes_on_behind_a_bad_one_and_says_how_it_went() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("in");
    fs::create_dir(&inside).unwrap();
    fs::write(inside.join("a.xml"), feed::rss(0..1)).unwrap();
    fs::write(inside.join("b.xml"), "Hello").unwrap();
    let mended = feed::rss(0..2).replace("https://example.org/1<", "http://example.org/1<");
    fs::write(inside.join("c.xml"), mended).unwrap();
    let arguments = ["convert", "--out", "out", "--report", "report.jsonl", "in", "nowhere.xml"];
    let output = run(folder.path(), &arguments, &[]);
    assert_eq!(output.status.code(), Some(1));
    // Off a terminal there is no bar: a line for each failure, and the summary.
    let said = errors(&output);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 3, "{said}");
    assert!(lines[0].contains("not an RSS"), "{said}");
    assert!(lines[1].starts_with("mmsp-gateway: nowhere.xml: "), "{said}");
    let summary = "mmsp-gateway: 2 converted, 1 of them with something mended, dropped or \
                   skipped; 2 failed";
    assert_eq!(lines[2], summary);
    for (name, is_there) in [("a", true), ("b", false), ("c", true)] {
        assert_eq!(folder.path().join(format!("out/{name}.xml.mmsp.json")).exists(), is_there);
    }
    let report = fs::read_to_string(folder.path().join("report.jsonl")).unwrap();
    let report: Vec<Value> =
        report.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let inputs: Vec<&str> = report.iter().map(|line| line["input"].as_str().unwrap()).collect();
    assert_eq!(inputs, ["in/a.xml", "in/b.xml", "in/c.xml", "nowhere.xml"]);
    assert_eq!(report[0]["output"], "out/a.xml.mmsp.json");
    assert_eq!(report[0]["source"]["format"], "rss20");
    assert_eq!(report[1]["problem"]["type"], "/problems/not-a-feed");
    assert!(report[1].get("output").is_none());
    assert_eq!(report[2]["mended"][0]["positions"], serde_json::json!([0]));
    assert!(report[3]["error"].as_str().unwrap().contains("nowhere.xml"));
}

#[test]
fn a_bad_input_is_named_whatever_is_wrong_with_it() {
    let folder = tempfile::tempdir().unwrap();
    for (name, document) in [("words.xml", "Hello"), ("nothing.xml", "")] {
        fs::write(folder.path().join(name), document).unwrap();
        let output = run(folder.path(), &["convert", name], &[]);
        assert!(errors(&output).contains(name), "{}", errors(&output));
    }
}

#[test]
fn convert_strict_fails_where_anything_was_mended_dropped_or_skipped_and_says_what() {
    let good = feed::rss(0..2);
    let (output, _) = convert(good.as_bytes(), &["--strict"]);
    assert_eq!((output.status.code(), errors(&output).as_str()), (Some(0), ""));
    for (document, said) in [
        (
            good.replace("https://example.org/1<", "http://example.org/1<"),
            "mended: an http address; written as https (in entry 1). To do: serve it over https",
        ),
        (good.replace("</channel>", "<item/></channel>"), "skipped: an entry holds nothing"),
        (
            good.replacen("Mon, 01 Jan 2024 00:01:00 GMT", "soon", 1),
            "dropped: a date cannot be read",
        ),
        (good.replace("</channel></rss>", ""), "dropped: the document breaks off"),
    ] {
        let (output, report) = convert(document.as_bytes(), &["--strict"]);
        assert_eq!(output.status.code(), Some(1), "{document}");
        assert!(errors(&output).contains(said), "{}", errors(&output));
        // The manifest and its report are written all the same.
        manifest::check(&serde_json::from_slice(&output.stdout).unwrap());
        assert_eq!(report["source"]["format"], "rss20");
        let (output, _) = convert(document.as_bytes(), &[]);
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn convert_refuses_what_it_cannot_tell_apart_before_it_writes() {
    let folder = tempfile::tempdir().unwrap();
    for inside in ["a", "b"] {
        fs::create_dir(folder.path().join(inside)).unwrap();
        fs::write(folder.path().join(inside).join("feed.xml"), feed::rss(0..1)).unwrap();
    }
    let output = run(folder.path(), &["convert", "--out", "out", "a", "b/feed.xml"], &[]);
    assert_eq!(output.status.code(), Some(2));
    let said = errors(&output);
    assert!(said.contains("a/feed.xml and b/feed.xml"), "{said}");
    assert!(!folder.path().join("out").exists());
}

#[test]
fn convert_says_that_a_folder_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    let output = run(folder.path(), &["convert", "empty"], &[]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(errors(&output), "mmsp-gateway: empty: the folder holds no files\n");
}

#[test]
fn convert_says_that_every_item_was_left_out() {
    let document = "<rss><channel><title>T</title><item/></channel></rss>";
    let (output, report) = convert(document.as_bytes(), &[]);
    assert!(output.status.success());
    let said = errors(&output);
    assert_eq!(said, "mmsp-gateway: feed.xml: every item was left out (empty: 1)\n");
    assert_eq!(report["skipped"][0]["reason"], "empty");
}

#[test]
fn convert_takes_a_file_shorter_than_its_content_length_for_cut_off() {
    let document = feed::rss(0..2);
    for (more, cut) in [(0, false), (1, true)] {
        let header = format!("Content-Length: {}", document.len() + more);
        let (output, report) = convert(document.as_bytes(), &["--header", &header]);
        assert!(output.status.success(), "{}", errors(&output));
        assert_eq!(report["source"]["truncated"] == true, cut, "{report}");
    }
}

#[test]
fn a_filter_chooses_items_and_a_wrong_one_is_shown_where_it_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("feed.xml"), feed::rss(0..5)).unwrap();
    let titled = |word: &str| {
        let filter = format!("keyword:\"{word}\"");
        let output = run(folder.path(), &["convert", "--filter", &filter, "feed.xml"], &[]);
        assert_eq!(output.status.code(), Some(0));
        let manifest: Value = serde_json::from_slice(&output.stdout).unwrap();
        manifest["items"].as_array().unwrap().len()
    };
    assert_eq!((titled(""), titled("no such word")), (5, 0));
    let output = run(folder.path(), &["convert", "--filter", "type:film", "feed.xml"], &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("at character 6: expected a type"), "{}", errors(&output));
}

#[test]
fn what_tells_of_one_input_is_refused_with_several() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.xml", "b.xml"] {
        fs::write(folder.path().join(name), feed::rss(0..1)).unwrap();
    }
    for more in [["--url", "https://a.example/"], ["--header", "Content-Type: text/xml"]] {
        let arguments = [&["convert", "--out", "out", "a.xml", "b.xml"][..], &more].concat();
        let output = run(folder.path(), &arguments, &[]);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
    }
}
