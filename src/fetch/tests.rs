//! The fetcher against real sockets on loopback: origins that speak scripted bytes over TCP or TLS,
//! and name servers that answer what they are told.

mod name_server;
mod origin;
mod vectors;

use std::io::Write;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::future::Either;
use futures_util::future::select;
use futures_util::future::select_all;
use serde_json::json;

use self::name_server::NameServer;
use self::name_server::Reply;
use self::origin::Origin;
use self::origin::Untouched;
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
fn loopback_is_refused_by_every_way_that_leads_there_and_never_touched() {
    let secret = Untouched::new();
    let port = secret.port();
    let name_server = NameServer::start(|name, _| match name {
        "sneaky.example" => Reply::address("127.0.0.1"),
        "mixed.example" => {
            Reply::Addresses(vec!["93.184.216.34".parse().unwrap(), "127.0.0.1".parse().unwrap()])
        }
        _ => Reply::NoSuchName,
    });
    for target in [
        format!("https://127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}/"),
        format!("https://[::1]:{port}/"),
        format!("https://[::ffff:127.0.0.1]:{port}/"),
        format!("https://0x7f000001:{port}/"),
        format!("https://127.1:{port}/"),
        format!("https://localhost:{port}/"),
        format!("https://sneaky.example:{port}/"),
        format!("https://mixed.example:{port}/"),
    ] {
        // The origin is open by its name and port; the target's port is open everywhere.
        let moved = format!("HTTP/1.1 302 Found\r\nLocation: {target}\r\n\r\n");
        let origin = Origin::plain(&[&moved]);
        let settings = settings(json!({
            "allow_networks": [],
            "allow_hosts": format!("127.0.0.1:{}", origin.port()),
            "allow_ports": port,
            "dns_servers": name_server.address().to_string(),
        }));
        let refused = |result: Result<Response, FetchError>| match result {
            Err(error @ FetchError::Refused(_)) => error.to_string(),
            result => panic!("{target}: {result:?}"),
        };
        let direct = refused(fetch_with(&settings, &Request::new(url(&target))));
        let redirected = refused(fetch_with(&settings, &Request::new(origin.url("/"))));
        assert_eq!(direct, redirected);
    }
    assert!(secret.is_untouched());
}

#[test]
fn a_name_is_looked_up_and_verified_by_its_own_name() {
    let name_server = NameServer::start(|name, _| match name {
        "feeds.example" | "other.example" | "my_feed.example" => Reply::address("127.0.0.1"),
        _ => Reply::NoSuchName,
    });
    let settings = settings(json!({ "dns_servers": name_server.address().to_string() }));
    let origin = Origin::tls(&[FEED]);
    let source = url(&format!("https://feeds.example.:{}/feed", origin.port()));
    fetch_with(&settings, &Request::new(source)).unwrap();
    assert!(origin.requests()[0].contains(&format!("\r\nHost: feeds.example:{}", origin.port())));

    // Underscores stand in names that exist; they are looked up as they are.
    let origin = Origin::plain(&[FEED]);
    let source = url(&format!("http://my_feed.example:{}/feed", origin.port()));
    fetch_with(&settings, &Request::new(source)).unwrap();

    let origin = Origin::tls(&[FEED]);
    let source = url(&format!("https://other.example:{}/feed", origin.port()));
    let result = fetch_with(&settings, &Request::new(source));
    assert!(matches!(result, Err(FetchError::Certificate(_))), "{result:?}");
}

#[test]
fn names_that_do_not_resolve_are_unreachable_and_not_refused() {
    let name_server = NameServer::start(|name, _| match name {
        "broken.example" => Reply::ServerFailure,
        "silent.example" => Reply::Silence,
        "empty.example" => Reply::Addresses(Vec::new()),
        _ => Reply::NoSuchName,
    });
    let settings = settings(json!({ "dns_servers": name_server.address().to_string() }));
    let fetch = |host: &str| {
        fetch_with(&settings, &Request::new(url(&format!("https://{host}/")))).unwrap_err()
    };
    let unreachable = |host| match fetch(host) {
        FetchError::Unreachable(reason) => reason,
        error => panic!("{host}: {error:?}"),
    };
    assert!(matches!(unreachable("missing.example"), Unreachable::NoSuchHost));
    assert!(matches!(unreachable("empty.example"), Unreachable::NoSuchHost));
    assert!(matches!(unreachable("broken.example"), Unreachable::Dns(_)));
    assert!(matches!(fetch("silent.example"), FetchError::Timeout(Wait::Dns)));
}

#[test]
fn certificates_that_nobody_vouches_for_are_refused() {
    let origin = Origin::tls(&[FEED]);
    let settings = settings(json!({ "ca_file": null }));
    let result = fetch_with(&settings, &Request::new(origin.url("/")));
    assert!(matches!(result, Err(FetchError::Certificate(_))), "{result:?}");
    assert!(origin.requests().is_empty());
}

