//! Walking back through a feed's history (MMSP 5.5).

use std::collections::HashSet;

use serde_json::Value;

use super::Pair;
use crate::support::{Answer, Program, feed, manifest};

/// Follows `next_url` from a page to the end; every page is judged.
fn walk(program: &Program, first: Value) -> Vec<String> {
    let mut ids = Vec::new();
    let mut cursors = HashSet::new();
    let mut page = first;
    loop {
        ids.extend(manifest::ids(&page));
        assert!(cursors.insert(page["pagination"]["cursor"].to_string()), "a cursor came again");
        let Some(next) = page["next_url"].as_str() else { return ids };
        page = manifest::of(&program.follow(next));
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
        assert_eq!(walk(&pair.program, first), expected(0..count));
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
    let mut ids = manifest::ids(&first);
    let mut next = Some(second_url);
    while let Some(url) = next {
        let page =
            manifest::of(&pair.program.get(url.strip_prefix("https://gateway.test").unwrap()));
        ids.extend(manifest::ids(&page));
        next = page["next_url"].as_str().map(str::to_owned);
    }
    assert_eq!(ids, expected(0..10));
    assert_eq!(pair.origin.seen("/feed.xml").len(), 1, "the schedule survives a restart");
}
