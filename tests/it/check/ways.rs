//! Where a manifest leads: to its older pages, its own address, a new one; and when to stop.

use serde_json::{Value, json};

use super::{Bench, brief, good, run};
use crate::support::{Answer, Origin, Program, feed};

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
