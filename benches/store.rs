//! What the store takes for a poll and for a page: SQLite in a temporary file, and PostgreSQL where
//! `MMSP_POSTGRES_URL` names an empty database (`./dev postgres` starts a server).
//!
//! `cargo bench --bench store` in this folder.

#![allow(missing_docs, reason = "made by criterion's macros")]
#![allow(clippy::unwrap_used, reason = "what cannot be set up cannot be measured")]

use std::cell::Cell;
use std::env;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use mmsp_gateway::model::SourceUrl;
use mmsp_gateway::paging::{Limit, Span};
use mmsp_gateway::store::{FeedRecord, Store};
use mmsp_gateway_benches::world::{brought, event_loop, items, now, open, position, record};
use tikv_jemallocator::Jemalloc;
use tokio::runtime::Runtime;

#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

#[expect(clippy::disallowed_methods, reason = "a benchmark has no settings")]
fn stores(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}", folder.path().join("store.db").display());
    stories(criterion, "SQLite", &file);
    match env::var("MMSP_POSTGRES_URL") {
        Ok(url) => stories(criterion, "PostgreSQL", &url),
        Err(_) => eprintln!("PostgreSQL is left out: MMSP_POSTGRES_URL names no database"),
    }
}

fn stories(criterion: &mut Criterion, name: &str, url: &str) {
    let runtime = event_loop();
    let store = runtime.block_on(open(url));
    let feed = feed(&runtime, &store);
    let bench = Bench { runtime, store, feed, next: Cell::new(SHOWN) };
    let mut group = criterion.benchmark_group("store");
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    group.sample_size(10);
    let mut step = |what: &str, work: &dyn Fn()| {
        group.bench_function(BenchmarkId::new(what, name), |bencher| bencher.iter(work));
    };
    step("touch", &|| bench.touch());
    step("merge one new item", &|| bench.merge(1));
    step("merge a thousand new items", &|| bench.merge(1000));
    step("known items, a thousand", &|| bench.known());
    step("page of a hundred, the first", &|| bench.page(None));
    step("page of a hundred, below thousands", &|| bench.page(Some(SHOWN / 4)));
    step("find a feed", &|| bench.find());
    group.finish();
    bench.runtime.block_on(bench.store.close());
}

struct Bench {
    runtime: Runtime,
    store: Store,
    feed: FeedRecord,
    next: Cell<u32>,
}

impl Bench {
    fn touch(&self) {
        self.runtime.block_on(self.store.touch(&self.feed, now())).unwrap().unwrap();
    }

    fn merge(&self, count: u32) {
        let begin = self.next.get();
        self.next.set(begin + count);
        let items = items(begin..begin + count);
        self.runtime.block_on(self.store.merge(&brought(&self.feed, &[], &items))).unwrap();
    }

    fn known(&self) {
        let ids: Vec<String> = (0..1000).map(|n| position(n).id).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let known = self.runtime.block_on(self.store.known_items(&self.feed.key, &ids)).unwrap();
        assert_eq!(known.len(), 1000);
    }

    fn page(&self, below: Option<u32>) {
        let below = below.map(position);
        let span = Span::limited(Limit::parse("100").unwrap());
        let stretch = self.store.stretch(&self.feed.key, below.as_ref(), &span);
        assert_eq!(self.runtime.block_on(stretch).unwrap().entries.len(), 100);
    }

    fn find(&self) {
        self.runtime.block_on(self.store.find_feed(&self.feed.url)).unwrap().unwrap();
    }
}

fn feed(runtime: &Runtime, store: &Store) -> FeedRecord {
    let url = SourceUrl::parse("https://bench.example/feed.xml").unwrap();
    let record = record(&url);
    let items = items(0..SHOWN);
    runtime.block_on(store.merge(&brought(&record, &[url], &items))).unwrap()
}

/// Items that are there before anything is measured.
const SHOWN: u32 = 10_000;

criterion_group!(benches, stores);
criterion_main!(benches);
