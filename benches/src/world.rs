//! A gateway inside this process, on a clock that is moved by hand, and what its store is filled with.

use std::ops::Range;

use mmsp_gateway::clock::Clock;
use mmsp_gateway::convert::Limits;
use mmsp_gateway::gateway::{Answer, Gateway, PageAnswer, PageRequest, Parts, Waits};
use mmsp_gateway::metrics::Metrics;
use mmsp_gateway::model::{FeedKey, SourceType, SourceUrl, Timestamp, Validators};
use mmsp_gateway::paging::Position;
use mmsp_gateway::settings::{self, Depth};
use mmsp_gateway::store::{
    self, FeedRecord, History, Merge, ReadState, Schedule, Store, StoredItem,
};
use tokio::runtime::{Builder, Runtime};

/// When everything here happens.
#[must_use]
pub fn now() -> Timestamp {
    Timestamp::saturating(1_800_000_000)
}

/// An event loop for one thread.
#[must_use]
pub fn event_loop() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Opens the store at that URL.
pub async fn open(url: &str) -> Store {
    let settings = store::Settings { url: url.into(), ..store::Settings::default() };
    Store::open(&settings).await.unwrap()
}

/// A gateway that reads from loopback, and whose readers wait for news as long as it takes.
pub async fn gateway(store: Store, clock: &Clock) -> Gateway {
    let variables = [
        ("FETCH__ALLOW_NETWORKS", "127.0.0.0/8"),
        ("FETCH__DNS_SERVERS", "127.0.0.1"),
        ("POLL__STALE_WAIT_MS", "600000"),
        ("POLL__READER_WAIT_MS", "600000"),
    ];
    let variables = variables.map(|(name, value)| (format!("MMSP_GATEWAY__{name}"), value));
    let variables = variables.map(|(name, value)| (name.into(), value.into()));
    let settings = settings::load(&[], variables, Depth::Values).unwrap().settings;
    let parts = Parts {
        named: settings.named_feeds().unwrap(),
        poll: settings.poll,
        fetch: settings.fetch,
        retention: settings.retention,
        normalize: settings.normalize,
        // Twice what is read of a document otherwise, so that growth shows up to the limit.
        limits: Limits { max_entries: 20_000, ..Limits::default() },
        cache: settings.cache,
        store,
        clock: clock.clone(),
        metrics: Metrics::new().unwrap(),
        public_url: "https://feeds.example".into(),
    };
    Gateway::start(parts).await.unwrap()
}

/// The page that a request ends in.
pub async fn page(gateway: &Gateway, request: &PageRequest) -> PageAnswer {
    match gateway.page(request).await.unwrap() {
        Answer::Page(page) => page,
        Answer::Native(native) => panic!("sent to {}", native.url),
    }
}

/// A request for the first page of the feed at that address.
#[must_use]
pub fn request(url: &SourceUrl) -> PageRequest {
    PageRequest { url: url.clone(), name: None, cursor: None, limit: None, waits: Waits::default() }
}

/// A feed that was polled just now and is not due for a year.
#[must_use]
pub fn record(url: &SourceUrl) -> FeedRecord {
    let now = now();
    FeedRecord {
        key: FeedKey::of(url),
        first_url: url.clone(),
        url: url.clone(),
        feed: serde_json::from_str(HEAD).unwrap(),
        source_type: SourceType::Rss,
        media_type: "application/rss+xml".to_owned(),
        page_url: None,
        floor: Some(position(0)),
        recommended_seconds: 3600,
        moved_to: None,
        deprecated: false,
        version: 0,
        pages_changed_at: now,
        moving: None,
        history: History::default(),
        read: ReadState {
            url: url.clone(),
            validators: Validators {
                etag: Some(b"\"0123456789abcdef\"".to_vec()),
                last_modified: None,
            },
            body_hash: Some([7; 32]),
            revision: 1,
            read_at: now,
            hint_seconds: 0,
            quiet_times: Default::default(),
            summary: None,
        },
        schedule: Schedule {
            polled_at: now,
            succeeded_at: now,
            fresh_until: now.plus_seconds(YEAR),
            next_poll_at: now.plus_seconds(YEAR),
            failures: 0,
            failure: None,
            failing_since: None,
        },
        asked_at: now,
    }
}

/// Items of half a kilobyte with these numbers, three a second, so that ids decide too.
#[must_use]
pub fn items(numbers: Range<u32>) -> Vec<StoredItem> {
    let text = "x".repeat(400);
    let item = |n| StoredItem {
        position: position(n),
        hash: [n.to_le_bytes()[0]; 16],
        twin: -1,
        mended: 0,
        json: format!("{{\"id\":\"urn:item:{n:07}\",\"description\":\"{text}\"}}"),
    };
    numbers.map(item).collect()
}

/// Where the item with that number stands.
#[must_use]
pub fn position(n: u32) -> Position {
    let published = Timestamp::saturating(1_500_000_000 + i64::from(n / 3));
    Position { published, id: format!("urn:item:{n:07}") }
}

/// What a poll brings that brings these items.
#[must_use]
pub fn brought<'a>(
    record: &'a FeedRecord,
    aliases: &'a [SourceUrl],
    items: &'a [StoredItem],
) -> Merge<'a> {
    Merge { record, aliases, items, deleted: &[], keep_only: None, now: now() }
}

const YEAR: i64 = 365 * 86_400;
const HEAD: &str = r#"{"id":"https://known.example/","title":"A feed that is known","description":"What a publisher says of it, in a sentence or two.","language":"en"}"#;
