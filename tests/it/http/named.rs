//! Feeds that the settings name: `/mmsp/NAME.json` and `/.well-known/mmsp.json`.

use serde_json::json;

use super::{Pair, problem};
use crate::support::{Answer, Origin, Program, Response, feed, manifest, until};

const PUBLIC: &str = "https://gateway.test";
const TOKEN: &str = "token-0123456789abcdef0123456789abcdef";
const KEY: &str = "key-0123456789abcdef0123456789abcdef";

impl Pair {
    /// A gateway that knows `/feed.xml` by the name `blog`, with what the origin says there.
    fn with_name(answer: Answer, settings: &[(&str, &str)]) -> Self {
        Self::with_answers(&[("/feed.xml", answer)], settings)
    }

    fn with_answers(answers: &[(&str, Answer)], settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let origin = Origin::start(folder.path());
        // Before the gateway starts: it looks at once.
        for (path, answer) in answers {
            origin.set(path, answer.clone());
        }
        let url = origin.url("/feed.xml");
        let named = [("SERVER__PUBLIC_URL", PUBLIC), ("FEEDS__BLOG__URL", url.as_str())];
        let settings = [&named[..], settings].concat();
        let program = Program::start(folder.path(), origin.ca_file(), &settings);
        Self { folder, origin, program }
    }

    fn follow(&self, url: &serde_json::Value) -> Response {
        let target = url.as_str().and_then(|url| url.strip_prefix(PUBLIC));
        self.program.get(target.unwrap_or_else(|| panic!("{url} is not ours")))
    }

    /// Waits until the origin was asked for its feed so often.
    fn wait_for_polls(&self, times: usize) {
        until(|| self.origin.seen("/feed.xml").len() >= times);
    }
}

fn links(response: &Response, relation: &str) -> Option<String> {
    let links = response.header("link").unwrap();
    let link = links.split(", ").find(|link| link.ends_with(&format!("rel=\"{relation}\"")))?;
    Some(link.trim_start_matches('<').split('>').next().unwrap().to_owned())
}

#[test]
fn a_feed_with_a_name_is_served_under_it_and_pages_stay_under_it() {
    let pair = Pair::with_name(Answer::feed(feed::rss(0..10)), &[]);
    let first = pair.program.get("/mmsp/blog.json?limit=3");
    let mut page = manifest::of(&first);
    let address = format!("{PUBLIC}/mmsp/blog.json");
    assert_eq!(page["feed_url"], format!("{address}?limit=3"));
    assert_eq!(links(&first, "self"), Some(format!("{address}?limit=3")));
    assert_eq!(links(&first, "first"), Some(format!("{address}?limit=3")));
    assert_eq!(links(&first, "canonical"), None);
    assert_eq!(first.header("access-control-allow-origin"), Some("*"));
    assert_eq!(first.header("x-robots-tag"), Some("noindex"));
    let mut ids = manifest::ids(&page);
    while !page["next_url"].is_null() {
        let next = page["next_url"].as_str().unwrap().to_owned();
        assert!(next.starts_with(&format!("{address}?limit=3&cursor=")), "{next}");
        let response = pair.follow(&page["next_url"]);
        assert_eq!(links(&response, "self"), Some(next));
        page = manifest::of(&response);
        ids.extend(manifest::ids(&page));
    }
    assert_eq!(ids, (0..10).rev().map(feed::id).collect::<Vec<_>>());

    let whole = pair.program.get("/mmsp/blog.json");
    assert_eq!(manifest::of(&whole)["feed_url"], address);
    let by_url = pair.feed("/feed.xml", "");
    assert_eq!(manifest::ids(&manifest::of(&by_url)), manifest::ids(&whole.json()));
    assert_ne!(by_url.header("etag"), whole.header("etag"));
    assert_eq!(pair.origin.seen("/feed.xml").len(), 1, "both are one feed");
}

