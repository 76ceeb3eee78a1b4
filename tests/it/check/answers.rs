//! What the answers of a publisher say beside their bodies.

use std::io::Write as _;

use chrono::Datelike as _;
use serde_json::{Value, json};

use super::{Bench, brief, good, run, unvalidated};
use crate::support::origin::Manner;
use crate::support::{Answer, Origin, feed};

#[test]
fn what_an_answer_says_of_itself_is_judged() {
    let bench = Bench::new();
    let page = bench.page("/mmsp.json", &[9], None);
    let date = "Tue, 02 Jun 2026 11:00:00 GMT";
    let plain = || Answer::status(200).header("Date", date).body(page.to_string());
    let typed = |content_type: &str| {
        plain().header("Content-Type", content_type).header("Cache-Control", "max-age=300")
    };
    let tagged = || unvalidated(&page).header("ETag", "\"1\"");
    for (answer, want) in [
        (typed("application/json").header("ETag", "\"1\""), &["breach 5.6"][..]),
        (
            plain().header("Content-Type", "application/mmsp+json").header("ETag", "\"1\""),
            &["advice RFC 9111, 4.2"],
        ),
        (unvalidated(&page), &["breach 5.4"]),
        (tagged(), &[]),
        // The origin knows its tag only in this spelling of the field.
        (unvalidated(&page).header("etag", "\"1\""), &["breach 8.2"]),
        (unvalidated(&page).header("ETag", "1"), &["breach RFC 9110, 8.8.3"]),
        (
            unvalidated(&page).header("Last-Modified", "2026-06-02").manner(Manner::Validating),
            &["breach RFC 9110, 5.6.7"],
        ),
        (tagged().manner(Manner::Terse), &["breach RFC 9110, 15.4.5"]),
        (tagged().manner(Manner::Stubborn), &["breach RFC 9110, 13.1.3"]),
        (tagged().manner(Manner::Cut(40)), &["reject 5.6", "reject 5.6"]),
    ] {
        bench.origin.set("/mmsp.json", answer.clone());
        assert_eq!(bench.findings("/mmsp.json"), want, "{answer:?}");
    }
}

#[test]
fn a_304_repeats_each_field_that_a_cache_needs() {
    let bench = Bench::new();
    let page = bench.page("/mmsp.json", &[9], None);
    let answer = good(&page)
        .header("Vary", "Accept-Encoding")
        .header("Expires", "Tue, 02 Jun 2026 12:00:00 GMT")
        .header("Content-Location", "/mmsp.json");
    bench.origin.set("/mmsp.json", answer.clone());
    assert_eq!(bench.findings("/mmsp.json"), [""; 0]);
    for field in ["Cache-Control", "Content-Location", "Date", "ETag", "Expires", "Vary"] {
        bench.origin.set("/mmsp.json", answer.clone().manner(Manner::Forgetting(field)));
        let judgement = bench.judge("/mmsp.json", &[]);
        // Once for each validator.
        assert_eq!(brief(&judgement), ["breach RFC 9110, 15.4.5"; 2], "{field}");
        let what = judgement["findings"][0]["what"].as_str().unwrap();
        assert!(what.contains(&format!("does not repeat {field};")), "{what}");
    }
    bench.origin.set("/mmsp.json", answer.manner(Manner::Forgetting("Last-Modified")));
    assert_eq!(bench.findings("/mmsp.json"), [""; 0], "that one may be left out");
}

