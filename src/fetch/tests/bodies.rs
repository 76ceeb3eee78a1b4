//! How much of an answer is read, for how long, and whether it is whole.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

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
