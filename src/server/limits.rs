//! How long a request may be.

use std::time::Duration;

use actix_web::dev::ServiceRequest;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap, TRANSFER_ENCODING};

use super::problem::{Kind, Problem};
use super::settings::Settings;

/// The limits of a request: bytes, and the time of its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    target: usize,
    head: usize,
    body: u64,
    body_time: Duration,
}

impl Limits {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            target: settings.max_target_bytes,
            head: settings.max_head_bytes,
            body: settings.max_body_bytes,
            body_time: Duration::from_secs(settings.body_timeout_seconds),
        }
    }

    /// Most bytes of a body.
    pub(crate) fn body(&self) -> usize {
        usize::try_from(self.body).unwrap_or(usize::MAX)
    }

    /// How long a body may take.
    pub(crate) fn body_time(&self) -> Duration {
        self.body_time
    }

    /// The problem with a request that is too long in some part.
    pub(crate) fn judge(&self, request: &ServiceRequest) -> Option<Problem> {
        let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
        if target > self.target {
            return Some(too_long(Kind::TargetTooLong, "path and query", self.target as u64));
        }
        if head_bytes(request.headers()) > self.head {
            return Some(too_long(Kind::HeadTooLong, "headers", self.head as u64));
        }
        // No route reads a body of unknown length.
        if body_bytes(request.headers()).is_none_or(|bytes| bytes > self.body) {
            return Some(too_long(Kind::BodyTooLong, "body", self.body));
        }
        None
    }
}

fn too_long(kind: Kind, part: &str, limit: u64) -> Problem {
    Problem::new(kind, format!("The {part} of a request may have {limit} bytes."))
        .with("limit", limit)
}

fn head_bytes(headers: &HeaderMap) -> usize {
    /// `: ` and the line break.
    const BETWEEN: usize = 4;
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + BETWEEN).sum()
}

fn body_bytes(headers: &HeaderMap) -> Option<u64> {
    match headers.get(CONTENT_LENGTH) {
        Some(length) => length.to_str().ok()?.parse().ok(),
        None if headers.contains_key(TRANSFER_ENCODING) => None,
        None => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn check(request: TestRequest) -> Option<Kind> {
        let limits = Limits { target: 100, head: 200, body: 10, body_time: Duration::ZERO };
        limits.judge(&request.to_srv_request()).map(|problem| problem.kind())
    }

    #[test]
    fn each_part_has_its_limit() {
        let request = || TestRequest::with_uri("/mmsp/feed?url=x.example");
        let long = "x".repeat(200);
        assert_eq!(check(request()), None);
        assert_eq!(check(request().insert_header((CONTENT_LENGTH, 10))), None);
        assert_eq!(check(TestRequest::with_uri(&format!("/{long}"))), Some(Kind::TargetTooLong));
        assert_eq!(check(request().insert_header(("x-a", long))), Some(Kind::HeadTooLong));
        assert_eq!(check(request().insert_header((CONTENT_LENGTH, 11))), Some(Kind::BodyTooLong));
        assert_eq!(
            check(request().insert_header((TRANSFER_ENCODING, "chunked"))),
            Some(Kind::BodyTooLong)
        );
    }
}
