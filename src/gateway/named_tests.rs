//! Feeds that have names: read and polled though nobody asks, and kept whatever the limits say.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::scheduler::Scheduler;
use super::sweeper::Sweeper;
use super::world_for_tests::*;
use super::*;
use crate::fetch::{Redirect, RedirectKind, Response};
use crate::model::FeedName;

const OTHER: &str = "https://b.example/feed";

fn named(url: &str) -> NamedFeeds {
    let feeds = BTreeMap::from([("blog".to_owned(), FeedSettings { url: url.to_owned() })]);
    NamedFeeds::parse(&feeds, "").unwrap()
}

fn by_name(url: &str) -> PageRequest {
    PageRequest { name: FeedName::parse("blog").ok(), ..request(url) }
}

impl World {
    /// The scheduler of a process that has just begun, beside the gateway's own.
    fn attendant(&self) -> Scheduler {
        Scheduler::new(Arc::clone(&self.gateway.desk), self.gateway.pollers.inboxes().clone())
    }

    /// Ticks until the source has been asked that many times, and what it said is known.
    async fn attended(&self, scheduler: &mut Scheduler, times: usize) {
        while self.script.requests() < times {
            scheduler.tick().await;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // Whoever asks now waits for the poll that is under way, and starts none.
        drop(self.gateway.page(&request(URL)).await);
        assert_eq!(self.script.requests(), times);
    }
}

#[tokio::test]
async fn a_named_feed_is_read_and_polled_though_nobody_asks_and_nothing_is_kept_fresh() {
    let world = world(Settings { keep_fresh_days: 0, ..patient() }).await;
    world.shows(&[(1, "one")]);
    world.gateway.name_feeds(named(URL));
    let mut scheduler = world.attendant();
    for round in 1..5 {
        world.attended(&mut scheduler, round).await;
        for _ in 0..3 {
            scheduler.tick().await;
        }
        assert_eq!(world.script.requests(), round, "not due yet");
        world.clock.advance_seconds(1000);
    }
}

#[tokio::test]
async fn a_named_feed_that_fails_is_tried_again_when_its_back_off_is_over() {
    let world = world(patient()).await;
    world.fails(500, None);
    world.gateway.name_feeds(named(URL));
    let mut scheduler = world.attendant();
    world.attended(&mut scheduler, 1).await;
    world.clock.advance_seconds(60);
    for _ in 0..3 {
        scheduler.tick().await;
    }
    assert_eq!(world.script.requests(), 1);
    world.shows(&[(1, "one")]);
    world.clock.advance_seconds(3_000);
    world.attended(&mut scheduler, 2).await;
    assert_eq!(titles(&world.page().await.unwrap()), ["one"]);
}

#[tokio::test]
async fn a_named_feed_that_was_forgotten_is_read_anew() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    world.gateway.name_feeds(named(URL));
    let mut scheduler = world.attendant();
    world.attended(&mut scheduler, 1).await;
    let desk = &world.gateway.desk;
    let key = desk.find_known(&SourceUrl::parse(URL).unwrap()).await.unwrap().unwrap().record.key;
    desk.store.forget(&key, world.clock.now()).await.unwrap();
    desk.drop_feed(&key).await;
    world.clock.advance_seconds(300);
    world.attended(&mut scheduler, 2).await;
}

#[tokio::test]
async fn names_are_exchanged_while_the_gateway_runs() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    let mut scheduler = world.attendant();
    scheduler.tick().await;
    assert_eq!(world.script.requests(), 0);
    world.gateway.name_feeds(named(URL));
    assert_eq!(world.gateway.named().iter().count(), 1);
    world.attended(&mut scheduler, 1).await;
    world.gateway.name_feeds(NamedFeeds::default());
    assert_eq!(world.gateway.named().iter().count(), 0);
}

