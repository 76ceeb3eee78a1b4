//! The gateway against a scripted source, with a clock that stands still.

use futures_util::future::join_all;

use super::scheduler::Scheduler;
use super::world_for_tests::*;
use super::*;
use crate::clock::Clock;
use crate::fetch::{FetchError, Redirect, RedirectKind, Response};
use crate::paging::Limit;

#[tokio::test]
async fn a_thousand_callers_for_one_cold_feed_make_one_request() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    world.script.shut();
    let callers = (0..1000).map(|_| {
        let gateway = world.gateway.clone();
        tokio::spawn(async move { page(&gateway, &request(URL)).await })
    });
    let callers: Vec<_> = callers.collect();
    world.asked(1).await;
    world.script.open();
    let answers = join_all(callers).await;
    let statuses = answers.into_iter().map(|answer| answer.unwrap().unwrap().cache);
    let statuses: Vec<_> = statuses.collect();
    assert_eq!(world.script.requests(), 1);
    let alone = |status: &&CacheStatus| **status == CacheStatus::Miss { collapsed: false };
    assert!(statuses.iter().filter(alone).count() <= 1);
}

#[tokio::test]
async fn a_caller_who_leaves_stops_nothing() {
    let world = world(hasty()).await;
    world.shows(&[(1, "one")]);
    world.script.shut();
    let error = world.page().await.unwrap_err();
    assert!(matches!(error, GatewayError::SourceTimeout { .. }), "{error:?}");
    world.script.open();
    while world.page().await.is_err() {}
    assert_eq!(titles(&world.page().await.unwrap()), ["one"]);
    assert_eq!(world.script.requests(), 1);
}

#[tokio::test]
async fn a_fresh_feed_is_answered_without_asking_its_source() {
    let world = world(patient()).await;
    world.shows(&[(1, "one"), (2, "two")]);
    let first = world.page().await.unwrap();
    assert_eq!(first.cache, CacheStatus::Miss { collapsed: false });
    assert_eq!((first.max_age_seconds, titles(&first)), (900, vec!["two".into(), "one".into()]));
    world.clock.advance_seconds(100);
    let second = world.page().await.unwrap();
    assert_eq!(
        (second.cache, second.max_age_seconds, second.age_seconds),
        (CacheStatus::Hit, 800, 100)
    );
    assert_eq!(world.script.requests(), 1);
}

#[tokio::test]
async fn an_unchanged_feed_is_byte_identical() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    let before = world.page().await.unwrap();
    world.clock.advance_seconds(900);
    let same = world.page().await.unwrap();
    world.script.answer(URL, |request| {
        assert_eq!(request.validators.etag.as_deref(), Some(b"\"1\"".as_slice()));
        Ok(not_modified(request))
    });
    world.clock.advance_seconds(900);
    let not_modified = world.page().await.unwrap();
    assert_eq!(world.script.requests(), 3);
    for answer in [same, not_modified] {
        assert_eq!(answer.cache, CacheStatus::Refreshed { collapsed: false });
        assert_eq!(answer.page.body, before.page.body);
        assert_eq!(answer.page.last_modified, before.page.last_modified);
    }
}

#[tokio::test]
async fn a_source_that_only_says_304_is_asked_for_all_of_it_once_a_day() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    world.page().await.unwrap();
    world.clock.advance_seconds(86_400);
    world.script.answer(URL, |request| {
        assert!(request.validators.is_empty());
        Ok(document(request, &rss(&[(1, "one")])))
    });
    let answer = world.page().await.unwrap();
    assert_eq!(answer.cache, CacheStatus::Refreshed { collapsed: false });
}

#[tokio::test]
async fn items_stay_after_the_source_dropped_them_and_after_a_restart() {
    let world = world(patient()).await;
    world.shows(&[(1, "one"), (2, "two")]);
    world.page().await.unwrap();
    world.clock.advance_seconds(900);
    world.shows(&[(2, "two, mended"), (3, "three")]);
    let kept = ["three", "two, mended", "one"];
    assert_eq!(titles(&world.page().await.unwrap()), kept);
    world.gateway.stop().await;
    let again = gateway(&world.folder, &world.script, &world.clock, patient()).await;
    let answer = page(&again, &request(URL)).await.unwrap();
    assert_eq!(
        (answer.cache.clone(), titles(&answer)),
        (CacheStatus::Stored, kept.map(Into::into).into())
    );
    assert_eq!(world.script.requests(), 2);
}

