//! Pages, the feeds that they offer, and manifests that need no gateway.

use serde_json::{Value, json};

use super::{Pair, problem};
use crate::support::program::target;
use crate::support::{Answer, feed, manifest};

fn page(head: &str) -> Answer {
    let body = format!("<!doctype html><html><head><title>Home</title>{head}</head><p>Hello");
    Answer::status(200).header("Content-Type", "text/html").body(body)
}

fn link(kind: &str, href: &str) -> String {
    format!("<link rel=alternate type='application/{kind}' title='The {href}' href='{href}'>")
}

fn native(origin: &str) -> Answer {
    let body = json!({
        "mmsp": "1.0", "id": "urn:native:1", "title": "Native", "items": [],
        "feed_url": format!("{origin}/mmsp.json"),
    });
    Answer::status(200).header("Content-Type", "application/mmsp+json").body(body.to_string())
}

impl Pair {
    fn discover(&self, url: &str) -> crate::support::Response {
        self.program.get(&target(url, "").replace("/mmsp/feed", "/mmsp/discover"))
    }
}

#[test]
fn a_page_answers_with_the_manifest_of_its_feed_under_its_own_address() {
    let pair = Pair::start();
    pair.origin.set("/blog", page(&[link("atom+xml", "/atom"), link("rss+xml", "/rss")].concat()));
    pair.origin.set("/rss", Answer::feed(feed::rss(0..3)));
    let response = pair.feed("/blog", "");
    let found = manifest::of(&response);
    assert_eq!(manifest::ids(&found).len(), 3);
    let of = |path: &str| {
        let target = target(&pair.origin.url(path), "").replace("%2E", ".").replace("%2D", "-");
        format!("https://localhost:{}{target}", pair.program.https.port())
    };
    assert_eq!(found["feed_url"], of("/blog"));
    let links = response.header("link").unwrap();
    assert!(links.contains(&format!("<{}>; rel=\"canonical\"", of("/rss"))), "{links}");
    assert!(links.contains(&format!("<{}>; rel=\"via\"", pair.origin.url("/rss"))), "{links}");

    let direct = pair.feed("/rss", "");
    manifest::of(&direct);
    assert!(!direct.header("link").unwrap().contains("canonical"));
    manifest::of(&pair.feed("/blog", ""));
    let seen = ["/blog", "/rss", "/atom"].map(|path| pair.origin.seen(path).len());
    assert_eq!(seen, [1, 1, 0], "the choice is remembered");
}

#[test]
fn a_page_is_paged_like_its_feed() {
    let pair = Pair::start();
    pair.origin.set("/blog", page(&link("rss+xml", "/rss")));
    pair.origin.set("/rss", Answer::feed(feed::rss(0..5)));
    let first = manifest::of(&pair.feed("/blog", "&limit=3"));
    let next = first["next_url"].as_str().unwrap();
    let second = pair.program.follow(next);
    assert_eq!(manifest::ids(&manifest::of(&second)), [feed::id(1), feed::id(0)]);
    let links = second.header("link").unwrap();
    let canonical = links.split(", ").find(|link| link.ends_with("rel=\"canonical\"")).unwrap();
    let canonical = canonical.trim_start_matches('<').split('>').next().unwrap();
    let same = manifest::of(&pair.program.follow(canonical));
    assert_eq!(manifest::ids(&same), [feed::id(1), feed::id(0)]);
}

#[test]
fn links_of_the_header_count_as_well() {
    let pair = Pair::start();
    let field = "</other>; rel=next, </rss>; rel=\"alternate\"; type=\"application/rss+xml\"; title=\"a, b\"";
    pair.origin.set("/blog", page("").header("Link", field));
    pair.origin.set("/rss", Answer::feed(feed::rss(0..2)));
    assert_eq!(manifest::ids(&manifest::of(&pair.feed("/blog", ""))).len(), 2);
}

#[test]
fn manifests_are_where_readers_are_sent() {
    let pair = Pair::start();
    let origin = pair.origin.url("");
    pair.origin.set("/mmsp.json", native(&origin));
    pair.origin
        .set("/blog", page(&[link("rss+xml", "/rss"), link("mmsp+json", "/mmsp.json")].concat()));
    for path in ["/mmsp.json", "/blog", "/blog"] {
        let response = pair.feed(path, "");
        assert_eq!(response.status, 302, "{path}");
        assert_eq!(response.header("location"), Some(pair.origin.url("/mmsp.json").as_str()));
        let cache = response.header("cache-control").unwrap();
        assert!(cache.starts_with("public, max-age="), "{cache}");
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
    }
    assert_eq!(pair.origin.seen("/mmsp.json").len(), 1);
    assert_eq!(pair.origin.seen("/rss").len(), 0);
}

