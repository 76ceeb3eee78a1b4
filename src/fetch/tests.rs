//! The fetcher against real sockets on loopback: origins that speak scripted bytes over TCP or TLS,
//! and name servers that answer what they are told.

mod bodies;
mod hosts;
mod name_server;
mod origin;
mod vectors;

use std::time::Duration;

use futures_util::future::{Either, select, select_all};
use serde_json::json;

use self::origin::{Origin, Untouched};
use super::*;
use crate::model::Timestamp;

const FEED: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n\
                    Content-Length: 6\r\n\r\n<rss/>";

fn url(text: &str) -> SourceUrl {
    SourceUrl::parse(text).unwrap()
}

/// Settings with short waits that open loopback, and then what the test says.
fn settings(overrides: serde_json::Value) -> Settings {
    let mut settings = json!({
        "allow_networks": "127.0.0.0/8",
        "ca_file": origin::ca_file(),
        "dns_timeout_ms": 400,
        "connect_timeout_ms": 2000,
        "first_byte_timeout_ms": 2000,
        "idle_timeout_ms": 2000,
        "total_timeout_ms": 10_000,
    });
    let target = settings.as_object_mut().unwrap();
    target.extend(overrides.as_object().unwrap().clone());
    serde_json::from_value(settings).unwrap()
}

fn fetch_with(settings: &Settings, request: &Request) -> Result<Response, FetchError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio::task::LocalSet::new()
        .block_on(&runtime, async { Fetcher::new(settings, &[]).unwrap().fetch(request).await })
}

fn fetch(url: &SourceUrl) -> Result<Response, FetchError> {
    fetch_with(&settings(json!({})), &Request::new(url.clone()))
}

fn document(response: Response) -> Document {
    match response.answer {
        Answer::Document(document) => document,
        Answer::NotModified => panic!("not modified"),
    }
}

#[test]
fn a_feed_comes_back_with_all_that_was_said_about_it() {
    let origin =
        Origin::tls(&["HTTP/1.1 200 OK\r\nETag: W/\"a-gzip\"\r\nLast-Modified: whenever\r\n\
                               Cache-Control: max-age=600\r\nAge: 60\r\nLink: <x>; rel=next\r\n\
                               Content-Type: text/xml; charset=latin1\r\n\
                               Content-Length: 6\r\n\r\n<rss/>"]);
    let response = fetch(&origin.url("/feed?a=1&b=2#c")).unwrap();
    assert_eq!(response.url, origin.url("/feed?a=1&b=2"));
    assert_eq!(response.validators.etag.as_deref(), Some(&b"W/\"a-gzip\""[..]));
    assert_eq!(response.validators.last_modified.as_deref(), Some(&b"whenever"[..]));
    assert_eq!(response.freshness.seconds(Timestamp::EPOCH), Some(540));
    assert_eq!(response.links, ["<x>; rel=next"]);
    let document = document(response);
    assert_eq!(document.body, b"<rss/>");
    assert_eq!(document.content_type.as_deref(), Some("text/xml; charset=latin1"));
    assert_eq!((document.complete, document.wire_bytes), (true, 6));
}

#[test]
fn every_request_says_who_asks_and_carries_nothing_else() {
    let origin = Origin::tls(&[FEED]);
    let source = origin.url("/feed?a=1&b=%C3%A4");
    fetch(&source).unwrap();
    let seen = origin.requests();
    let mut lines: Vec<_> = seen[0].trim_end().split("\r\n").collect();
    assert_eq!(lines.remove(0), "GET /feed?a=1&b=%C3%A4 HTTP/1.1");
    // The client adds the date by itself; it says nothing about anyone.
    lines.retain(|line| !line.starts_with("Date: "));
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "Accept-Encoding: gzip, br, zstd, deflate",
            format!("Accept: {}", Purpose::Feed.accept()).as_str(),
            "Connection: close",
            format!("Host: 127.0.0.1:{}", source.port()).as_str(),
            concat!("User-Agent: MMSP/1.0 mmsp-gateway/", env!("CARGO_PKG_VERSION")),
            "Via: 1.1 mmsp-gateway",
        ]
    );
    assert!(is_own_via("1.0 fred, 1.1 mmsp-gateway") && !is_own_via("1.1 mmsp-gateway.example"));
}

#[test]
fn validators_are_sent_back_byte_for_byte_and_a_304_needs_no_body() {
    // A server that announces a body for its 304 and then keeps silent.
    let origin = Origin::tls(&["HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n", "HOLD"]);
    let mut request = Request::new(origin.url("/feed"));
    request.validators.etag = Some(b"\"caf\xe9\"  x".to_vec());
    request.validators.last_modified = Some(b"Sun, 6 Nov 94".to_vec());
    let response = fetch_with(&settings(json!({})), &request).unwrap();
    assert_eq!(response.answer, Answer::NotModified);
    let seen = origin.raw_requests();
    let has = |field: &[u8]| memchr::memmem::find(&seen[0], field).is_some();
    assert!(has(b"\r\nIf-None-Match: \"caf\xe9\"  x\r\n"));
    assert!(has(b"\r\nIf-Modified-Since: Sun, 6 Nov 94\r\n"));
}

#[test]
fn a_304_that_nobody_asked_for_is_an_error() {
    let origin = Origin::tls(&["HTTP/1.1 304 Not Modified\r\n\r\n"]);
    assert!(matches!(fetch(&origin.url("/")), Err(FetchError::UnaskedNotModified)));
}