#[tokio::test]
async fn a_walk_reaches_every_item_once_while_news_arrives() {
    let world = world(patient()).await;
    world.shows(&[(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e")]);
    let limit = Limit::parse("2").ok();
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let request = PageRequest { cursor, limit, ..request(URL) };
        let answer = page(&world.gateway, &request).await.unwrap();
        seen.extend(titles(&answer));
        assert!(
            answer.page.next_url.is_none()
                || answer.page.next_url.as_ref().unwrap().contains("&limit=2")
        );
        cursor = cursor_of(&answer);
        if cursor.is_none() {
            break;
        }
        world.clock.advance_seconds(900);
        world.shows(&[(4, "d"), (5, "e"), (6, "f"), (7, "g")]);
    }
    assert_eq!(seen, ["e", "d", "c", "b", "a"]);
}

#[tokio::test]
async fn a_failed_poll_costs_the_reader_nothing() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    world.page().await.unwrap();
    world.clock.advance_seconds(1000);
    world.fails(500, None);
    for _ in 0..2 {
        let answer = world.page().await.unwrap();
        let CacheStatus::Stale { seconds: 100, failure: Some(failure) } = &answer.cache else {
            panic!("{:?}", answer.cache);
        };
        assert_eq!(failure.kind, FailureKind::Unavailable);
        assert_eq!((titles(&answer), answer.max_age_seconds), (vec!["one".into()], 300));
    }
    assert_eq!(world.script.requests(), 2, "it is left alone for a while");
    world.clock.advance_seconds(400);
    world.shows(&[(2, "two")]);
    assert_eq!(titles(&world.page().await.unwrap()), ["two", "one"]);
}

#[tokio::test]
async fn a_source_that_is_slow_with_news_is_answered_stale() {
    let world = world(hasty()).await;
    world.shows(&[(1, "one")]);
    while world.page().await.is_err() {}
    world.clock.advance_seconds(900);
    world.shows(&[(2, "two")]);
    world.script.shut();
    let answer = world.page().await.unwrap();
    assert_eq!(titles(&answer), ["one"]);
    assert_eq!(answer.cache, CacheStatus::Stale { seconds: 0, failure: None });
    world.script.open();
    while titles(&world.page().await.unwrap()) == ["one"] {}
    assert_eq!(world.script.requests(), 2);
}

#[tokio::test]
async fn a_failure_of_an_unknown_url_is_remembered_and_not_stored() {
    let world = world(patient()).await;
    world.fails(404, None);
    for _ in 0..3 {
        let Err(GatewayError::Source { failure, retry_after_seconds, .. }) = world.page().await
        else {
            panic!("no failure");
        };
        assert_eq!(failure.kind, FailureKind::NotFound);
        assert!((300..=360).contains(&retry_after_seconds));
    }
    assert_eq!(world.script.requests(), 1);
    world.clock.advance_seconds(361);
    let Err(GatewayError::Source { retry_after_seconds, .. }) = world.page().await else {
        panic!("no failure");
    };
    assert!((600..=720).contains(&retry_after_seconds), "doubled: {retry_after_seconds}");
    let url = SourceUrl::parse(URL).unwrap();
    assert_eq!(world.gateway.desk.store.find_feed(&url).await.unwrap(), None);
    world.clock.advance_seconds(721);
    world.shows(&[(1, "one")]);
    assert_eq!(titles(&world.page().await.unwrap()), ["one"]);
}

#[tokio::test]
async fn what_is_no_feed_is_remembered_for_ten_minutes() {
    let world = world(patient()).await;
    world.script.answer(URL, |request| Ok(document(request, "{\"no\":\"feed\"}")));
    let Err(GatewayError::Source { failure, retry_after_seconds, .. }) = world.page().await else {
        panic!("no failure");
    };
    assert_eq!(failure.kind, FailureKind::NotAFeed);
    assert!((600..=720).contains(&retry_after_seconds));
}

#[tokio::test]
async fn a_retry_after_is_obeyed_whole() {
    let world = world(patient()).await;
    world.fails(429, Some(100_000));
    let Err(GatewayError::Source { failure, retry_after_seconds, .. }) = world.page().await else {
        panic!("no failure");
    };
    assert_eq!((failure.kind, retry_after_seconds), (FailureKind::BackingOff, 100_000));
    world.clock.advance_seconds(99_999);
    assert!(world.page().await.is_err());
    assert_eq!(world.script.requests(), 1);
}

#[tokio::test]
async fn half_a_document_only_adds() {
    let world = world(patient()).await;
    world.shows(&[(1, "one"), (2, "two")]);
    world.page().await.unwrap();
    world.clock.advance_seconds(900);
    let cut = rss(&[(3, "three"), (2, "changed")]).replace("</channel></rss>", "<item><gu");
    world.script.answer(URL, move |request| Ok(document(request, &cut)));
    assert_eq!(titles(&world.page().await.unwrap()), ["three", "two", "one"]);
    world.clock.advance_seconds(900);
    world.script.answer(URL, |request| {
        assert!(request.validators.is_empty());
        Ok(document(request, &rss(&[(3, "three"), (2, "changed")])))
    });
    assert_eq!(titles(&world.page().await.unwrap()), ["three", "changed", "one"]);
}

#[tokio::test]
async fn http_and_its_https_twin_are_one_feed_once_a_read_proved_it() {
    let world = world(patient()).await;
    world.script.answer("http://a.example/feed", |request| {
        let (from, to) = (request.url.clone(), request.url.upgraded().unwrap());
        let redirects = vec![Redirect { from, to: to.clone(), kind: RedirectKind::Upgrade }];
        Ok(Response { url: to, redirects, ..document(request, &rss(&[(1, "one")])) })
    });
    let plain = world.page_of("http://a.example/feed").await.unwrap();
    let secure = world.page().await.unwrap();
    assert_eq!(world.script.requests(), 1);
    assert_eq!(json(&plain)["pagination"], json(&secure)["pagination"], "cursors fit both");
    assert!(plain.page.feed_url.contains("http%3A%2F%2Fa.example"));
    assert!(secure.page.feed_url.contains("https%3A%2F%2Fa.example"));
}

#[tokio::test]
async fn a_cursor_of_another_feed_is_refused() {
    let world = world(patient()).await;
    world.shows(&[(1, "one"), (2, "two")]);
    let limit = Limit::parse("1").ok();
    let first = page(&world.gateway, &PageRequest { limit, ..request(URL) }).await.unwrap();
    let cursor = cursor_of(&first);
    let other = "https://b.example/feed";
    world.script.answer(other, |request| Ok(document(request, &rss(&[(1, "one")]))));
    for cursor in [cursor, Some("x".to_owned()), Some(String::new())] {
        let request = PageRequest { cursor, ..request(other) };
        let error = page(&world.gateway, &request).await.unwrap_err();
        assert!(matches!(error, GatewayError::InvalidCursor(_)), "{error:?}");
    }
}

#[tokio::test]
async fn beyond_the_limit_of_polls_a_reader_is_sent_away() {
    let world = world(Settings { max_in_flight: 1, ..hasty() }).await;
    world.shows(&[(1, "one")]);
    world.script.shut();
    assert!(matches!(world.page().await, Err(GatewayError::SourceTimeout { .. })));
    world.asked(1).await;
    let landing = world.gateway.pollers.poll(Target::New(SourceUrl::parse("b.example").unwrap()));
    let result = landing.await.result;
    assert!(matches!(result, Err(GatewayError::Overloaded { .. })), "{result:?}");
    world.script.open();
}

#[tokio::test]
async fn feeds_asked_for_lately_are_polled_when_nobody_asks() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    world.page().await.unwrap();
    let desk = Arc::clone(&world.gateway.desk);
    let mut scheduler = Scheduler::new(desk, world.gateway.pollers.inboxes().clone());
    scheduler.tick().await;
    assert_eq!(world.script.requests(), 1, "not due yet");
    world.clock.advance_seconds(900);
    world.shows(&[(2, "two")]);
    scheduler.tick().await;
    world.asked(2).await;
    while titles(&world.page().await.unwrap()).len() < 2 {}
    assert_eq!(world.script.requests(), 2);
    world.clock.advance_seconds(8 * 86_400);
    scheduler.tick().await;
    let url = SourceUrl::parse(URL).unwrap();
    let key = world.gateway.desk.store.find_feed(&url).await.unwrap().unwrap().key;
    world.gateway.desk.store.asked(&[key], world.clock.now()).await.unwrap();
    assert_eq!(world.script.requests(), 2, "nobody asked for a week");
    scheduler.tick().await;
    world.asked(3).await;
}

