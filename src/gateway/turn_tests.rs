//! Two gateways on one store.

use futures_util::future::{join, join_all};

use super::world_for_tests::*;
use super::*;

/// A world and a second gateway in it.
async fn pair() -> (World, Gateway) {
    let world = world(patient()).await;
    let other = gateway(&world.folder, &world.script, &world.clock, patient()).await;
    (world, other)
}

/// Asks both at once, some times each, and lets the source answer when it was asked.
async fn ask_both(
    world: &World,
    other: &Gateway,
    times_before: usize,
) -> Vec<Result<PageAnswer, GatewayError>> {
    world.script.shut();
    let asking = (0..20).map(|n| {
        let gateway = if n % 2 == 0 { world.gateway.clone() } else { other.clone() };
        async move { page(&gateway, &request(URL)).await }
    });
    let opening = async {
        world.asked(times_before + 1).await;
        world.script.open();
    };
    join(join_all(asking), opening).await.0
}

#[tokio::test]
async fn a_cold_feed_is_polled_once_among_all() {
    let (world, other) = pair().await;
    world.shows(&[(1, "one")]);
    for answer in ask_both(&world, &other, 0).await {
        assert_eq!(titles(&answer.unwrap()), ["one"]);
    }
    assert_eq!(world.script.requests(), 1);
    let texts = [&world.gateway, &other].map(|gateway| gateway.desk.metrics.text().unwrap());
    let waited = |text: &&String| text.contains("lease_requests_total{outcome=\"refused\"} 1\n");
    assert_eq!(texts.iter().filter(waited).count(), 1, "one of them waited for the other");
    assert!(texts.iter().all(|text| text.contains("polls_waiting{at=\"turn\"} 0\n")));
}

#[tokio::test]
async fn a_due_feed_is_polled_once_among_all_and_each_sees_the_news() {
    let (world, other) = pair().await;
    world.shows(&[(1, "one")]);
    ask_both(&world, &other, 0).await;
    world.clock.advance_seconds(1000);
    world.shows(&[(2, "two"), (1, "one")]);
    for answer in ask_both(&world, &other, 1).await {
        assert_eq!(titles(&answer.unwrap()), ["two", "one"]);
    }
    assert_eq!(world.script.requests(), 2);
}

#[tokio::test]
async fn a_failure_is_told_to_all_who_waited() {
    let (world, other) = pair().await;
    world.fails(404, None);
    for answer in ask_both(&world, &other, 0).await {
        let GatewayError::Source { failure, .. } = answer.unwrap_err() else { panic!() };
        assert_eq!(failure.kind, FailureKind::NotFound);
    }
    assert_eq!(world.script.requests(), 1);
}

#[tokio::test]
async fn the_back_off_of_one_is_kept_by_all() {
    let (world, other) = pair().await;
    world.shows(&[(1, "one")]);
    ask_both(&world, &other, 0).await;
    world.clock.advance_seconds(1000);
    world.fails(500, None);
    for answer in ask_both(&world, &other, 1).await {
        let answer = answer.unwrap();
        assert!(matches!(answer.cache, CacheStatus::Stale { failure: Some(_), .. }));
        assert_eq!(titles(&answer), ["one"]);
    }
    assert_eq!(world.script.requests(), 2);
}

#[tokio::test]
async fn a_poll_outlives_a_lease_that_it_renews() {
    let world = world(Settings { lease_seconds: 3, ..patient() }).await;
    let store = &world.gateway.desk.store;
    world.shows(&[(1, "one")]);
    world.script.shut();
    let asking = world.page();
    let watching = async {
        world.asked(1).await;
        // The clock runs on past the lease, and with it goes each renewal.
        let key = desk::flight_key(&SourceUrl::parse(URL).unwrap());
        let lease_seconds = world.gateway.desk.settings.lease_seconds();
        world.clock.advance_seconds(lease_seconds - 1);
        tokio::time::sleep(world.gateway.desk.settings.lease_renewal() * 3 / 2).await;
        world.clock.advance_seconds(lease_seconds - 1);
        let now = world.clock.now();
        let lease = store.lease(&key, "another", now, now.plus_seconds(1)).await.unwrap();
        world.script.open();
        lease
    };
    let (answer, lease) = join(asking, watching).await;
    assert_eq!(titles(&answer.unwrap()), ["one"]);
    assert_eq!(lease, crate::store::Lease::Theirs { word: None });
}
