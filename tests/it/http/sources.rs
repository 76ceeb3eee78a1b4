//! How sources are asked, and what readers get while they misbehave: a real origin that does the
//! thing, and a clock that the test moves.

use std::time::Duration;

use tempfile::TempDir;

use super::{Pair, problem};
use crate::support::origin::{Manner, Seen};
use crate::support::{Answer, Inside, Origin, Response, feed, manifest};

/// A gateway on a clock of the test, and its origin.
struct Scene {
    _folder: TempDir,
    origin: Origin,
    gateway: Inside,
}

impl Scene {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let origin = Origin::start(folder.path());
        let gateway = Inside::start(folder.path(), origin.ca_file());
        Self { _folder: folder, origin, gateway }
    }

    fn feed(&self) -> Response {
        self.gateway.feed(&self.origin.url(PATH), "")
    }

    fn shows(&self, answer: Answer) {
        self.origin.set(PATH, answer);
    }

    fn later(&self, seconds: i64) -> Response {
        self.gateway.clock().advance_seconds(seconds);
        self.feed()
    }

    fn seen(&self) -> Vec<Seen> {
        self.origin.seen(PATH)
    }
}

const PATH: &str = "/feed.xml";
const HOUR: i64 = 3_600;

fn stale(response: &Response) -> bool {
    manifest::of(response);
    response.header("cache-status").unwrap().contains("; ttl=-")
}

#[test]
fn validators_go_back_as_they_came_weak_suffixed_or_odd() {
    for tag in ["W/\"weak\"", "\"5f-1a-gzip\"", "\"a,b; c\"", "unquoted"] {
        let scene = Scene::start();
        let date = "Sat, 01 Jun 2024 00:00:00 GMT";
        let answer = Answer::feed(feed::rss(0..3)).header("Last-Modified", date);
        let mut answer = answer;
        answer.headers.retain(|(name, _)| name != "ETag");
        scene.shows(answer.header("ETag", tag));
        let first = scene.feed();
        manifest::of(&first);
        for _ in 0..5 {
            assert_eq!(scene.later(901).body, first.body);
        }
        let seen = scene.seen();
        assert_eq!(seen.len(), 6, "{tag}");
        assert!(!seen[0].headers.contains_key("if-none-match"));
        let agent = &seen[0].headers["user-agent"];
        for seen in &seen[1..] {
            assert_eq!(seen.headers["if-none-match"], tag);
            assert_eq!(seen.headers["if-modified-since"], date);
            assert_eq!(&seen.headers["user-agent"], agent);
            assert!(!seen.headers.contains_key("cookie") && !seen.headers.contains_key("referer"));
        }
        scene.later(25 * HOUR);
        assert!(!scene.seen()[6].headers.contains_key("if-none-match"), "once a day all of it");
    }
}

#[test]
fn validators_of_a_copy_that_could_not_be_read_are_not_kept() {
    let scene = Scene::start();
    scene.shows(Answer::feed(feed::rss(0..3)));
    let first = scene.feed();
    let broken = Answer::status(200).header("Content-Type", "application/rss+xml");
    scene.shows(broken.header("ETag", "\"broken\"").body("no feed at all"));
    assert!(stale(&scene.later(901)));
    scene.shows(Answer::feed(feed::rss(0..4)));
    let after = scene.later(HOUR);
    assert_eq!(manifest::ids(&manifest::of(&after)).len(), 4);
    assert_ne!(
        scene.seen()[2].headers.get("if-none-match").map(String::as_str),
        Some("\"broken\"")
    );
    assert_ne!(after.header("etag"), first.header("etag"));
}

