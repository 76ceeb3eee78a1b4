//! What a hit allocates. Counted and not timed: a count is the same on every machine, and what takes
//! time on this path is what asks for memory, or what is done although it was done before.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::thread;

use actix_web::body::{MessageBody, to_bytes};
use actix_web::dev::{Service, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG, IF_NONE_MATCH};
use actix_web::test::{TestRequest, init_service};
use actix_web::{App, Error};
use futures_util::FutureExt;

use super::*;
use crate::cache;
use crate::clock::Clock;
use crate::convert;
use crate::fetch;
use crate::gateway::{NamedFeeds, Parts, Retention};
use crate::model::Timestamp;
use crate::normalize;
use crate::store;
use crate::store::Store;

/// A source on this machine that always has the same feed.
fn source() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let items: String = (0..50)
        .map(|n| format!("<item><guid>tag:a,{n}</guid><title>Item {n}</title></item>"))
        .collect();
    let body = format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>A</title>\
         <link>https://a.example/</link>{items}</channel></rss>"
    );
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let _ = connection.read(&mut [0; 4096]);
            let length = body.len();
            let _ = write!(
                connection,
                "HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nContent-Length: {length}\r\n\
                 Connection: close\r\n\r\n{body}"
            );
        }
    });
    address
}

/// A site that may read from this machine, with a clock that stands still: what it knows stays fresh.
async fn site(folder: &std::path::Path) -> Data<Site> {
    let url = format!("sqlite:{}", folder.join("store.db").display()).into();
    let store = store::Settings { url, ..store::Settings::default() };
    let fetch = fetch::Settings {
        dns_servers: vec![([127, 0, 0, 1], 53).into()],
        allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
        ..fetch::Settings::default()
    };
    let metrics = Metrics::new().unwrap();
    let gateway = Gateway::start(Parts {
        poll: crate::gateway::Settings::default(),
        fetch,
        retention: Retention::default(),
        normalize: normalize::Settings::default(),
        limits: convert::Limits::default(),
        cache: cache::Settings::default(),
        store: Store::open(&store).await.unwrap(),
        clock: Clock::set_to(Timestamp::saturating(1_800_000_000)),
        metrics: metrics.clone(),
        public_url: "https://gw.example".into(),
        named: NamedFeeds::default(),
    });
    let gateway = gateway.await.unwrap();
    let (access, callers) = (AccessSettings::default(), CallerSettings::default());
    let shown = Shown { gateway, metrics, access, callers };
    Data::new(Site::new(&Settings::default(), shown).unwrap())
}

/// A caller like any other: counted, and with a place among those who ask at once.
fn get(path: &str) -> TestRequest {
    TestRequest::with_uri(path).peer_addr(([192, 0, 2, 1], 4711).into())
}

/// Answers a request that needs nothing but memory, body and all, and says how often that was asked
/// for more of it. To make the request is not counted.
fn answer<S, B>(app: &S, request: TestRequest) -> (u64, ServiceResponse<()>)
where
    S: Service<actix_http::Request, Response = ServiceResponse<B>, Error = Error>,
    B: MessageBody,
{
    let request = request.to_request();
    let mut answered = None;
    let counted = allocation_counter::measure(|| {
        let response = app.call(request).now_or_never().unwrap().unwrap();
        answered = Some(response.map_body(|_, body| drop(to_bytes(body).now_or_never())));
    });
    (counted.count_total, answered.unwrap())
}

/// The most that each kind of hit may allocate: what it did when this was written, and one more. Ours
/// are the request's id, its notes and what it waits for, `Age`, `Cache-Control`, `Cache-Status`, and
/// the body that holds its caller's place; the rest is what actix makes of any request.
const MOST: [(&str, u64); 3] = [("as it is", 18), ("gzip", 18), ("304", 16)];

#[actix_web::test]
async fn a_hit_allocates_no_more_than_it_must() {
    let folder = tempfile::tempdir().unwrap();
    let site = site(folder.path()).await;
    let observed = site.clone();
    let app = App::new()
        .app_data(site.clone())
        .wrap(from_fn(move |request, next| observe::observe(observed.clone(), request, next)))
        .configure(router::public);
    let app = init_service(app).await;
    let path = format!("/mmsp/feed?url=http%3A%2F%2F{}%2Ffeed", source());

    let gzip = || get(&path).insert_header((ACCEPT_ENCODING, "gzip"));
    let first = app.call(gzip().to_request()).await.unwrap();
    let tag = first.headers().get(ETAG).unwrap().clone();
    let known = || get(&path).insert_header((IF_NONE_MATCH, tag.clone()));
    let kinds = [get(&path), gzip(), known()];
    // Tables of metrics, of the request's pool and of the cache are there after the first ones.
    for request in [get(&path), gzip(), known()] {
        answer(&app, request);
    }
    let mut counts = Vec::new();
    for ((kind, _), request) in MOST.into_iter().zip(kinds) {
        let (count, response) = answer(&app, request);
        let status = if kind == "304" { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
        assert_eq!(response.status(), status, "{kind}");
        assert_eq!(response.headers().contains_key(CONTENT_ENCODING), kind == "gzip", "{kind}");
        counts.push((kind, count));
    }
    let is_few = counts.iter().zip(MOST).all(|((_, count), (_, most))| *count <= most);
    assert!(is_few, "{counts:?}");
    site.gateway.stop().await;
}
