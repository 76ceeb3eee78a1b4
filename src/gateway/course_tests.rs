//! Sources that move, end, come back and change their scheme.

use super::world_for_tests::*;
use super::*;
use crate::fetch::{Https, Redirect, RedirectKind, Request, Response};

const NEW: &str = "https://b.example/feed";
const DAY: i64 = 86_400;

/// What is read at one address after a redirect from another.
fn redirected(request: &Request, to: &str, kind: RedirectKind, body: &str) -> Response {
    let (from, to) = (request.url.clone(), SourceUrl::parse(to).unwrap());
    let redirects = vec![Redirect { from, to: to.clone(), kind }];
    Response { url: to, redirects, ..document(request, body) }
}

fn manifest_of(url: &str) -> String {
    let url = url.replace(':', "%3A").replace('/', "%2F");
    format!("https://gw.example/mmsp/feed?url={url}")
}

impl World {
    /// From now on the feed is elsewhere, by a redirect of that kind.
    fn redirects(&self, kind: RedirectKind, items: &[(u32, &str)]) {
        let body = rss(items);
        let same = body.clone();
        self.script.answer(URL, move |request| Ok(redirected(request, NEW, kind, &body)));
        self.script.answer(NEW, move |request| Ok(document(request, &same)));
    }

    /// From now on the feed says that it is elsewhere, where there is another document.
    fn announces(&self, to: &str, there: &str) {
        let tag = format!("<itunes:new-feed-url>{to}</itunes:new-feed-url><item>");
        let body = rss(&[(1, "one")]).replacen("<item>", &tag, 1);
        let there = there.to_owned();
        self.script.answer(URL, move |request| Ok(document(request, &body)));
        self.script.answer(to, move |request| Ok(document(request, &there)));
    }

    async fn after_days(&self, days: i64) -> PageAnswer {
        self.clock.advance_seconds(days * DAY);
        self.page().await.unwrap()
    }
}

#[tokio::test]
async fn a_redirect_of_three_days_is_a_move_that_is_told() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    let before = world.page().await.unwrap();
    world.redirects(RedirectKind::Permanent, &[(1, "one"), (2, "two")]);
    for day in 1..=2 {
        let page = world.after_days(1).await;
        assert_eq!(json(&page).get("moved_to"), None, "day {day}");
    }
    assert_eq!(world.script.requests_for(NEW), 0, "it is asked by the old address");
    let moved = world.after_days(1).await;
    assert_eq!(json(&moved)["moved_to"], manifest_of(NEW));
    assert_eq!(json(&moved)["id"], json(&before)["id"]);
    assert!(moved.page.last_modified > before.page.last_modified);

    let kept = world.after_days(1).await;
    assert_eq!(titles(&kept), ["two", "one"], "the old address goes on answering");
    assert_eq!((world.script.requests_for(URL), world.script.requests_for(NEW)), (4, 1));
    let there = world.page_of(NEW).await.unwrap();
    assert_eq!(json(&there).get("moved_to"), None, "nobody is sent away from the new address");
    assert_eq!(titles(&there), ["two", "one"], "and it is the same history");
    assert_eq!(json(&there)["pagination"], json(&kept)["pagination"], "cursors fit both");
    assert_eq!(world.script.requests(), 5);
}

#[tokio::test]
async fn a_temporary_redirect_is_followed_and_never_remembered() {
    let world = world(patient()).await;
    world.redirects(RedirectKind::Temporary, &[(1, "one")]);
    for _ in 0..5 {
        assert_eq!(json(&world.after_days(1).await).get("moved_to"), None);
    }
    assert_eq!((world.script.requests_for(URL), world.script.requests_for(NEW)), (5, 0));
}

#[tokio::test]
async fn a_redirect_to_something_else_is_followed_and_not_told() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    world.page().await.unwrap();
    world.redirects(RedirectKind::Permanent, &[(8, "news of the new owner")]);
    for _ in 0..4 {
        let page = world.after_days(1).await;
        assert_eq!(json(&page).get("moved_to"), None);
        assert_eq!(titles(&page), ["news of the new owner", "one"]);
    }
    assert_eq!(world.script.requests_for(NEW), 1);
}

#[tokio::test]
async fn a_move_to_a_feed_that_is_known_leaves_each_its_history() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    world.page().await.unwrap();
    world.redirects(RedirectKind::Permanent, &[(1, "one"), (2, "two")]);
    world.script.answer(NEW, |request| Ok(document(request, &rss(&[(2, "two"), (3, "three")]))));
    world.page_of(NEW).await.unwrap();
    for _ in 0..3 {
        world.after_days(1).await;
    }
    assert_eq!(json(&world.page().await.unwrap())["moved_to"], manifest_of(NEW));
    assert_eq!(titles(&world.page_of(NEW).await.unwrap()), ["three", "two"]);
}

#[tokio::test]
async fn a_podcast_that_names_its_new_address_has_moved_once_that_was_read() {
    let world = world(patient()).await;
    world.announces(NEW, &rss(&[(1, "one"), (2, "two")]));
    let page = world.page().await.unwrap();
    assert_eq!(json(&page)["moved_to"], manifest_of(NEW));
    assert_eq!(titles(&page), ["two", "one"]);
    world.after_days(1).await;
    assert_eq!((world.script.requests_for(URL), world.script.requests_for(NEW)), (1, 2));
}

