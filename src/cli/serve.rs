//! `serve`: builds everything, ground up, and takes it down again.

use std::error::Error;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use actix_web::rt::System;
use clap::Args;
use thiserror::Error;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, timeout_at};
use tracing::field;

use crate::clock::Clock;
use crate::convert;
use crate::gateway::{Gateway, NamedFeeds, Parts, StartError};
use crate::metrics::Metrics;
use crate::model::FeedName;
use crate::paging::Address;
use crate::server::{self, Listeners, Running, Shown, Tls, TlsError};
use crate::settings::{Settings, SettingsError};
use crate::store::{Store, StoreError};
use crate::telemetry;

use super::loading::SettingsFiles;
use super::{FAILED, WRONG, memory_limit};

/// `serve [--config FILE]…`
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    settings: SettingsFiles,
}

#[derive(Debug, Error)]
enum ServeError {
    #[error("cannot listen on {0}: {1}")]
    Bind(SocketAddr, #[source] io::Error),
    #[error("{0}")]
    Tls(#[from] TlsError),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Gateway(#[from] StartError),
    #[error("{0}")]
    Settings(#[from] SettingsError),
    #[error("the metrics cannot be set up: {0}")]
    Metrics(#[from] prometheus::Error),
    #[error("the server cannot start: {0}")]
    Server(#[source] io::Error),
    #[error("signals cannot be heard: {0}")]
    Signals(#[source] io::Error),
}

impl ServeError {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Gateway(StartError::Fetch(_)) | Self::Settings(_) => WRONG,
            _ => FAILED,
        }
    }
}

/// Serves until told to stop.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let settings = match arguments.settings.load_all() {
        Ok(loaded) => loaded.settings,
        Err(error) => return give_up(&error, WRONG),
    };
    if let Err(error) = telemetry::start(&settings.log) {
        return give_up(&error, WRONG);
    }
    // Each client is a file to the system, and the usual 1024 are soon used up.
    if let Err(error) = rlimit::increase_nofile_limit(u64::MAX) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
    match System::new().block_on(serve(settings)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => give_up(&error, error.exit_code()),
    }
}

async fn serve(settings: Settings) -> Result<(), ServeError> {
    let mut signals = Signals::new().map_err(ServeError::Signals)?;
    let limit = settings.server.drain_limit();
    let built = build(settings).await?;
    signals.next().await;
    tracing::info!("stopping: no new requests, those that run may end");
    tokio::select! {
        () = drain(&built, limit) => tracing::info!("stopped"),
        () = signals.next() => tracing::warn!("stopped at once, on a second signal"),
    }
    Ok(())
}

/// What runs between start and stop.
struct Built {
    running: Running,
    gateway: Gateway,
    store: Store,
}

/// Ground up: sockets, certificate, store, gateway, server; then says where it listens.
async fn build(settings: Settings) -> Result<Built, ServeError> {
    let listeners = Listeners::bind(&settings.server, &settings.metrics)
        .map_err(|(address, error)| ServeError::Bind(address, error))?;
    let tls = listeners.tls().map(|_| Tls::load(&settings.server)).transpose()?;
    let public_url = settings.server.public_url(listeners.tls().map(|address| address.port()));
    for weak in settings.access.weak() {
        tracing::warn!(setting = weak, "a secret is so short that it can be guessed");
    }
    let named = settings.named_feeds()?;
    let announcement = Announcement::new(&listeners, tls.as_ref(), &public_url, &named);
    for exception in settings.fetch.exceptions() {
        tracing::info!(exception, "an exception to what may be fetched is in force");
    }
    let store = Store::open(&settings.store).await?;
    let metrics = Metrics::new()?;
    metrics.memory_limit(memory_limit::find().unwrap_or(0));
    let gateway = Gateway::start(Parts {
        poll: settings.poll,
        fetch: settings.fetch,
        retention: settings.retention,
        normalize: settings.normalize,
        limits: convert::Limits::default(),
        cache: settings.cache,
        store: store.clone(),
        clock: Clock::system(),
        metrics: metrics.clone(),
        public_url: settings.access.public_url(&public_url),
        named,
    })
    .await?;
    let shown = Shown {
        public_url: settings.access.public_url(&public_url),
        gateway: gateway.clone(),
        metrics,
        access: settings.access,
        callers: settings.callers,
    };
    let running = server::start(&settings.server, listeners, tls.as_ref(), shown)
        .map_err(ServeError::Server)?;
    if settings.log.is_text() {
        let _ = io::stderr().write_all(announcement.lines().as_bytes());
    } else {
        announcement.log();
    }
    Ok(Built { running, gateway, store })
}

/// Requests first, then the polls that nobody waits for, then the store, within what is left of
/// the limit.
async fn drain(built: &Built, limit: Duration) {
    let end = Instant::now() + limit;
    built.running.stop().await;
    if timeout_at(end, built.gateway.stop()).await.is_err() {
        tracing::warn!("polls were still under way");
    }
    if timeout_at(end, built.store.close()).await.is_err() {
        tracing::warn!("the store was still at work");
    }
    built.running.stop_metrics().await;
}

/// What a person at the terminal needs: where it listens, and what to trust.
struct Announcement {
    https: Option<SocketAddr>,
    http: Option<SocketAddr>,
    metrics: Option<SocketAddr>,
    manifests: String,
    /// Manifests that have names.
    named: Vec<String>,
    certificate: Option<PathBuf>,
}

impl Announcement {
    fn new(listeners: &Listeners, tls: Option<&Tls>, public_url: &str, named: &NamedFeeds) -> Self {
        let address =
            |name: &FeedName| Address::named(&public_url.into(), name, None).first().to_owned();
        Self {
            named: named.iter().map(|(name, _)| address(name)).collect(),
            https: listeners.tls(),
            http: listeners.plain(),
            metrics: listeners.metrics(),
            manifests: format!("{public_url}/mmsp/feed?url=URL"),
            certificate: tls.filter(|tls| tls.is_self_signed).map(|tls| tls.certificate.clone()),
        }
    }

    /// A line each, for people.
    fn lines(&self) -> String {
        let named = self.named.iter().map(|address| format!("a manifest by name at {address}\n"));
        let lines = [
            self.https.map(|address| format!("https on https://{address}\n")),
            self.http.map(|address| format!("http on http://{address}\n")),
            self.metrics.map(|address| format!("metrics on http://{address}/metrics\n")),
            Some(format!("manifests at {}\n", self.manifests)),
            self.certificate
                .as_ref()
                .map(|path| format!("certificate to trust: {}\n", path.display())),
        ];
        lines.into_iter().flatten().chain(named).collect()
    }

    /// One event, where each line of the log is an object.
    fn log(&self) {
        tracing::info!(
            server.https = self.https.map(field::display),
            server.http = self.http.map(field::display),
            server.metrics = self.metrics.map(field::display),
            server.manifests = self.manifests,
            server.named = (!self.named.is_empty()).then(|| self.named.join(" ")),
            server.certificate =
                self.certificate.as_ref().map(|path| field::display(path.display())),
            "serving"
        );
    }
}

/// SIGTERM and SIGINT, as one.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Says why in one line, causes and all: whoever starts the gateway may know them.
fn give_up(error: &dyn Error, code: u8) -> ExitCode {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !line.contains(&text) {
            line = format!("{line}: {text}");
        }
        cause = error.source();
    }
    let _ = writeln!(io::stderr(), "{line}");
    ExitCode::from(code)
}
