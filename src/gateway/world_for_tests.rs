//! A gateway against a scripted source, with a clock that stands still, for the tests of this
//! floor.

use std::time::Duration;

use tempfile::TempDir;

use super::script::Script;
use super::source::Plan;
use super::*;
use crate::cache;
use crate::clock::Clock;
use crate::convert;
use crate::fetch;
use crate::fetch::{Document, FetchError, Request, Response, RetryAfter};
use crate::metrics::Metrics;
use crate::model::{Timestamp, Validators};
use crate::normalize;
use crate::store::{self, Store};

pub(super) const URL: &str = "https://a.example/feed";

/// A gateway on a store of its own.
pub(super) struct World {
    pub(super) gateway: Gateway,
    pub(super) script: Script,
    pub(super) clock: Clock,
    pub(super) folder: TempDir,
}

pub(super) async fn gateway(
    folder: &TempDir,
    script: &Script,
    clock: &Clock,
    poll: Settings,
) -> Gateway {
    let parts = parts(folder, clock, poll).await;
    Gateway::start_with(parts, Plan::Script(script.clone())).await.unwrap()
}

pub(super) async fn parts(folder: &TempDir, clock: &Clock, poll: Settings) -> Parts {
    let path = folder.path().join("store.db");
    let url = format!("sqlite:{}", path.display()).into();
    let store = store::Settings { url, ..store::Settings::default() };
    // No name is looked up in these tests, but the system may have no name server to name.
    let dns_servers = vec![([127, 0, 0, 1], 53).into()];
    Parts {
        poll,
        fetch: fetch::Settings { dns_servers, ..fetch::Settings::default() },
        retention: Retention::default(),
        normalize: normalize::Settings::default(),
        limits: convert::Limits::default(),
        cache: cache::Settings::default(),
        store: Store::open(&store).await.unwrap(),
        clock: clock.clone(),
        metrics: Metrics::new().unwrap(),
        public_url: "https://gw.example".into(),
        named: NamedFeeds::default(),
    }
}

pub(super) async fn world(poll: Settings) -> World {
    let (folder, script) = (tempfile::tempdir().unwrap(), Script::new());
    let clock = Clock::set_to(Timestamp::saturating(1_800_000_000));
    let gateway = gateway(&folder, &script, &clock, poll).await;
    World { gateway, script, clock, folder }
}

/// Waits so long that a busy machine changes no answer.
pub(super) fn patient() -> Settings {
    let wait = 60_000;
    Settings {
        stale_wait_ms: wait,
        reader_wait_ms: wait,
        place_wait_ms: wait,
        ..Settings::default()
    }
}

/// Waits so briefly for news that a test with a source that does not answer is soon over.
pub(super) fn hasty() -> Settings {
    Settings { stale_wait_ms: 20, reader_wait_ms: 20, place_wait_ms: 20, ..Settings::default() }
}

/// A feed with these items, each published at a second of its own.
pub(super) fn rss(items: &[(u32, &str)]) -> String {
    let item = |(second, title): &(u32, &str)| {
        format!(
            "<item><guid>tag:a,{second}</guid><title>{title}</title>\
             <pubDate>2024-01-01T00:{:02}:{:02}Z</pubDate></item>",
            second / 60,
            second % 60
        )
    };
    let items: String = items.iter().map(item).collect();
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>A</title>\
         <link>https://a.example/</link>{items}</channel></rss>"
    )
}

pub(super) fn document(request: &Request, body: &str) -> Response {
    Response {
        url: request.url.clone(),
        redirects: Vec::new(),
        validators: Validators { etag: Some(b"\"1\"".to_vec()), last_modified: None },
        freshness: fetch::Freshness::default(),
        links: Vec::new(),
        fields: fetch::CacheFields::default(),
        answer: fetch::Answer::Document(Document {
            wire_bytes: body.len() as u64,
            body: body.as_bytes().to_vec(),
            room: fetch::Room::default(),
            content_type: Some("application/rss+xml".to_owned()),
            complete: true,
        }),
    }
}

pub(super) fn not_modified(request: &Request) -> Response {
    Response { answer: fetch::Answer::NotModified, ..document(request, "") }
}

pub(super) fn status(status: u16, retry_after: Option<u64>) -> FetchError {
    FetchError::Status { status, retry_after: retry_after.map(RetryAfter::Seconds) }
}

impl World {
    pub(super) fn shows(&self, items: &[(u32, &str)]) {
        let body = rss(items);
        self.script.answer(URL, move |request| Ok(document(request, &body)));
    }

    pub(super) fn fails(&self, code: u16, retry_after: Option<u64>) {
        self.script.answer(URL, move |_| Err(status(code, retry_after)));
    }

    pub(super) async fn page(&self) -> Result<PageAnswer, GatewayError> {
        self.page_of(URL).await
    }

    pub(super) async fn page_of(&self, url: &str) -> Result<PageAnswer, GatewayError> {
        page(&self.gateway, &request(url)).await
    }

    /// Waits until the source has been asked that many times.
    pub(super) async fn asked(&self, times: usize) {
        while self.script.requests() < times {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

pub(super) fn request(url: &str) -> PageRequest {
    PageRequest {
        url: SourceUrl::parse(url).unwrap(),
        name: None,
        cursor: None,
        limit: None,
        waits: Waits::default(),
    }
}

pub(super) fn json(answer: &PageAnswer) -> serde_json::Value {
    serde_json::from_slice(&answer.page.body).unwrap()
}

pub(super) fn titles(answer: &PageAnswer) -> Vec<String> {
    let manifest = json(answer);
    let items = manifest["items"].as_array().unwrap();
    items.iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect()
}

pub(super) fn cursor_of(answer: &PageAnswer) -> Option<String> {
    let next = answer.page.next_url.as_ref()?;
    next.split_once("&cursor=").map(|(_, cursor)| cursor.to_owned())
}

/// The page that a request ends in; fails the test where it ends elsewhere.
pub(super) async fn page(
    gateway: &Gateway,
    request: &PageRequest,
) -> Result<PageAnswer, GatewayError> {
    match gateway.page(request).await? {
        Answer::Page(page) => Ok(page),
        Answer::Native(native) => panic!("sent to {}", native.url),
    }
}
