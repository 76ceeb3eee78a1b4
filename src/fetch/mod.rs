//! The one door to the web, and the one guard in it.
//!
//! A [`Fetcher`] takes a [`Request`] to a source and brings back a [`Response`]: `redirect` finds
//! the way, `exchange` asks each address on it, `connector` dials, and nothing is dialled that
//! [`Guard`] has not judged at that moment. What a source sends passes `response_stream`, which
//! sees that it is whole, and the bounded [`decode`].

mod address;
mod arrival;
mod cache_fields;
mod challenge;
mod coding;
mod connector;
mod decoder;
mod dialled;
mod error;
mod exchange;
mod framing;
mod freshness;
mod handshake;
mod host_rule;
mod list;
mod redirect;
mod request;
#[expect(clippy::disallowed_types, reason = "the one resolver")]
mod resolver;
mod response_head;
mod response_stream;
mod rests;
mod room;
mod settings;
mod target;
mod tls;
mod verdict;

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

pub use cache_fields::CacheFields;
pub use decoder::{DecodeLimits, decode};
pub use error::{BadRedirect, DecodeError, FetchError, SetupError, Unreachable, Wait};
pub use exchange::PSEUDONYM;
pub use freshness::{Freshness, RetryAfter};
pub use handshake::Handshake;
pub use host_rule::{HostAndPort, HostRule};
pub(crate) use list::list;
pub use redirect::{Redirect, RedirectKind};
pub use request::{Answer, Document, Https, Purpose, Request, Response};
pub use rests::Rests;
pub use room::Room;
pub use settings::Settings;
pub use target::Guard;
pub use verdict::{RefusalKind, Verdict};

use crate::model::SourceUrl;
use arrival::Body;
use challenge::is_challenge_page;
use exchange::{Behalf, Exchange};
use redirect::Rules;
use room::Rooms;

/// Fetches documents. Not `Send`: each poller thread makes its own, inside a `LocalSet`.
pub struct Fetcher {
    exchange: Exchange,
    settings: Settings,
    decoders: Arc<Semaphore>,
    rooms: Rooms,
}

impl Fetcher {
    /// Makes a fetcher that also refuses what lies at or under `own`, the gateway's own paths.
    ///
    /// # Errors
    /// Where the settings cannot work: see [`SetupError`].
    pub fn new(settings: &Settings, own: &[SourceUrl]) -> Result<Self, SetupError> {
        Self::with_guard(Guard::new(settings).refusing(own), settings, Behalf::Callers)
    }

    /// Makes a fetcher for a command: what it asks for goes to its user, so that a gateway may be
    /// asked too.
    ///
    /// # Errors
    /// Where the settings cannot work: see [`SetupError`].
    pub fn for_user(settings: &Settings) -> Result<Self, SetupError> {
        Self::with_guard(Guard::new(settings), settings, Behalf::User)
    }

    fn with_guard(
        guard: Guard,
        settings: &Settings,
        on_behalf: Behalf,
    ) -> Result<Self, SetupError> {
        let rooms = Rooms::new(settings.max_body_bytes);
        Ok(Self {
            exchange: Exchange::new(guard, settings, rooms.clone(), on_behalf)?,
            rooms,
            settings: settings.clone(),
            decoders: Arc::new(Semaphore::new(MAX_DECODERS)),
        })
    }

    /// Shares what hosts ask for with others.
    #[must_use]
    pub fn sharing(mut self, rests: Rests) -> Self {
        self.exchange.share(rests);
        self
    }

    /// Fetches a document, through all redirects, within the time and size of the settings.
    ///
    /// # Errors
    /// Says why there is no document.
    pub async fn fetch(&self, request: &Request) -> Result<Response, FetchError> {
        timeout(self.settings.total_timeout(), self.fetch_patiently(request))
            .await
            .unwrap_or(Err(FetchError::Timeout(Wait::Whole)))
    }

    /// Judges an address as far as that goes without asking anybody, by where it would be asked for
    /// first. What passes is judged again when it is dialled.
    ///
    /// # Errors
    /// Says why it is refused, as [`Fetcher::fetch`] would.
    pub fn judge(&self, url: &SourceUrl) -> Result<(), Verdict> {
        let guard = self.exchange.guard();
        let twin = redirect::secure_twin(url, Https::Untried, guard);
        guard.judge(twin.as_ref().unwrap_or(url), &[])
    }

    /// Shakes hands with the host of an `https` address, and asks it nothing.
    ///
    /// # Errors
    /// Says why there is no connection that could be trusted.
    pub async fn shake_hands(&self, url: &SourceUrl) -> Result<Handshake, FetchError> {
        self.exchange.shake_hands(url).await
    }

    async fn fetch_patiently(&self, request: &Request) -> Result<Response, FetchError> {
        let rules = Rules {
            guard: self.exchange.guard(),
            https: request.https,
            allow_http: self.settings.allow_http,
        };
        let ask = async |url: &SourceUrl| self.exchange.ask(url, request).await;
        let (url, redirects, arrival) = redirect::follow(&request.url, rules, ask).await?;
        let answer = match arrival.body {
            None => Answer::NotModified,
            Some(body) => {
                let document = self.open(body, request.purpose).await?;
                if is_challenge_page(document.content_type.as_deref(), &document.body) {
                    return Err(FetchError::Challenge {
                        status: arrival.status,
                        retry_after: None,
                    });
                }
                Answer::Document(document)
            }
        };
        Ok(Response {
            url,
            redirects,
            validators: arrival.validators,
            freshness: arrival.freshness,
            links: arrival.links,
            fields: arrival.fields,
            answer,
        })
    }

    /// Decodes a body away from the event loop; few at a time, since each may need a window of
    /// 16 MiB. One that was given up goes on to its limit, and counts until then.
    async fn open(&self, body: Body, purpose: Purpose) -> Result<Document, FetchError> {
        let Body { bytes, room, content_type, content_encoding, is_complete } = body;
        let wire_bytes = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let mut limits = DecodeLimits::from(&self.settings);
        limits.max_bytes = limits.max_bytes.min(purpose.max_bytes());
        let (body, room) = if decoder::is_coded(&bytes, content_encoding.as_deref()) {
            let reserved = self.rooms.decoded(limits.most_bytes(bytes.len())).await;
            let permit = Arc::clone(&self.decoders).acquire_owned().await;
            let decoding = spawn_blocking(move || {
                let _permit = permit;
                let body = decode(bytes, content_encoding.as_deref(), &limits)?;
                let decoded_bytes = u64::try_from(body.len()).unwrap_or(u64::MAX);
                Ok::<_, DecodeError>((body, reserved.keeping(decoded_bytes)))
            });
            decoding.await.map_err(|error| FetchError::Protocol(error.into()))??
        } else {
            (decode(bytes, None, &limits)?, room.keeping(wire_bytes))
        };
        Ok(Document { body, room, content_type, complete: is_complete, wire_bytes })
    }
}

/// Whether the value of a `Via` field names a gateway like this one: such a request is a loop.
#[must_use]
pub fn is_own_via(value: &str) -> bool {
    value
        .split(',')
        .filter_map(|hop| hop.split_whitespace().nth(1))
        .any(|name| name.eq_ignore_ascii_case(PSEUDONYM))
}

const MAX_DECODERS: usize = 2;

#[cfg(test)]
mod tests;