#[test]
fn the_root_of_a_host_has_its_well_known_manifest_first() {
    let pair = Pair::start();
    let origin = pair.origin.url("");
    pair.origin.set("/", page(&link("rss+xml", "/rss")));
    pair.origin.set("/~someone/", page(&link("rss+xml", "/rss")));
    pair.origin.set("/rss", Answer::feed(feed::rss(0..3)));
    pair.origin.set("/.well-known/mmsp.json", native(&origin));
    let root = pair.feed("/", "");
    assert_eq!(root.status, 302);
    let own = pair.origin.url("/.well-known/mmsp.json");
    assert_eq!(root.header("location"), Some(own.as_str()));
    manifest::of(&pair.feed("/~someone/", ""));
    let list = pair.discover(&pair.origin.url("/")).json();
    assert_eq!(list[0]["url"], own);
    assert_eq!(list[0]["type"], "application/mmsp+json");
    assert_eq!(list[1]["url"], pair.origin.url("/rss"));
}

#[test]
fn a_site_that_answers_200_to_everything_has_no_manifest_by_that() {
    let pair = Pair::start();
    pair.origin.set("/", page(&link("rss+xml", "/rss")));
    pair.origin.set("/.well-known/mmsp.json", page(""));
    pair.origin.set("/rss", Answer::feed(feed::rss(0..3)));
    manifest::of(&pair.feed("/", ""));
}

#[test]
fn the_feeds_of_a_page_are_listed_in_the_order_of_the_draft() {
    let pair = Pair::start();
    let links = [
        link("atom+xml", "/atom"),
        link("rss+xml", "/rss"),
        link("mmsp+json", "/m.json"),
        link("rss+xml", "/comments"),
        link("json+oembed", "/oembed"),
    ];
    pair.origin.set("/blog", page(&links.concat()));
    let response = pair.discover(&pair.origin.url("/blog"));
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(response.header("access-control-allow-origin"), Some("*"));
    let cache = response.header("cache-control").unwrap();
    assert!(cache.starts_with("public, max-age="), "{cache}");
    let list = response.json();
    let urls: Vec<&Value> = list.as_array().unwrap().iter().map(|offer| &offer["url"]).collect();
    let expected = ["/m.json", "/rss", "/comments", "/atom"].map(|path| pair.origin.url(path));
    assert_eq!(urls, expected.iter().collect::<Vec<_>>());
    assert_eq!(list[1]["type"], "application/rss+xml");
    assert_eq!(list[1]["title"], "The /rss");
    let manifest_url = list[1]["manifest_url"].as_str().unwrap();
    assert!(manifest_url.contains("/mmsp/feed?url="), "{manifest_url}");
    pair.origin.set("/rss", Answer::feed(feed::rss(0..3)));
    manifest::of(&pair.program.follow(manifest_url));

    let again = pair.discover(&pair.origin.url("/blog"));
    assert_eq!(again.body, response.body);
    assert_eq!(pair.origin.seen("/blog").len(), 1);
}

#[test]
fn a_feed_lists_itself() {
    let pair = Pair::start();
    pair.origin.set("/rss", Answer::feed(feed::rss(0..3)));
    let list = pair.discover(&pair.origin.url("/rss")).json();
    assert_eq!(list.as_array().unwrap().len(), 1);
    assert_eq!(list[0]["url"], pair.origin.url("/rss"));
    assert_eq!(list[0]["title"], "Made up");
}

#[test]
fn discovery_is_refused_and_told_like_a_feed() {
    let pair = Pair::start_with(&[("FETCH__DENY_HOSTS", "closed.example")]);
    pair.origin.set("/bare", page(""));
    pair.origin.set("/text", Answer::feed("Just some words."));
    problem(&pair.discover(&pair.origin.url("/bare")), 422, "no-feed-found");
    problem(&pair.discover(&pair.origin.url("/text")), 422, "not-a-feed");
    problem(&pair.discover(&pair.origin.url("/nowhere")), 404, "source-not-found");
    problem(&pair.discover("https://10.0.0.1/"), 403, "address-not-allowed");
    problem(&pair.discover("https://closed.example/"), 403, "host-not-allowed");
    problem(&pair.program.get("/mmsp/discover"), 400, "invalid-url");
    problem(&pair.program.get("/mmsp/discover?url=x.example&limit=3"), 400, "unknown-parameter");
    let own = format!("https://localhost:{}/mmsp/discover?url=x", pair.program.https.port());
    problem(&pair.discover(&own), 403, "loop");
    problem(&pair.program.request("POST", "/mmsp/discover", &[]), 405, "method-not-allowed");
    assert_eq!(pair.program.request("OPTIONS", "/mmsp/discover", &[]).status, 204);
    let head = target(&pair.origin.url("/bare"), "").replace("/mmsp/feed", "/mmsp/discover");
    let head = pair.program.request("HEAD", &head, &[]);
    assert_eq!((head.status, head.body.len()), (422, 0));
}

#[test]
fn an_offer_that_leads_inside_is_refused_untouched() {
    let pair = Pair::start();
    pair.origin.set("/blog", page(&link("rss+xml", "https://10.0.0.1/feed")));
    problem(&pair.feed("/blog", ""), 403, "address-not-allowed");
    let own = format!("https://localhost:{}/mmsp/feed?url=x", pair.program.https.port());
    pair.origin.set("/own", page(&link("rss+xml", &own)));
    problem(&pair.feed("/own", ""), 403, "loop");
}
