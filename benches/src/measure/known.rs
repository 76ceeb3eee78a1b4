//! What the number of feeds that are known costs: each request, the scheduler, the sweeper, memory.

use std::io::{self, BufReader, Read};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mmsp_gateway::clock::Clock;
use mmsp_gateway::gateway::{CacheStatus, Gateway};
use mmsp_gateway::model::{FeedKey, SourceUrl};
use mmsp_gateway::store::Store;
use mmsp_gateway_benches::process;
use mmsp_gateway_benches::world::{
    self, brought, event_loop, gateway, items, open, page, record, request,
};
use serde_json::{Value, json};

use crate::timing::{median, timed};

/// Fills a store with so many feeds of three items, and asks what gateways ask.
pub(crate) fn feeds(store: &str, count: usize) -> Value {
    event_loop().block_on(ask(store, count))
}

async fn ask(store_url: &str, count: usize) -> Value {
    let store = open(store_url).await;
    let lines = Lines { template: template().await, count, next: 0, rest: Vec::new() };
    let (filled, fill_seconds) = timed(store.import(BufReader::new(lines))).await;
    filled.unwrap();
    let questions = questions(&store, count).await;
    let gateway = gateway(store.clone(), &Clock::set_to(world::now())).await;
    let before = process::resident_mib();
    let (mut first, mut hits) = (Vec::new(), Vec::new());
    let most = if store_url.starts_with("sqlite:") { count } else { count.min(2000) };
    for n in (0..count).step_by(count / most) {
        let request = request(&url(n));
        first.push(timed(page(&gateway, &request)).await.1);
        if n.is_multiple_of((count / 500).max(1)) {
            hits.push(hit(&gateway, n).await);
        }
    }
    let memory = process::resident_mib() - before;
    gateway.stop().await;
    store.close().await;
    json!({
        "feeds": count,
        "fill_seconds": fill_seconds,
        "first_request_ms": median(first) * 1e3,
        "hit_ms": median(hits) * 1e3,
        "questions": questions,
        "asked_for": most,
        "memory_mib": memory,
    })
}

async fn hit(gateway: &Gateway, n: usize) -> f64 {
    let request = request(&url(n));
    let (answer, seconds) = timed(page(gateway, &request)).await;
    assert_eq!(answer.cache, CacheStatus::Hit);
    seconds
}

/// What scheduler and sweeper ask, in milliseconds.
async fn questions(store: &Store, count: usize) -> Value {
    let (now, long_ago) = (world::now(), world::now().minus_seconds(86_400));
    let (mut none_due, mut all_due, mut least) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..21 {
        none_due.push(timed(store.due_feeds(now, long_ago, MOST_DUE)).await.1);
        let later = now.plus_seconds(400 * 86_400);
        let (due, seconds) = timed(store.due_feeds(later, long_ago, MOST_DUE)).await;
        assert_eq!(due.unwrap().len(), count.min(MOST_DUE as usize));
        all_due.push(seconds);
        least.push(timed(store.least_asked(50)).await.1);
    }
    let (mut after, mut steps) = (None, Vec::new());
    loop {
        let (sizes, seconds) = timed(store.sizes(after.as_ref(), 1000)).await;
        steps.push(seconds);
        after = sizes.unwrap().last().map(|size| size.key);
        if after.is_none() {
            break;
        }
    }
    let walk: f64 = steps.iter().sum();
    json!({
        "none_due": median(none_due) * 1e3,
        "all_due": median(all_due) * 1e3,
        "least_asked": median(least) * 1e3,
        "sweep_step": median(steps) * 1e3,
        "sweep_all": walk * 1e3,
    })
}

fn url(n: usize) -> SourceUrl {
    SourceUrl::parse(&address(n)).unwrap()
}

fn address(n: usize) -> String {
    format!("https://known.example/feeds/{n:09}.xml")
}

fn key(n: usize) -> String {
    URL_SAFE_NO_PAD.encode(FeedKey::of(&url(n)).as_bytes())
}

/// The lines of an export that holds the first feed.
async fn template() -> String {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&format!("sqlite:{}", folder.path().join("store.db").display())).await;
    store.merge(&brought(&record(&url(0)), &[url(0)], &items(0..3))).await.unwrap();
    let mut lines = Vec::new();
    store.export(&mut lines).await.unwrap();
    store.close().await;
    let text = String::from_utf8(lines).unwrap();
    // The last line counts the others.
    let end = text.trim_end().rfind('\n').unwrap();
    text[..=end].to_owned()
}

/// An export of as many feeds as wanted, written while it is read.
struct Lines {
    template: String,
    count: usize,
    next: usize,
    rest: Vec<u8>,
}

impl Lines {
    /// The lines of one feed, which is due and was asked for at another time than the others.
    fn feed(&self, n: usize) -> String {
        let (_, feed) = self.template.split_once('\n').unwrap();
        let record = record(&url(0));
        let early = i64::try_from(n).unwrap() * 61 % 80_000;
        let asked = |at: i64| format!("\"asked_at\":{at},");
        let due = |at: i64| format!("\"next_poll_at\":{at},");
        let (asked_at, due_at) =
            (record.asked_at.seconds(), record.schedule.next_poll_at.seconds());
        feed.replace(&address(0), &address(n))
            .replace(&key(0), &key(n))
            .replace(&asked(asked_at), &asked(asked_at - early))
            .replace(&due(due_at), &due(due_at - early))
    }

    /// The last line, which says how many there are before it.
    fn end(&self) -> String {
        let of_one = self.template.lines().count() - 1;
        format!("{{\"end\":{}}}\n", 1 + self.count * of_one)
    }
}

impl Read for Lines {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() && self.next <= self.count {
            let begin = if self.next == 0 { self.template.lines().next() } else { None };
            let begin = begin.map_or_else(String::new, |form| format!("{form}\n"));
            let lines = if self.next < self.count { self.feed(self.next) } else { self.end() };
            self.rest = (begin + &lines).into_bytes();
            self.next += 1;
        }
        let length = self.rest.len().min(into.len());
        into[..length].copy_from_slice(&self.rest[..length]);
        self.rest.drain(..length);
        Ok(length)
    }
}

/// As many as a scheduler takes at once.
const MOST_DUE: u32 = 512;