#[test]
fn a_source_that_asks_for_rest_gets_it_in_each_form_and_its_host_with_it() {
    let seconds = Answer::status(429).header("Retry-After", "4000");
    let date = Answer::status(429).header("Retry-After", "Sat, 01 Jun 2024 01:21:41 GMT");
    let unavailable = Answer::status(503).header("Retry-After", "4000");
    for answer in [seconds, date, unavailable] {
        let scene = Scene::start();
        scene.shows(Answer::feed(feed::rss(0..3)));
        scene.origin.set("/other.xml", Answer::feed(feed::rss(0..2)));
        let first = scene.feed();
        scene.shows(answer);
        let resting = scene.later(901);
        assert_eq!(resting.body, first.body, "no reader notices");
        let status = resting.header("cache-status").unwrap();
        assert!(status.contains("; detail=source-backing-off"), "{status}");
        assert_eq!(scene.seen().len(), 2);

        let other = scene.gateway.feed(&scene.origin.url("/other.xml"), "");
        let told = problem(&other, 503, "source-backing-off");
        let left: u64 = other.header("retry-after").unwrap().parse().unwrap();
        assert!((3_990..=4_800).contains(&left), "{left}");
        assert_eq!(told["retry_after_seconds"], left);
        assert!(scene.origin.seen("/other.xml").is_empty(), "it is the host that rests");

        scene.later(3_990);
        assert_eq!(scene.seen().len(), 2, "and in full");
        scene.shows(Answer::feed(feed::rss(0..3)));
        assert!(!stale(&scene.later(1_000)));
        assert_eq!(scene.seen().len(), 3);
        manifest::of(&scene.gateway.feed(&scene.origin.url("/other.xml"), ""));
    }
}

#[test]
fn without_a_time_the_back_off_doubles_from_the_floor() {
    for status in [429, 503, 500] {
        let scene = Scene::start();
        scene.shows(Answer::feed(feed::rss(0..3)));
        scene.feed();
        scene.shows(Answer::status(status));
        scene.later(901);
        for (requests, wait) in (2..).zip([300, 600, 1_200, 2_400]) {
            assert_eq!(scene.seen().len(), requests);
            assert!(stale(&scene.later(wait - 5)));
            assert_eq!(scene.seen().len(), requests, "{status}: not before {wait} seconds");
            // A fifth may come on top.
            scene.later(wait / 5 + 10);
        }
    }
}

#[test]
fn redirects_are_followed_to_their_end_and_circles_are_not() {
    let pair = Pair::start();
    pair.origin.set("/end", Answer::feed(feed::rss(0..3)));
    for (n, status) in [301, 308, 302, 303, 307].into_iter().enumerate() {
        let to = if n == 0 { "/end".to_owned() } else { format!("hop{}", n - 1) };
        pair.origin.set(&format!("/hop{n}"), Answer::status(status).header("Location", &to));
    }
    let response = pair.feed("/hop4", "");
    manifest::of(&response);
    assert!(
        response
            .header("link")
            .unwrap()
            .contains(&format!("<{}>; rel=\"via\"", pair.origin.url("/hop4")))
    );
    pair.origin.set("/hop5", Answer::status(302).header("Location", "/hop4"));
    problem(&pair.feed("/hop5", ""), 502, "source-unavailable");
    pair.origin.set("/a", Answer::status(301).header("Location", "/b"));
    pair.origin.set("/b", Answer::status(301).header("Location", "/a"));
    problem(&pair.feed("/a", ""), 502, "source-unavailable");
    assert_eq!((pair.origin.seen("/a").len(), pair.origin.seen("/b").len()), (1, 1));
    pair.origin.set("/nowhere", Answer::status(302));
    problem(&pair.feed("/nowhere", ""), 502, "source-unavailable");
}

#[test]
fn a_permanent_redirect_of_three_days_is_a_move_and_a_temporary_one_never() {
    for (status, moves) in [(301, true), (308, true), (302, false), (307, false)] {
        let scene = Scene::start();
        scene.shows(Answer::feed(feed::rss(0..3)));
        let first = manifest::of(&scene.feed());
        scene.shows(Answer::status(status).header("Location", "/new.xml"));
        scene.origin.set("/new.xml", Answer::feed(feed::rss(0..5)));
        for _ in 0..3 {
            assert!(manifest::of(&scene.later(12 * HOUR)).get("moved_to").is_none());
        }
        let asked_by_old = scene.seen().len();
        scene.later(24 * HOUR);
        let moved = manifest::of(&scene.later(12 * HOUR));
        assert_eq!(moved["id"], first["id"]);
        assert_eq!(manifest::ids(&moved).len(), 5);
        let told = moved.get("moved_to").and_then(|to| to.as_str()).map(str::to_owned);
        assert_eq!(told.is_some(), moves, "{status}");
        if let Some(told) = told {
            let there = manifest::of(&scene.gateway.follow(&told));
            assert_eq!(manifest::ids(&there), manifest::ids(&moved));
            assert!(there.get("moved_to").is_none());
            assert!(scene.seen().len() <= asked_by_old + 2);
        }
    }
}