#[test]
fn conditions_heads_and_options_work_as_on_any_manifest() {
    let pair = Pair::with_name(Answer::feed(feed::rss(0..3)), &[("WELL_KNOWN", "blog")]);
    for path in ["/mmsp/blog.json", "/.well-known/mmsp.json"] {
        let whole = pair.program.get(path);
        let tag = whole.header("etag").unwrap();
        for condition in
            [("If-None-Match", tag), ("If-Modified-Since", whole.header("last-modified").unwrap())]
        {
            let known = pair.program.request("GET", path, &[condition]);
            assert_eq!((known.status, known.body.len()), (304, 0), "{condition:?}");
            assert_eq!(known.header("etag"), Some(tag));
        }
        let head = pair.program.request("HEAD", path, &[]);
        assert_eq!((head.status, head.body.len()), (200, 0));
        assert_eq!(head.header("etag"), Some(tag));
        let options = pair.program.request("OPTIONS", path, &[("Origin", "https://a.example")]);
        assert_eq!(options.status, 204);
        assert_eq!(options.header("allow"), Some("GET, HEAD, OPTIONS"));
        problem(&pair.program.request("POST", path, &[]), 405, "method-not-allowed");
    }
}

#[test]
fn the_well_known_feed_is_the_named_one_and_says_so() {
    let pair = Pair::with_name(Answer::feed(feed::rss(0..3)), &[("WELL_KNOWN", "blog")]);
    let well_known = pair.program.get("/.well-known/mmsp.json");
    assert_eq!(manifest::of(&well_known)["feed_url"], format!("{PUBLIC}/mmsp/blog.json"));
    let named = pair.program.get("/mmsp/blog.json");
    assert_eq!(well_known.body, named.body);
    assert_eq!(well_known.header("etag"), named.header("etag"));
    let page = manifest::of(&pair.program.get("/.well-known/mmsp.json?limit=2"));
    assert_eq!(manifest::ids(&page).len(), 2);
    assert_eq!(manifest::ids(&manifest::of(&pair.follow(&page["next_url"]))), [feed::id(0)]);
}

#[test]
fn what_nobody_named_is_not_there() {
    let pair = Pair::with_name(Answer::feed(feed::rss(0..3)), &[]);
    for path in [
        "/.well-known/mmsp.json",
        "/mmsp/other.json",
        "/mmsp/Blog.json",
        "/mmsp/blog",
        "/mmsp/.json",
        "/mmsp/blog.json/",
        "/mmsp/a/blog.json",
        "/mmsp/feed.json",
    ] {
        problem(&pair.program.get(path), 404, "not-found");
    }
    for (query, name) in [
        ("url=https://a.example/", "unknown-parameter"),
        ("sig=A", "unknown-parameter"),
        ("limit=501", "invalid-limit"),
        ("cursor=A", "invalid-cursor"),
    ] {
        problem(&pair.program.get(&format!("/mmsp/blog.json?{query}")), 400, name);
    }
    let by_gateway = [("Via", "1.1 mmsp-gateway")];
    problem(&pair.program.request("GET", "/mmsp/blog.json", &by_gateway), 403, "loop");
}

#[test]
fn a_named_feed_is_open_in_every_mode_and_never_signed() {
    for mode in ["open", "token", "signed"] {
        let pair = Pair::with_name(
            Answer::feed(feed::rss(0..5)),
            &[
                ("ACCESS__MODE", mode),
                ("ACCESS__TOKENS", TOKEN),
                ("ACCESS__KEYS", KEY),
                ("WELL_KNOWN", "blog"),
            ],
        );
        for path in ["/mmsp/blog.json?limit=2", "/.well-known/mmsp.json?limit=2"] {
            let response = pair.program.get(path);
            let first = manifest::of(&response);
            assert!(response.header("cache-control").unwrap().starts_with("public, "), "{mode}");
            assert!(!response.text().contains("sig=") && !response.text().contains("/mmsp/feed"));
            assert!(!response.header("link").unwrap().contains("sig="));
            assert_eq!(manifest::ids(&manifest::of(&pair.follow(&first["next_url"]))).len(), 2);
        }
        let by_url = pair.feed("/feed.xml", "").status;
        let expected = [("open", 200), ("token", 401), ("signed", 403)];
        assert!(expected.contains(&(mode, by_url)), "{mode}: {by_url}");
    }
}

