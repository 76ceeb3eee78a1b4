//! Megabytes a second from bytes to items, ours beside others', on each kind of feed.
//!
//! `cargo bench --bench rivals` in this folder. A feed that one cannot read is left out for it.

#![allow(missing_docs, reason = "made by criterion's macros")]

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use mmsp_gateway_benches::feeds;
use mmsp_gateway_benches::readers::READERS;
use tikv_jemallocator::Jemalloc;

// The gateway's own; the rivals gain by it too.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn rivals(criterion: &mut Criterion) {
    for sample in feeds::all() {
        let mut group = criterion.benchmark_group(&sample.name);
        group.throughput(Throughput::Bytes(sample.body.len() as u64));
        group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
        group.sample_size(10);
        for (name, read) in READERS {
            if read(&sample).is_some_and(|entries| entries > 0) {
                group.bench_with_input(
                    BenchmarkId::from_parameter(name),
                    &sample,
                    |bencher, sample| {
                        bencher.iter(|| read(sample));
                    },
                );
            }
        }
        group.finish();
    }
}

criterion_group!(benches, rivals);
criterion_main!(benches);
