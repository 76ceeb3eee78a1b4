//! A fault of ours that a source brings about ends that source's poll, and nothing else.

use super::*;
use crate::gateway::script::BREAKING;

const OTHER: &str = "https://other.example/feed.xml";

fn broken(answer: Result<PageAnswer, GatewayError>) {
    match answer {
        Err(GatewayError::Source { failure, retry_after_seconds, .. }) => {
            assert_eq!(failure.kind, FailureKind::Malformed);
            assert!(retry_after_seconds >= 600, "{retry_after_seconds}");
        }
        answer => panic!("{answer:?}"),
    }
}

/// The broken feed is left alone, the others live, and it is counted.
async fn check(world: &World, panics: &str) {
    broken(world.page().await);
    broken(world.page().await);
    assert_eq!(world.script.requests(), 1);
    world.script.answer(OTHER, |request| Ok(document(request, &rss(&[(1, "one")]))));
    assert_eq!(titles(&world.gateway.page(&request(OTHER)).await.unwrap()), ["one"]);
    let metrics = world.gateway.desk.metrics.text().unwrap();
    assert!(metrics.contains(&format!("mmsp_gateway_panics_total {panics}\n")), "{metrics}");
    assert!(metrics.contains("mmsp_gateway_polls_in_flight 0\n"));
    world.clock.advance_seconds(1_000_000);
    world.shows(&[(1, "mended")]);
    assert_eq!(titles(&world.page().await.unwrap()), ["mended"]);
}

#[tokio::test]
async fn a_document_that_breaks_the_reader_ends_its_own_poll_and_is_counted() {
    let world = world(patient()).await;
    let body = str::from_utf8(BREAKING).unwrap();
    world.script.answer(URL, |request| Ok(document(request, body)));
    check(&world, "1").await;
}

#[tokio::test]
async fn a_source_that_breaks_its_poll_ends_that_only_and_is_counted() {
    let world = world(patient()).await;
    world.script.answer(URL, |_| panic!("told to break"));
    check(&world, "1").await;
}

#[tokio::test]
async fn a_known_feed_that_breaks_is_answered_from_memory_and_left_alone() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    world.page().await.unwrap();
    world.clock.advance_seconds(900);
    world.script.answer(URL, |_| panic!("told to break"));
    for _ in 0..3 {
        let answer = world.page().await.unwrap();
        assert_eq!(titles(&answer), ["one"]);
        assert!(matches!(answer.cache, CacheStatus::Stale { failure: Some(_), .. }));
    }
    assert_eq!(world.script.requests(), 2);
}
