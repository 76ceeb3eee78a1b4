//! A manifest, its validators and its codings.

use std::io::Read;

use super::Pair;
use crate::support::program::target;
use crate::support::{Answer, feed, manifest};

#[test]
fn a_feed_becomes_a_manifest_with_the_headers_of_one() {
    let pair = Pair::start();
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let response = pair.feed("/feed.xml", "");
    let manifest = manifest::of(&response);
    assert_eq!(manifest::ids(&manifest), [feed::id(2), feed::id(1), feed::id(0)]);
    assert_eq!(manifest["title"], "Made up");
    let feed_url = manifest["feed_url"].as_str().unwrap();
    assert!(feed_url.starts_with(&format!("https://localhost:{}", pair.program.https.port())));

    let cache = response.header("cache-control").unwrap();
    for part in ["public", "max-age=", "stale-while-revalidate=", "stale-if-error="] {
        assert!(cache.contains(part), "{cache}");
    }
    assert_eq!(response.header("vary"), Some("Accept-Encoding"));
    assert!(response.header("cache-status").unwrap().starts_with("mmsp-gateway; fwd=uri-miss"));
    assert!(response.header("last-modified").unwrap().ends_with(" GMT"));
    assert!(!response.header("etag").unwrap().starts_with("W/"));
    let link = response.header("link").unwrap();
    assert!(link.contains(&format!("<{feed_url}>; rel=\"self\"")), "{link}");
    assert!(link.contains(&format!("<{}>; rel=\"via\"", pair.origin.url("/feed.xml"))), "{link}");
    assert!(link.contains("<https://example.org/>; rel=\"alternate\""), "{link}");
    assert!(!link.contains("rel=\"next\""), "{link}");

    assert_eq!(pair.program.follow(feed_url).body, response.body);
}

#[test]
fn the_second_answer_comes_from_memory_and_the_source_is_left_alone() {
    let pair = Pair::start();
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let first = pair.feed("/feed.xml", "");
    let second = pair.feed("/feed.xml", "");
    assert_eq!(first.body, second.body);
    assert_eq!(first.header("etag"), second.header("etag"));
    assert!(second.header("cache-status").unwrap().starts_with("mmsp-gateway; hit"));
    assert_eq!(pair.origin.seen("/feed.xml").len(), 1);
}

#[test]
fn both_validators_are_answered_with_304() {
    let pair = Pair::start();
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let target = target(&pair.origin.url("/feed.xml"), "");
    let first = pair.program.get(&target);
    let (tag, date) = (first.header("etag").unwrap(), first.header("last-modified").unwrap());
    let weak = format!("\"other\", W/{tag}");
    for validator in [
        ("If-None-Match", tag),
        ("If-None-Match", weak.as_str()),
        ("If-None-Match", "*"),
        ("If-Modified-Since", date),
    ] {
        let response = pair.program.request("GET", &target, &[validator]);
        assert_eq!(response.status, 304, "{validator:?}");
        assert!(response.body.is_empty());
        for name in ["etag", "cache-control", "vary", "last-modified"] {
            let kept = response.header(name);
            assert!(kept.is_some(), "304 without {name}");
            assert!(name == "cache-control" || kept == first.header(name), "{name}");
        }
        assert!(response.header("content-type").is_none());
    }
    for validator in
        [("If-None-Match", "\"other\""), ("If-Modified-Since", "Mon, 01 Jan 1990 00:00:00 GMT")]
    {
        assert_eq!(pair.program.request("GET", &target, &[validator]).status, 200);
    }
}

#[test]
fn each_coding_has_its_own_strong_tag_and_the_same_manifest_inside() {
    let pair = Pair::start();
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..50)));
    let target = target(&pair.origin.url("/feed.xml"), "");
    let plain = pair.program.get(&target);
    assert!(plain.header("content-encoding").is_none());
    let mut tags = vec![plain.header("etag").unwrap().to_owned()];
    for coding in ["gzip", "br", "zstd"] {
        let response = pair.program.request("GET", &target, &[("Accept-Encoding", coding)]);
        assert_eq!(response.header("content-encoding"), Some(coding));
        assert_eq!(response.header("vary"), Some("Accept-Encoding"));
        assert_eq!(decoded(coding, &response.body), plain.body);
        let tag = response.header("etag").unwrap().to_owned();
        for known in tags.iter().chain([&tag]) {
            let conditional = [("Accept-Encoding", coding), ("If-None-Match", known.as_str())];
            let response = pair.program.request("GET", &target, &conditional);
            assert_eq!((response.status, response.header("etag")), (304, Some(tag.as_str())));
        }
        assert!(!tags.contains(&tag));
        tags.push(tag);
    }
}

fn decoded(coding: &str, body: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    match coding {
        "gzip" => flate2::read::GzDecoder::new(body).read_to_end(&mut plain),
        "br" => brotli::Decompressor::new(body, 4096).read_to_end(&mut plain),
        _ => zstd::stream::read::Decoder::new(body).unwrap().read_to_end(&mut plain),
    }
    .unwrap();
    plain
}

#[test]
fn an_empty_feed_is_a_manifest_without_items() {
    let pair = Pair::start();
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..0)));
    let manifest = manifest::of(&pair.feed("/feed.xml", ""));
    assert!(manifest::ids(&manifest).is_empty());
    assert_eq!(manifest["pagination"]["has_more"], false);
}
