//! The memory kept within its limits, on a clock that stands still.

use std::sync::Arc;
use std::time::Duration;

use super::desk::Desk;
use super::sweeper::Sweeper;
use super::world_for_tests::*;
use super::*;
use crate::paging::Limit;
use crate::store::Store;

const OTHER: &str = "https://b.example/feed";
const THIRD: &str = "https://c.example/feed";

/// A store that a gateway filled and left, and a sweeper with these limits on it.
struct Left {
    world: World,
    retention: Retention,
}

impl Left {
    /// Three feeds, of nine items each, asked for a day after one another; each then shows three.
    async fn of_three(retention: Retention) -> Self {
        let world = world(patient()).await;
        for url in [URL, OTHER, THIRD] {
            for shown in [1..10, 7..10] {
                let items: Vec<_> = shown.map(|n| (n, "item")).collect();
                let body = rss(&items);
                world.script.answer(url, move |request| Ok(document(request, &body)));
                world.page_of(url).await.unwrap();
                world.clock.advance_seconds(1000);
            }
            world.clock.advance_seconds(86_400);
        }
        world.gateway.stop().await;
        Self { world, retention }
    }

    /// Sweeps as many times as any limit needs.
    async fn sweep(&self) -> Arc<Desk> {
        let parts = parts(&self.world.folder, &self.world.clock, patient()).await;
        let desk = Arc::new(Desk::new(Parts { retention: self.retention.clone(), ..parts }));
        // The lease of the gateway that left runs out.
        self.world.clock.advance_seconds(100);
        let mut sweeper = Sweeper::new(Arc::clone(&desk));
        for _ in 0..20 {
            sweeper.tick().await.unwrap();
        }
        desk
    }
}

async fn items(store: &Store, url: &str) -> Option<usize> {
    let feed = store.find_feed(&SourceUrl::parse(url).unwrap()).await.unwrap()?;
    let span = crate::paging::Span::limited(Limit::parse("500").unwrap());
    Some(store.stretch(&feed.key, None, &span).await.unwrap().entries.len())
}

#[tokio::test]
async fn within_its_limits_nothing_goes() {
    let left = Left::of_three(Retention::default()).await;
    let desk = left.sweep().await;
    for url in [URL, OTHER, THIRD] {
        assert_eq!(items(&desk.store, url).await, Some(9));
    }
    let metrics = desk.metrics.text().unwrap();
    for line in ["swept_total{what=\"items\"} 0", "store_feeds 3", "store_items 27", "sweeping 1"] {
        assert!(metrics.contains(&format!("mmsp_gateway_{line}\n")), "{line}");
    }
}

#[tokio::test]
async fn the_oldest_items_of_a_feed_too_large_go_but_none_that_the_source_shows() {
    for (max_items_per_feed, kept) in [(5, 5), (1, 3)] {
        let left = Left::of_three(Retention { max_items_per_feed, ..Retention::default() }).await;
        let desk = left.sweep().await;
        for url in [URL, OTHER, THIRD] {
            assert_eq!(items(&desk.store, url).await, Some(kept));
        }
        let swept = format!("swept_total{{what=\"items\"}} {}", 3 * (9 - kept));
        assert!(desk.metrics.text().unwrap().contains(&swept));
    }
}

#[tokio::test]
async fn a_feed_that_nobody_asks_for_goes() {
    let left = Left::of_three(Retention { keep_unasked_days: 3, ..Retention::default() }).await;
    let desk = left.sweep().await;
    assert_eq!(items(&desk.store, URL).await, None);
    assert_eq!(items(&desk.store, OTHER).await, Some(9));
    assert_eq!(desk.store.info().await.unwrap().items, 18);
}

#[tokio::test]
async fn where_all_is_too_much_the_feeds_go_that_nobody_asked_for_the_longest() {
    let left = Left::of_three(Retention::default()).await;
    let sizes = left.world.gateway.desk.store.sizes(None, 9).await.unwrap();
    let all: i64 = sizes.iter().map(|feed| feed.bytes + feed.other_bytes).sum();
    let max_bytes = u64::try_from(all / 3 * 2 + 100).unwrap();
    let left = Left { retention: Retention { max_bytes, ..left.retention }, ..left };
    let desk = left.sweep().await;
    assert_eq!(items(&desk.store, URL).await, None);
    assert_eq!(items(&desk.store, OTHER).await, Some(9));
    assert_eq!(items(&desk.store, THIRD).await, Some(9));
}

#[tokio::test]
async fn a_feed_forgotten_elsewhere_leaves_the_caches_and_is_read_anew() {
    let world = world(patient()).await;
    world.shows(&[(1, "one"), (2, "two")]);
    world.page().await.unwrap();
    world.shows(&[(2, "two")]);
    let other = parts(&world.folder, &world.clock, patient()).await.store;
    let feed = other.find_feed(&SourceUrl::parse(URL).unwrap()).await.unwrap().unwrap();
    other.forget(&feed.key, world.clock.now()).await.unwrap();
    let answer = tokio::time::timeout(Duration::from_secs(60), async {
        // The gateway looks every second.
        while world.script.requests() < 2 {
            world.page().await.unwrap();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        world.page().await.unwrap()
    });
    assert_eq!(titles(&answer.await.unwrap()), ["two"], "its history went with it");
}
