//! Each row of the problem table that can happen.

use std::io::Read as _;
use std::time::Duration;

use super::{Pair, problem};
use crate::support::origin::Manner;
use crate::support::{Answer, feed, manifest};

#[test]
fn queries_that_cannot_be_read() {
    let pair = Pair::start();
    for (query, name) in [
        ("", "invalid-url"),
        ("?url=", "invalid-url"),
        ("?url=ftp%3A%2F%2Fx.example%2F", "invalid-url"),
        ("?url=https%3A%2F%2Fuser%3Apass%40x.example%2F", "invalid-url"),
        ("?url=x.example&url=y.example", "invalid-url"),
        ("?url=x.example&limit=0", "invalid-limit"),
        ("?url=x.example&limit=501", "invalid-limit"),
        ("?url=x.example&limit=three", "invalid-limit"),
        ("?url=https://x.example/f?a=1&b=2", "unknown-parameter"),
    ] {
        problem(&pair.program.get(&format!("/mmsp/feed{query}")), 400, name);
    }
    let told = problem(
        &pair.program.get("/mmsp/feed?url=https://x.example/f?a=1&b=2"),
        400,
        "unknown-parameter",
    );
    assert_eq!(told["parameter"], "b");
    assert_eq!(told["try"], "/mmsp/feed?url=https%3A%2F%2Fx%2Eexample%2Ff%3Fa%3D1%26b%3D2");
}

#[test]
fn cursors_that_are_none_or_belong_to_another_feed() {
    let pair = Pair::start();
    pair.origin.set("/a.xml", Answer::feed(feed::rss(0..9)));
    pair.origin.set("/b.xml", Answer::feed(feed::rss(0..9)));
    problem(&pair.feed("/a.xml", "&cursor=nonsense"), 400, "invalid-cursor");
    let page = manifest::of(&pair.feed("/a.xml", "&limit=3"));
    let cursor = page["pagination"]["cursor"].as_str().unwrap();
    manifest::of(&pair.feed("/b.xml", ""));
    let foreign = pair.feed("/b.xml", &format!("&cursor={cursor}"));
    problem(&foreign, 400, "invalid-cursor");
}

#[test]
fn statuses_of_the_source() {
    let pair = Pair::start();
    for (status, answer, name) in [
        (404, 404, "source-not-found"),
        (410, 410, "source-gone"),
        (401, 502, "source-refused"),
        (403, 502, "source-refused"),
        (500, 502, "source-unavailable"),
        (502, 502, "source-unavailable"),
    ] {
        let path = format!("/{status}");
        pair.origin.set(&path, Answer::status(status));
        let told = problem(&pair.feed(&path, ""), answer, name);
        assert_eq!(told["url"], pair.origin.url(&path));
    }
}

#[test]
fn a_source_that_asks_for_rest_is_left_alone_for_as_long() {
    let pair = Pair::start();
    pair.origin.set("/busy", Answer::status(429).header("Retry-After", "1234"));
    for _ in 0..2 {
        let response = pair.feed("/busy", "");
        let told = problem(&response, 503, "source-backing-off");
        let seconds: u64 = response.header("retry-after").unwrap().parse().unwrap();
        assert!((1200..=1300).contains(&seconds), "{seconds}");
        assert_eq!(told["retry_after_seconds"], seconds);
    }
    assert_eq!(pair.origin.seen("/busy").len(), 1);
}

#[test]
fn documents_that_are_no_feed() {
    let pair = Pair::start();
    let unpackable = || Answer::feed("not gzip at all").header("Content-Encoding", "gzip");
    let deep = format!("<rss><channel>{}", "<a>".repeat(100_000));
    let cut = "<rss version=\"2.0\"><channel><title>T</title><item><title>Half";
    for (path, answer, status, name) in [
        ("/empty", Answer::feed(""), 422, "source-empty"),
        ("/text", Answer::feed("Just some words."), 422, "not-a-feed"),
        ("/image", Answer::feed(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()), 422, "not-a-feed"),
        ("/page", Answer::feed("<!doctype html><title>A page</title>"), 422, "no-feed-found"),
        ("/coding", unpackable(), 502, "source-undecodable"),
        ("/deep", Answer::feed(deep), 502, "source-too-deep"),
        ("/cut", Answer::feed(cut), 502, "source-truncated"),
        ("/bare", Answer::feed("<rss version='2.0'><channel>"), 422, "source-malformed"),
    ] {
        pair.origin.set(path, answer);
        problem(&pair.feed(path, ""), status, name);
    }
}

#[test]
fn a_document_over_the_limit() {
    let pair = Pair::start_with(&[("FETCH__MAX_BODY_BYTES", "1000")]);
    pair.origin.set("/large", Answer::feed(feed::rss(0..100)));
    problem(&pair.feed("/large", ""), 502, "source-too-large");
}

#[test]
fn a_document_that_unpacks_to_more_than_it_should() {
    let pair = Pair::start();
    let mut coder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::copy(&mut std::io::repeat(b' ').take(40 << 20), &mut coder).unwrap();
    let bomb = Answer::feed(coder.finish().unwrap()).header("Content-Encoding", "gzip");
    pair.origin.set("/bomb", bomb);
    problem(&pair.feed("/bomb", ""), 502, "source-too-large");
}

#[test]
fn a_bot_check_in_the_sources_place() {
    let pair = Pair::start();
    let page = "<!doctype html><title>Just a moment...</title>";
    let html = |status| Answer::status(status).header("Content-Type", "text/html").body(page);
    for (path, answer) in [
        ("/header", Answer::status(403).header("cf-mitigated", "challenge")),
        ("/refusal", html(403)),
        ("/page", html(200)),
    ] {
        pair.origin.set(path, answer);
        problem(&pair.feed(path, ""), 502, "source-challenge");
    }
}