#[tokio::test]
async fn a_stop_waits_for_the_polls_under_way() {
    let world = world(hasty()).await;
    world.shows(&[(1, "one")]);
    world.script.shut();
    assert!(world.page().await.is_err());
    let stopping = tokio::spawn({
        let gateway = world.gateway.clone();
        async move { gateway.stop().await }
    });
    tokio::task::yield_now().await;
    world.script.open();
    stopping.await.unwrap();
    let url = SourceUrl::parse(URL).unwrap();
    assert!(world.gateway.desk.store.find_feed(&url).await.unwrap().is_some());
    let late = world.page_of("https://late.example/").await.unwrap_err();
    assert!(matches!(late, GatewayError::Overloaded { .. }), "{late:?}");
}

#[tokio::test]
async fn what_may_not_be_fetched_is_refused_without_the_network() {
    let folder = tempfile::tempdir().unwrap();
    let parts = parts(&folder, &Clock::system(), patient()).await;
    let gateway = Gateway::start(parts).await.unwrap();
    for (url, kind) in [
        ("https://127.0.0.1/feed", FailureKind::AddressNotAllowed),
        ("https://[::1]/feed", FailureKind::AddressNotAllowed),
        ("https://gw.example/mmsp/feed?url=a.example", FailureKind::Loop),
    ] {
        let Err(GatewayError::Source { failure, .. }) = gateway.page(&request(url)).await else {
            panic!("{url} was fetched");
        };
        assert_eq!(failure.kind, kind, "{url}");
    }
    gateway.stop().await;
}

#[tokio::test]
async fn an_address_whose_host_rests_is_asked_as_soon_as_that_is_over() {
    let world = world(patient()).await;
    world.script.answer(URL, |_| Err(FetchError::Resting { seconds: 1 }));
    let error = world.page().await.unwrap_err();
    let told = matches!(error, GatewayError::Source { retry_after_seconds: 1, .. });
    assert!(told, "{error:?}");
    world.shows(&[(1, "one")]);
    world.clock.advance_seconds(1);
    assert_eq!(titles(&world.page().await.unwrap()), ["one"]);
    world.gateway.stop().await;
}