#[tokio::test]
async fn a_podcast_that_a_page_offers_has_moved_as_well() {
    let world = world(patient()).await;
    world.announces(NEW, &rss(&[(1, "one"), (2, "two")]));
    let home = "https://a.example/home";
    world.script.answer(home, |request| {
        let link = "<link rel=alternate type=application/rss+xml href=/feed>";
        Ok(document(request, &format!("<!doctype html><title>A</title>{link}")))
    });
    let page = world.page_of(home).await.unwrap();
    assert_eq!(
        (json(&page)["moved_to"].clone(), titles(&page).len()),
        (manifest_of(NEW).into(), 2)
    );
}

#[tokio::test]
async fn an_address_that_leads_to_another_feed_or_to_none_is_no_move() {
    for there in [rss(&[(7, "other")]), "no feed".to_owned(), String::new()] {
        let world = world(patient()).await;
        world.announces(NEW, &there);
        let page = world.page().await.unwrap();
        assert_eq!((json(&page).get("moved_to"), titles(&page)), (None, vec!["one".into()]));
        world.clock.advance_seconds(1_000);
        world.page().await.unwrap();
        assert_eq!(world.script.requests_for(NEW), 1, "it is not asked each time");
        world.after_days(1).await;
        assert_eq!(world.script.requests_for(NEW), 2, "but once a day");
    }
}

#[tokio::test]
async fn a_podcast_that_names_its_own_address_has_not_moved() {
    let world = world(patient()).await;
    world.announces(NEW, "");
    // The new address leads back to the old one.
    world.script.answer(NEW, |request| {
        Ok(redirected(request, URL, RedirectKind::Temporary, &rss(&[(1, "one")])))
    });
    assert_eq!(json(&world.page().await.unwrap()).get("moved_to"), None);
    world.announces(URL, "");
    world.shows(&[(1, "one")]);
    assert_eq!(json(&world.after_days(2).await).get("moved_to"), None);
}

#[tokio::test]
async fn a_source_that_is_gone_is_deprecated_asked_once_a_week_and_revives() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    let before = world.page().await.unwrap();
    world.fails(410, None);
    let gone = world.after_days(1).await;
    assert!(json(&gone)["deprecated"]["reason"].as_str().unwrap().contains("gone"));
    assert_eq!(titles(&gone), ["one"], "its history stays");
    assert!(gone.page.last_modified > before.page.last_modified);
    for _ in 0..6 {
        world.after_days(1).await;
    }
    assert_eq!(world.script.requests(), 2);
    world.fails(500, None);
    let still = world.after_days(3).await;
    assert_eq!(still.page.body, gone.page.body);
    assert_eq!(world.script.requests(), 3, "after a week it is asked again");
    world.script.answer(URL, |request| Ok(not_modified(request)));
    let back = world.after_days(9).await;
    assert_eq!(back.page.body, before.page.body);
    assert!(back.page.last_modified > gone.page.last_modified, "a date is as good as a tag");
}

#[tokio::test]
async fn thirty_days_of_failures_are_an_end() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    world.page().await.unwrap();
    for (day, code) in (1..=30).zip([404, 500, 503, 403, 502].into_iter().cycle()) {
        world.fails(code, None);
        let page = world.after_days(2).await;
        let is_deprecated = json(&page).get("deprecated").is_some();
        assert_eq!(is_deprecated, 2 * (day - 1) >= 30, "day {}", 2 * day);
    }
    assert!(world.script.requests() < 25, "{}", world.script.requests());
}

#[tokio::test]
async fn the_id_of_a_feed_never_changes_whatever_its_source_says_later() {
    let world = world(patient()).await;
    let atom = |id: &str| {
        format!("<feed xmlns='http://www.w3.org/2005/Atom'><id>{id}</id><title>A</title></feed>")
    };
    for id in ["urn:a:1", "urn:a:2", ""] {
        let body = atom(id);
        world.script.answer(URL, move |request| Ok(document(request, &body)));
        assert_eq!(json(&world.after_days(1).await)["id"], "urn:a:1");
    }
}

#[tokio::test]
async fn a_source_that_had_no_https_is_one_feed_with_its_twin_once_it_has() {
    let world = world(patient()).await;
    let plain = "http://a.example/feed";
    world.script.answer(plain, |request| Ok(document(request, &rss(&[(1, "one")]))));
    let first = world.page_of(plain).await.unwrap();
    world.shows(&[(1, "one"), (2, "two")]);
    let secure = world.page().await.unwrap();
    assert_eq!(titles(&secure), ["two", "one"]);
    assert_eq!(json(&secure)["id"], json(&first)["id"]);
    let plain = world.page_of(plain).await.unwrap();
    assert_eq!(json(&plain)["pagination"], json(&secure)["pagination"]);
    assert_eq!(world.script.requests(), 2);
}

#[tokio::test]
async fn the_plain_twin_of_a_source_with_https_is_that_source() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    world.page().await.unwrap();
    assert_eq!(titles(&world.page_of("http://a.example/feed").await.unwrap()), ["one"]);
    assert_eq!(world.script.requests(), 1);
}

#[tokio::test]
async fn that_a_source_has_no_https_is_doubted_once_a_day() {
    let world = world(patient()).await;
    let plain = "http://a.example/feed";
    let (tell, told) = std::sync::mpsc::channel();
    world.script.answer(plain, move |request| {
        tell.send(request.https).unwrap();
        Ok(document(request, &rss(&[(1, "one")])))
    });
    for _ in 0..(2 * 96) {
        world.page_of(plain).await.unwrap();
        world.clock.advance_seconds(900);
    }
    let told: Vec<Https> = told.try_iter().collect();
    assert_eq!(told.len(), 2 * 96);
    let doubts = told.iter().filter(|https| **https == Https::Untried).count();
    assert_eq!(doubts, 3, "at first, and once in each of two days");
}
