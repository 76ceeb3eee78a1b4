//! What each step from bytes to manifest takes, on each kind of feed, and the small things that
//! every request needs.
//!
//! `cargo bench --bench stages` in this folder. The corpus is read where there is one: see
//! `src/feeds/corpus.rs`.

#![allow(missing_docs, reason = "made by criterion's macros")]
#![allow(clippy::unwrap_used, reason = "samples are ours, and good")]

use std::collections::HashMap;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use mmsp_gateway::convert::{Conversion, ConvertedItem, Known, Limits, decode};
use mmsp_gateway::fetch;
use mmsp_gateway::filter::Filter;
use mmsp_gateway::model::{FeedKey, SourceUrl, Timestamp};
use mmsp_gateway::normalize::Settings;
use mmsp_gateway::paging::{
    Address, Cursor, Entry, Outline, Poll, Position, PublicUrl, Stretch, render,
};
use mmsp_gateway_benches::feeds::{self, Sample};
use mmsp_gateway_benches::readers::{NOW, conversion, input};
use serde_json::Value;
use tikv_jemallocator::Jemalloc;

#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn documents(criterion: &mut Criterion) {
    for sample in feeds::all() {
        let mut group = criterion.benchmark_group("document");
        group.throughput(Throughput::Bytes(sample.body.len() as u64));
        group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
        group.sample_size(10);
        let url = url();
        let limits = Limits::default();
        let (raw, clean) = (Settings { sanitize: false }, Settings { sanitize: true });
        let with_raw = input(&sample, &url, &limits, &raw);
        let with_clean = input(&sample, &url, &limits, &clean);
        let decoded = decode(&with_raw).unwrap();
        let nothing = HashMap::new();
        let known = known(&decoded.read(&with_clean).unwrap().normalize(&nothing, NOW));
        let mut step = |name: &str, work: &mut dyn FnMut()| {
            group.bench_function(BenchmarkId::new(name, &sample.name), |bencher| {
                bencher.iter(&mut *work)
            });
        };
        step("decode", &mut || drop(decode(&with_raw)));
        step("read", &mut || drop(decoded.read(&with_raw)));
        for (name, input, known) in [
            ("normalize", &with_raw, &nothing),
            ("normalize and sanitize", &with_clean, &nothing),
            ("normalize what is known", &with_clean, &known),
        ] {
            group.bench_function(BenchmarkId::new(name, &sample.name), |bencher| {
                bencher.iter_batched(
                    || decoded.read(input).unwrap(),
                    |reading| reading.normalize(known, NOW),
                    BatchSize::LargeInput,
                );
            });
        }
        group.finish();
    }
}

/// All that there is of feeds that others collected, each from bytes to items.
fn corpus(criterion: &mut Criterion) {
    let Some(folder) = feeds::folder() else {
        eprintln!("the corpus is left out: MMSP_CORPUS names no folder");
        return;
    };
    let samples = feeds::corpus(&folder).unwrap();
    let bytes: usize = samples.iter().map(|sample| sample.body.len()).sum();
    let mut group = criterion.benchmark_group("corpus");
    group.throughput(Throughput::Bytes(bytes as u64)).sample_size(10);
    for (name, sanitize) in [("convert", false), ("convert and sanitize", true)] {
        let settings = Settings { sanitize };
        group.bench_function(name, |bencher| {
            bencher.iter(|| samples.iter().filter_map(|it| conversion(it, &settings)).count());
        });
    }
    group.finish();
}