#[test]
fn a_named_feed_is_no_new_feed_of_whoever_asks() {
    let settings = [("CALLERS__NEW_FEEDS_PER_MINUTE", "1"), ("CALLERS__NEW_FEEDS_BURST", "1")];
    let pair = Pair::with_name(Answer::feed(feed::rss(0..3)), &settings);
    pair.origin.set("/other.xml", Answer::feed(feed::rss(0..3)));
    let asks = |target: &str| {
        pair.program.request("GET", target, &[("X-Forwarded-For", "192.0.2.1")]).status
    };
    for _ in 0..3 {
        assert_eq!(asks("/mmsp/blog.json"), 200);
    }
    let other = crate::support::program::target(&pair.origin.url("/other.xml"), "");
    assert_eq!(asks(&other), 200, "the one new feed is still to be had");
}

#[test]
fn a_named_feed_is_read_before_anybody_asks_and_its_schedule_outlives_a_restart() {
    let mut pair = Pair::with_name(Answer::feed(feed::rss(0..10)), &[]);
    pair.wait_for_polls(1);
    let first = manifest::of(&pair.program.get("/mmsp/blog.json?limit=4"));
    assert_eq!(pair.origin.seen("/feed.xml").len(), 1);
    pair.program.terminate();
    assert!(pair.program.wait().success());

    let url = pair.origin.url("/feed.xml");
    let settings = [("SERVER__PUBLIC_URL", PUBLIC), ("FEEDS__BLOG__URL", url.as_str())];
    pair.program = Program::start(pair.folder(), pair.origin.ca_file(), &settings);
    let mut page = manifest::of(&pair.follow(&first["next_url"]));
    let mut ids = [manifest::ids(&first), manifest::ids(&page)].concat();
    while !page["next_url"].is_null() {
        page = manifest::of(&pair.follow(&page["next_url"]));
        ids.extend(manifest::ids(&page));
    }
    assert_eq!(ids, (0..10).rev().map(feed::id).collect::<Vec<_>>());
    assert_eq!(pair.origin.seen("/feed.xml").len(), 1);
}

#[test]
fn a_name_may_stand_for_a_page_and_for_a_manifest() {
    let link = "<!doctype html><link rel=alternate type=application/rss+xml href=/feed.xml?rss>";
    let page = Answer::status(200).header("Content-Type", "text/html").body(link);
    let pair = Pair::with_answers(
        &[("/feed.xml", page), ("/feed.xml?rss", Answer::feed(feed::rss(0..3)))],
        &[],
    );
    let found = pair.program.get("/mmsp/blog.json");
    assert_eq!(manifest::of(&found)["feed_url"], format!("{PUBLIC}/mmsp/blog.json"));
    assert_eq!(links(&found, "canonical"), None);

    let native = json!({
        "mmsp": "1.0", "id": "urn:native:1", "title": "Native", "items": [],
        "feed_url": "https://native.example/mmsp.json",
    });
    let native = Answer::status(200)
        .header("Content-Type", "application/mmsp+json")
        .body(native.to_string());
    let pair = Pair::with_name(native, &[]);
    let sent = pair.program.get("/mmsp/blog.json");
    assert_eq!(sent.status, 302);
    assert_eq!(sent.header("location"), Some(pair.origin.url("/feed.xml").as_str()));
}

#[test]
fn a_named_feed_whose_source_fails_answers_from_its_history_or_says_why() {
    let pair = Pair::with_name(Answer::status(500), &[]);
    problem(&pair.program.get("/mmsp/blog.json"), 502, "source-unavailable");
}
