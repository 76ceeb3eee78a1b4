//! The sockets, bound before anything else is built: the port of HTTPS is part of our own
//! address, and a port that is taken is told before a database is opened.

use std::io;
use std::net::{SocketAddr, TcpListener};

use socket2::SockRef;

use super::settings::{MetricsSettings, Settings};

/// Bound sockets, by what they are for.
#[derive(Debug)]
pub struct Listeners {
    pub(crate) plain: Option<TcpListener>,
    pub(crate) tls: Option<TcpListener>,
    pub(crate) metrics: Option<TcpListener>,
}

impl Listeners {
    /// Binds every address of the settings.
    ///
    /// # Errors
    /// Gives the address that cannot be bound, and why.
    pub fn bind(
        settings: &Settings,
        metrics: &MetricsSettings,
    ) -> Result<Self, (SocketAddr, io::Error)> {
        Ok(Self {
            plain: settings.listen.map(bind).transpose()?,
            tls: settings.tls_listen.map(bind).transpose()?,
            metrics: metrics.listen.map(bind).transpose()?,
        })
    }

    /// Where plain HTTP is spoken.
    #[must_use]
    pub fn plain(&self) -> Option<SocketAddr> {
        address(self.plain.as_ref())
    }

    /// Where HTTPS is spoken.
    #[must_use]
    pub fn tls(&self) -> Option<SocketAddr> {
        address(self.tls.as_ref())
    }

    /// Where metrics are read.
    #[must_use]
    pub fn metrics(&self) -> Option<SocketAddr> {
        address(self.metrics.as_ref())
    }
}

fn bind(address: SocketAddr) -> Result<TcpListener, (SocketAddr, io::Error)> {
    let bound = TcpListener::bind(address).and_then(|listener| {
        SockRef::from(&listener).listen(BACKLOG)?;
        Ok(listener)
    });
    bound.map_err(|error| (address, error))
}

fn address(listener: Option<&TcpListener>) -> Option<SocketAddr> {
    listener.and_then(|listener| listener.local_addr().ok())
}

/// Connections that wait to be taken: the standard library's 128 are too few for a crowd.
const BACKLOG: i32 = 4096;
