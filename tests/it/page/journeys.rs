//! What people do with the page, in a real browser.

use super::browser::{Browser, Scripts};
use super::{feeds, target};
use crate::http::Pair;
use crate::support::{Answer, feed};

fn home(pair: &Pair) -> String {
    format!("https://{}/", pair.program.https)
}

fn page(pair: &Pair, path: &str) -> String {
    format!("https://{}{}", pair.program.https, target(&pair.origin.url(path), ""))
}

/// Pastes an address into the form of the page, and sends it.
fn paste(browser: &Browser, text: &str) {
    browser.type_into("#url", text);
    browser.click(".ask button");
    browser.wait_for("h1");
}

#[test]
fn a_pasted_address_shows_the_podcast_with_pictures_and_a_player() {
    for scripts in [Scripts::Run, Scripts::Off] {
        let pair = Pair::start();
        feeds::podcast(&pair.origin);
        let browser = Browser::start_with(scripts);
        browser.go(&home(&pair));
        paste(&browser, &pair.origin.url("/podcast.xml"));
        browser.wait_for("#feed");
        assert_eq!(browser.text("h1"), "Low Tide");
        assert_eq!(browser.count("audio[controls][preload=none]"), 2);
        assert_eq!(browser.count("video[controls][preload=none]"), 1);
        let shown = browser.text("main");
        for words in [
            "Podcast",
            "By Ada Byron",
            "The Quay at Night",
            "3 March 2026, 10:00 UTC",
            "1:02:03",
            "Low Tide: season 2, episode 5",
            "Explicit",
            "the last lamplighter",
            "2 chapters",
            "Transcript",
            "Captions",
            "59.4 MB",
            "harbours",
            "An entry holds nothing that can be shown; left out.",
            "To do: write dates as RSS and Atom have them",
            "just now",
            "Read just now, for the first time",
        ] {
            assert!(shown.contains(words), "{words} is not in\n{shown}");
        }
        browser.wait_for("img[src*='show.svg']");
        let width = "return document.querySelector('.icon').naturalWidth";
        browser.run_until_told(
            "const done = arguments[arguments.length - 1], icon = document.querySelector('.icon');
             icon.complete ? done() : (icon.onload = icon.onerror = done)",
        );
        assert!(browser.run(width).as_u64().unwrap() > 0, "the picture is not shown");
        let pictures = pair.origin.seen("/pictures/show.svg");
        assert!(pictures.iter().all(|seen| !seen.headers.contains_key("referer")), "{pictures:?}");
        assert!(pictures.iter().any(|seen| seen.headers["user-agent"].contains("Chrome")));
        assert!(pair.origin.seen("/sound/quay.mp3").is_empty(), "played before anyone asked");
        let manifest = browser.property("#manifest", "value").unwrap();
        assert!(manifest.contains("/mmsp/feed?url=https%3A%2F%2F127.0.0.1"), "{manifest}");
        assert_eq!(browser.is_displayed("[data-copy=manifest]"), scripts == Scripts::Run);
        assert_eq!(browser.complaints(), [""; 0]);
    }
}

#[test]
fn the_manifests_address_is_copied_by_a_button() {
    let pair = Pair::start();
    feeds::podcast(&pair.origin);
    let browser = Browser::start();
    browser.go(&page(&pair, "/podcast.xml"));
    for (button, wanted) in [("manifest", "/mmsp/feed?url="), ("line", "<link rel=\"alternate\"")] {
        let origin = home(&pair);
        let grant = serde_json::json!({
            "permission": {"name": "clipboard-write"}, "setting": "granted",
            "origin": origin.trim_end_matches('/'),
        });
        browser.command("Browser.setPermission", grant);
        browser.click(&format!("[data-copy={button}]"));
        browser.wait_for("[data-copied]:not(:empty)");
        let read = serde_json::json!({
            "permission": {"name": "clipboard-read"}, "setting": "granted",
            "origin": origin.trim_end_matches('/'),
        });
        browser.command("Browser.setPermission", read);
        let copied = browser.run_until_told(
            "const done = arguments[arguments.length - 1];
             navigator.clipboard.readText().then(done, error => done(String(error)))",
        );
        assert!(copied.as_str().unwrap().contains(wanted), "{copied}");
    }
}

#[test]
fn a_failure_is_told_in_words_and_the_address_stays_to_be_mended() {
    for scripts in [Scripts::Run, Scripts::Off] {
        let pair = Pair::start();
        pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
        let browser = Browser::start_with(scripts);
        browser.go(&home(&pair));
        paste(&browser, &pair.origin.url("/feed.xm"));
        assert_eq!(browser.text("h1"), "The source does not exist");
        assert!(browser.text("main").contains("Check the address."));
        assert_eq!(browser.property("#url", "value").unwrap(), pair.origin.url("/feed.xm"));
        browser.type_into("#url", "l");
        browser.click(".ask button");
        browser.wait_for("#feed");
        assert_eq!(browser.text("h1"), "Made up");
    }
}

