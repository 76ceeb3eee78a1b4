//! What caches between us and the client are told (RFC 9111, RFC 5861, RFC 9211).

use std::fmt::Write;

use actix_web::http::header::{CACHE_CONTROL, HeaderMap, HeaderValue};

use crate::fetch::PSEUDONYM;
use crate::gateway::{CacheStatus, PageAnswer};

use super::problem::Kind;

/// `Cache-Control`. `max-age` counts from when the source last confirmed the page, as `Age` does.
pub(crate) fn cache_control(answer: &PageAnswer) -> String {
    let max_age = answer.age_seconds.saturating_add(answer.max_age_seconds);
    format!(
        "public, max-age={max_age}, stale-while-revalidate={REVALIDATE_SECONDS}, \
         stale-if-error={IF_ERROR_SECONDS}"
    )
}

/// Keeps an answer out of caches that others share.
pub(crate) fn make_private(headers: &mut HeaderMap) {
    let public = headers.get(CACHE_CONTROL).and_then(|value| value.to_str().ok());
    let rest = public.and_then(|value| value.strip_prefix("public"));
    let private = rest.and_then(|rest| HeaderValue::from_str(&format!("private{rest}")).ok());
    if let Some(private) = private {
        headers.insert(CACHE_CONTROL, private);
    }
}

/// `Cache-Status`: what the gateway's memory had to do with the answer.
pub(crate) fn cache_status(answer: &PageAnswer) -> String {
    let mut status = PSEUDONYM.to_owned();
    let ttl = answer.max_age_seconds;
    // Writing to a string cannot fail.
    let _ = match &answer.cache {
        CacheStatus::Hit => write!(status, "; hit; ttl={ttl}"),
        CacheStatus::Stored => write!(status, "; hit; ttl={ttl}; detail=store"),
        CacheStatus::Stale { seconds, failure: None } => {
            write!(status, "; hit; ttl=-{seconds}; detail=source-slow")
        }
        CacheStatus::Stale { seconds, failure: Some(failure) } => {
            write!(status, "; hit; ttl=-{seconds}; detail={}", Kind::of(failure.kind).name())
        }
        CacheStatus::Refreshed { .. } => write!(status, "; fwd=stale; stored; ttl={ttl}"),
        CacheStatus::Miss { .. } => write!(status, "; fwd=uri-miss; stored; ttl={ttl}"),
    };
    if is_collapsed(&answer.cache) {
        status.push_str("; collapsed");
    }
    status
}

/// The status in one word, for the log.
pub(crate) fn word(status: &CacheStatus) -> &'static str {
    match status {
        CacheStatus::Hit => "hit",
        CacheStatus::Stored => "stored",
        CacheStatus::Stale { .. } => "stale",
        CacheStatus::Refreshed { .. } => "refreshed",
        CacheStatus::Miss { .. } => "miss",
    }
}

fn is_collapsed(status: &CacheStatus) -> bool {
    matches!(
        status,
        CacheStatus::Refreshed { collapsed: true } | CacheStatus::Miss { collapsed: true }
    )
}

/// How long a cache may go on with what it has while it asks us in the background: as long as we
/// leave a source alone.
const REVALIDATE_SECONDS: u64 = 900;

/// How long it may go on while we fail: the manifest's own `ttl_seconds`.
const IF_ERROR_SECONDS: u64 = 86_400;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::gateway::{Failure, FailureKind};
    use crate::model::Timestamp;
    use crate::paging::{Manifest, Origin, Page};

    use super::*;

    fn answer(cache: CacheStatus) -> PageAnswer {
        let manifest = Manifest {
            body: Vec::new(),
            feed_url: String::new(),
            self_url: String::new(),
            next_url: None,
            items: 1,
        };
        let origin = Origin {
            url: String::new(),
            media_type: String::new(),
            page_url: None,
            manifest_url: None,
        };
        let page = Arc::new(Page::new(manifest, origin, Timestamp::EPOCH));
        PageAnswer {
            page,
            max_age_seconds: 600,
            age_seconds: 300,
            cache,
            answered_at: Timestamp::EPOCH,
        }
    }

    #[test]
    fn what_remains_is_max_age_less_age() {
        assert_eq!(
            cache_control(&answer(CacheStatus::Hit)),
            "public, max-age=900, stale-while-revalidate=900, stale-if-error=86400"
        );
    }

    #[test]
    fn each_way_of_finding_a_page_has_its_status() {
        let timeout = Failure { kind: FailureKind::Timeout, detail: String::new() };
        for (cache, status) in [
            (CacheStatus::Hit, "hit; ttl=600"),
            (CacheStatus::Stored, "hit; ttl=600; detail=store"),
            (CacheStatus::Stale { seconds: 7, failure: None }, "hit; ttl=-7; detail=source-slow"),
            (
                CacheStatus::Stale { seconds: 7, failure: Some(timeout) },
                "hit; ttl=-7; detail=source-timeout",
            ),
            (CacheStatus::Refreshed { collapsed: false }, "fwd=stale; stored; ttl=600"),
            (CacheStatus::Miss { collapsed: true }, "fwd=uri-miss; stored; ttl=600; collapsed"),
        ] {
            assert_eq!(cache_status(&answer(cache)), format!("mmsp-gateway; {status}"));
        }
    }
}
