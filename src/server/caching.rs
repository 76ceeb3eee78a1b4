//! What caches between us and the client are told (RFC 9111, RFC 5861, RFC 9211).

use std::fmt;
use std::io::Write as _;

use actix_web::http::header::{CACHE_CONTROL, HeaderMap, HeaderValue};

use crate::fetch::PSEUDONYM;
use crate::gateway::{CacheStatus, PageAnswer};

use super::problem::Kind;

/// `Cache-Control`. `max-age` counts from when the source last confirmed the page, as `Age` does.
pub(crate) fn cache_control(answer: &PageAnswer) -> HeaderValue {
    let max_age = answer.age_seconds.saturating_add(answer.max_age_seconds);
    value(format_args!(
        "public, max-age={max_age}, stale-while-revalidate={REVALIDATE_SECONDS}, \
         stale-if-error={IF_ERROR_SECONDS}"
    ))
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
pub(crate) fn cache_status(answer: &PageAnswer) -> HeaderValue {
    let ttl = answer.max_age_seconds;
    let collapsed = if is_collapsed(&answer.cache) { "; collapsed" } else { "" };
    match &answer.cache {
        CacheStatus::Hit => value(format_args!("{PSEUDONYM}; hit; ttl={ttl}")),
        CacheStatus::Stored => value(format_args!("{PSEUDONYM}; hit; ttl={ttl}; detail=store")),
        CacheStatus::Stale { seconds, failure: None } => {
            value(format_args!("{PSEUDONYM}; hit; ttl=-{seconds}; detail=source-slow"))
        }
        CacheStatus::Stale { seconds, failure: Some(failure) } => {
            let name = Kind::of(failure.kind).name();
            value(format_args!("{PSEUDONYM}; hit; ttl=-{seconds}; detail={name}"))
        }
        CacheStatus::Refreshed { .. } => {
            value(format_args!("{PSEUDONYM}; fwd=stale; stored; ttl={ttl}{collapsed}"))
        }
        CacheStatus::Miss { .. } => {
            value(format_args!("{PSEUDONYM}; fwd=uri-miss; stored; ttl={ttl}{collapsed}"))
        }
    }
}

/// Writes a value where there is room for any of ours, so that memory is asked for only once, and
/// for no more than it takes.
fn value(text: fmt::Arguments<'_>) -> HeaderValue {
    let mut room = [0; LONGEST_BYTES];
    let mut rest = room.as_mut_slice();
    let written = rest.write_fmt(text).map(|()| rest.len());
    let length = LONGEST_BYTES - written.unwrap_or(LONGEST_BYTES);
    let value = room.get(..length).and_then(|text| HeaderValue::from_bytes(text).ok());
    value.unwrap_or(HeaderValue::from_static(""))
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

/// Longer than any value of ours can be.
const LONGEST_BYTES: usize = 256;

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