#[test]
fn a_subscription_list_is_sent_and_comes_back_as_a_file() {
    for scripts in [Scripts::Run, Scripts::Off] {
        let pair = Pair::start_with(&[("SERVER__PUBLIC_URL", "https://gateway.test")]);
        let browser = Browser::start_with(scripts);
        browser.save_files();
        browser.go(&home(&pair));
        let list = pair.folder().join("mine.opml");
        let text = "<opml version=\"2.0\"><body><outline text=\"Sea &amp; quay\" type=\"rss\" \
                    xmlUrl=\"https://a.example/f\"/></body></opml>";
        std::fs::write(&list, text).unwrap();
        browser.type_into("#list", list.to_str().unwrap());
        browser.click("form[action=opml] button");
        let address = "https://gateway.test/mmsp/feed?url=https%3A%2F%2Fa.example%2Ff";
        assert_eq!(browser.saved("mmsp.opml"), text.replace("https://a.example/f", address));

        std::fs::write(&list, "not a list").unwrap();
        browser.go(&home(&pair));
        browser.type_into("#list", list.to_str().unwrap());
        browser.click("form[action=opml] button");
        browser.wait_for("#problem");
        assert_eq!(browser.text("h1"), "The document is not a subscription list");
        assert_eq!(browser.count("#list"), 1);
    }
}

#[test]
fn a_site_with_several_feeds_lets_its_reader_choose_and_pages_lead_on() {
    for scripts in [Scripts::Run, Scripts::Off] {
        let pair = Pair::start();
        feeds::site(&pair.origin);
        let browser = Browser::start_with(scripts);
        browser.go(&home(&pair));
        paste(&browser, &pair.origin.url("/site"));
        assert_eq!(browser.count(".offers a"), 3);
        assert_eq!(browser.text(".offers [aria-current]"), "All of it\nRSS");
        assert_eq!(browser.count(".item"), 25);
        browser.click(".pages a[rel=next]");
        browser.wait_for(".pages a[rel=first]");
        assert_eq!((browser.count(".item"), browser.text(".item h3")), (15, "Item 14".to_owned()));
        browser.click(".pages a[rel=first]");
        browser.wait_for(".offers");
        browser.click(".offers li:nth-child(2) a");
        browser.wait_for("#feed");
        assert_eq!((browser.count(".item"), browser.count(".offers")), (2, 0));
        browser.type_into("#filter", "keyword:\"item 1\"");
        browser.click(".filter button");
        browser.wait_for(".item");
        assert_eq!(browser.text(".count"), "Of the 2 newest items these pass: 1.");
    }
}

#[test]
fn a_feed_that_means_harm_is_shown_and_runs_nothing() {
    let pair = Pair::start();
    feeds::hostile(&pair.origin);
    let browser = Browser::start();
    browser.go(&page(&pair, "/hostile.xml"));
    assert_eq!(browser.count(".item"), 1);
    // As text, in the title and elsewhere.
    assert!(browser.text("h1").contains("<script>"), "{}", browser.text("h1"));
    assert!(browser.text(".item h3").contains("<script>"), "{}", browser.text(".item h3"));
    assert_eq!(browser.count("script"), 1);
    for nowhere in ["iframe", "object", "embed", "base", "[onerror]", "[style]", "img[src=x]"] {
        assert_eq!(browser.count(nowhere), 0, "{nowhere}");
    }
    let schemes = browser.run(
        "return [...new Set([...document.querySelectorAll('[href], [src], [action], [poster]')]
           .flatMap(e => ['href', 'src', 'action', 'poster'].map(n => e.getAttribute(n)))
           .filter(Boolean).map(u => new URL(u, location).protocol))].sort()",
    );
    assert_eq!(schemes, serde_json::json!(["https:"]));
    browser.run("document.querySelectorAll('details').forEach(d => { d.open = true })");
    let harmed = browser.run("return document.documentElement.dataset.harmed ?? 'no'");
    assert_eq!(harmed, "no");
    // What cannot be reached is none of the page's doing; the policy had nothing to stop.
    let complaints = browser.complaints();
    let by_policy: Vec<_> = complaints.iter().filter(|it| !it.contains("net::ERR_")).collect();
    assert!(by_policy.is_empty(), "{by_policy:?}");
}