#[test]
fn a_certificate_that_nobody_vouches_for() {
    let pair = Pair::start_with(&[("FETCH__CA_FILE", "")]);
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    problem(&pair.feed("/feed.xml", ""), 502, "source-unavailable");
    assert!(pair.origin.seen("/feed.xml").is_empty(), "it never got to ask");
}

#[test]
fn a_source_that_is_slow_to_begin() {
    let pair = Pair::start_with(&[("FETCH__FIRST_BYTE_TIMEOUT_MS", "300")]);
    let slow = Answer::feed(feed::rss(0..3)).delay(Duration::from_secs(3));
    pair.origin.set("/slow", slow);
    problem(&pair.feed("/slow", ""), 504, "source-timeout");
}

#[test]
fn a_source_that_is_slower_than_a_reader_waits_goes_on_being_read() {
    let pair = Pair::start_with(&[("POLL__READER_WAIT_MS", "300")]);
    let slow = Answer::feed(feed::rss(0..3)).delay(Duration::from_secs(2));
    pair.origin.set("/slow", slow);
    let told = pair.feed("/slow", "");
    problem(&told, 504, "source-timeout");
    assert_eq!(told.header("retry-after"), Some("60"));
    let mut later = pair.feed("/slow", "");
    while later.status == 504 {
        later = pair.feed("/slow", "");
    }
    manifest::of(&later);
    assert_eq!(pair.origin.seen("/slow").len(), 1);
}

#[test]
fn a_gateway_that_is_full() {
    let pair = Pair::start_with(&[("POLL__MAX_IN_FLIGHT", "1"), ("POLL__PLACE_WAIT_MS", "100")]);
    let slow = Answer::feed(feed::rss(0..3)).delay(Duration::from_secs(5));
    pair.origin.set("/slow", slow);
    pair.origin.set("/fast", Answer::feed(feed::rss(0..3)));
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| pair.feed("/slow", ""));
        while pair.origin.seen("/slow").is_empty() {
            std::thread::yield_now();
        }
        let full = pair.feed("/fast", "");
        problem(&full, 503, "overloaded");
        assert_eq!(full.header("retry-after"), Some("5"));
        assert_eq!(full.header("cache-control"), Some("no-store"));
        manifest::of(&slow.join().unwrap());
    });
    manifest::of(&pair.feed("/fast", ""));
}

#[test]
fn a_page_whose_feeds_cannot_be_read_is_told_by_the_first_of_them() {
    let pair = Pair::start();
    let link = "<link rel=alternate type=application/rss+xml href=/gone>";
    let page = Answer::status(200).header("Content-Type", "text/html");
    pair.origin.set("/page", page.body(format!("<!doctype html><title>T</title>{link}")));
    pair.origin.set("/gone", Answer::status(410));
    let told = problem(&pair.feed("/page", ""), 410, "source-gone");
    assert_eq!(told["url"], pair.origin.url("/page"));
}

#[test]
fn a_connection_that_breaks_and_one_that_hangs() {
    let pair = Pair::start_with(&[("FETCH__IDLE_TIMEOUT_MS", "300")]);
    let feed = || Answer::feed(feed::rss(0..3));
    pair.origin.set("/silent", feed().manner(Manner::Silent));
    problem(&pair.feed("/silent", ""), 502, "source-unavailable");
    pair.origin.set("/hang", feed().manner(Manner::Hang));
    problem(&pair.feed("/hang", ""), 504, "source-timeout");
}

#[test]
fn a_source_that_nobody_listens_for() {
    let pair = Pair::start();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let response = pair.program.feed(&format!("https://{free}/"), "");
    problem(&response, 502, "source-unavailable");
}

#[test]
fn a_failure_is_remembered_and_the_source_not_asked_again() {
    let pair = Pair::start();
    pair.origin.set("/text", Answer::feed("Just some words."));
    problem(&pair.feed("/text", ""), 422, "not-a-feed");
    problem(&pair.feed("/text", ""), 422, "not-a-feed");
    assert_eq!(pair.origin.seen("/text").len(), 1);
}

#[test]
fn a_cut_document_gives_what_is_whole_in_it_to_someone_who_has_nothing() {
    let pair = Pair::start();
    let whole = feed::rss(0..10);
    let bytes = whole.len() - 200;
    pair.origin.set("/cut.xml", Answer::feed(whole).manner(Manner::Cut(bytes)));
    let items = manifest::ids(&manifest::of(&pair.feed("/cut.xml", "")));
    assert!((8..10).contains(&items.len()), "{items:?}");
}

#[test]
fn every_type_leads_to_a_page_that_explains_it() {
    let pair = Pair::start();
    for kind in mmsp_gateway::server::problem::Kind::ALL {
        let page = pair.program.get(kind.path());
        assert_eq!(page.status, 200);
        assert!(page.text().contains(kind.title()));
    }
    problem(&pair.program.get("/problems/unheard-of"), 404, "not-found");
}

#[test]
fn the_gateway_does_not_ask_itself() {
    let pair = Pair::start_with(&[("SERVER__PUBLIC_URL", "https://gateway.test/feeds")]);
    for own in ["https://gateway.test/feeds/mmsp/feed?url=x", "gateway.test/mmsp/feed?url=x"] {
        problem(&pair.program.feed(own, ""), 403, "loop");
    }
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)).delay(Duration::ZERO));
    let target = crate::support::program::target(&pair.origin.url("/feed.xml"), "");
    let via = [("Via", "1.1 mmsp-gateway")];
    problem(&pair.program.request("GET", &target, &via), 403, "loop");
    assert_eq!(pair.origin.connections(), 0);
}
