//! `check`: files by themselves, addresses by how they behave.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use chrono::Datelike as _;
use serde_json::{Value, json};

use crate::support::origin::Manner;
use crate::support::{Answer, Origin, Program, feed};

fn run(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mmsp-gateway"))
        .arg("check")
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(folder)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn everything() -> Value {
    serde_json::from_str(include_str!("../../fixtures/manifests/everything.json")).unwrap()
}

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

/// A publisher on loopback, and what `check` says of its addresses.
struct Bench {
    folder: tempfile::TempDir,
    origin: Origin,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let origin = Origin::start(folder.path());
        Self { folder, origin }
    }

    fn run(&self, url: &str, options: &[&str]) -> Output {
        let arguments: Vec<&str> = options.iter().copied().chain([url]).collect();
        let ca_file = self.origin.ca_file().to_str().unwrap();
        let variables = [
            ("MMSP_GATEWAY__FETCH__ALLOW_NETWORKS", "127.0.0.0/8"),
            ("MMSP_GATEWAY__FETCH__CA_FILE", ca_file),
        ];
        run(self.folder.path(), &arguments, &variables)
    }

    /// The judgement of a path, as JSON.
    fn judge(&self, path: &str, options: &[&str]) -> Value {
        let options: Vec<&str> = options.iter().copied().chain(["--json"]).collect();
        let output = self.run(&self.origin.url(path), &options);
        let judgement: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
        let code = if judgement["good"] == true { 0 } else { 1 };
        assert_eq!(output.status.code(), Some(code), "{judgement:#}");
        judgement
    }

    /// The findings of a path, as `severity clause`.
    fn findings(&self, path: &str) -> Vec<String> {
        brief(&self.judge(path, &[]))
    }

    /// A page of items by their day in June, with the path of the page behind it.
    fn page(&self, path: &str, days: &[u32], next: Option<&str>) -> Value {
        let items: Vec<Value> = days
            .iter()
            .map(|day| {
                json!({
                    "id": format!("urn:x:{day}"), "type": "article", "title": "A",
                    "url": "https://a.example/1", "published": format!("2026-06-{day:02}T00:00:00Z"),
                })
            })
            .collect();
        let mut manifest = json!({
            "mmsp": "1.0", "id": "urn:x", "title": "A", "feed_url": self.origin.url("/mmsp.json"),
            "capabilities": ["conditional-get", "pagination"],
            "pagination": { "cursor": path, "has_more": next.is_some() }, "items": items,
        });
        if let Some(next) = next {
            manifest["next_url"] = json!(self.origin.url(next));
        }
        manifest
    }

    fn set(&self, path: &str, manifest: &Value) {
        self.origin.set(path, good(manifest));
    }
}

fn brief(judgement: &Value) -> Vec<String> {
    let findings = judgement["findings"].as_array().unwrap();
    let brief = |f: &Value| {
        format!("{} {}", f["severity"].as_str().unwrap(), f["clause"].as_str().unwrap())
    };
    findings.iter().map(brief).collect()
}

/// An answer with which nothing is wrong.
fn good(manifest: &Value) -> Answer {
    unvalidated(manifest)
        .header("ETag", "\"1\"")
        .header("Last-Modified", "Tue, 02 Jun 2026 10:00:00 GMT")
        .manner(Manner::Validating)
}

fn unvalidated(manifest: &Value) -> Answer {
    Answer::status(200)
        .header("Content-Type", "application/mmsp+json")
        .header("Cache-Control", "max-age=300")
        .header("Date", "Tue, 02 Jun 2026 11:00:00 GMT")
        .body(manifest.to_string())
}

