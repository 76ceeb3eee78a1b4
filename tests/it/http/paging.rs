//! Walking back through a feed's history (MMSP 5.5).

use std::collections::HashSet;

use serde_json::Value;

use super::Pair;
use crate::support::{Answer, Inside, Origin, Program, Response, feed, manifest};

/// Follows `next_url` from a page to the end; every page is judged.
fn walk(follow: impl Fn(&str) -> Response, first: Value) -> Vec<String> {
    let mut ids = Vec::new();
    let mut cursors = HashSet::new();
    let mut page = first;
    loop {
        ids.extend(manifest::ids(&page));
        assert!(cursors.insert(page["pagination"]["cursor"].to_string()), "a cursor came again");
        let Some(next) = page["next_url"].as_str() else { return ids };
        page = manifest::of(&follow(next));
    }
}

fn expected(items: std::ops::Range<u32>) -> Vec<String> {
    items.rev().map(feed::id).collect()
}

#[test]
fn every_item_is_met_exactly_once() {
    let pair = Pair::start();
    for count in [1, 3, 10] {
        let path = format!("/{count}.xml");
        pair.origin.set(&path, Answer::feed(feed::rss(0..count)));
        let response = pair.feed(&path, "&limit=3");
        let first = manifest::of(&response);
        assert!(first["items"].as_array().unwrap().len() <= 3);
        let next = response.header("link").unwrap().contains("rel=\"next\"");
        assert_eq!(next, first.get("next_url").is_some());
        assert_eq!(walk(|url| pair.program.follow(url), first), expected(0..count));
    }
}

#[test]
fn the_first_page_without_a_limit_holds_all_that_the_source_shows() {
    let pair = Pair::start();
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..300)));
    let first = manifest::of(&pair.feed("/feed.xml", ""));
    assert_eq!(manifest::ids(&first), expected(0..300));
}

#[test]
fn a_walk_goes_on_after_a_restart() {
    let mut pair = Pair::start_with(&[("SERVER__PUBLIC_URL", "https://gateway.test")]);
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..10)));
    let first = manifest::of(&pair.feed("/feed.xml", "&limit=3"));
    let second_url = first["next_url"].as_str().unwrap().to_owned();
    pair.program.terminate();
    assert!(pair.program.wait().success());

    let settings = [("SERVER__PUBLIC_URL", "https://gateway.test")];
    pair.program = Program::start(pair.folder(), pair.origin.ca_file(), &settings);
    let follow = |url: &str| pair.program.get(url.strip_prefix("https://gateway.test").unwrap());
    let second = manifest::of(&follow(&second_url));
    let ids = [manifest::ids(&first), walk(follow, second)].concat();
    assert_eq!(ids, expected(0..10));
    assert_eq!(pair.origin.seen("/feed.xml").len(), 1, "the schedule survives a restart");
}

#[test]
fn news_in_the_middle_of_a_walk_change_nothing_of_it_and_come_with_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let gateway = Inside::start(folder.path(), origin.ca_file());
    let url = origin.url("/feed.xml");
    origin.set("/feed.xml", Answer::feed(feed::rss(0..10)));
    let first = manifest::of(&gateway.feed(&url, "&limit=3"));
    let second = manifest::of(&gateway.follow(first["next_url"].as_str().unwrap()));

    // The source has dropped its oldest items meanwhile, as feeds do.
    origin.set("/feed.xml", Answer::feed(feed::rss(5..15)));
    gateway.clock().advance_seconds(1000);
    let newest = manifest::of(&gateway.feed(&url, "&limit=3"));
    assert_eq!(manifest::ids(&newest), expected(12..15));
    assert_eq!(origin.seen("/feed.xml").len(), 2);

    let mut ids = manifest::ids(&first);
    ids.extend(walk(|url| gateway.follow(url), second));
    assert_eq!(ids, expected(0..10));
    assert_eq!(walk(|url| gateway.follow(url), newest), expected(0..15));
}

#[test]
fn a_source_that_fails_later_costs_a_reader_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let gateway = Inside::start(folder.path(), origin.ca_file());
    let url = origin.url("/feed.xml");
    origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let first = gateway.feed(&url, "");
    manifest::of(&first);
    for failure in [Answer::status(500), Answer::status(404), Answer::feed("No feed any more.")] {
        origin.set("/feed.xml", failure);
        gateway.clock().advance_seconds(100_000);
        let stale = gateway.feed(&url, "");
        assert_eq!(stale.body, first.body);
        assert_eq!(stale.header("etag"), first.header("etag"));
        let status = stale.header("cache-status").unwrap();
        assert!(status.contains("; ttl=-") && status.contains("; detail="), "{status}");
    }
}

#[test]
fn an_unchanged_source_is_asked_conditionally_and_the_page_stays_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let gateway = Inside::start(folder.path(), origin.ca_file());
    let url = origin.url("/feed.xml");
    origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let first = gateway.feed(&url, "");
    gateway.clock().advance_seconds(1000);
    let second = gateway.feed(&url, "");
    assert_eq!(second.body, first.body);
    for name in ["etag", "last-modified"] {
        assert_eq!(second.header(name), first.header(name));
    }
    assert!(second.header("cache-status").unwrap().starts_with("mmsp-gateway; fwd=stale"));
    let seen = origin.seen("/feed.xml");
    assert_eq!(seen.len(), 2);
    assert!(seen[1].headers.contains_key("if-none-match"));
    for seen in seen {
        assert!(seen.headers["user-agent"].starts_with("MMSP/1.0 mmsp-gateway/"));
    }
}

#[test]
fn a_walk_goes_on_into_the_archives_of_the_source_and_has_each_once() {
    let pair = Pair::start();
    let archived = |items: std::ops::Range<u32>, older: Option<&str>| {
        let link = older.map(|at| format!("<atom:link rel=\"prev-archive\" href=\"{at}\"/>"));
        let head = format!("<channel>{}", link.unwrap_or_default());
        Answer::feed(feed::rss(items).replace("<channel>", &head))
    };
    pair.origin.set("/feed.xml", archived(7..10, Some("/archive/3.xml")));
    pair.origin.set("/archive/3.xml", archived(5..8, Some("2.xml")));
    pair.origin.set("/archive/2.xml", archived(2..5, Some("1.xml")));
    pair.origin.set("/archive/1.xml", archived(0..2, None));
    for _ in 0..2 {
        let first = manifest::of(&pair.feed("/feed.xml", "&limit=2"));
        assert_eq!(walk(|url| pair.program.follow(url), first), expected(0..10));
    }
    for archive in [3, 2, 1] {
        assert_eq!(pair.origin.seen(&format!("/archive/{archive}.xml")).len(), 1, "{archive}");
    }
}
