//! Methods, paths, limits and the headers of every response.

use super::{Pair, problem};
use crate::support::program::target;
use crate::support::{Answer, client, feed, manifest};

#[test]
fn head_has_the_headers_of_get_and_no_body() {
    let pair = Pair::start();
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let target = target(&pair.origin.url("/feed.xml"), "");
    let get = pair.program.get(&target);
    let head = pair.program.request("HEAD", &target, &[]);
    assert_eq!(head.status, 200);
    assert!(head.body.is_empty());
    for name in ["content-length", "content-type", "etag", "last-modified", "link", "vary"] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
    let missing = pair.program.request("HEAD", "/mmsp/feed", &[]);
    assert_eq!((missing.status, missing.body.len()), (400, 0));
}

#[test]
fn options_and_cors_let_browser_clients_in() {
    let pair = Pair::start();
    let response = pair.program.request("OPTIONS", "/mmsp/feed", &[("Origin", "https://app.test")]);
    assert_eq!(response.status, 204);
    assert_eq!(response.header("allow"), Some("GET, HEAD, OPTIONS"));
    assert_eq!(response.header("access-control-allow-methods"), Some("GET, HEAD, OPTIONS"));
    for response in [response, pair.program.get("/mmsp/feed")] {
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        let exposed = response.header("access-control-expose-headers").unwrap();
        assert!(exposed.contains("etag") && exposed.contains("link"));
    }
}

#[test]
fn other_methods_are_405_and_other_paths_404() {
    let pair = Pair::start();
    for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE"] {
        let response = pair.program.request(method, "/mmsp/feed?url=x.example", &[]);
        problem(&response, 405, "method-not-allowed");
        assert_eq!(response.header("allow"), Some("GET, HEAD, OPTIONS"));
    }
    let response = pair.program.request("POST", "/healthz", &[]);
    problem(&response, 405, "method-not-allowed");
    assert_eq!(response.header("allow"), Some("GET, HEAD"));
    for path in ["/page", "/mmsp/feed/", "/mmsp/", "/metrics", "/.git/config"] {
        problem(&pair.program.get(path), 404, "not-found");
    }
}

#[test]
fn what_is_too_long_is_refused_by_part() {
    let pair = Pair::start();
    let long = "x".repeat(9000);
    problem(&pair.program.get(&format!("/mmsp/feed?url={long}")), 414, "too-long");
    let limit = problem(&pair.program.get(&format!("/{long}")), 414, "too-long");
    assert_eq!(limit["limit"], 8192);
    let head = "x".repeat(40_000);
    problem(&pair.program.request("GET", "/mmsp/feed", &[("X-A", &head)]), 431, "too-long");
    let body = [("Content-Length", "99999999")];
    problem(&pair.program.request("POST", "/mmsp/feed", &body), 413, "too-long");
}

#[test]
fn every_response_has_an_id_and_says_nothing_of_the_server() {
    let pair = Pair::start();
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let feed = target(&pair.origin.url("/feed.xml"), "");
    for path in [feed.as_str(), "/mmsp/feed", "/nowhere", "/healthz", "/robots.txt"] {
        let response = pair.program.get(path);
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(response.header("x-request-id").map(str::len), Some(32), "{path}");
        assert!(response.header("server").is_none(), "{path}");
        let given = pair.program.request("GET", path, &[("X-Request-Id", "abc-1")]);
        assert_eq!(given.header("x-request-id"), Some("abc-1"), "{path}");
    }
    assert_eq!(pair.program.get(&feed).header("x-robots-tag"), Some("noindex"));
    assert_eq!(pair.program.get("/robots.txt").text(), "User-agent: *\nDisallow: /\n");
}

#[test]
fn https_is_served_with_the_certificate_that_was_announced() {
    let pair = Pair::start();
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let target = target(&pair.origin.url("/feed.xml"), "");
    let response = client::get_over_tls(pair.program.https, &pair.program.certificate, &target);
    manifest::of(&response);
}