fn manifests(criterion: &mut Criterion) {
    for sample in [feeds::blog(20), feeds::podcast(1000)] {
        let conversion = converted(&sample);
        let entries = entries(&conversion);
        let bytes: usize = entries.iter().map(|entry| entry.json.len()).sum();
        let stretch = Stretch::of(entries, true);
        let key = FeedKey::of(&url());
        let address = Address::of(&PublicUrl::new("https://feeds.example"), &url(), None);
        let outline = Outline {
            key: &key,
            feed: &conversion.feed,
            poll: Poll::recommending(3600),
            address: &address,
            moved_to: None,
            below: None,
        };
        let mut group = criterion.benchmark_group("manifest");
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(BenchmarkId::new("render", &sample.name), |bencher| {
            bencher.iter(|| render(&outline, &stretch).unwrap());
        });
        group.bench_function(BenchmarkId::new("items to JSON", &sample.name), |bencher| {
            bencher.iter(|| entries_of(&conversion).count());
        });
        group.finish();
    }
}

fn small_things(criterion: &mut Criterion) {
    let key = FeedKey::of(&url());
    let position = Position { published: NOW, id: "https://source.example/items/1".to_owned() };
    let cursor = Cursor::encode(&key, &position);
    criterion.bench_function("cursor, written", |bencher| {
        bencher.iter(|| Cursor::encode(&key, &position))
    });
    criterion
        .bench_function("cursor, read", |bencher| bencher.iter(|| Cursor::decode(&key, &cursor)));

    let guard = fetch::Guard::new(&fetch::Settings::default());
    let answers = ["93.184.216.34".parse().unwrap(), "2606:2800:21f::1".parse().unwrap()];
    let url = url();
    criterion.bench_function("guard", |bencher| bencher.iter(|| guard.judge(&url, &answers)));
    criterion.bench_function("address, cleaned", |bencher| {
        bencher.iter(|| SourceUrl::parse("HTTPS://Source.Example:443/a/../feed?x=1&y=2#z"));
    });
    criterion.bench_function("date, RFC 3339", |bencher| {
        bencher.iter(|| Timestamp::parse_rfc3339("2026-11-30T12:34:56+01:00"));
    });

    for (name, date) in [
        ("RFC 822", "Thu, 30 Nov 2026 12:34:56 +0100"),
        ("as people write it", "30. November 2026, 12:34"),
        ("none", ""),
    ] {
        let sample = feeds::dated(1000, date);
        criterion.bench_function(&format!("date, {name}, a feed of 1000"), |bencher| {
            bencher.iter(|| conversion(&sample, &Settings { sanitize: true }));
        });
    }

    let conversion = converted(&feeds::podcast(100));
    let feed = serde_json::to_value(&conversion.feed).unwrap();
    let items: Vec<Value> =
        conversion.changed.iter().map(|item| serde_json::to_value(&item.item).unwrap()).collect();
    let text = "type:audio AND (lang:en OR NOT keyword:\"ment\") AND duration:>=PT30M";
    criterion.bench_function("filter, read", |bencher| bencher.iter(|| text.parse::<Filter>()));
    let expression: Filter = text.parse().unwrap();
    criterion.bench_function("filter, 100 items", |bencher| {
        bencher.iter(|| items.iter().filter(|item| expression.matches(item, &feed)).count());
    });
}

fn url() -> SourceUrl {
    SourceUrl::parse("https://source.example/feed").unwrap()
}

fn converted(sample: &Sample) -> Conversion {
    conversion(sample, &Settings { sanitize: true }).unwrap()
}

fn known(conversion: &Conversion) -> HashMap<mmsp_gateway::model::Uri, Known> {
    let known = |item: &ConvertedItem| {
        let ConvertedItem { hash, published, twin, mends, .. } = *item;
        (item.id.clone(), Known { hash, published, twin, mends })
    };
    conversion.changed.iter().map(known).collect()
}

fn entries(conversion: &Conversion) -> Vec<Entry> {
    entries_of(conversion).collect()
}

fn entries_of(conversion: &Conversion) -> impl Iterator<Item = Entry> {
    conversion.changed.iter().map(|item| Entry {
        position: Position { published: item.published, id: item.id.as_str().to_owned() },
        json: serde_json::to_string(&item.item).unwrap(),
    })
}

criterion_group!(benches, documents, corpus, manifests, small_things);
criterion_main!(benches);