#[test]
fn a_good_publisher_is_walked_to_its_end_without_a_finding() {
    let bench = Bench::new();
    bench.set("/mmsp.json", &bench.page("/mmsp.json", &[9, 8], Some("/2")));
    bench.set("/2", &bench.page("/2", &[7, 6], Some("/3")));
    bench.set("/3", &bench.page("/3", &[5], None));
    let judgement = bench.judge("/mmsp.json", &["--strict"]);
    assert_eq!(brief(&judgement), [""; 0], "{judgement:#}");
    assert_eq!((&judgement["pages"], &judgement["items"]), (&json!(3), &json!(5)));
    // The document, twice with a validator of its own, once with a foreign one, two more pages, and
    // the first of these again.
    assert_eq!(judgement["requests"], 7);
    assert!(judgement.get("stopped").is_none());
    let conditions: Vec<_> = bench
        .origin
        .seen("/mmsp.json")
        .iter()
        .map(|seen| ["if-none-match", "if-modified-since"].map(|n| seen.headers.contains_key(n)))
        .collect();
    assert_eq!(conditions, [[false, false], [true, false], [false, true], [true, true]]);
    let judgement = bench.judge("/mmsp.json", &["--pages", "2"]);
    assert_eq!((&judgement["pages"], &judgement["good"]), (&json!(2), &json!(true)));
    assert_eq!(judgement["stopped"], "the walk was ended after 2 pages");
}

#[test]
fn what_an_answer_says_of_itself_is_judged() {
    let bench = Bench::new();
    let page = bench.page("/mmsp.json", &[9], None);
    let date = "Tue, 02 Jun 2026 11:00:00 GMT";
    let plain = || Answer::status(200).header("Date", date).body(page.to_string());
    let typed = |content_type: &str| {
        plain().header("Content-Type", content_type).header("Cache-Control", "max-age=300")
    };
    let tagged = || unvalidated(&page).header("ETag", "\"1\"");
    for (answer, want) in [
        (typed("application/json").header("ETag", "\"1\""), &["breach 5.6"][..]),
        (
            plain().header("Content-Type", "application/mmsp+json").header("ETag", "\"1\""),
            &["advice RFC 9111, 4.2"],
        ),
        (unvalidated(&page), &["breach 5.4"]),
        (tagged(), &[]),
        // The origin knows its tag only in this spelling of the field.
        (unvalidated(&page).header("etag", "\"1\""), &["breach 8.2"]),
        (unvalidated(&page).header("ETag", "1"), &["breach RFC 9110, 8.8.3"]),
        (
            unvalidated(&page).header("Last-Modified", "2026-06-02").manner(Manner::Validating),
            &["breach RFC 9110, 5.6.7"],
        ),
        (tagged().manner(Manner::Terse), &["breach RFC 9110, 15.4.5"]),
        (tagged().manner(Manner::Stubborn), &["breach RFC 9110, 13.1.3"]),
        (tagged().manner(Manner::Cut(40)), &["reject 5.6", "reject 5.6"]),
    ] {
        bench.origin.set("/mmsp.json", answer.clone());
        assert_eq!(bench.findings("/mmsp.json"), want, "{answer:?}");
    }
}

#[test]
fn a_304_repeats_each_field_that_a_cache_needs() {
    let bench = Bench::new();
    let page = bench.page("/mmsp.json", &[9], None);
    let answer = good(&page)
        .header("Vary", "Accept-Encoding")
        .header("Expires", "Tue, 02 Jun 2026 12:00:00 GMT")
        .header("Content-Location", "/mmsp.json");
    bench.origin.set("/mmsp.json", answer.clone());
    assert_eq!(bench.findings("/mmsp.json"), [""; 0]);
    for field in ["Cache-Control", "Content-Location", "Date", "ETag", "Expires", "Vary"] {
        bench.origin.set("/mmsp.json", answer.clone().manner(Manner::Forgetting(field)));
        let judgement = bench.judge("/mmsp.json", &[]);
        // Once for each validator.
        assert_eq!(brief(&judgement), ["breach RFC 9110, 15.4.5"; 2], "{field}");
        let what = judgement["findings"][0]["what"].as_str().unwrap();
        assert!(what.contains(&format!("does not repeat {field};")), "{what}");
    }
    bench.origin.set("/mmsp.json", answer.manner(Manner::Forgetting("Last-Modified")));
    assert_eq!(bench.findings("/mmsp.json"), [""; 0], "that one may be left out");
}

