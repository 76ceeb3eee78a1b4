//! Ways as scripts: which address is asked after which, and where each ends.

use std::io;

use futures_util::FutureExt;

use super::*;
use crate::fetch::{Settings, Verdict};

#[derive(Clone, Copy)]
struct Knowing(Https, bool);

const UNTRIED: Knowing = Knowing(Https::Untried, true);

type Script<'a> = &'a [(&'a str, &'a str)];

/// Follows a script of `address → answer`; gives the addresses asked and how it ended.
fn play(
    first: &str,
    Knowing(https, allow_http): Knowing,
    script: Script<'_>,
) -> (Vec<String>, Result<String, String>) {
    let mut asked = Vec::new();
    let guard = Guard::new(&serde_json::from_str(r#"{"allow_hosts": "plain:80"}"#).unwrap());
    let rules = Rules { guard: &guard, https, allow_http };
    let first = SourceUrl::parse(first).unwrap();
    let end = follow(&first, rules, async |url: &SourceUrl| {
        asked.push(url.to_string());
        let answer = script.iter().find(|(from, _)| *from == url.as_str());
        match answer.map_or("refused", |(_, answer)| *answer) {
            "ok" => Ok(Step::Arrived(())),
            "404" => Err(FetchError::Status { status: 404, retry_after: None }),
            "refused" => Err(Unreachable::Connect(io::Error::other("refused")).into()),
            "denied" => Err(FetchError::Refused(Verdict::Private)),
            "certificate" => Err(FetchError::Certificate(io::Error::other("expired"))),
            "nowhere" => moved(RedirectKind::Temporary, Err(BadRedirect::Missing)),
            to => match to.strip_prefix("301 ") {
                Some(to) => moved(RedirectKind::Permanent, Ok(to.to_owned())),
                None => moved(RedirectKind::Temporary, Ok(to.to_owned())),
            },
        }
    });
    let end = end.now_or_never().unwrap();
    (asked, end.map(|(url, ..)| url.to_string()).map_err(|error| format!("{error:?}")))
}

fn moved(
    kind: RedirectKind,
    location: Result<String, BadRedirect>,
) -> Result<Step<()>, FetchError> {
    Ok(Step::Moved { kind, location })
}

#[track_caller]
fn check(first: &str, script: Script<'_>, expected: Result<&str, &str>) {
    let (_, end) = play(first, UNTRIED, script);
    match (&end, expected) {
        (Ok(url), Ok(expected)) => assert_eq!(url, expected),
        (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
        _ => panic!("{end:?}"),
    }
}

#[test]
fn locations_are_resolved_against_the_address_that_sent_them() {
    for (location, to) in [
        ("/moved.xml", "https://a.example/moved.xml"),
        ("other?x=1", "https://a.example/d/other?x=1"),
        ("//b.example/f", "https://b.example/f"),
        ("https:g", "https://a.example/d/g"),
        ("/\u{e4} b", "https://a.example/%C3%A4%20b"),
        ("301 https://b.example/f#x", "https://b.example/f"),
    ] {
        check("https://a.example/d/f", &[("https://a.example/d/f", location), (to, "ok")], Ok(to));
    }
}

#[test]
fn locations_that_lead_nowhere_are_errors() {
    for (location, why) in [
        ("file:///etc/passwd", "Scheme"),
        ("https://user:pw@b.example/", "Credentials"),
        ("https://b.example:99999/", "Port"),
        ("nowhere", "Missing"),
        ("http://b.example/f", "Downgrade"),
        ("http:10.0.0.1/x", "Downgrade"),
    ] {
        check("https://a.example/f", &[("https://a.example/f", location)], Err(why));
    }
}

#[test]
fn five_hops_are_followed_and_six_are_not() {
    let script = [
        ("https://a.example/0", "/1"),
        ("https://a.example/1", "/2"),
        ("https://a.example/2", "/3"),
        ("https://a.example/3", "/4"),
        ("https://a.example/4", "/5"),
        ("https://a.example/5", "/6"),
        ("https://a.example/6", "ok"),
    ];
    check("https://a.example/1", &script, Ok("https://a.example/6"));
    check("https://a.example/0", &script, Err("TooManyRedirects"));
}

#[test]
fn circles_end_at_once() {
    check("https://a.example/", &[("https://a.example/", "/")], Err("RedirectLoop"));
    let script = [("https://a.example/1", "/2"), ("https://a.example/2", "/1")];
    let (asked, end) = play("https://a.example/1", UNTRIED, &script);
    assert_eq!(asked.len(), 2);
    assert!(end.unwrap_err().contains("RedirectLoop"));
}

#[test]
fn http_is_tried_over_https_first() {
    let script = [("https://a.example/f", "ok"), ("http://a.example/f", "ok")];
    let (asked, end) = play("http://a.example/f", UNTRIED, &script);
    assert_eq!((asked.len(), end.as_deref()), (1, Ok("https://a.example/f")));
}

#[test]
fn plain_http_is_read_where_https_does_not_connect_or_leads_back() {
    check("http://a.example/f", &[("http://a.example/f", "ok")], Ok("http://a.example/f"));
    let back = [("https://a.example/f", "http://a.example/f"), ("http://a.example/f", "ok")];
    check("http://a.example/f", &back, Ok("http://a.example/f"));
}

#[test]
fn plain_http_is_not_read_for_any_other_reason() {
    let plain = ("http://a.example/f", "ok");
    for (answer, why) in [("certificate", "Certificate"), ("404", "404"), ("denied", "Refused")] {
        check("http://a.example/f", &[("https://a.example/f", answer), plain], Err(why));
    }
    let never = Knowing(Https::Untried, false);
    assert!(play("http://a.example/f", never, &[plain]).1.unwrap_err().contains("PlainHttp"));
    let port = [("http://a.example:8080/f", "ok")];
    assert!(play("http://a.example:8080/f", never, &port).1.unwrap_err().contains("PlainHttp"));
}

#[test]
fn known_absence_of_https_and_other_ports_are_taken_as_they_are() {
    let script = [("http://a.example/f", "ok"), ("https://a.example/f", "ok")];
    let absent = Knowing(Https::Absent, true);
    assert_eq!(play("http://a.example/f", absent, &script).0, ["http://a.example/f"]);
    for url in ["http://a.example:8080/f", "http://plain/f"] {
        assert_eq!(play(url, UNTRIED, &[(url, "ok")]).0, [url]);
    }
}

#[test]
fn the_way_is_told_hop_by_hop() {
    let script = [("https://a.example/f", "301 /g"), ("https://a.example/g", "ok")];
    let first = SourceUrl::parse("http://a.example/f").unwrap();
    let guard = Guard::new(&Settings::default());
    let rules = Rules { guard: &guard, https: Https::Untried, allow_http: true };
    let end = follow(&first, rules, async |url: &SourceUrl| {
        let (_, answer) = script.iter().find(|(from, _)| *from == url.as_str()).unwrap();
        match answer.strip_prefix("301 ") {
            Some(to) => moved(RedirectKind::Permanent, Ok(to.to_owned())),
            None => Ok(Step::Arrived(())),
        }
    });
    let (_, redirects, ()) = end.now_or_never().unwrap().unwrap();
    let kinds: Vec<_> = redirects.iter().map(|hop| hop.kind).collect();
    assert_eq!(kinds, [RedirectKind::Upgrade, RedirectKind::Permanent]);
    assert_eq!(redirects[1].to.as_str(), "https://a.example/g");
}
