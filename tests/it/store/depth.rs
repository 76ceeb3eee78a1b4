//! A page deep down costs what the first one costs.

use std::env;
use std::ops::Range;
use std::time::{Duration, Instant};

use mmsp_gateway::model::{FeedKey, SourceType, SourceUrl, Timestamp, Validators};
use mmsp_gateway::paging::{Limit, Position, Span};
use mmsp_gateway::store::{
    FeedRecord, History, Merge, ReadState, Schedule, Settings, Store, StoredItem,
};
use tokio::runtime::Builder;

use crate::support::postgres::Server;

/// How many items; `ITEMS=1000000` is what `docs/scaling.md` tells.
fn size() -> u32 {
    env::var("ITEMS").map_or(3_000, |items| items.parse().unwrap())
}

#[test]
fn a_page_is_found_at_any_depth() {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}", folder.path().join("deep.db").display());
    for url in [file, Server::shared().new_database()] {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        eprintln!("{}", runtime.block_on(measure(&url)));
    }
}

/// Walks to three pages, and tells what it took.
async fn measure(url: &str) -> String {
    let store = Store::open(&Settings { url: url.into(), ..Settings::default() }).await.unwrap();
    let begun = Instant::now();
    let feed = fill(&store).await;
    let filled = begun.elapsed();
    let last = size() / 100;
    let mut times = Vec::new();
    for number in [0, last / 2, last - 1] {
        times.push((number + 1, page(&store, &feed, number).await));
    }
    store.close().await;
    format!("{} items written in {filled:?}; times of a page: {times:?}", size())
}

/// The median time of a page of a hundred items, which must be the right ones.
async fn page(store: &Store, feed: &FeedRecord, number: u32) -> Duration {
    let span = Span::limited(Limit::parse("100").unwrap());
    let newest = size() - 1 - number * 100;
    let below = (number > 0).then(|| position(newest + 1));
    let mut times = Vec::new();
    for _ in 0..25 {
        let begun = Instant::now();
        let stretch = store.stretch(&feed.key, below.as_ref(), &span).await.unwrap();
        times.push(begun.elapsed());
        assert_eq!(stretch.entries.len(), 100);
        assert_eq!(stretch.entries[0].position, position(newest));
    }
    times.sort_unstable();
    times[12]
}

async fn fill(store: &Store) -> FeedRecord {
    let record = record();
    for start in (0..size()).step_by(10_000) {
        let items = items(start..size().min(start + 10_000));
        let merge = Merge {
            record: &record,
            aliases: &[],
            items: &items,
            deleted: &[],
            keep_only: None,
            now: Timestamp::EPOCH,
        };
        store.merge(&merge).await.unwrap();
    }
    record
}

fn items(numbers: Range<u32>) -> Vec<StoredItem> {
    let item = |n| StoredItem {
        position: position(n),
        hash: [0; 16],
        twin: -1,
        mended: 0,
        json: format!("{{\"id\":\"urn:item:{n}\",\"description\":\"{}\"}}", "x".repeat(400)),
    };
    numbers.map(item).collect()
}

/// Three items a second, so that ids decide too.
fn position(n: u32) -> Position {
    let published = Timestamp::saturating(i64::from(n / 3));
    Position { published, id: format!("urn:item:{n:07}") }
}

fn record() -> FeedRecord {
    let url = SourceUrl::parse("https://deep.example/").unwrap();
    let now = Timestamp::EPOCH;
    FeedRecord {
        key: FeedKey::of(&url),
        first_url: url.clone(),
        url: url.clone(),
        feed: serde_json::from_str(r#"{"id":"x:deep","title":"Deep"}"#).unwrap(),
        source_type: SourceType::Rss,
        media_type: "application/rss+xml".to_owned(),
        page_url: None,
        floor: None,
        recommended_seconds: 3600,
        moved_to: None,
        deprecated: false,
        version: 0,
        pages_changed_at: now,
        moving: None,
        history: History::default(),
        read: ReadState {
            url,
            validators: Validators::default(),
            body_hash: None,
            revision: 1,
            read_at: now,
            hint_seconds: 0,
            quiet_times: Default::default(),
            summary: None,
        },
        schedule: Schedule {
            polled_at: now,
            succeeded_at: now,
            fresh_until: now,
            next_poll_at: now,
            failures: 0,
            failure: None,
            failing_since: None,
        },
        asked_at: now,
    }
}
