//! The same server inside of the test, on a clock that the test moves.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use actix_web::rt::System;
use mmsp_gateway::clock::Clock;
use mmsp_gateway::gateway::Gateway;
use mmsp_gateway::metrics::Metrics;
use mmsp_gateway::model::Timestamp;
use mmsp_gateway::server::{self, Listeners, Shown};
use mmsp_gateway::settings::{self, Settings};
use mmsp_gateway::store::Store;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use super::client::{self, Response};
use super::program::target;

/// A gateway that may read from loopback.
pub struct Inside {
    http: SocketAddr,
    clock: Clock,
    store: Store,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Inside {
    /// Starts it with its store in that folder.
    pub fn start(folder: &Path, ca_file: &Path) -> Self {
        let settings = settings(folder, ca_file);
        let clock = Clock::set_to(Timestamp::parse_rfc3339("2024-06-01T00:00:00Z").unwrap());
        let (sender, receiver) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let set = clock.clone();
        let thread = thread::spawn(move || {
            System::new().block_on(async move {
                let listeners = Listeners::bind(&settings.server, &settings.metrics).unwrap();
                let http = listeners.plain().unwrap();
                let store = Store::open(&settings.store).await.unwrap();
                let metrics = Metrics::new().unwrap();
                let parts = settings.parts(store.clone(), set, metrics.clone(), PUBLIC_URL);
                let gateway = Gateway::start(parts.unwrap()).await.unwrap();
                let shown = Shown {
                    gateway: gateway.clone(),
                    metrics,
                    access: settings.access.clone(),
                    callers: settings.callers.clone(),
                };
                let running = server::start(&settings.server, listeners, None, shown).unwrap();
                sender.send((http, store)).unwrap();
                let _ = stopped.await;
                running.stop().await;
                gateway.stop().await;
            });
        });
        let (http, store) = receiver.recv().unwrap();
        Self { http, clock, store, stop: Some(stop), thread: Some(thread) }
    }

    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Takes the store away from under it.
    pub fn close_store(&self) {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(self.store.close());
    }

    pub fn get(&self, target: &str) -> Response {
        client::request(self.http, "GET", target, &[])
    }

    /// Asks for the manifest of a feed, with more parameters such as `&limit=3`.
    pub fn feed(&self, url: &str, more: &str) -> Response {
        client::request(self.http, "GET", &target(url, more), &[])
    }

    /// Asks for the manifest of a feed with these headers.
    pub fn ask(&self, url: &str, headers: &[(&str, &str)]) -> Response {
        client::request(self.http, "GET", &target(url, ""), headers)
    }

    /// Follows one of our own addresses.
    pub fn follow(&self, url: &str) -> Response {
        client::request(self.http, "GET", url.strip_prefix(PUBLIC_URL).unwrap(), &[])
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn settings(folder: &Path, ca_file: &Path) -> Settings {
    let variables = [
        ("SERVER__LISTEN", "127.0.0.1:0".to_owned()),
        ("SERVER__TLS_LISTEN", String::new()),
        ("SERVER__PUBLIC_URL", PUBLIC_URL.to_owned()),
        ("SERVER__WORKERS", "1".to_owned()),
        ("SERVER__DRAIN_DELAY_SECONDS", "0".to_owned()),
        ("METRICS__LISTEN", String::new()),
        ("FETCH__ALLOW_NETWORKS", "127.0.0.1".to_owned()),
        ("FETCH__CA_FILE", ca_file.to_str().unwrap().to_owned()),
        ("STORE__URL", format!("sqlite:{}", folder.join("inside.db").display())),
    ];
    let variables =
        variables.map(|(name, value)| (format!("MMSP_GATEWAY__{name}").into(), value.into()));
    settings::load(&[], variables, settings::Depth::Values).unwrap().settings
}

const PUBLIC_URL: &str = "https://gateway.test";
