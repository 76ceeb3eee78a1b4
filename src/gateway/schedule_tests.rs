//! When sources are asked: by readers and of itself, many at once, after a start and in trouble.

use std::time::Duration;

use futures_util::future::join_all;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use super::scheduler::Scheduler;
use super::world_for_tests::*;
use super::*;

impl World {
    fn scheduler(&self) -> Scheduler {
        Scheduler::new(Arc::clone(&self.gateway.desk), self.gateway.pollers.inboxes().clone())
    }

    /// Has that many feeds known, each on a domain of its own.
    async fn knows(&self, feeds: usize) {
        let reads = (0..feeds).map(|n| {
            let url = format!("https://d{n}.example/feed");
            self.script.answer(&url, |request| Ok(document(request, &rss(&[(1, "one")]))));
            let gateway = self.gateway.clone();
            async move { gateway.page(&request(&url)).await.map(|_| ()) }
        });
        for read in join_all(reads).await {
            read.unwrap();
        }
    }
}

#[tokio::test]
async fn few_polls_at_once_go_to_one_domain_and_others_do_not_wait_for_them() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    let page = |url: String| {
        let (script, gateway) = (world.script.clone(), world.gateway.clone());
        script.answer(&url, |request| Ok(document(request, &rss(&[(1, "one")]))));
        tokio::spawn(async move { gateway.page(&request(&url)).await.map(|_| ()) })
    };
    world.script.shut();
    let hoster: Vec<_> = (0..20).map(|n| page(format!("https://s{n}.hoster.example/f"))).collect();
    world.asked(4).await;
    let other = page("https://other.test/f".to_owned());
    world.asked(5).await;
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert_eq!(world.script.requests(), 5);
    let metrics = world.gateway.desk.metrics.text().unwrap();
    assert!(metrics.contains("mmsp_gateway_polls_waiting{at=\"domain\"} 16\n"), "{metrics}");
    world.script.open();
    for answer in join_all(hoster.into_iter().chain([other])).await {
        answer.unwrap().unwrap();
    }
    assert_eq!(world.script.requests(), 21);
}

#[tokio::test]
async fn what_fell_due_while_the_gateway_was_away_comes_little_by_little() {
    let world = world(patient()).await;
    world.knows(30).await;
    world.clock.advance_seconds(86_400);
    let mut scheduler = world.scheduler();
    for tick in 1..=3 {
        scheduler.tick().await;
        world.asked(30 + 4 * tick).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(world.script.requests(), 30 + 4 * tick);
    }
    // The rest waits for its turn, and is seen to.
    let metrics = world.gateway.desk.metrics.text().unwrap();
    assert!(!metrics.contains("mmsp_gateway_feeds_due 0\n"), "{metrics}");
}

#[tokio::test]
async fn the_schedule_survives_a_restart() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    world.page().await.unwrap();
    world.gateway.stop().await;
    world.clock.advance_seconds(899);
    let again = gateway(&world.folder, &world.script, &world.clock, patient()).await;
    page(&again, &request(URL)).await.unwrap();
    assert_eq!(world.script.requests(), 1);
    world.clock.advance_seconds(1);
    page(&again, &request(URL)).await.unwrap();
    assert_eq!(world.script.requests(), 2);
}

#[tokio::test]
async fn a_damaged_row_is_passed_over_and_stands_before_nobody() {
    let world = world(Settings { max_in_flight: 2, ..patient() }).await;
    world.knows(2).await;
    let path = world.folder.path().join("store.db");
    let mut database = SqliteConnectOptions::new().filename(path).connect().await.unwrap();
    let first = "UPDATE feed SET head = '{' WHERE first_url = 'https://d0.example/feed'";
    sqlx::query(first).execute(&mut database).await.unwrap();
    database.close().await.unwrap();
    world.clock.advance_seconds(900);
    let mut scheduler = world.scheduler();
    // One place: the damaged row may come first, but not again.
    let errors = "mmsp_gateway_store_errors_total{operation=\"find_feed\"} 1\n";
    let is_tried = || world.gateway.desk.metrics.text().unwrap().contains(errors);
    let asked = || world.script.requests_for("https://d1.example/feed");
    for _ in 0..1000 {
        scheduler.tick().await;
        if asked() == 2 && is_tried() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(asked(), 2);
    assert!(is_tried(), "and once");
}

#[tokio::test]
async fn a_source_that_fails_every_other_time_costs_no_reader_anything() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    world.page().await.unwrap();
    let turn = std::sync::atomic::AtomicUsize::new(0);
    world.script.answer(URL, move |request| {
        let turn = turn.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        match [500, 503, 429, 502].get(turn / 2 % 4) {
            Some(code) if turn.is_multiple_of(2) => Err(status(*code, None)),
            _ => Ok(document(request, &rss(&[(1, "one"), (turn as u32 + 2, "more")]))),
        }
    });
    let mut good = 0;
    for _ in 0..60 {
        world.clock.advance_seconds(60);
        let page = world.page().await.unwrap();
        assert_eq!(titles(&page).last().unwrap(), "one");
        good += usize::from(page.cache == CacheStatus::Refreshed { collapsed: false });
    }
    assert!(good >= 2, "{good}");
    let asked = world.script.requests();
    assert!(asked <= 13, "{asked} requests in an hour: the floor is five minutes");
}
