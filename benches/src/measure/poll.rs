//! What a poll takes, from the request to the page, against the size of the feed.

use std::sync::Arc;

use mmsp_gateway::clock::Clock;
use mmsp_gateway::model::SourceUrl;
use mmsp_gateway_benches::feeds::numbered;
use mmsp_gateway_benches::origin::{Origin, Shown};
use mmsp_gateway_benches::world::{self, event_loop, gateway, open, page, request};
use serde_json::{Value, json};

use crate::timing::{median, timed};

/// For each size of a feed: its first poll, one without news, one with the same bytes and one with
/// a new item.
pub(crate) fn growing(sizes: &[usize]) -> Value {
    sizes.iter().map(|size| event_loop().block_on(of(*size))).collect()
}

async fn of(size: usize) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::set_to(world::now());
    let store = open(&format!("sqlite:{}", folder.path().join("store.db").display())).await;
    let gateway = gateway(store, &clock).await;
    let origin = Origin::start(shows(size, None));
    let url = SourceUrl::parse(&origin.url()).unwrap();
    let request = request(&url);
    let poll = async || {
        clock.advance_seconds(901);
        timed(page(&gateway, &request)).await.1
    };
    let cold = poll().await;
    let mut same = Vec::new();
    for _ in 0..ROUNDS {
        same.push(poll().await);
    }
    let mut news = Vec::new();
    for n in 1..=ROUNDS {
        origin.show(shows(size + n, None));
        news.push(poll().await);
    }
    origin.show(shows(size + ROUNDS, Some("\"here\"")));
    poll().await;
    let mut not_modified = Vec::new();
    for _ in 0..ROUNDS {
        not_modified.push(poll().await);
    }
    gateway.stop().await;
    json!({
        "items": size,
        "bytes": numbered(0..size).body.len(),
        "cold_ms": cold * 1e3,
        "same_bytes_ms": median(same) * 1e3,
        "one_new_ms": median(news) * 1e3,
        "not_modified_ms": median(not_modified) * 1e3,
    })
}

fn shows(items: usize, etag: Option<&str>) -> Shown {
    Shown { body: Arc::new(numbered(0..items).body), etag: etag.map(str::to_owned) }
}

const ROUNDS: usize = 7;
