//! Time and memory of a conversion against the number of items.

use std::collections::HashMap;

use mmsp_gateway::convert::{Limits, decode};
use mmsp_gateway::model::SourceUrl;
use mmsp_gateway::normalize::Settings;
use mmsp_gateway_benches::feeds::{Sample, numbered};
use mmsp_gateway_benches::process;
use mmsp_gateway_benches::readers::{NOW, input};
use serde_json::{Value, json};

use crate::timing::{median, seconds};

/// One feed of so many items, from bytes to the JSON of each. A process measures one feed, so that
/// no memory is left from another.
pub(crate) fn one(items: usize) -> Value {
    let sample = numbered(0..items);
    process::forget_peak();
    let before = process::resident_mib();
    let first = seconds(|| converted(&sample));
    let peak = process::peak_mib() - before;
    let more = if items > 20_000 { 1 } else { 4 };
    let times = (0..more).map(|_| seconds(|| converted(&sample))).chain([first]).collect();
    json!({
        "items": items,
        "bytes": sample.body.len(),
        "seconds": median(times),
        "peak_mib": peak,
    })
}

fn converted(sample: &Sample) -> usize {
    let url = SourceUrl::parse("https://source.example/feed").unwrap();
    let settings = Settings { sanitize: true };
    // A gateway stops at 10 000 items and 25 MiB; here growth is looked at beyond.
    let limits = Limits { max_entries: usize::MAX, max_bytes: usize::MAX, ..Limits::default() };
    let input = input(sample, &url, &limits, &settings);
    let decoded = decode(&input).unwrap();
    let conversion = decoded.read(&input).unwrap().normalize(&HashMap::new(), NOW);
    let json = |item| serde_json::to_string(item).unwrap().len();
    conversion.changed.iter().map(|item| json(&item.item)).sum()
}
