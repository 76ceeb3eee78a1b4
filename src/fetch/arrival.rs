//! An answer that is no redirect, as it came off the wire.

use std::io;
use std::time::Duration;

use awc::ClientResponse;
use awc::error::PayloadError;
use awc::http::StatusCode;
use awc::http::header::{self, HeaderMap, HeaderValue};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use tokio::time::timeout;

use super::cache_fields::CacheFields;
use super::error::{FetchError, Wait};
use super::freshness::Freshness;
use super::room::{FREE_BYTES, Reserved, Rooms};
use crate::model::Validators;

/// What an address answered, the body still coded.
pub(super) struct Arrival {
    pub(super) status: u16,
    pub(super) validators: Validators,
    pub(super) freshness: Freshness,
    pub(super) links: Vec<String>,
    pub(super) fields: CacheFields,
    /// None for 304.
    pub(super) body: Option<Body>,
}

/// A body as it came.
pub(super) struct Body {
    pub(super) bytes: Vec<u8>,
    pub(super) room: Reserved,
    pub(super) content_type: Option<String>,
    pub(super) content_encoding: Option<String>,
    pub(super) is_complete: bool,
}

/// The undivided body of a response.
pub(super) trait Payload: Stream<Item = Result<Bytes, PayloadError>> + Unpin {}

impl<S: Stream<Item = Result<Bytes, PayloadError>> + Unpin> Payload for S {}

impl Arrival {
    /// Reads an answer with its body, as far as the waits and the limit allow.
    pub(super) async fn with_body(
        mut response: ClientResponse<impl Payload>,
        idle_timeout: Duration,
        max_bytes: u64,
        rooms: &Rooms,
    ) -> Result<Self, FetchError> {
        let (mut body, most_bytes) = Body::announced(response.headers(), max_bytes)?;
        let mut has_room = false;
        // The body of a 204 is never waited for: there is none, whatever it announces.
        while response.status() != StatusCode::NO_CONTENT {
            let chunk = timeout(idle_timeout, response.next())
                .await
                .map_err(|_| FetchError::Timeout(Wait::Body))?;
            match chunk {
                None => break,
                Some(Ok(chunk)) => {
                    body.push(&chunk, max_bytes)?;
                    if !has_room && body.is_large() {
                        body.room = rooms.on_the_wire(most_bytes).await;
                        has_room = true;
                    }
                }
                Some(Err(error)) if is_broken_off(&error) => {
                    body.is_complete = false;
                    break;
                }
                Some(Err(error)) => {
                    return Err(FetchError::Protocol(io::Error::other(error.to_string())));
                }
            }
        }
        Ok(Self::read(&response, Some(body)))
    }

    /// Reads an answer that has no body.
    pub(super) fn without_body<S>(response: &ClientResponse<S>) -> Self {
        Self::read(response, None)
    }

    fn read<S>(response: &ClientResponse<S>, body: Option<Body>) -> Self {
        let headers = response.headers();
        let bytes = |name| headers.get(name).map(|value: &HeaderValue| value.as_bytes().to_vec());
        Self {
            status: response.status().as_u16(),
            validators: Validators {
                etag: bytes(header::ETAG),
                last_modified: bytes(header::LAST_MODIFIED),
            },
            freshness: Freshness::read(headers),
            links: headers.get_all(header::LINK).map(lossy).collect(),
            fields: CacheFields::read(headers),
            body,
        }
    }
}

impl Body {
    /// A body of which nothing has come yet, and how many bytes it may have.
    fn announced(headers: &HeaderMap, max_bytes: u64) -> Result<(Self, u64), FetchError> {
        let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
        let length = length.and_then(|length| length.parse().ok());
        if length.is_some_and(|length: u64| length > max_bytes) {
            return Err(FetchError::TooLarge);
        }
        let codings: Vec<_> = headers.get_all(header::CONTENT_ENCODING).map(lossy).collect();
        let body = Self {
            bytes: Vec::new(),
            room: Reserved::default(),
            content_type: headers.get(header::CONTENT_TYPE).map(lossy),
            content_encoding: (!codings.is_empty()).then(|| codings.join(",")),
            is_complete: true,
        };
        Ok((body, length.unwrap_or(max_bytes)))
    }

    fn is_large(&self) -> bool {
        u64::try_from(self.bytes.len()).is_ok_and(|bytes| bytes >= FREE_BYTES)
    }

    fn push(&mut self, chunk: &[u8], max_bytes: u64) -> Result<(), FetchError> {
        if u64::try_from(self.bytes.len() + chunk.len()).is_ok_and(|n| n > max_bytes) {
            return Err(FetchError::TooLarge);
        }
        self.bytes.extend_from_slice(chunk);
        Ok(())
    }
}

/// Field values may hold raw UTF-8, or anything at all.
pub(super) fn lossy(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

fn is_broken_off(error: &PayloadError) -> bool {
    match error {
        PayloadError::Incomplete(_) => true,
        PayloadError::Io(error) => error.kind() != io::ErrorKind::InvalidData,
        _ => false,
    }
}
