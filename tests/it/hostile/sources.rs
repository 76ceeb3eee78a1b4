//! What a source may do to us, limit by limit; and what of its words reaches our headers.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::http::{Pair, problem};
use crate::support::origin::Manner;
use crate::support::{Answer, feed, manifest};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut coder = GzEncoder::new(Vec::new(), Compression::best());
    coder.write_all(bytes).unwrap();
    coder.finish().unwrap()
}

fn gzipped(body: Vec<u8>) -> Answer {
    Answer::feed(body).header("Content-Encoding", "gzip")
}

#[test]
fn each_limit_on_a_source_ends_what_crosses_it_and_leaves_the_service_well() {
    let pair = Pair::start_with(&[
        ("FETCH__MAX_BODY_BYTES", "3000000"),
        ("FETCH__MAX_EXPANSION", "20"),
        ("FETCH__FIRST_BYTE_TIMEOUT_MS", "400"),
        ("FETCH__IDLE_TIMEOUT_MS", "400"),
        ("FETCH__TOTAL_TIMEOUT_MS", "2500"),
    ]);
    let whole = || Answer::feed(feed::rss(0..20));
    let large = || vec![b' '; 3_000_001];
    // What a random sequence cannot be compressed to, so that only its size is over the limit.
    let noise: Vec<u8> = (0..4_000_000u32).map(|n| (n.wrapping_mul(n) >> 11) as u8).collect();
    let mut many_fields = whole();
    for n in 0..2_000 {
        many_fields = many_fields.header(&format!("X-Field-{n}"), "x");
    }
    let to = |path: String| Answer::status(302).header("Location", &path);
    for n in 0..10 {
        pair.origin.set(&format!("/hop/{n}"), to(format!("/hop/{}", n + 1)));
    }
    for (path, answer, status, name) in [
        ("/wire-announced", Answer::feed(large()), 502, "source-too-large"),
        (
            "/wire-unannounced",
            Answer::feed(large()).manner(Manner::Unmeasured),
            502,
            "source-too-large",
        ),
        ("/decoded", gzipped(gzip(&noise)), 502, "source-too-large"),
        ("/ratio", gzipped(gzip(&vec![b' '; 2_900_000])), 502, "source-too-large"),
        (
            "/layers",
            Answer::feed(gzip(&gzip(b"<rss/>"))).header("Content-Encoding", "gzip, gzip"),
            502,
            "source-undecodable",
        ),
        ("/long-field", whole().header("X-Long", &"x".repeat(2 << 20)), 502, "source-unavailable"),
        ("/many-fields", many_fields, 502, "source-unavailable"),
        ("/slow-to-begin", whole().delay(Duration::from_secs(3)), 504, "source-timeout"),
        ("/stops", whole().manner(Manner::Hang), 504, "source-timeout"),
        ("/drips", whole().manner(Manner::Drip(Duration::from_millis(100))), 504, "source-timeout"),
        ("/hop/0", to("/hop/1".to_owned()), 502, "source-unavailable"),
        ("/circle", to("/circle".to_owned()), 502, "source-unavailable"),
    ] {
        pair.origin.set(path, answer);
        let response = pair.feed(path, "");
        assert_eq!(response.status, status, "{path}: {}", response.text());
        problem(&response, status, name);
    }
    assert_eq!(pair.origin.seen("/hop/6").len(), 0, "five redirects are followed");
    pair.origin.set("/well.xml", whole());
    manifest::of(&pair.feed("/well.xml", ""));
    assert_eq!(pair.program.metric("mmsp_gateway_panics_total"), 0.0);
    assert_eq!(pair.program.metric("mmsp_gateway_polls_in_flight"), 0.0);
}

/// What any answer of a manifest may have for headers.
const HEADERS: [&str; 18] = [
    "access-control-allow-origin",
    "access-control-expose-headers",
    "age",
    "cache-control",
    "cache-status",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "etag",
    "last-modified",
    "link",
    "retry-after",
    "vary",
    "x-content-type-options",
    "x-request-id",
    "x-robots-tag",
];

#[test]
fn no_word_of_a_feed_becomes_a_header_or_ends_one() {
    let pair = Pair::start();
    for (n, text) in [
        "https://x.example/\r\nX-Injected: 1",
        "https://x.example/&#13;&#10;X-Injected: 1",
        "https://x.example/%0d%0aX-Injected:%201",
        "https://x.example/>; rel=\"next\", <https://evil.example/",
        "https://x.example/&quot;&gt;; rel=&quot;canonical&quot;",
        "https://x.example/\u{e9}\u{2028}\u{85}\u{0}",
        "https://x.example/\\\"",
    ]
    .into_iter()
    .enumerate()
    {
        let path = format!("/feed/{n}");
        let body = format!(
            "<rss version=\"2.0\"><channel><title>{text}</title><link>{text}</link>\
             <item><guid>{text}</guid><link>{text}</link></item></channel></rss>"
        );
        let tag = "\"a\u{e9}, X-Injected: 1\"";
        let answer = Answer::feed(body).header("Content-Type", "application/rss+xml; x=\"\\\"\"");
        pair.origin.set(&path, answer.header("ETag", tag));
        let response = pair.feed(&path, "");
        manifest::of(&response);
        for (name, value) in &response.headers {
            assert!(HEADERS.contains(&name.as_str()), "{text}: {name}: {value}");
            assert!(value.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{name}: {value}");
        }
        let link = response.header("link").unwrap();
        let targets = link.split(", <").count();
        assert_eq!(link.matches("; rel=\"").count(), targets, "{link}");
        assert!(!link.contains("rel=\"next\"") && !link.contains("rel=\"canonical\""), "{link}");
    }
    // What a caller sends comes back in no header either.
    let told = pair.program.get("/mmsp/feed?url=https%3A%2F%2Fx.example%2F%0d%0aX-Injected%3A1");
    problem(&told, 400, "invalid-url");
    let named = pair.program.get("/mmsp/feed?url=x.example&a%0d%0aX-Injected:1=2");
    problem(&named, 400, "unknown-parameter");
    for response in [told, named] {
        assert!(response.headers.iter().all(|(name, _)| !name.contains("injected")));
    }
}

#[test]
fn every_answer_forbids_sniffing_and_only_manifests_are_for_scripts_of_others() {
    let pair = Pair::start();
    for (path, is_for_scripts) in [
        ("/mmsp/feed", true),
        ("/mmsp/feed?url=https%3A%2F%2F10.0.0.1%2F", true),
        ("/mmsp/discover", true),
        ("/healthz", false),
        ("/readyz", false),
        ("/robots.txt", false),
        ("/problems/loop", false),
        ("/problems/none", false),
        ("/nowhere", false),
        ("/", false),
    ] {
        let response = pair.program.get(path);
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
        let origin = response.header("access-control-allow-origin");
        assert_eq!(origin, is_for_scripts.then_some("*"), "{path}");
        assert!(response.header("access-control-allow-credentials").is_none());
        assert!(response.header("server").is_none());
        assert!(response.header("set-cookie").is_none());
    }
}
