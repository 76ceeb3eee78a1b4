//! The page as it is served: what it says, what browsers may do with it, who may see it.

use super::{feeds, page, target};
use crate::http::Pair;
use crate::support::{Answer, Inside, Origin, Program, Response, client, feed};

const TOKEN: &str = "token-0123456789abcdef0123456789abcdef";

/// The text of a page, checked for what all of them have.
fn html(response: &Response, status: u16) -> String {
    let text = response.text();
    assert_eq!(response.status, status, "{text}");
    assert_eq!(response.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = response.header("content-security-policy").unwrap();
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(response.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(response.header("x-robots-tag"), Some("noindex"));
    assert!(response.header("permissions-policy").is_some());
    assert!(response.header("set-cookie").is_none());
    assert_eq!(text.matches("<script").count(), 1, "{text}");
    assert!(!text.contains("<style") && !text.contains(" style="), "{text}");
    text
}

/// The text between the first `before` and the next `after`.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before} in {text}"));
    rest.split_once(after).unwrap().0
}

#[test]
fn the_first_page_asks_for_an_address_and_its_files_may_be_kept_for_good() {
    let pair = Pair::start();
    let text = html(&pair.program.get("/"), 200);
    assert!(text.contains("name=\"url\""));
    for (before, media_type) in [
        ("rel=\"stylesheet\" href=\"", "text/css; charset=utf-8"),
        ("<script src=\"", "text/javascript; charset=utf-8"),
        ("type=\"image/svg+xml\" href=\"", "image/svg+xml"),
    ] {
        let path = format!("/{}", between(&text, before, "\""));
        let asset = pair.program.request("GET", &path, &[("Accept-Encoding", "gzip")]);
        assert_eq!((asset.status, asset.header("content-type")), (200, Some(media_type)));
        assert_eq!(asset.header("cache-control"), Some("public, max-age=31536000, immutable"));
    }
    assert_eq!(pair.program.get("/assets/page.css").status, 404);
    let empty = html(&pair.program.get("/?url=+&filter="), 400);
    assert!(empty.contains("Paste an address first"));
    assert_eq!(pair.program.request("HEAD", "/", &[]).body.len(), 0);
    assert_eq!(pair.program.request("POST", "/", &[]).status, 405);
    let coded = pair.program.request("GET", "/", &[("Accept-Encoding", "gzip")]);
    assert_eq!(coded.header("content-encoding"), Some("gzip"));
    assert!(coded.body.len() * 2 < text.len());
}

#[test]
fn a_feed_is_shown_with_what_the_gateway_knows_of_it() {
    let pair = Pair::start();
    feeds::podcast(&pair.origin);
    let first = html(&page(&pair, "/podcast.xml", ""), 200);
    assert!(first.contains("Read just now, for the first time"));
    let text = html(&page(&pair, "/podcast.xml", ""), 200);
    for part in [
        "<h1 id=\"feed\" dir=\"auto\" lang=\"en-GB\">Low Tide</h1>",
        "<time datetime=\"2026-03-03T10:00:00Z\">3 March 2026, 10:00 UTC</time>",
        "<article class=\"card item\" lang=\"en-GB\">",
        "RSS 2.0, UTF-8",
        "From memory; fresh for ",
        "A date cannot be read or lies before 1970; left out.",
        "in entry 2",
        "An http address; written as https.",
        "preload=\"none\"",
        "in 6 hours</time>",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let manifest = pair.feed("/podcast.xml", "").json();
    let address = manifest["feed_url"].as_str().unwrap();
    assert_eq!(between(&text, "readonly value=\"", "\""), address);
    let line = between(&text, "<code id=\"line\">", "</code>");
    assert!(line.contains("type=&#34;application/mmsp+json&#34;"), "{line}");
    let raw = between(&text, "<a href=\"mmsp/feed", "\"");
    assert_eq!(pair.program.get(&format!("/mmsp/feed{raw}")).status, 200);
    assert_eq!(pair.origin.seen("/podcast.xml").len(), 1);
}

#[test]
fn a_feed_with_a_name_is_subscribed_to_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let source = origin.url("/feed.xml");
    let public_url = "https://gateway.test";
    let settings = [("FEEDS__SEA__URL", source.as_str()), ("SERVER__PUBLIC_URL", public_url)];
    let program = Program::start(folder.path(), origin.ca_file(), &settings);
    let text = html(&program.get(&target(&source, "")), 200);
    let address = "https://gateway.test/mmsp/sea.json";
    assert_eq!(between(&text, "readonly value=\"", "\""), address);
    let line = between(&text, "<code id=\"line\">", "</code>");
    assert!(line.contains(address), "{line}");
    assert!(text.contains("<a href=\"mmsp/sea.json\">"), "{text}");
}

#[test]
fn markup_in_every_field_of_a_feed_is_text() {
    let pair = Pair::start();
    feeds::hostile(&pair.origin);
    let text = html(&page(&pair, "/hostile.xml", ""), 200);
    for tag in ["<iframe", "onerror=\"", "<img src=x", "srcdoc='", "href=\"javascript:"] {
        assert!(!text.contains(tag), "{tag} is in {text}");
    }
    assert!(text.contains("{{7*7}}"), "{text}");
    // What the request says is text as well.
    for query in ["/?url=\"><script>1</script>", "/?a=<script>", "/?url=x.example&limit=<b>"] {
        let query = query.replace('"', "%22").replace('<', "%3C").replace('>', "%3E");
        let text = html(&pair.program.get(&query), 400);
        assert!(!text.contains("<b>") && !text.contains("<script>"), "{text}");
    }
    let filtered = html(&page(&pair, "/hostile.xml", "&filter=%22%3E%3Cscript%3E"), 400);
    assert!(filtered.contains("&#34;&#62;&#60;script&#62;"), "{filtered}");
}

#[test]
fn what_was_mended_is_told_of_all_items_whenever_they_were_read() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let inside = Inside::start(folder.path(), origin.ca_file());
    let item = |n: u32| {
        format!(
            "<item><title>Item {n}</title><link>http://a.example/{n}</link>\
             <guid>https://a.example/{n}</guid><pubDate>yesterday</pubDate></item>"
        )
    };
    let rss = |items: &str| {
        format!("<rss version=\"2.0\"><channel><title>Quay</title>{items}</channel></rss>")
    };
    let shown = || html(&inside.get(&target(&origin.url("/f.xml"), "")), 200);
    origin.set("/f.xml", Answer::feed(rss(&item(1))));
    assert!(shown().contains(
        "A date cannot be read or lies before 1970; left out.</strong> \
        <span class=\"times\">in entry 1</span>"
    ));
    // Item 1 is not read again, and what was mended of it is not forgotten.
    origin.set("/f.xml", Answer::feed(rss(&[item(3), item(2), item(1)].concat())));
    inside.clock().advance_seconds(100_000);
    let text = shown();
    let times = between(&text, "lies before 1970; left out.</strong> <span class=\"times\">", "<");
    assert_eq!(times, "3 times, first in entry 1");
    // What says the same again changes nothing, and what is mended is gone.
    inside.clock().advance_seconds(100_000);
    assert!(shown().contains("3 times, first in entry 1"));
    origin.set(
        "/f.xml",
        Answer::feed(rss(&item(4).replace("yesterday", "Mon, 01 Jan 2024 00:00:00 GMT"))),
    );
    inside.clock().advance_seconds(100_000);
    assert!(!shown().contains("lies before 1970"));
}

