//! `serve`: builds everything, ground up, exchanges what SIGHUP may exchange, and takes it down
//! again.

mod announcement;
mod reload;
mod signals;

use std::error::Error;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use actix_web::rt::System;
use clap::Args;
use thiserror::Error;
use tokio::time::{Instant, timeout_at};

use crate::clock::Clock;
use crate::gateway::{Gateway, StartError};
use crate::metrics::Metrics;
use crate::server::{self, Listeners, Running, Shown, Tls, TlsError};
use crate::settings::{Settings, SettingsError};
use crate::store::{Store, StoreError};
use crate::telemetry::{self, Log};

use super::loading::SettingsFiles;
use super::{FAILED, WRONG, memory_limit};
use announcement::Announcement;
use signals::{Signals, Wish};

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
    let log = match telemetry::start(&settings.log) {
        Ok(log) => log,
        Err(error) => return give_up(&error, WRONG),
    };
    // Each client is a file to the system, and the usual 1024 are soon used up.
    if let Err(error) = rlimit::increase_nofile_limit(u64::MAX) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
    match System::new().block_on(serve(settings, &arguments.settings, log)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => give_up(&error, error.exit_code()),
    }
}

async fn serve(settings: Settings, files: &SettingsFiles, log: Log) -> Result<(), ServeError> {
    let mut signals = Signals::new().map_err(ServeError::Signals)?;
    let limit = settings.server.drain_limit();
    let mut built = build(settings, log).await?;
    while signals.next().await == Wish::Reload {
        built.reload(files.load_all()).await;
    }
    tracing::info!("stopping: not ready any more; requests that run may end");
    tokio::select! {
        () = drain(&built, limit) => tracing::info!("stopped"),
        () = signals.stop() => tracing::warn!("stopped at once, on a second signal"),
    }
    Ok(())
}

/// What runs between start and stop.
struct Built {
    /// What is in force.
    settings: Settings,
    /// The address that clients know us by.
    base: String,
    log: Log,
    tls: Option<Tls>,
    running: Running,
    gateway: Gateway,
    store: Store,
}

/// Ground up: sockets, certificate, store, gateway, server; then says where it listens.
async fn build(settings: Settings, log: Log) -> Result<Built, ServeError> {
    let listeners = Listeners::bind(&settings.server, &settings.metrics)
        .map_err(|(address, error)| ServeError::Bind(address, error))?;
    let tls = listeners.tls().map(|_| Tls::load(&settings.server)).transpose()?;
    let base = settings.server.public_url(listeners.tls().map(|address| address.port()));
    for doubt in settings.access.doubts() {
        tracing::warn!(doubt, "a setting is hardly what was meant");
    }
    for exception in settings.fetch.exceptions() {
        tracing::info!(exception, "an exception to what may be fetched is in force");
    }
    let store = Store::open(&settings.store).await?;
    let metrics = Metrics::new()?;
    metrics.memory_limit(memory_limit::find().unwrap_or(0));
    let parts = settings.parts(store.clone(), Clock::system(), metrics.clone(), &base)?;
    let announcement = Announcement::new(&listeners, tls.as_ref(), &base, &parts.named);
    let gateway = Gateway::start(parts).await?;
    let shown = Shown {
        gateway: gateway.clone(),
        metrics,
        access: settings.access.clone(),
        callers: settings.callers.clone(),
    };
    let running = server::start(&settings.server, listeners, tls.as_ref(), shown)
        .map_err(ServeError::Server)?;
    if settings.log.is_text() {
        let _ = io::stderr().write_all(announcement.lines().as_bytes());
    } else {
        announcement.log();
    }
    Ok(Built { settings, base, log, tls, running, gateway, store })
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
