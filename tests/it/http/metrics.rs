//! The numbers that an operator reads.

use std::collections::BTreeSet;

use super::Pair;
use crate::support::origin::Manner;
use crate::support::{Answer, Program, client, feed};

#[test]
fn the_numbers_are_those_of_what_happened() {
    let pair = Pair::start();
    let metric = |name: &str| pair.program.metric(&format!("mmsp_gateway_{name}"));
    assert_eq!(metric("requests_total{route=\"feed\",status=\"200\"}"), 0.0);
    assert_eq!(metric("polls_total{outcome=\"changed\",source_type=\"rss\"}"), 0.0);

    let body = feed::rss(0..7);
    let bytes = body.len();
    pair.origin.set("/feed.xml", Answer::feed(body));
    pair.origin.set("/text", Answer::feed("Just some words."));
    pair.feed("/feed.xml", "");
    pair.feed("/feed.xml", "");
    pair.feed("/text", "");
    pair.program.feed("https://10.0.0.1/", "");
    pair.program.get("/mmsp/feed");
    pair.program.get("/nowhere");

    for (name, value) in [
        ("requests_total{route=\"feed\",status=\"200\"}", 2.0),
        ("requests_total{route=\"feed\",status=\"422\"}", 1.0),
        ("requests_total{route=\"feed\",status=\"403\"}", 1.0),
        ("requests_total{route=\"feed\",status=\"400\"}", 1.0),
        ("requests_total{route=\"unknown\",status=\"404\"}", 1.0),
        ("request_duration_seconds_count{route=\"feed\"}", 5.0),
        ("cache_lookups_total{outcome=\"hit\"}", 1.0),
        ("cache_lookups_total{outcome=\"miss\"}", 1.0),
        ("polls_total{outcome=\"changed\",source_type=\"rss\"}", 1.0),
        ("polls_total{outcome=\"not_a_feed\",source_type=\"unknown\"}", 1.0),
        ("polls_total{outcome=\"refused\",source_type=\"unknown\"}", 1.0),
        ("polls_in_flight", 0.0),
        ("items_total{outcome=\"new\"}", 7.0),
        ("source_bytes_total{form=\"decoded\"}", bytes as f64 + 16.0),
        ("store_errors_total{operation=\"merge\"}", 0.0),
        ("problems_total{problem=\"not-a-feed\"}", 1.0),
        ("problems_total{problem=\"address-not-allowed\"}", 1.0),
        ("problems_total{problem=\"invalid-url\"}", 1.0),
        ("problems_total{problem=\"not-found\"}", 1.0),
        ("problems_total{problem=\"internal\"}", 0.0),
        ("requests_in_flight", 0.0),
        ("polls_waiting{at=\"turn\"}", 0.0),
        // A first look takes one for the search and one for the document, a refusal none.
        ("lease_requests_total{outcome=\"granted\"}", 4.0),
        ("lease_requests_total{outcome=\"refused\"}", 0.0),
    ] {
        assert_eq!(metric(name), value, "{name}");
    }
    assert!(metric("response_bytes_total") > 0.0);
    assert!(metric("store_duration_seconds_count{operation=\"merge\"}") >= 1.0);
}

/// Everything that is shown, without its numbers.
fn series(program: &Program) -> BTreeSet<String> {
    let text = client::request(program.metrics, "GET", "/metrics", &[]).text();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect()
}

#[test]
fn every_series_is_there_from_the_start_and_nothing_that_strangers_say_makes_another() {
    let pair = Pair::start_with(&[("CALLERS__EXEMPT", ""), ("CALLERS__NEW_FEEDS_BURST", "12")]);
    let before = series(&pair.program);
    let page =
        "<html><head><link rel=alternate type=application/rss+xml href=/feed.xml></head></html>";
    let old = "<rss><channel><item/><item><title>x</title></item></channel></rss>";
    for (path, answer) in [
        ("/feed.xml", Answer::feed(feed::rss(0..3))),
        ("/old.xml", Answer::feed(old)),
        ("/page", Answer::status(200).header("Content-Type", "text/html").body(page)),
        ("/text", Answer::feed("Just some words.")),
        ("/gone", Answer::status(410)),
        ("/busy", Answer::status(429).header("Retry-After", "7")),
        ("/odd", Answer::status(299)),
        ("/silent", Answer::feed("").manner(Manner::Silent)),
        ("/cut", Answer::feed(feed::rss(0..3)).manner(Manner::Cut(100))),
    ] {
        pair.origin.set(path, answer);
        pair.feed(path, "");
        pair.program.get(&format!("/mmsp/discover?url={}", pair.origin.url(path)));
    }
    for url in
        ["http://10.0.0.1/", "https://localhost:1/", "https://nowhere.invalid/", "ftp://x/", "::"]
    {
        pair.program.feed(url, "&cursor=x");
        pair.program.feed(url, "");
    }
    for (method, target) in [
        ("BREW", "/mmsp/feed"),
        ("GET", "/mmsp/feed?url=x&evil=label"),
        ("GET", "/%2e%2e/{evil=\"label\"}"),
        ("GET", "/mmsp/no-such-name.json"),
        ("GET", "/.well-known/mmsp.json"),
        ("GET", "/problems/evil"),
        ("POST", "/opml"),
        ("OPTIONS", "/mmsp/feed"),
        ("HEAD", "/robots.txt"),
    ] {
        pair.program.request(method, target, &[("X-Request-Id", "evil"), ("User-Agent", "evil")]);
    }
    let after = series(&pair.program);
    assert_eq!(after, before);
    assert_eq!(pair.program.metric("mmsp_gateway_requests_in_flight"), 0.0);
}