#[test]
fn an_answer_is_dated_and_says_what_it_varies_by() {
    let bench = Bench::new();
    let page = bench.page("/mmsp.json", &[9], None);
    let mut answer = good(&page);
    answer.headers.retain(|(name, _)| name != "Date");
    bench.origin.set("/mmsp.json", answer);
    assert_eq!(bench.findings("/mmsp.json"), ["advice RFC 9110, 6.6.1"]);

    let mut coder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    coder.write_all(page.to_string().as_bytes()).unwrap();
    let coded = good(&page).header("Content-Encoding", "gzip").body(coder.finish().unwrap());
    bench.origin.set("/mmsp.json", coded.clone());
    assert_eq!(bench.findings("/mmsp.json"), ["breach RFC 9110, 12.5.5"]);
    bench.origin.set("/mmsp.json", coded.header("Vary", "Accept-Encoding"));
    assert_eq!(bench.findings("/mmsp.json"), [""; 0]);
    let said = good(&page);
    let said = Answer {
        headers: said
            .headers
            .into_iter()
            .map(|(name, value)| match name.as_str() {
                "Content-Type" => (name, b"application/mmsp+json; charset=latin1".to_vec()),
                _ => (name, value),
            })
            .collect(),
        ..said
    };
    bench.origin.set("/mmsp.json", said);
    assert_eq!(bench.findings("/mmsp.json"), ["breach 14.1"]);
}

#[test]
fn a_certificate_that_ends_soon_is_told_and_so_is_the_version_of_tls() {
    let days = |days: u64| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let then = now.as_secs() + days * 86_400;
        let then = chrono::DateTime::from_timestamp(i64::try_from(then).unwrap(), 0).unwrap();
        (then.year(), u8::try_from(then.month()).unwrap(), u8::try_from(then.day()).unwrap())
    };
    for (left, want) in [(4, &["advice 11"][..]), (30, &[])] {
        let folder = tempfile::tempdir().unwrap();
        let origin = Origin::start_ending(folder.path(), days(left));
        let bench = Bench { folder, origin };
        bench.set("/mmsp.json", &bench.page("/mmsp.json", &[9], None));
        let judgement = bench.judge("/mmsp.json", &[]);
        assert_eq!(brief(&judgement), want, "{left} days");
        assert_eq!(judgement["tls"], "1.2");
    }
    let bench = Bench::new();
    bench.set("/mmsp.json", &bench.page("/mmsp.json", &[9], None));
    assert_eq!(bench.judge("/mmsp.json", &[])["tls"], "1.3");
}

#[test]
fn the_canonical_address_leads_to_the_feed() {
    let bench = Bench::new();
    let page = bench.page("/copy.json", &[9], None);
    bench.set("/copy.json", &page);
    bench.set("/.well-known/mmsp.json", &page);
    assert_eq!(bench.findings("/copy.json"), ["breach 5.1"], "there is nothing");
    let mut other = page.clone();
    other["id"] = json!("urn:y");
    bench.set("/mmsp.json", &other);
    assert_eq!(bench.findings("/copy.json"), ["breach 5.1"], "there is another feed");
    bench.set("/mmsp.json", &page);
    assert_eq!(bench.findings("/copy.json"), ["advice 5.1"]);
    assert_eq!(bench.findings("/.well-known/mmsp.json"), [""; 0]);
}

#[test]
fn a_capability_is_declared_exactly_where_it_is_there() {
    let bench = Bench::new();
    let mut page = bench.page("/mmsp.json", &[9], None);
    page["capabilities"] = json!([]);
    bench.set("/mmsp.json", &page);
    assert_eq!(bench.findings("/mmsp.json"), ["advice 5.4"]);
    bench.origin.set("/mmsp.json", unvalidated(&page));
    assert_eq!(bench.findings("/mmsp.json"), ["advice 8.2"]);
}

