//! HTTP in, HTTP out.
//!
//! A request passes [`observe`] (id, limits, log line, metrics) and the
//! [`router`] to a file of `routes`; [`query`] reads what it asks for,
//! the gateway answers, and [`problem`] says what every failure becomes. [`start`] and
//! [`Running::stop`] are the life of it all.

mod faults;
mod settings;
mod telling;
mod tls;

mod listeners;
mod router;
mod site;

mod access;
mod callers;
mod limits;
mod observe;
mod query;
mod refusal;
mod request_id;
mod routes;
mod sending;
mod web;

mod caching;
mod coding;
mod conditional;
mod description;
mod links;
mod own;
pub mod problem;

use std::io;
use std::net::TcpListener;
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use actix_web::http::header::X_CONTENT_TYPE_OPTIONS;
use actix_web::middleware::{DefaultHeaders, from_fn};
use actix_web::web::{Data, PayloadConfig};
use actix_web::{App, HttpServer};

use crate::current::Current;
use crate::gateway::Gateway;
use crate::metrics::Metrics;

use access::Access;
use callers::Callers;
use description::Description;
use limits::Limits;
use problem::Kind;
use site::{Phase, Site};
use web::Assets;

pub use access::{AccessMode, AccessSettings};
pub use callers::{Node, Settings as CallerSettings, forwarded_nodes, x_forwarded_for_nodes};
pub use faults::SettingsError;
pub use listeners::Listeners;
pub use query::{PageQuery, Parameter, Query, QueryError};
pub use settings::{MetricsSettings, Settings};
pub use tls::{Tls, TlsError};

/// A server that answers until it is stopped.
pub struct Running {
    site: Data<Site>,
    public: ServerHandle,
    metrics: Option<ServerHandle>,
    drain_delay: Duration,
}

/// What is served.
pub struct Shown {
    /// Who answers.
    pub gateway: Gateway,
    /// Who counts.
    pub metrics: Metrics,
    /// Who may ask.
    pub access: AccessSettings,
    /// How much one of them may ask.
    pub callers: CallerSettings,
}

/// Begins to answer on the bound sockets. Has to be called inside of an actix `System`.
///
/// # Errors
/// Fails where a socket cannot be taken over.
pub fn start(
    settings: &Settings,
    listeners: Listeners,
    tls: Option<&Tls>,
    shown: Shown,
) -> io::Result<Running> {
    // A rate over the first problem of a kind is not lost.
    Kind::ALL.iter().for_each(|kind| shown.metrics.problem(kind.name(), 0));
    let metrics = match listeners.metrics {
        Some(listener) => Some(spawn(operators(shown.metrics.clone(), listener)?)),
        None => None,
    };
    let description = Description::new(shown.gateway.public_url().as_str())?;
    let site = Data::new(Site {
        gateway: shown.gateway,
        metrics: shown.metrics,
        limits: Limits::new(settings),
        access: Current::new(Access::new(&shown.access)),
        callers: Callers::new(settings, &shown.callers).into(),
        assets: Assets::new().into(),
        phase: Phase::default(),
        description,
    });
    let tls = listeners.tls.zip(tls);
    let public = spawn(public(settings, site.clone(), listeners.plain, tls)?);
    site.phase.begin_serving();
    let drain_delay = Duration::from_secs(settings.drain_delay_seconds);
    Ok(Running { site, public, metrics, drain_delay })
}

impl Running {
    /// Turns `/readyz` red, goes on answering for the drain delay while connections are told to
    /// close, then takes no new ones and waits for running requests within their limit.
    pub async fn stop(&self) {
        self.site.phase.begin_draining();
        actix_web::rt::time::sleep(self.drain_delay).await;
        self.public.stop(true).await;
    }

    /// Decides by other keys and tokens who may ask, from the next request on.
    pub fn admit_by(&self, settings: &AccessSettings) {
        self.site.access.put(Access::new(settings));
    }

    /// Takes the metrics away at last, when nothing is left to count.
    pub async fn stop_metrics(&self) {
        if let Some(metrics) = &self.metrics {
            metrics.stop(false).await;
        }
    }
}

fn public(
    settings: &Settings,
    site: Data<Site>,
    plain: Option<TcpListener>,
    tls: Option<(TcpListener, &Tls)>,
) -> io::Result<Server> {
    let mut server = HttpServer::new(move || {
        App::new()
            .app_data(site.clone())
            .app_data(PayloadConfig::new(site.limits.body()))
            .wrap(from_fn(observe::observe))
            .configure(router::public)
    })
    .disable_signals()
    .max_connections(settings.max_connections)
    .client_request_timeout(Duration::from_secs(settings.head_timeout_seconds))
    .client_disconnect_timeout(DISCONNECT)
    .keep_alive(Duration::from_secs(settings.keep_alive_seconds))
    .shutdown_timeout(settings.drain_timeout_seconds);
    if settings.workers > 0 {
        server = server.workers(settings.workers);
    }
    if let Some(listener) = plain {
        server = server.listen(listener)?;
    }
    if let Some((listener, tls)) = tls {
        server = server.listen_rustls_0_23(listener, tls.config.as_ref().clone())?;
    }
    Ok(server.run())
}

fn operators(metrics: Metrics, listener: TcpListener) -> io::Result<Server> {
    let metrics = Data::new(metrics);
    let server = HttpServer::new(move || {
        App::new()
            .app_data(metrics.clone())
            .wrap(DefaultHeaders::new().add((X_CONTENT_TYPE_OPTIONS, "nosniff")))
            .configure(router::operators)
    });
    Ok(server.disable_signals().workers(1).listen(listener)?.run())
}

fn spawn(server: Server) -> ServerHandle {
    let handle = server.handle();
    actix_web::rt::spawn(server);
    handle
}

/// How long a connection that is over may take to say so.
const DISCONNECT: Duration = Duration::from_secs(5);