#[test]
fn a_source_that_fails_is_told_with_its_status_or_beside_what_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let inside = Inside::start(folder.path(), origin.ca_file());
    let ask = |path: &str| inside.get(&target(&origin.url(path), ""));
    let missing = ask("/missing.xml");
    let text = html(&missing, 404);
    assert!(text.contains("<h1 id=\"problem\">The source does not exist</h1>"));
    assert!(text.contains("href=\"problems/source-not-found\""));
    origin.set("/gone.xml", Answer::status(410));
    html(&ask("/gone.xml"), 410);

    origin.set("/f.xml", Answer::feed(feed::rss(0..3)));
    html(&ask("/f.xml"), 200);
    origin.set("/f.xml", Answer::status(500));
    inside.clock().advance_seconds(100_000);
    let text = html(&ask("/f.xml"), 200);
    assert!(text.contains("The source cannot be read at present</h2>"), "{text}");
    assert!(text.contains("It has failed since 2 June 2024, 03:46 UTC."), "{text}");
    assert!(text.contains("What was last seen; the source fails"));
    assert!(text.contains("Item 2"));

    origin.set("/f.xml", Answer::status(410));
    inside.clock().advance_seconds(100_000);
    let text = html(&ask("/f.xml"), 200);
    assert!(text.contains("<strong>This feed has ended.</strong> The source of this feed is gone"));
    assert!(text.contains("Item 2"));
}