#[test]
fn the_walk_is_judged_and_never_endless() {
    let bench = Bench::new();
    bench.set("/mmsp.json", &bench.page("/mmsp.json", &[9, 8], Some("/2")));
    for (page, want) in [
        (bench.page("/2", &[7], Some("/mmsp.json")), &["breach 5.5.3"][..]),
        (bench.page("/2", &[7], Some("/2")), &["breach 5.5.3"]),
        (bench.page("/mmsp.json", &[7], Some("/3")), &["breach 5.5.3"]),
        (bench.page("/2", &[8, 7], None), &["breach 5.5.2"]),
        (bench.page("/2", &[10], None), &["breach 5.5.2"]),
        (bench.page("/2", &[7], Some("/nowhere")), &["reject 5.5.1"]),
    ] {
        bench.set("/2", &page);
        assert_eq!(bench.findings("/mmsp.json"), want, "{page}");
    }
    bench.origin.set("/2", Answer::feed("<rss/>"));
    assert_eq!(bench.findings("/mmsp.json"), ["reject 5.6", "breach 5.6"]);
}

#[test]
fn a_cursor_outlives_the_walk_and_leads_to_the_same_items() {
    let bench = Bench::new();
    bench.set("/mmsp.json", &bench.page("/mmsp.json", &[9, 8], Some("/2")));
    let second = |days: &[u32]| good(&bench.page("/2", days, None));
    for (again, want) in [
        (second(&[7, 6]), &[][..]),
        // What a numeric offset gives once something new was published.
        (second(&[8, 7]), &["breach 5.5.2"]),
        (Answer::status(404), &["breach 5.5.2"]),
    ] {
        bench.origin.play("/2", [second(&[7, 6]), again.clone()]);
        assert_eq!(bench.findings("/mmsp.json"), want, "{again:?}");
    }
}

#[test]
fn a_move_leads_to_the_same_feed() {
    let bench = Bench::new();
    let mut old = bench.page("/mmsp.json", &[9], None);
    old["moved_to"] = json!(bench.origin.url("/new.json"));
    bench.set("/mmsp.json", &old);
    assert_eq!(bench.findings("/mmsp.json"), ["breach 8.4"]);
    let mut new = bench.page("/new.json", &[9], None);
    bench.set("/new.json", &new);
    assert_eq!(bench.findings("/mmsp.json"), ["advice 8.4"]);
    new["moved_to"] = json!(bench.origin.url("/mmsp.json"));
    bench.set("/new.json", &new);
    assert_eq!(bench.findings("/mmsp.json"), ["breach 8.4"]);
    new["id"] = json!("urn:y");
    bench.set("/new.json", &new);
    assert_eq!(bench.findings("/mmsp.json"), ["breach 8.4"]);
}

#[test]
fn redirects_and_other_addresses_are_told() {
    let bench = Bench::new();
    bench.set("/mmsp.json", &bench.page("/mmsp.json", &[9], None));
    let to = bench.origin.url("/mmsp.json");
    bench.origin.set("/old", Answer::status(301).header("Location", &to));
    assert_eq!(bench.findings("/old"), ["advice 8.4"]);
    bench.set("/copy.json", &bench.page("/copy.json", &[9], None));
    assert_eq!(bench.findings("/copy.json"), ["advice 5.1"]);
    let circle = bench.origin.url("/circle");
    bench.origin.set("/circle", Answer::status(302).header("Location", &circle));
    assert_eq!(bench.findings("/circle"), ["reject 8.4"]);
}

