//! Page 1 against page 10 000 of a feed with a million items, from the request to the rendered page.

use mmsp_gateway::clock::Clock;
use mmsp_gateway::gateway::{Gateway, PageRequest};
use mmsp_gateway::model::SourceUrl;
use mmsp_gateway::paging::{Cursor, Limit};
use mmsp_gateway_benches::world::{
    self, brought, event_loop, gateway, items, open, page, position, record, request,
};
use serde_json::{Value, json};

use crate::timing::{median, timed};

/// Fills a store with one feed and walks over some pages at several depths.
pub(crate) fn pages(store: &str, size: u32) -> Value {
    event_loop().block_on(walk(store, size))
}

async fn walk(url: &str, size: u32) -> Value {
    let store = open(url).await;
    let feed = SourceUrl::parse("https://deep.example/").unwrap();
    let record = record(&feed);
    let (_, fill_seconds) = timed(async {
        for start in (0..size).step_by(10_000) {
            let items = items(start..size.min(start + 10_000));
            store.merge(&brought(&record, std::slice::from_ref(&feed), &items)).await.unwrap();
        }
    })
    .await;
    let gateway = gateway(store.clone(), &Clock::set_to(world::now())).await;
    let last = size / PAGE;
    let mut depths: Vec<u32> =
        [1, 10, 100, 1000, 10_000].into_iter().filter(|n| *n <= last).collect();
    // What is read first warms what all of them need.
    let mut pages = Vec::new();
    at(&gateway, &feed, size, last / 3).await;
    depths.dedup();
    for number in depths {
        let ms = at(&gateway, &feed, size, number.min(last.saturating_sub(AROUND))).await * 1e3;
        pages.push(json!({ "page": number, "ms": ms }));
    }
    gateway.stop().await;
    store.close().await;
    json!({ "items": size, "fill_seconds": fill_seconds, "pages": pages })
}

/// The median time of some pages that follow one another from there on, each asked for once: none
/// is in the cache.
async fn at(gateway: &Gateway, feed: &SourceUrl, size: u32, number: u32) -> f64 {
    let key = mmsp_gateway::model::FeedKey::of(feed);
    let mut times = Vec::new();
    for number in number..number + AROUND {
        let above = size - (number.max(1) - 1) * PAGE;
        let cursor = (number > 1).then(|| Cursor::encode(&key, &position(above)));
        let limit = Limit::parse(&PAGE.to_string()).ok();
        let request = PageRequest { cursor, limit, ..request(feed) };
        let (answer, seconds) = timed(page(gateway, &request)).await;
        assert_eq!(answer.page.items, PAGE as usize);
        times.push(seconds);
    }
    median(times)
}

/// Items of a page.
const PAGE: u32 = 100;
/// Pages that are looked at for each depth.
const AROUND: u32 = 31;