#[test]
fn an_answer_is_dated_and_says_what_it_varies_by() {
    let bench = Bench::new();
    let page = bench.page("/mmsp.json", &[9], None);
    let mut answer = good(&page);
    answer.headers.retain(|(name, _)| name != "Date");
    bench.origin.set("/mmsp.json", answer);
    assert_eq!(bench.findings("/mmsp.json"), ["advice RFC 9110, 6.6.1"]);

    let mut coder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    coder.write_all(page.to_string().as_bytes()).unwrap();
    let coded = good(&page).header("Content-Encoding", "gzip").body(coder.finish().unwrap());
    bench.origin.set("/mmsp.json", coded.clone());
    assert_eq!(bench.findings("/mmsp.json"), ["breach RFC 9110, 12.5.5"]);
    bench.origin.set("/mmsp.json", coded.header("Vary", "Accept-Encoding"));
    assert_eq!(bench.findings("/mmsp.json"), [""; 0]);
    let said = good(&page);
    let said = Answer {
        headers: said
            .headers
            .into_iter()
            .map(|(name, value)| match name.as_str() {
                "Content-Type" => (name, b"application/mmsp+json; charset=latin1".to_vec()),
                _ => (name, value),
            })
            .collect(),
        ..said
    };
    bench.origin.set("/mmsp.json", said);
    assert_eq!(bench.findings("/mmsp.json"), ["breach 14.1"]);
}

#[test]
fn a_certificate_that_ends_soon_is_told_and_so_is_the_version_of_tls() {
    let days = |days: u64| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let then = now.as_secs() + days * 86_400;
        let then = chrono::DateTime::from_timestamp(i64::try_from(then).unwrap(), 0).unwrap();
        (then.year(), u8::try_from(then.month()).unwrap(), u8::try_from(then.day()).unwrap())
    };
    for (left, want) in [(4, &["advice 11"][..]), (30, &[])] {
        let folder = tempfile::tempdir().unwrap();
        let origin = Origin::start_ending(folder.path(), days(left));
        let bench = Bench { folder, origin };
        bench.set("/mmsp.json", &bench.page("/mmsp.json", &[9], None));
        let judgement = bench.judge("/mmsp.json", &[]);
        assert_eq!(brief(&judgement), want, "{left} days");
        assert_eq!(judgement["tls"], "1.2");
    }
    let bench = Bench::new();
    bench.set("/mmsp.json", &bench.page("/mmsp.json", &[9], None));
    assert_eq!(bench.judge("/mmsp.json", &[])["tls"], "1.3");
}

#[test]
fn a_capability_is_declared_exactly_where_it_is_there() {
    let bench = Bench::new();
    let mut page = bench.page("/mmsp.json", &[9], None);
    page["capabilities"] = json!([]);
    bench.set("/mmsp.json", &page);
    assert_eq!(bench.findings("/mmsp.json"), ["advice 5.4"]);
    bench.origin.set("/mmsp.json", unvalidated(&page));
    assert_eq!(bench.findings("/mmsp.json"), ["advice 8.2"]);
}

#[test]
fn certificates_and_addresses_are_judged_before_anything_is_read() {
    let bench = Bench::new();
    bench.set("/mmsp.json", &bench.page("/mmsp.json", &[9], None));
    let url = bench.origin.url("/mmsp.json");
    let networks = [("MMSP_GATEWAY__FETCH__ALLOW_NETWORKS", "127.0.0.0/8")];
    let output = run(bench.folder.path(), &["--json", &url], &networks);
    assert_eq!(output.status.code(), Some(1));
    let judgement: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(brief(&judgement), ["reject 11"]);
    let connections = bench.origin.connections();
    let output = run(bench.folder.path(), &["--json", &url], &[]);
    let judgement: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(brief(&judgement), ["reject 12.3"]);
    assert_eq!(bench.origin.connections(), connections);
    bench.origin.set("/gone", Answer::status(410));
    assert_eq!(bench.findings("/gone"), ["reject 5.6"]);
}

#[test]
fn a_legacy_feed_at_an_address_is_told_what_will_be_lost_and_how_it_is_polled() {
    let bench = Bench::new();
    bench.origin.set("/feed.xml", Answer::feed(feed::rss(0..2)));
    let judgement = bench.judge("/feed.xml", &[]);
    assert_eq!(brief(&judgement), [""; 0], "{judgement:#}");
    assert_eq!((&judgement["kind"], &judgement["format"]), (&json!("feed"), &json!("rss20")));
    let worse = feed::rss(0..2).replace("</channel>", "<item/></channel>");
    bench.origin.set("/feed.xml", Answer::status(200).body(worse));
    assert_eq!(bench.findings("/feed.xml"), ["skip 10.1", "advice 8.2"]);
}
