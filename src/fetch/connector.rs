//! The one place where connections to the web are made.
//!
//! Every socket address is judged here, just before it is dialled, whether it came from a name
//! server or stood in the URL. TLS begins here too, so that what leaves is plaintext that
//! [`ResponseStream`] watches.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_tls::connect::rustls_0_23::TlsConnector;
use actix_tls::connect::rustls_0_23::reexports::AsyncTlsStream;
use actix_tls::connect::{ConnectError, ConnectInfo, Connection, Host};
use actix_web::dev::Service;
use awc::http::Uri;
use futures_util::future::{LocalBoxFuture, select_ok};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::error::{FetchError, Unreachable, Wait};
use super::handshake::Handshake;
use super::resolver::Resolver;
use super::response_stream::ResponseStream;
use super::settings::Settings;
use super::target::Guard;

/// Dials what the guard lets pass. Cheap to clone.
#[derive(Clone)]
pub(super) struct GuardedConnector {
    guard: Rc<Guard>,
    resolver: Resolver,
    security: Security,
    connect_timeout: Duration,
    first_byte_timeout: Duration,
}

/// What stands between the socket and the plaintext.
#[derive(Clone)]
pub(super) enum Security {
    Plain,
    /// TLS, and the authorities that it trusts.
    Tls(Arc<ClientConfig>, Arc<RootCertStore>),
}

impl GuardedConnector {
    pub(super) fn new(
        security: Security,
        resolver: Resolver,
        guard: Rc<Guard>,
        settings: &Settings,
    ) -> Self {
        Self {
            guard,
            resolver,
            security,
            connect_timeout: settings.connect_timeout(),
            first_byte_timeout: settings.first_byte_timeout(),
        }
    }

    async fn connect(&self, host: &str, port: u16) -> Result<Plaintext, FetchError> {
        let socket = self.dial(host, port).await?;
        let plaintext: Box<dyn Transport> = match &self.security {
            Security::Plain => Box::new(socket),
            Security::Tls(config, _) => Box::new(self.secure(host, socket, config).await?),
        };
        Ok(ResponseStream::new(plaintext, self.first_byte_timeout))
    }

    /// Shakes hands, for what that tells; the connection is closed again.
    pub(super) async fn shake_hands(&self, host: &str, port: u16) -> Result<Handshake, FetchError> {
        let Security::Tls(config, roots) = &self.security else {
            return Err(FetchError::PlainHttp);
        };
        let socket = self.dial(host, port).await?;
        let secured = self.secure(host, socket, config).await?;
        let (_, connection) = secured.get_ref();
        let (version, chain) = (connection.protocol_version(), connection.peer_certificates());
        Ok(Handshake::new(version, host, chain, Arc::clone(roots)))
    }

    async fn secure(
        &self,
        host: &str,
        socket: TcpStream,
        config: &Arc<ClientConfig>,
    ) -> Result<AsyncTlsStream<TcpStream>, FetchError> {
        let connection = Connection::new(ServerHost(host.to_owned()), socket);
        let handshake = TlsConnector::service(Arc::clone(config)).call(connection);
        let secured = timeout(self.connect_timeout, handshake)
            .await
            .map_err(|_| FetchError::Timeout(Wait::Connect))?
            .map_err(of_handshake)?;
        Ok(secured.into_parts().0)
    }

    async fn dial(&self, host: &str, port: u16) -> Result<TcpStream, FetchError> {
        self.guard.judge_name(host, port).map_err(FetchError::Refused)?;
        let addresses = match host.parse::<IpAddr>() {
            Ok(literal) => vec![literal],
            Err(_) => self.resolver.lookup(host).await?,
        };
        self.guard.judge_addresses(host, port, &addresses).map_err(FetchError::Refused)?;
        timeout(self.connect_timeout, race(&addresses, port))
            .await
            .map_err(|_| FetchError::Timeout(Wait::Connect))?
            .map_err(|error| Unreachable::Connect(error).into())
    }
}

/// Dials judged addresses one after the other without waiting long for any (RFC 8305, 5).
async fn race(addresses: &[IpAddr], port: u16) -> io::Result<TcpStream> {
    let attempts = (0..).zip(addresses).take(MAX_ATTEMPTS).map(|(place, address)| {
        Box::pin(async move {
            sleep(ATTEMPT_DELAY * place).await;
            dial_one(SocketAddr::new(*address, port)).await
        })
    });
    let attempts: Vec<_> = attempts.collect();
    if attempts.is_empty() {
        return Err(io::ErrorKind::AddrNotAvailable.into());
    }
    select_ok(attempts).await.map(|(socket, _)| socket)
}

#[expect(clippy::disallowed_methods, reason = "the one dial, behind the guard")]
async fn dial_one(address: SocketAddr) -> io::Result<TcpStream> {
    TcpStream::connect(address).await
}

impl Service<ConnectInfo<Uri>> for GuardedConnector {
    type Response = Connection<Uri, Plaintext>;
    type Error = ConnectError;
    type Future = LocalBoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    /// Our own errors travel through the client inside [`ConnectError::Resolver`].
    fn call(&self, info: ConnectInfo<Uri>) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move {
            let uri = info.request().clone();
            let host = info.hostname().trim_matches(['[', ']']);
            match connector.connect(host, info.port()).await {
                Ok(plaintext) => Ok(Connection::new(uri, plaintext)),
                Err(error) => Err(ConnectError::Resolver(Box::new(error))),
            }
        })
    }
}

/// The plaintext of a connection.
pub(super) type Plaintext = ResponseStream<Box<dyn Transport>>;

/// A socket, or TLS over one.
pub(super) trait Transport: AsyncRead + AsyncWrite + Unpin {}

impl<T: AsyncRead + AsyncWrite + Unpin> Transport for T {}

/// The host that a certificate must be for: a name or an address, without brackets.
struct ServerHost(String);

impl Host for ServerHost {
    fn hostname(&self) -> &str {
        &self.0
    }
}

fn of_handshake(error: io::Error) -> FetchError {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        Some(rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented) => {
            FetchError::Certificate(error)
        }
        _ => Unreachable::Tls(error).into(),
    }
}

const MAX_ATTEMPTS: usize = 6;
const ATTEMPT_DELAY: Duration = Duration::from_millis(250);
