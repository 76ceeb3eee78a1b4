//! One request to one address, and what its answer means.

use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_http::body::None as NoBody;
use actix_http::error::ParseError;
use awc::error::{ConnectError, SendRequestError};
use awc::http::StatusCode;
use awc::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use awc::{ClientRequest, ClientResponse};

use super::arrival::{Arrival, Payload, lossy};
use super::challenge::{is_challenge, is_challenge_page};
use super::connector::{GuardedConnector, Security};
use super::decoder::{DecodeLimits, decode};
use super::dialled::{dialled_uri, host_field};
use super::error::{BadRedirect, FetchError, SetupError, Unreachable, Wait};
use super::freshness::RetryAfter;
use super::handshake::Handshake;
use super::redirect::{RedirectKind, Step};
use super::request::Request;
use super::resolver::Resolver;
use super::rests::Rests;
use super::room::Rooms;
use super::settings::Settings;
use super::target::Guard;
use super::tls;
use crate::model::{SourceUrl, Validators};

/// The HTTP client behind the guard, one for each kind of connection.
pub(super) struct Exchange {
    guard: Rc<Guard>,
    plain: Client,
    secure: Client,
    secure_connector: GuardedConnector,
    idle_timeout: Duration,
    max_bytes: u64,
    rests: Option<Rests>,
    rooms: Rooms,
    on_behalf: Behalf,
}

/// For whom something is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behalf {
    /// For callers of a gateway: requests carry its name in `Via`, so that a loop is noticed.
    Callers,
    /// For whoever runs the command: there is nobody in between.
    User,
}

#[expect(clippy::disallowed_types, reason = "the one client, behind the guarded connector")]
type Client = awc::Client;

impl Exchange {
    pub(super) fn new(
        guard: Guard,
        settings: &Settings,
        rooms: Rooms,
        on_behalf: Behalf,
    ) -> Result<Self, SetupError> {
        let guard = Rc::new(guard);
        let resolver = Resolver::new(settings)?;
        let roots = Arc::new(tls::roots(settings)?);
        let connector = |security| {
            GuardedConnector::new(security, resolver.clone(), Rc::clone(&guard), settings)
        };
        let secure_connector = connector(Security::Tls(tls::client_config(&roots)?, roots));
        Ok(Self {
            plain: client(connector(Security::Plain)),
            secure: client(secure_connector.clone()),
            secure_connector,
            guard,
            idle_timeout: settings.idle_timeout(),
            max_bytes: settings.max_body_bytes,
            rests: None,
            rooms,
            on_behalf,
        })
    }

    pub(super) fn share(&mut self, rests: Rests) {
        self.rests = Some(rests);
    }

    pub(super) fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Shakes hands with the host of an address.
    pub(super) async fn shake_hands(&self, url: &SourceUrl) -> Result<Handshake, FetchError> {
        self.guard.judge_url(url).map_err(FetchError::Refused)?;
        self.secure_connector.shake_hands(url.host(), url.port()).await
    }

    /// Asks one address and reads its answer.
    pub(super) async fn ask(
        &self,
        url: &SourceUrl,
        request: &Request,
    ) -> Result<Step<Arrival>, FetchError> {
        self.guard.judge_url(url).map_err(FetchError::Refused)?;
        if let Some(seconds) = self.rests.as_ref().and_then(|rests| rests.seconds_left(url)) {
            return Err(FetchError::Resting { seconds });
        }
        let validators = request.validators_for(url);
        let asked = self.request(url, request, validators)?;
        let response = asked.send_body(NoBody::new()).await.map_err(of_send)?;
        let headers = response.headers();
        let retry_after = RetryAfter::read(headers);
        let status = response.status().as_u16();
        if RESTING.contains(&response.status()) {
            self.note_rest(url, retry_after);
        }
        if is_challenge(headers) {
            return Err(FetchError::Challenge { status, retry_after });
        }
        match response.status() {
            StatusCode::MOVED_PERMANENTLY | StatusCode::PERMANENT_REDIRECT => {
                Ok(moved(RedirectKind::Permanent, headers))
            }
            StatusCode::FOUND | StatusCode::SEE_OTHER | StatusCode::TEMPORARY_REDIRECT => {
                Ok(moved(RedirectKind::Temporary, headers))
            }
            StatusCode::NOT_MODIFIED if validators.is_none() => Err(FetchError::UnaskedNotModified),
            StatusCode::NOT_MODIFIED => Ok(Step::Arrived(Arrival::without_body(&response))),
            // A part of a document that nobody asked for in parts.
            StatusCode::PARTIAL_CONTENT => Err(FetchError::Status { status, retry_after }),
            code if code.is_success() => {
                let max_bytes = self.max_bytes.min(request.purpose.max_bytes());
                self.read(response, max_bytes).await.map(Step::Arrived)
            }
            code if CHALLENGING.contains(&code) && self.shows_a_challenge(response).await => {
                Err(FetchError::Challenge { status, retry_after })
            }
            _ => Err(FetchError::Status { status, retry_after }),
        }
    }

    fn note_rest(&self, url: &SourceUrl, retry_after: Option<RetryAfter>) {
        if let (Some(rests), Some(retry_after)) = (&self.rests, retry_after) {
            rests.note(url, retry_after);
        }
    }