#[test]
fn a_source_that_is_gone_is_told_so_and_asked_once_a_week() {
    let scene = Scene::start();
    scene.shows(Answer::feed(feed::rss(0..3)));
    let first = manifest::of(&scene.feed());
    scene.shows(Answer::status(410));
    let gone = manifest::of(&scene.later(901));
    assert!(gone["deprecated"]["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
    assert_eq!(gone["items"], first["items"]);
    for _ in 0..13 {
        scene.later(12 * HOUR);
    }
    assert_eq!(scene.seen().len(), 2);
    scene.shows(Answer::feed(feed::rss(0..3)));
    let back = manifest::of(&scene.later(10 * 24 * HOUR));
    assert_eq!(back, first);
}

#[test]
fn what_a_source_says_of_its_freshness_is_respected_within_bounds() {
    for (headers, seconds) in [
        (vec![], 900),
        (vec![("Cache-Control", "max-age=60")], 900),
        (vec![("Cache-Control", "max-age=7200")], 7_200),
        (vec![("Cache-Control", "max-age=7200"), ("Age", "600")], 6_600),
        (vec![("Cache-Control", "max-age=99999999")], 86_400),
        (vec![("Expires", "Thu, 01 Jan 1970 00:00:00 GMT")], 900),
        (vec![("Expires", "0"), ("Cache-Control", "no-cache")], 900),
        (
            vec![
                ("Date", "Sat, 01 Jun 2024 00:00:00 GMT"),
                ("Expires", "Sat, 01 Jun 2024 02:00:00 GMT"),
            ],
            7_200,
        ),
    ] {
        let scene = Scene::start();
        let answer = Answer::feed(feed::rss(0..3));
        scene
            .shows(headers.iter().fold(answer, |answer, (name, value)| answer.header(name, value)));
        let first = scene.feed();
        let cache = first.header("cache-control").unwrap();
        let expected = format!("public, max-age={seconds}, stale-while-revalidate=");
        assert!(cache.starts_with(&expected), "{headers:?}: {cache}");
        let fresh = scene.later(seconds - 1);
        assert_eq!(scene.seen().len(), 1, "{headers:?}");
        assert_eq!(fresh.header("age"), Some((seconds - 1).to_string().as_str()));
        scene.later(1);
        assert_eq!(scene.seen().len(), 2, "{headers:?}");
    }
}

#[test]
fn what_a_document_says_of_its_freshness_is_respected_too() {
    for (inside, seconds) in [
        ("<ttl>120</ttl>", 7_200),
        ("<ttl>1</ttl>", 900),
        // From midnight on the hours until four are quiet.
        (
            "<skipHours><hour>0</hour><hour>1</hour><hour>2</hour><hour>3</hour></skipHours>",
            4 * HOUR,
        ),
        // It is a Saturday.
        ("<skipDays><day>Saturday</day></skipDays>", 24 * HOUR),
    ] {
        let scene = Scene::start();
        let document = feed::rss(0..3).replacen("<item>", &format!("{inside}<item>"), 1);
        scene.shows(Answer::feed(document));
        scene.feed();
        scene.later(seconds - 1);
        assert_eq!(scene.seen().len(), 1, "{inside}");
        scene.later(1);
        assert_eq!(scene.seen().len(), 2, "{inside}");
    }
}

#[test]
fn a_slow_source_costs_a_reader_two_seconds_and_no_more() {
    let scene = Scene::start();
    scene.shows(Answer::feed(feed::rss(0..3)));
    let first = scene.feed();
    scene.shows(Answer::feed(feed::rss(0..4)).delay(Duration::from_secs(8)));
    let slow = scene.later(901);
    assert_eq!(slow.body, first.body);
    let status = slow.header("cache-status").unwrap();
    assert!(status.contains("; ttl=-1; detail=source-slow"), "{status}");
    let mut after = scene.feed();
    while after.body == first.body {
        after = scene.feed();
    }
    assert_eq!(manifest::ids(&manifest::of(&after)).len(), 4, "the poll went on");
    assert_eq!(scene.seen().len(), 2);
}

#[test]
fn a_source_that_drips_comes_to_an_end() {
    let pair = Pair::start_with(&[("FETCH__TOTAL_TIMEOUT_MS", "1500")]);
    let drip = Manner::Drip(Duration::from_millis(100));
    pair.origin.set("/drip", Answer::feed(feed::rss(0..3)).manner(drip));
    problem(&pair.feed("/drip", ""), 504, "source-timeout");
}

#[test]
fn lengths_that_are_wrong_or_missing_cost_what_they_must() {
    let pair = Pair::start();
    let document = feed::rss(0..10);
    let bytes = document.len();
    for (path, manner, items) in [
        ("/unmeasured", Manner::Unmeasured, 10..=10),
        ("/too-long", Manner::Announcing(bytes + 100), 10..=10),
        ("/too-short", Manner::Announcing(bytes - 300), 7..=9),
        ("/cut", Manner::Cut(bytes - 300), 7..=9),
    ] {
        pair.origin.set(path, Answer::feed(document.clone()).manner(manner));
        let read = manifest::ids(&manifest::of(&pair.feed(path, "")));
        assert!(items.contains(&read.len()), "{path}: {}", read.len());
    }
}

#[test]
fn types_that_are_wrong_and_headers_of_any_bytes_do_not_matter() {
    let pair = Pair::start();
    for (path, kind) in [
        ("/html", "text/html; charset=utf-8"),
        ("/image", "image/png"),
        ("/binary", "application/octet-stream"),
        ("/nonsense", ";;="),
    ] {
        let answer = Answer::status(200).header("Content-Type", kind).body(feed::rss(0..3));
        pair.origin.set(path, answer);
        assert_eq!(manifest::ids(&manifest::of(&pair.feed(path, ""))).len(), 3, "{path}");
    }
    let answer = Answer::feed(feed::rss(0..3))
        .header_bytes("X-Author", b"Andr\xe9")
        .header_bytes("Content-Disposition", b"inline; filename=\"caf\xe9.xml\"")
        .header_bytes("Link", b"</h>; rel=\"hub\"; title=\"caf\xe9\"");
    pair.origin.set("/latin", answer);
    manifest::of(&pair.feed("/latin", ""));
}

#[test]
fn a_bot_check_is_called_one_and_costs_a_reader_nothing() {
    let scene = Scene::start();
    scene.shows(Answer::feed(feed::rss(0..3)));
    let first = scene.feed();
    let page = "<!doctype html><title>Just a moment...</title>";
    for check in [
        Answer::status(403).header("cf-mitigated", "challenge").body(page),
        Answer::status(503).header("Content-Type", "text/html").body(page),
        Answer::status(200).header("Content-Type", "text/html").body(page),
    ] {
        scene.shows(check);
        let stale = scene.later(24 * HOUR);
        assert_eq!(stale.body, first.body);
        let status = stale.header("cache-status").unwrap();
        assert!(status.ends_with("; detail=source-challenge"), "{status}");
    }
}

#[test]
fn half_of_an_hours_requests_fail_and_no_reader_notices() {
    let scene = Scene::start();
    scene.shows(Answer::feed(feed::rss(0..3)));
    let mut tag = scene.feed().header("etag").unwrap().to_owned();
    let failures = [
        Answer::status(500),
        Answer::feed("").manner(Manner::Silent),
        Answer::status(502),
        Answer::feed(feed::rss(0..3)).manner(Manner::Cut(20)),
    ];
    let turns = failures
        .into_iter()
        .zip(4..)
        .flat_map(|(failure, items)| [failure, Answer::feed(feed::rss(0..items))]);
    scene.origin.play(PATH, turns);
    let url = scene.origin.url(PATH);
    for _ in 0..60 {
        scene.gateway.clock().advance_seconds(60);
        let response = scene.gateway.ask(&url, &[("If-None-Match", tag.as_str())]);
        assert!(matches!(response.status, 200 | 304), "{}", response.status);
        tag = response.header("etag").unwrap().to_owned();
    }
    let asked = scene.seen().len();
    assert!((5..=13).contains(&asked), "{asked}");
}

#[test]
fn nobody_waits_for_the_new_address_of_a_feed_that_the_old_one_has() {
    let scene = Scene::start();
    let new = scene.origin.url("/new.xml");
    let word = format!("<channel><itunes:new-feed-url>{new}</itunes:new-feed-url>");
    scene.shows(Answer::feed(feed::rss(0..3).replace("<channel>", &word)));
    scene.origin.set("/new.xml", Answer::feed(feed::rss(0..3)).manner(Manner::Hang));
    let response = scene.feed();
    assert_eq!(response.status, 200);
    assert_eq!(scene.origin.seen("/new.xml").len(), 1);
}