#[test]
fn bodies_of_redirects_and_empty_answers_are_not_waited_for() {
    let target = Origin::tls(&["HTTP/1.1 204 No Content\r\nContent-Length: 500\r\n\r\n", "HOLD"]);
    let to = target.url("/new");
    let moved = format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\nContent-Length: 500\r\n\r\n");
    let origin = Origin::tls(&[&moved, "HOLD"]);
    let response = fetch(&origin.url("/old")).unwrap();
    assert_eq!(response.url, to);
    let hop = Redirect { from: origin.url("/old"), to, kind: RedirectKind::Permanent };
    assert_eq!(response.redirects, [hop]);
    assert_eq!(document(response).body, b"");
}

#[test]
fn locations_may_hold_raw_utf8_but_not_two_answers() {
    let origin = Origin::tls(&["HTTP/1.1 302 Found\r\nLocation: /caf\u{e9}\r\n\r\n"]).then(&[FEED]);
    assert_eq!(fetch(&origin.url("/")).unwrap().url, origin.url("/caf%C3%A9"));
    let origin = Origin::tls(&["HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\n\r\n"]);
    let result = fetch(&origin.url("/"));
    assert!(matches!(result, Err(FetchError::BadRedirect(BadRedirect::Ambiguous))), "{result:?}");
}

#[test]
fn a_port_that_speaks_no_tls_or_is_closed_is_unreachable() {
    let result = fetch(&origin::that_speaks_first(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
    assert!(matches!(result, Err(FetchError::Unreachable(Unreachable::Tls(_)))), "{result:?}");
    let closed = Untouched::new().port();
    let result = fetch(&url(&format!("http://127.0.0.1:{closed}/")));
    assert!(matches!(result, Err(FetchError::Unreachable(Unreachable::Connect(_)))), "{result:?}");
}

#[test]
fn plain_http_is_read_unless_it_is_forbidden() {
    let origin = Origin::plain(&[FEED]);
    let source = origin.url("/feed");
    let never = settings(json!({ "allow_http": false }));
    let result = fetch_with(&never, &Request::new(source.clone()));
    assert!(matches!(result, Err(FetchError::PlainHttp)), "{result:?}");
    assert_eq!(document(fetch(&source).unwrap()).body, b"<rss/>");
}

#[test]
fn statuses_keep_their_retry_after_and_bot_checks_are_named() {
    let status = |script: &str| {
        let origin = Origin::plain(&[script]);
        fetch(&origin.url("/")).unwrap_err()
    };
    assert!(matches!(
        status("HTTP/1.1 429 Slow\r\nRetry-After: 120\r\nContent-Length: 50\r\n\r\n"),
        FetchError::Status { status: 429, retry_after: Some(RetryAfter::Seconds(120)) }
    ));
    assert!(matches!(
        status("HTTP/1.1 404 Not Found\r\n\r\n"),
        FetchError::Status { status: 404, retry_after: None }
    ));
    assert!(matches!(
        status("HTTP/1.1 206 Partial Content\r\n\r\nx"),
        FetchError::Status { status: 206, .. }
    ));
    assert!(matches!(
        status("HTTP/1.1 403 Forbidden\r\ncf-mitigated: challenge\r\n\r\n"),
        FetchError::Challenge { status: 403, .. }
    ));
    for (status_line, status_code) in [("503 Wait", 503), ("202 Accepted", 202), ("403 No", 403)] {
        let script = format!(
            "HTTP/1.1 {status_line}\r\nContent-Type: text/html\r\n\r\n\
             <title>Just a moment...</title>"
        );
        let error = status(&script);
        assert!(
            matches!(error, FetchError::Challenge { status, .. } if status == status_code),
            "{error:?}"
        );
    }
}

#[test]
fn a_thousand_redirects_cost_six_requests() {
    let origin = Origin::plain(&["HTTP/1.1 302 Found\r\nLocation: /1\r\n\r\n"])
        .then(&["HTTP/1.1 302 Found\r\nLocation: /2\r\n\r\n"])
        .then(&["HTTP/1.1 302 Found\r\nLocation: /3\r\n\r\n"])
        .then(&["HTTP/1.1 302 Found\r\nLocation: /4\r\n\r\n"])
        .then(&["HTTP/1.1 302 Found\r\nLocation: /5\r\n\r\n"])
        .then(&["HTTP/1.1 302 Found\r\nLocation: /6\r\n\r\n"])
        .then(&[FEED]);
    assert!(matches!(fetch(&origin.url("/")), Err(FetchError::TooManyRedirects)));
    assert_eq!(origin.requests().len(), 6);
}

#[test]
fn a_connection_ends_with_its_answer_and_none_waits_for_another() {
    let done = Origin::tls(&[FEED, "HOLD"]);
    let held: Vec<_> = (0..120).map(|_| Origin::plain(&["HOLD"])).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let fetcher = Fetcher::new(&settings(json!({})), &[]).unwrap();
        let requests: Vec<_> = held.iter().map(|origin| Request::new(origin.url("/"))).collect();
        let waiting = select_all(requests.iter().map(|request| Box::pin(fetcher.fetch(request))));
        let request = Request::new(done.url("/"));
        match select(waiting, Box::pin(fetcher.fetch(&request))).await {
            Either::Right((response, _)) => assert!(response.is_ok()),
            Either::Left(_) => panic!("a silent source answered first"),
        }
        let is_over = tokio::task::spawn_blocking(move || done.sees_an_end());
        assert!(is_over.await.unwrap(), "the connection is still open");
    });
}

const DRIP: Duration = Duration::from_millis(20);