#[tokio::test]
async fn named_feeds_outlive_the_days_and_the_bytes_that_others_go_by() {
    for limit in [
        Retention { keep_unasked_days: 3, ..Retention::default() },
        Retention { max_bytes: 1, ..Retention::default() },
    ] {
        let world = world(patient()).await;
        for url in [URL, OTHER] {
            let body = rss(&[(1, "one")]);
            world.script.answer(url, move |request| Ok(document(request, &body)));
            world.page_of(url).await.unwrap();
        }
        world.gateway.stop().await;
        world.clock.advance_seconds(10 * 86_400);
        let parts = parts(&world.folder, &world.clock, patient()).await;
        let desk = Desk::new(Parts { retention: limit, named: named(URL), ..parts });
        let desk = Arc::new(desk);
        let mut sweeper = Sweeper::new(Arc::clone(&desk));
        for _ in 0..20 {
            sweeper.tick().await.unwrap();
        }
        let kept = async |url: &str| {
            desk.store.find_feed(&SourceUrl::parse(url).unwrap()).await.unwrap().is_some()
        };
        assert!(kept(URL).await);
        assert!(!kept(OTHER).await);
    }
}

#[tokio::test]
async fn a_name_outlives_the_move_of_its_source() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    let first = page(&world.gateway, &by_name(URL)).await.unwrap();
    let moved = rss(&[(1, "one"), (2, "two")]);
    world.script.answer(URL, move |request| {
        let (from, to) = (request.url.clone(), SourceUrl::parse(OTHER).unwrap());
        let hop = Redirect { from, to: to.clone(), kind: RedirectKind::Permanent };
        Ok(Response { url: to, redirects: vec![hop], ..document(request, &moved) })
    });
    for _ in 0..4 {
        world.clock.advance_seconds(86_400);
        let body = rss(&[(1, "one"), (2, "two")]);
        world.script.answer(OTHER, move |request| Ok(document(request, &body)));
        page(&world.gateway, &by_name(URL)).await.unwrap();
    }
    let by_url = page(&world.gateway, &request(URL)).await.unwrap();
    assert!(json(&by_url).get("moved_to").is_some(), "it has moved");
    let named = page(&world.gateway, &by_name(URL)).await.unwrap();
    assert_eq!(json(&named).get("moved_to"), None);
    assert_eq!(titles(&named), ["two", "one"]);
    for member in ["id", "feed_url"] {
        assert_eq!(json(&named)[member], json(&first)[member]);
    }
    assert!(world.script.requests_for(OTHER) > 0, "it is polled where it is now");
}

#[tokio::test]
async fn a_feed_has_one_history_under_both_its_addresses_and_each_page_names_its_own() {
    let world = world(patient()).await;
    world.shows(&[(1, "one"), (2, "two"), (3, "three")]);
    let limit = crate::paging::Limit::parse("2").ok();
    let get = async |request: PageRequest| page(&world.gateway, &request).await.unwrap();
    let by_url = get(PageRequest { limit, ..request(URL) }).await;
    let named = get(PageRequest { limit, ..by_name(URL) }).await;
    assert_eq!(world.script.requests(), 1);
    assert_eq!(titles(&by_url), titles(&named));
    let first = "https://gw.example/mmsp/blog.json?limit=2";
    assert_eq!(json(&named)["feed_url"], first);
    assert!(json(&named)["next_url"].as_str().unwrap().starts_with(&format!("{first}&cursor=")));
    assert_eq!(named.page.origin.manifest_url, None);
    assert!(json(&by_url)["feed_url"].as_str().unwrap().contains("/mmsp/feed?url="));
    let again = get(PageRequest { limit, ..by_name(URL) }).await;
    assert_eq!(again.cache, CacheStatus::Hit);
    assert_eq!(again.page.body, named.page.body);
    // A cursor is the feed's, whichever address it was given under.
    let cursor = cursor_of(&by_url);
    assert_eq!(titles(&get(PageRequest { cursor, ..by_name(URL) }).await), ["one"]);
}
