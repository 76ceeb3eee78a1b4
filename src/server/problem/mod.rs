//! Every failure as RFC 9457 tells it: the types, and what each failure of a lower floor becomes.
//!
//! HTTP is spoken of here only. The matches are exhaustive, one row a variant: a new failure does
//! not compile until its answer is chosen.

mod failure;
mod kind;

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CACHE_CONTROL, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, HttpResponseBuilder};
use serde_json::{Map, Value};

pub use kind::Kind;

/// A failure, ready to be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    kind: Kind,
    detail: String,
    members: Vec<(&'static str, Value)>,
    retry_after_seconds: Option<u64>,
    allow: Option<&'static str>,
    challenge: Option<&'static str>,
}

impl Problem {
    /// A problem of that kind; the detail says in plain words what to do next.
    #[must_use]
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            members: Vec::new(),
            retry_after_seconds: None,
            allow: None,
            challenge: None,
        }
    }

    /// Adds a member that a program can use.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.members.push((name, value.into()));
        self
    }

    /// Says after how many seconds it is worth asking again.
    #[must_use]
    pub fn retry_after(mut self, seconds: Option<u64>) -> Self {
        self.retry_after_seconds = seconds;
        self
    }

    /// Names the methods that would have been right.
    #[must_use]
    pub fn allow(mut self, methods: &'static str) -> Self {
        self.allow = Some(methods);
        self
    }

    /// Says how to show that one may ask (RFC 9110 11.6.1).
    #[must_use]
    pub fn challenge(mut self, challenge: &'static str) -> Self {
        self.challenge = Some(challenge);
        self
    }

    /// The kind of problem.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What happened this time and what to do next, in whole sentences.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// After how many seconds it is worth asking again.
    #[must_use]
    pub fn retry_after_seconds(&self) -> Option<u64> {
        self.retry_after_seconds
    }

    /// The problem as one JSON object, as the command line prints it too.
    #[must_use]
    pub fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("type".to_owned(), self.kind.path().into());
        object.insert("title".to_owned(), self.kind.title().into());
        object.insert("status".to_owned(), self.kind.status().into());
        object.insert("detail".to_owned(), self.detail.as_str().into());
        object.extend(self.members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        if let Some(seconds) = self.retry_after_seconds {
            object.insert("retry_after_seconds".to_owned(), seconds.into());
        }
        Value::Object(object)
    }

    /// The problem as an answer. A `HEAD` loses the body further down, not here.
    #[must_use]
    pub fn response(&self) -> HttpResponse {
        self.head().content_type("application/problem+json").body(self.json().to_string())
    }

    /// Status and headers of the answer, in whatever words the body tells the rest.
    pub(super) fn head(&self) -> HttpResponseBuilder {
        let status =
            StatusCode::from_u16(self.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = HttpResponse::build(status);
        response.insert_header((CACHE_CONTROL, self.cache_control()));
        if let Some(seconds) = self.retry_after_seconds {
            response.insert_header((RETRY_AFTER, seconds));
        }
        if let Some(methods) = self.allow {
            response.insert_header((ALLOW, methods));
        }
        if let Some(challenge) = self.challenge {
            response.insert_header((WWW_AUTHENTICATE, challenge));
        }
        // For whoever counts and logs: this is the one place where an answer says what it tells.
        response.extensions_mut().insert(self.kind);
        response
    }

    /// A failure lives in caches for a moment, or until we would try again, and never as long as
    /// a success; what speaks of this moment or this caller is not kept at all.
    fn cache_control(&self) -> String {
        if !self.kind.may_be_cached() {
            return "no-store".to_owned();
        }
        let seconds = self.retry_after_seconds.unwrap_or(MOMENT_SECONDS).min(LONGEST_SECONDS);
        format!("public, max-age={seconds}")
    }
}

const MOMENT_SECONDS: u64 = 60;
const LONGEST_SECONDS: u64 = 600;

#[cfg(test)]
mod tests {
    use actix_web::body::MessageBody;

    use super::*;

    #[test]
    fn it_is_told_with_its_members_and_headers() {
        let problem = Problem::new(Kind::SourceBackingOff, "Wait.")
            .with("url", "https://x.example/")
            .retry_after(Some(90));
        let response = problem.response();
        assert_eq!(response.status(), 503);
        assert_eq!(response.headers().get(RETRY_AFTER).unwrap(), "90");
        assert_eq!(response.headers().get(CACHE_CONTROL).unwrap(), "no-store");
        let body = response.into_body().try_into_bytes().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&body),
            "{\"type\":\"/problems/source-backing-off\",\
             \"title\":\"The source is being left alone for a while\",\"status\":503,\
             \"detail\":\"Wait.\",\"url\":\"https://x.example/\",\"retry_after_seconds\":90}"
        );
    }

    #[test]
    fn a_failure_is_cached_for_a_moment_or_until_the_next_try() {
        let check =
            |problem: Problem| problem.response().headers().get(CACHE_CONTROL).unwrap().clone();
        let problem = Problem::new(Kind::NotAFeed, "");
        assert_eq!(check(problem.clone()), "public, max-age=60");
        assert_eq!(check(problem.clone().retry_after(Some(300))), "public, max-age=300");
        assert_eq!(check(problem.retry_after(Some(86_400))), "public, max-age=600");
        assert_eq!(check(Problem::new(Kind::Internal, "")), "no-store");
    }
}