#[test]
fn a_publisher_that_asks_for_rest_gets_it() {
    let bench = Bench::new();
    let busy = |answer: Answer| answer.header("Content-Type", "text/plain");
    bench.origin.set("/mmsp.json", busy(Answer::status(429).header("Retry-After", "120")));
    let judgement = bench.judge("/mmsp.json", &[]);
    assert_eq!(brief(&judgement), ["reject 8.3"]);
    assert!(judgement["findings"][0]["what"].as_str().unwrap().contains("120 seconds"));
    bench.origin.set("/mmsp.json", busy(Answer::status(429)));
    let judgement = bench.judge("/mmsp.json", &[]);
    assert!(judgement["findings"][0]["what"].as_str().unwrap().contains("without a Retry-After"));
    // In the middle of a walk nothing more is asked.
    bench.set("/mmsp.json", &bench.page("/mmsp.json", &[9], Some("/2")));
    bench.origin.set("/2", busy(Answer::status(429).header("Retry-After", "120")));
    let judgement = bench.judge("/mmsp.json", &[]);
    assert_eq!(brief(&judgement), ["advice 8.3"]);
    assert_eq!(judgement["stopped"], "the publisher asks to be left alone");
    assert_eq!(judgement["items"], 1);
}

#[test]
fn certificates_and_addresses_are_judged_before_anything_is_read() {
    let bench = Bench::new();
    bench.set("/mmsp.json", &bench.page("/mmsp.json", &[9], None));
    let url = bench.origin.url("/mmsp.json");
    let networks = [("MMSP_GATEWAY__FETCH__ALLOW_NETWORKS", "127.0.0.0/8")];
    let output = run(bench.folder.path(), &["--json", &url], &networks);
    assert_eq!(output.status.code(), Some(1));
    let judgement: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(brief(&judgement), ["reject 11"]);
    let connections = bench.origin.connections();
    let output = run(bench.folder.path(), &["--json", &url], &[]);
    let judgement: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(brief(&judgement), ["reject 12.3"]);
    assert_eq!(bench.origin.connections(), connections);
    bench.origin.set("/gone", Answer::status(410));
    assert_eq!(bench.findings("/gone"), ["reject 5.6"]);
}

#[test]
fn a_legacy_feed_at_an_address_is_told_what_will_be_lost_and_how_it_is_polled() {
    let bench = Bench::new();
    bench.origin.set("/feed.xml", Answer::feed(feed::rss(0..2)));
    let judgement = bench.judge("/feed.xml", &[]);
    assert_eq!(brief(&judgement), [""; 0], "{judgement:#}");
    assert_eq!((&judgement["kind"], &judgement["format"]), (&json!("feed"), &json!("rss20")));
    let worse = feed::rss(0..2).replace("</channel>", "<item/></channel>");
    bench.origin.set("/feed.xml", Answer::status(200).body(worse));
    assert_eq!(bench.findings("/feed.xml"), ["skip 10.1", "advice 8.2"]);
}

#[test]
fn the_gateway_itself_is_a_good_publisher() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    origin.set("/feed.xml", Answer::feed(feed::rss(0..30)));
    let source = origin.url("/feed.xml");
    let named = [("FEEDS__BLOG__URL", source.as_str()), ("WELL_KNOWN", "blog")];
    let program = Program::start(folder.path(), origin.ca_file(), &named);
    let manifest = program.feed(&origin.url("/feed.xml"), "&limit=7").json();
    let url = manifest["feed_url"].as_str().unwrap();
    let variables = [
        ("MMSP_GATEWAY__FETCH__ALLOW_NETWORKS", "127.0.0.0/8,::1/128"),
        ("MMSP_GATEWAY__FETCH__CA_FILE", program.certificate.to_str().unwrap()),
        ("MMSP_GATEWAY__FETCH__ALLOW_HOSTS", &format!("localhost:{}", program.https.port())),
    ];
    let site = format!("https://localhost:{}", program.https.port());
    for (url, pages) in [
        (url, 5),
        (program.feed(&source, "").json()["feed_url"].as_str().unwrap(), 1),
        (&format!("{site}/mmsp/blog.json"), 1),
        (&format!("{site}/mmsp/blog.json?limit=10"), 3),
        (&format!("{site}/.well-known/mmsp.json"), 1),
    ] {
        let output = run(folder.path(), &["--strict", "--json", url], &variables);
        let judgement: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{judgement:#}");
        assert_eq!(brief(&judgement), [""; 0]);
        assert_eq!((&judgement["pages"], &judgement["items"]), (&json!(pages), &json!(30)));
    }
}