#[test]
fn a_ca_file_without_certificates_is_an_error_at_the_start() {
    let empty = tempfile::NamedTempFile::new().unwrap();
    for path in [empty.path(), std::path::Path::new("/nonexistent/ca.pem")] {
        let settings = settings(json!({ "ca_file": path }));
        assert!(matches!(Fetcher::new(&settings, &[]), Err(SetupError::CaFile { .. })));
    }
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
fn each_wait_has_its_end() {
    let quick = |setting: &str| settings(json!({ setting: 150 }));
    for (script, setting, wait) in [
        (&["HOLD"][..], "first_byte_timeout_ms", Wait::FirstByte),
        (&["HTTP/1.1 200 OK\r\n", "HOLD"], "first_byte_timeout_ms", Wait::FirstByte),
        (
            &["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<r", "HOLD"],
            "idle_timeout_ms",
            Wait::Body,
        ),
        (&["HTTP/1.1 200 OK\r\n\r\n", "DRIP"], "total_timeout_ms", Wait::Whole),
        (&["HTTP/1.1 200 OK\r\nX: ", "DRIP"], "first_byte_timeout_ms", Wait::FirstByte),
    ] {
        let origin = Origin::plain(script);
        let result = fetch_with(&quick(setting), &Request::new(origin.url("/")));
        assert!(matches!(&result, Err(FetchError::Timeout(on)) if *on == wait), "{result:?}");
    }
    // The system accepts for a listener that never does, so TLS is not answered.
    let mute = Untouched::new();
    let source = url(&format!("https://127.0.0.1:{}/", mute.port()));
    let result = fetch_with(&quick("connect_timeout_ms"), &Request::new(source));
    assert!(matches!(result, Err(FetchError::Timeout(Wait::Connect))), "{result:?}");
}

#[test]
fn bodies_end_at_the_limit_whether_they_say_so_or_not() {
    let ten = settings(json!({ "max_body_bytes": 10 }));
    let fetch = |script: &str| {
        let origin = Origin::plain(&[script]);
        fetch_with(&ten, &Request::new(origin.url("/"))).map(document)
    };
    assert!(fetch("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789").is_ok());
    for too_large in [
        "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n0123456789a",
        "HTTP/1.1 200 OK\r\n\r\n0123456789a",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n0123456789a\r\n0\r\n\r\n",
    ] {
        let result = fetch(too_large);
        assert!(matches!(result, Err(FetchError::TooLarge)), "{result:?}");
    }
}

#[test]
fn whole_and_cut_bodies_are_told_apart_over_tcp_and_tls() {
    for (script, body, complete) in [
        ("HTTP/1.1 200 OK\r\n\r\n<rss/>", "<rss/>", true),
        ("HTTP/1.0 200 OK\r\n\r\n<rss/>", "<rss/>", true),
        (
            "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<rss/>",
            "<rss/>",
            true,
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n<rss>", "<rss>", false),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<rss>\r\n", "<rss>", false),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n<rss/>\r\n0\r\n\r\n",
            "<rss/>",
            true,
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", true),
    ] {
        for origin in [Origin::plain(&[script]), Origin::tls(&[script])] {
            let document = document(fetch(&origin.url("/")).unwrap());
            assert_eq!(String::from_utf8(document.body).unwrap(), body, "{script}");
            assert_eq!(document.complete, complete, "{script}");
        }
    }
}

#[test]
fn answers_that_are_not_http_are_errors() {
    for script in ["ICY 200 OK\r\n\r\n", "<rss/>", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"] {
        let origin = Origin::plain(&[script]);
        let result = fetch(&origin.url("/"));
        assert!(matches!(result, Err(FetchError::Protocol(_))), "{script}: {result:?}");
    }
    let origin = Origin::plain(&[""]);
    let result = fetch(&origin.url("/"));
    assert!(matches!(result, Err(FetchError::Unreachable(Unreachable::Closed))), "{result:?}");
}

#[test]
fn a_coded_body_is_decoded_and_its_size_on_the_wire_is_kept() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&b"<item/>".repeat(1000)).unwrap();
    let coded = encoder.finish().unwrap();
    let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
    let origin = Origin::plain_bytes(&[head, &coded]);
    let document = document(fetch(&origin.url("/")).unwrap());
    assert_eq!((document.body.len(), document.wire_bytes), (7000, coded.len() as u64));

    let origin = Origin::plain_bytes(&[head, &coded[..coded.len() / 2]]);
    let result = fetch(&origin.url("/"));
    assert!(matches!(result, Err(FetchError::Undecodable(_))), "{result:?}");
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

#[test]
fn a_name_is_looked_up_once_and_not_again_until_it_pleases() {
    let questions = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&questions);
    // One question for each family, then another answer.
    let name_server = NameServer::start(move |_, _| {
        let is_first = counted.fetch_add(1, Ordering::SeqCst) < 2;
        let address = if is_first { "127.0.0.1" } else { "93.184.216.34" };
        Reply::address(address)
    });
    let settings = settings(json!({
        "allow_networks": [],
        "dns_servers": name_server.address().to_string(),
    }));
    for scheme in ["http", "https"] {
        let source = url(&format!("{scheme}://rebind.example/"));
        let result = fetch_with(&settings, &Request::new(source));
        assert!(matches!(result, Err(FetchError::Refused(Verdict::Loopback))), "{result:?}");
        assert_eq!(questions.swap(0, Ordering::SeqCst), 2);
    }
}

#[test]
fn our_own_paths_are_refused_before_anything_is_dialled() {
    let own = Untouched::new();
    let own_url = url(&format!("https://127.0.0.1:{}/mmsp/", own.port()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let result = tokio::task::LocalSet::new().block_on(&runtime, async {
        let fetcher = Fetcher::new(&settings(json!({})), std::slice::from_ref(&own_url)).unwrap();
        fetcher.fetch(&Request::new(own_url.join("feed?url=x").unwrap())).await
    });
    assert!(matches!(result, Err(FetchError::Refused(Verdict::OwnAddress))));
    assert!(own.is_untouched());
}

/// How long a dripping origin waits between two bytes.
const DRIP: Duration = Duration::from_millis(20);
