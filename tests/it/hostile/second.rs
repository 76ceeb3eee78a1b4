//! Addresses that stand in documents lead no further than the ones that callers name.

use std::net::TcpListener;

use crate::http::Pair;
use crate::support::{Answer, feed, manifest};

/// Ways from a document to an address, `@` in its place. A new kind of second fetch is a row here.
const DOCUMENTS: [(&str, &str); 15] = [
    ("page-link", "<!doctype html><link rel=alternate type=application/rss+xml href=\"@feed\">"),
    ("page-atom", "<!doctype html><link rel=alternate type=application/atom+xml href=\"@feed\">"),
    (
        "page-base",
        "<!doctype html><base href=\"@\"><link rel=alternate type=application/rss+xml href=f>",
    ),
    ("page-native", "<!doctype html><link rel=alternate type=application/mmsp+json href=\"@m\">"),
    ("page-refresh", "<!doctype html><meta http-equiv=refresh content=\"0; url=@feed\">"),
    ("rss-moved", "<itunes:new-feed-url>@feed</itunes:new-feed-url>"),
    ("rss-self", "<atom:link rel=\"self\" href=\"@feed\"/>"),
    ("rss-next", "<atom:link rel=\"next\" href=\"@feed\"/>"),
    ("rss-archive", "<atom:link rel=\"prev-archive\" href=\"@feed\"/>"),
    ("rss-hub", "<atom:link rel=\"hub\" href=\"@hub\"/><cloud domain=\"127.0.0.2\" path=\"/\"/>"),
    (
        "rss-chapters",
        "<item><guid>urn:x:1</guid><podcast:chapters url=\"@c\" type=\"application/json+chapters\"/></item>",
    ),
    (
        "rss-transcript",
        "<item><guid>urn:x:1</guid><podcast:transcript url=\"@t\" type=\"text/vtt\"/></item>",
    ),
    (
        "rss-media",
        "<item><guid>urn:x:1</guid><enclosure url=\"@e.mp3\" type=\"audio/mpeg\" length=\"1\"/></item>",
    ),
    (
        "dtd-entity",
        "<!DOCTYPE rss SYSTEM \"@rss.dtd\" [<!ENTITY % x SYSTEM \"@x\"> %x; <!ENTITY f SYSTEM \"@f\">]>",
    ),
    ("rss-picture", "<image><url>@i.png</url></image><itunes:image href=\"@i.png\"/>"),
];

/// The document of a row, for an address.
fn document(name: &str, text: &str, address: &str) -> Answer {
    let text = text.replace('@', address);
    if name.starts_with("page") {
        return Answer::status(200).header("Content-Type", "text/html").body(text);
    }
    // A document type stands before the feed, and what it declares is used in there.
    let (before, text) =
        if name.starts_with("dtd") { (text, "&f;&x;".to_owned()) } else { (String::new(), text) };
    Answer::feed(format!(
        "{before}<rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\" \
         xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\" \
         xmlns:podcast=\"https://podcastindex.org/namespace/1.0\">\
         <channel><title>T</title>{text}<item><guid>urn:x:2</guid><title>I</title></item>\
         </channel></rss>"
    ))
}

#[test]
fn no_address_in_a_document_leads_past_the_guard() {
    let pair = Pair::start();
    let secret = TcpListener::bind("127.0.0.2:0").unwrap();
    secret.set_nonblocking(true).unwrap();
    let port = secret.local_addr().unwrap().port();
    let addresses = [
        ("literal", format!("https://127.0.0.2:{port}/")),
        ("plain", format!("http://127.0.0.2:{port}/")),
        ("number", format!("https://2130706434:{port}/")),
        ("mapped", format!("https://[::ffff:127.0.0.2]:{port}/")),
    ];
    for (name, text) in DOCUMENTS {
        for (spelling, address) in &addresses {
            let path = format!("/{name}/{spelling}");
            pair.origin.set(&path, document(name, text, address));
            let response = pair.feed(&path, "");
            let is_page = name.starts_with("page");
            assert_eq!(response.status == 200, !is_page, "{path}: {}", response.status);
            if is_page {
                assert!([403, 422].contains(&response.status), "{path}: {}", response.status);
                let discover = path_of_discover(&pair.origin.url(&path));
                pair.program.get(&discover);
            }
        }
    }
    // By the header of a page, and by the way to a well-known manifest.
    let (_, address) = &addresses[0];
    let link = format!("<{address}>; rel=alternate; type=\"application/rss+xml\"");
    let page = Answer::status(200).header("Content-Type", "text/html").body("<!doctype html>");
    pair.origin.set("/", page.header("Link", &link));
    let well_known = Answer::status(302).header("Location", address);
    pair.origin.set("/.well-known/mmsp.json", well_known);
    assert!([403, 422].contains(&pair.feed("/", "").status));
    assert!(secret.accept().is_err(), "somebody was here");
}

fn path_of_discover(url: &str) -> String {
    crate::support::program::target(url, "").replace("/mmsp/feed?", "/mmsp/discover?")
}

#[test]
fn a_known_feed_that_begins_to_redirect_inwards_is_answered_from_memory() {
    let folder = tempfile::tempdir().unwrap();
    let origin = crate::support::Origin::start(folder.path());
    let inside = crate::support::Inside::start(folder.path(), origin.ca_file());
    let secret = TcpListener::bind("127.0.0.2:0").unwrap();
    secret.set_nonblocking(true).unwrap();
    let url = origin.url("/feed.xml");
    origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let before = manifest::of(&inside.feed(&url, ""));
    let location = format!("https://{}/", secret.local_addr().unwrap());
    origin.set("/feed.xml", Answer::status(301).header("Location", &location));
    for _ in 0..4 {
        inside.clock().advance_seconds(86_400);
        assert_eq!(manifest::of(&inside.feed(&url, ""))["items"], before["items"]);
    }
    assert!(secret.accept().is_err(), "somebody was here");
}
