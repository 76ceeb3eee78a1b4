//! Subscription lists, rewritten (OPML).

use super::{Pair, problem};
use crate::support::client;

pub const LIST: &str = "<?xml version=\"1.0\"?>\n<opml version=\"2.0\"><body>\n\
    <outline text=\"Sea\"><outline text=\"Quay\" type=\"rss\" xmlUrl=\"http://a.example/x?a=1&amp;b=2\"/></outline>\n\
    <outline text=\"Mail\" xmlUrl=\"mailto:a@a.example\"/>\n</body></opml>\n";

#[test]
fn a_list_comes_back_with_manifests_for_feeds_and_nothing_is_asked() {
    let pair = Pair::start_with(&[("SERVER__PUBLIC_URL", "https://gateway.test")]);
    let response = client::post(pair.program.http, "/opml", &[], LIST.as_bytes());
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), Some("text/x-opml; charset=utf-8"));
    assert_eq!(response.header("cache-control"), Some("no-store"));
    let address = "https://gateway.test/mmsp/feed?url=http%3A%2F%2Fa.example%2Fx%3Fa%3D1%26b%3D2";
    assert_eq!(response.text(), LIST.replace("http://a.example/x?a=1&amp;b=2", address));
    assert_eq!(pair.origin.connections(), 0);
    let line = pair.program.hear_of("answered").to_string();
    let log = pair.program.log_so_far().concat() + &line;
    assert!(!log.contains("a.example"), "{log}");
}

#[test]
fn what_is_no_list_or_too_long_a_one_is_a_problem() {
    let pair = Pair::start_with(&[("SERVER__MAX_BODY_BYTES", "1000")]);
    let post = |body: &[u8]| client::post(pair.program.http, "/opml", &[], body);
    problem(&post(b"<rss/>"), 422, "not-opml");
    problem(&post(&[b' '; 1001]), 413, "too-long");
    let get = pair.program.request("GET", "/opml", &[]);
    problem(&get, 405, "method-not-allowed");
    assert_eq!(get.header("allow"), Some("POST"));
}

#[test]
fn a_list_whose_end_does_not_come_is_given_up() {
    let pair = Pair::start_with(&[("SERVER__BODY_TIMEOUT_SECONDS", "1")]);
    for content_type in ["text/x-opml", "multipart/form-data; boundary=x"] {
        let headers = [("Content-Length", "10"), ("Content-Type", content_type)];
        let response = pair.program.request("POST", "/opml", &headers);
        problem(&response, 408, "too-slow");
        assert_eq!(response.header("connection"), Some("close"));
    }
}

#[test]
fn a_form_is_known_by_its_type_in_any_case() {
    let pair = Pair::start();
    let body = "--x\r\nContent-Disposition: form-data; name=\"list\"; filename=\"a.opml\"\r\n\r\n\
                <opml/>\r\n--x--\r\n";
    let headers = [("Content-Type", "Multipart/Form-Data; boundary=x")];
    let response = client::post(pair.program.http, "/opml", &headers, body.as_bytes());
    assert_eq!((response.status, response.text().as_str()), (200, "<opml/>"));
}

#[test]
fn a_gateway_with_tokens_rewrites_for_those_who_have_one() {
    let settings = [("ACCESS__MODE", "token"), ("ACCESS__TOKENS", "a-token-of-sixteen-or-more")];
    let pair = Pair::start_with(&settings);
    let post = |headers: &[(&str, &str)]| {
        client::post(pair.program.http, "/opml", headers, LIST.as_bytes())
    };
    problem(&post(&[]), 401, "not-authorized");
    assert_eq!(post(&[("Authorization", "Bearer a-token-of-sixteen-or-more")]).status, 200);
}

#[test]
fn a_list_may_have_as_many_bytes_as_the_settings_say() {
    let pair = Pair::start();
    let padded = format!("<opml>{}</opml>", " ".repeat(1_000_000));
    let response = client::post(pair.program.http, "/opml", &[], padded.as_bytes());
    assert_eq!((response.status, response.body.len()), (200, padded.len()));
}