#[test]
fn a_filter_shows_what_passes_or_where_it_is_wrong() {
    let pair = Pair::start();
    pair.origin.set("/f.xml", Answer::feed(feed::rss(0..120)));
    let good = html(&page(&pair, "/f.xml", "&filter=keyword%3A%22item+11%22"), 200);
    // Of the hundred newest: 110 to 119; older ones are a page away.
    assert!(good.contains("Of the 100 newest items these pass: 10."), "{good}");
    assert_eq!(good.matches("<article").count(), 10);
    let next = between(&good, "class=\"button\" href=\"", "\"").replace("&#38;", "&");
    assert!(next.contains("&filter=keyword%3A%22item+11%22&cursor="), "{next}");
    let older = html(&pair.program.get(&format!("/{next}")), 200);
    assert!(older.contains("Of the 20 older items these pass: 1."), "{older}");
    let bad = html(&page(&pair, "/f.xml", "&filter=type%3Afilm"), 400);
    assert!(bad.contains("At character 6: expected a type: video, audio"), "{bad}");
    assert!(bad.contains("<code>type:<mark>f</mark>ilm</code>"), "{bad}");
    assert_eq!(bad.matches("<article").count(), 100);
}

#[test]
fn a_page_may_have_as_many_items_as_a_manifests_page() {
    let pair = Pair::start();
    pair.origin.set("/f.xml", Answer::feed(feed::rss(0..600)));
    let text = html(&page(&pair, "/f.xml", "&limit=500"), 200);
    assert_eq!(text.matches("<article").count(), 500);
    assert!(text.contains("&#38;limit=500&#38;cursor="), "{text}");
    html(&page(&pair, "/f.xml", "&limit=501"), 400);
    html(&page(&pair, "/f.xml", "&cursor=AAAA"), 400);
}

#[test]
fn a_manifest_and_a_loop_are_told_as_what_they_are() {
    let pair = Pair::start();
    let native = "{\"mmsp\":\"1.0\",\"id\":\"x:1\",\"feed_url\":\"https://a.example/f\",\"title\":\"A\",\
        \"poll\":{\"min_interval_seconds\":300,\"recommended_interval_seconds\":900},\"items\":[]}";
    let answer = Answer::status(200).header("Content-Type", "application/mmsp+json");
    pair.origin.set("/m.json", answer.body(native));
    let text = html(&page(&pair, "/m.json", ""), 200);
    assert!(text.contains("This is MMSP already"), "{text}");
    assert_eq!(between(&text, "readonly value=\"", "\""), pair.origin.url("/m.json"));

    let own = format!("https://localhost:{}/mmsp/feed?url=x.example", pair.program.https.port());
    let text = html(&pair.program.get(&target(&own, "")), 403);
    assert!(text.contains("The gateway would ask itself"));
    let meant = html(&pair.program.get("/?url=https://x.example/f?a=1&b=2"), 400);
    assert!(meant.contains("href=\"?url=https%3A%2F%2Fx.example%2Ff%3Fa%3D1%26b%3D2\""), "{meant}");
}