    /// Looks into the page of a refusal. What cannot be read of it is no challenge.
    async fn shows_a_challenge(&self, response: ClientResponse<impl Payload>) -> bool {
        let arrival = self.read(response, MAX_PAGE_BYTES).await.ok();
        let limits = DecodeLimits { max_bytes: MAX_PAGE_BYTES, ..DecodeLimits::default() };
        arrival.and_then(|arrival| arrival.body).is_some_and(|body| {
            let page = decode(body.bytes, body.content_encoding.as_deref(), &limits);
            page.is_ok_and(|page| is_challenge_page(body.content_type.as_deref(), &page))
        })
    }

    async fn read(
        &self,
        response: ClientResponse<impl Payload>,
        max_bytes: u64,
    ) -> Result<Arrival, FetchError> {
        Arrival::with_body(response, self.idle_timeout, max_bytes, &self.rooms).await
    }

    fn request(
        &self,
        url: &SourceUrl,
        request: &Request,
        validators: Option<&Validators>,
    ) -> Result<ClientRequest, FetchError> {
        let client = if url.is_https() { &self.secure } else { &self.plain };
        let mut asked = client
            .get(dialled_uri(url)?)
            .camel_case()
            .force_close()
            .no_decompress()
            .insert_header((header::HOST, host_field(url)))
            .insert_header((header::USER_AGENT, USER_AGENT))
            .insert_header((header::ACCEPT, request.purpose.accept()))
            .insert_header((header::ACCEPT_ENCODING, ACCEPT_ENCODING));
        if self.on_behalf == Behalf::Callers {
            asked = asked.insert_header((header::VIA, format!("1.1 {PSEUDONYM}")));
        }
        if let Some(validators) = validators {
            let headers = asked.headers_mut();
            insert(headers, header::IF_NONE_MATCH, validators.etag.as_deref());
            insert(headers, header::IF_MODIFIED_SINCE, validators.last_modified.as_deref());
        }
        Ok(asked)
    }
}

#[expect(clippy::disallowed_types, reason = "the one client, behind the guarded connector")]
fn client(connector: GuardedConnector) -> Client {
    let connector = awc::Connector::new()
        .connector(connector)
        .conn_keep_alive(Duration::ZERO)
        .limit(0)
        // The deadlines are our own: the connector's, the stream's and the whole.
        .timeout(NEVER);
    awc::ClientBuilder::new()
        .connector(connector)
        .disable_timeout()
        .disable_redirects()
        .no_default_headers()
        .finish()
}

fn moved(kind: RedirectKind, headers: &HeaderMap) -> Step<Arrival> {
    let mut locations = headers.get_all(header::LOCATION).map(lossy);
    let location = locations.next().ok_or(BadRedirect::Missing);
    let is_ambiguous = location.as_ref().is_ok_and(|first| locations.any(|next| next != *first));
    Step::Moved {
        kind,
        location: if is_ambiguous { Err(BadRedirect::Ambiguous) } else { location },
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: Option<&[u8]>) {
    if let Some(value) = value.and_then(|value| HeaderValue::from_bytes(value).ok()) {
        headers.insert(name, value);
    }
}

fn of_send(error: SendRequestError) -> FetchError {
    match error {
        SendRequestError::Connect(ConnectError::Resolver(inner)) => match inner.downcast() {
            Ok(error) => *error,
            Err(error) => FetchError::Protocol(io::Error::other(error.to_string())),
        },
        SendRequestError::Connect(ConnectError::Disconnected) => Unreachable::Closed.into(),
        SendRequestError::Connect(ConnectError::Io(error)) | SendRequestError::Send(error) => {
            of_stream(error)
        }
        SendRequestError::Response(ParseError::Io(error)) => of_stream(error),
        error => FetchError::Protocol(io::Error::other(error.to_string())),
    }
}

fn of_stream(error: io::Error) -> FetchError {
    match error.kind() {
        io::ErrorKind::TimedOut => FetchError::Timeout(Wait::FirstByte),
        io::ErrorKind::InvalidData => FetchError::Protocol(error),
        _ => Unreachable::Closed.into(),
    }
}

/// How we name ourselves to sources (MMSP 11).
pub(super) const USER_AGENT: &str = concat!("MMSP/1.0 mmsp-gateway/", env!("CARGO_PKG_VERSION"));

/// The name of a gateway in `Via`, which marks its requests, and in `Cache-Status`.
pub const PSEUDONYM: &str = "mmsp-gateway";

const ACCEPT_ENCODING: &str = "gzip, br, zstd, deflate";

/// Statuses under which bot checks hide.
const CHALLENGING: [StatusCode; 3] =
    [StatusCode::FORBIDDEN, StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE];

/// Statuses whose `Retry-After` speaks for the host.
const RESTING: [StatusCode; 2] = [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE];

/// Most bytes of such a page that are read.
const MAX_PAGE_BYTES: u64 = 128 << 10;

const NEVER: Duration = Duration::from_secs(86_400);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_may_be_told_from_another_thread() {
        fn is_sendable<T: Send + Sync + 'static>() {}
        is_sendable::<FetchError>();
    }
}