#[test]
fn under_a_token_a_browser_is_asked_for_it_as_a_password() {
    for mode in ["token", "signed"] {
        let key = "key-0123456789abcdef0123456789abcdef";
        let settings = [("ACCESS__MODE", mode), ("ACCESS__TOKENS", TOKEN), ("ACCESS__KEYS", key)];
        let pair = Pair::start_with(&settings);
        pair.origin.set("/f.xml", Answer::feed(feed::rss(0..3)));
        let target = target(&pair.origin.url("/f.xml"), "");
        for path in ["/", &target, &format!("{target}&sig=AAAA")] {
            let nobody = pair.program.get(path);
            let text = html(&nobody, 401);
            assert!(text.contains("give the token as the password"), "{text}");
            let challenge = "Basic realm=\"mmsp-gateway\", charset=\"UTF-8\"";
            assert_eq!(nobody.header("www-authenticate"), Some(challenge));
            assert_eq!(nobody.header("cache-control"), Some("no-store"));
        }
        let style =
            between(&pair.program.get("/").text(), "rel=\"stylesheet\" href=\"", "\"").to_owned();
        assert_eq!(pair.program.get(&format!("/{style}")).status, 200);
        assert_eq!(pair.origin.connections(), 0);

        let basic = |token: &str| {
            use base64::Engine as _;
            let pair = format!("anybody:{token}");
            format!("Basic {}", base64::prelude::BASE64_STANDARD.encode(pair))
        };
        let (good, bad) = (basic(TOKEN), basic("wrong"));
        html(&pair.program.request("GET", &target, &[("Authorization", &bad)]), 401);
        let shown = pair.program.request("GET", &target, &[("Authorization", &good)]);
        // Where addresses are signed, so is the one to subscribe to.
        let manifest = between(&html(&shown, 200), "readonly value=\"", "\"").to_owned();
        assert_eq!(manifest.contains("&#38;sig="), mode == "signed", "{manifest}");
        assert!(shown.header("cache-control").unwrap().starts_with("private"));
        // What a page has the browser load, such as a feed's pictures, is not asked for in its
        // user's name.
        let elsewhere = [("Authorization", good.as_str()), ("Sec-Fetch-Dest", "image")];
        assert_eq!(pair.program.request("GET", &target, &elsewhere).status, 401);
        let list = b"<opml><body/></opml>";
        let posted = client::post(pair.program.http, "/opml", &[("Authorization", &good)], list);
        assert_eq!(posted.status, 200);
    }
}

#[test]
fn a_method_that_is_not_allowed_is_told_in_words_where_people_ask() {
    let pair = Pair::start();
    let browser = [("Accept", "text/html")];
    for (method, path, allowed) in [("PUT", "/", "GET, HEAD"), ("GET", "/opml", "POST")] {
        let response = pair.program.request(method, path, &browser);
        let text = html(&response, 405);
        assert_eq!(response.header("allow"), Some(allowed));
        assert!(text.contains("The method is not allowed here"), "{text}");
    }
    let told = client::request(pair.program.metrics, "PUT", "/metrics", &browser);
    assert_eq!((told.status, told.header("allow")), (405, Some("GET, HEAD")));
    assert_eq!(told.header("content-type"), Some("application/problem+json"));
}

#[test]
fn the_page_counts_against_its_caller_as_a_manifest_does() {
    let settings = [
        ("CALLERS__EXEMPT", ""),
        ("CALLERS__NEW_FEEDS_PER_MINUTE", "1"),
        ("CALLERS__NEW_FEEDS_BURST", "1"),
    ];
    let pair = Pair::start_with(&settings);
    pair.origin.set("/f.xml", Answer::feed(feed::rss(0..3)));
    pair.origin.set("/g.xml", Answer::feed(feed::rss(0..3)));
    html(&page(&pair, "/f.xml", ""), 200);
    let text = html(&page(&pair, "/g.xml", ""), 429);
    assert!(text.contains("This caller asks too much"), "{text}");
    assert!(text.contains("Asking again is worth it in"), "{text}");
    html(&page(&pair, "/f.xml", ""), 200);
    assert!(pair.origin.seen("/g.xml").is_empty());
}

#[test]
fn the_feeds_of_a_site_that_was_looked_at_lately_cost_their_reader_nothing() {
    let settings = [
        ("CALLERS__EXEMPT", ""),
        ("CALLERS__NEW_FEEDS_PER_MINUTE", "1"),
        ("CALLERS__NEW_FEEDS_BURST", "2"),
    ];
    let refused = "mmsp_gateway_caller_refusals_total{reason=\"new_feeds\"}";
    let mut pair = Pair::start_with(&settings);
    feeds::site(&pair.origin);
    for _ in 0..3 {
        let text = html(&page(&pair, "/site", ""), 200);
        assert!(text.contains("Feeds of this site"), "{text}");
        let discover = target(&pair.origin.url("/site"), "").replacen('/', "/mmsp/discover", 1);
        assert_eq!(pair.program.get(&discover).status, 200);
    }
    assert_eq!(pair.program.metric(refused), 0.0);
    // The site was one new feed, of two.
    html(&page(&pair, "/news.xml", ""), 200);
    assert_eq!(page(&pair, "/comments.xml", "").status, 429);

    // A gateway that did not look lately looks, as long as the caller may have it look: if not, the
    // page says so, and nobody is turned away.
    pair.program.terminate();
    pair.program.wait();
    let program = Program::start(pair.folder(), pair.origin.ca_file(), &settings);
    pair.program = program;
    for path in ["/other.xml", "/another.xml"] {
        assert_eq!(page(&pair, path, "").status, 404);
    }
    let shown = page(&pair, "/site", "");
    let text = html(&shown, 200);
    assert!(!text.contains("Feeds of this site"), "{text}");
    assert!(text.contains("The site may have other feeds as well."), "{text}");
    assert_eq!(pair.program.metric(refused), 0.0);
    let id = shown.header("x-request-id").unwrap();
    pair.program.terminate();
    pair.program.wait();
    let log = pair.program.log();
    let line = log.iter().find(|line| line.contains(id) && line.contains("answered")).unwrap();
    assert!(!line.contains("access.refused") && !line.contains("\"problem\""), "{line}");
}

#[test]
fn a_list_may_come_as_a_form_and_is_kept_and_told_nowhere() {
    let mut pair = Pair::start_with(&[
        ("SERVER__PUBLIC_URL", "https://gateway.test"),
        ("SERVER__MAX_BODY_BYTES", "2000"),
        ("LOG__LEVEL", "debug"),
    ]);
    let form = |name: &str, list: &str| {
        format!(
            "--line\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"a.opml\"\r\n\
             Content-Type: text/x-opml\r\n\r\n{list}\r\n--line--\r\n"
        )
    };
    let post = |accept: &str, body: &str| {
        let headers = [("Content-Type", "multipart/form-data; boundary=line"), ("Accept", accept)];
        client::post(pair.program.http, "/opml", &headers, body.as_bytes())
    };
    let list = "<opml><outline xmlUrl=\"https://secret.example/f\"/></opml>";
    let sent = post("text/html", &form("list", list));
    assert_eq!(sent.status, 200);
    let disposition = sent.header("content-disposition");
    assert_eq!(disposition, Some("attachment; filename=\"mmsp.opml\""));
    assert!(
        sent.text().contains("https://gateway.test/mmsp/feed?url=https%3A%2F%2Fsecret.example")
    );
    for (body, status) in [
        (form("list", "no list"), 422),
        (form("other", list), 422),
        (form("list", list).replace("--line--", ""), 422),
        (String::new(), 422),
        (form("list", &"x".repeat(2000)), 413),
    ] {
        assert_eq!(post("*/*", &body).status, status);
        let text = html(&post("text/html,*/*;q=0.8", &body), status);
        assert!(text.contains("name=\"list\""), "{text}");
    }
    assert_eq!(pair.origin.connections(), 0);
    pair.program.terminate();
    pair.program.wait();
    let log = pair.program.log().concat();
    assert!(!log.contains("secret.example"), "{log}");
}
