//! How much one caller may ask: requests in a time, requests at once, feeds that are new here.
//!
//! A [`Caller`] is a place in tables of a fixed size, found by a secret hash of the address: no
//! stranger can fill them, and no address is kept. Two callers that share a place share its limits;
//! there are so many places that this is rare, and nobody can choose whose to share.

mod forwarded;
mod settings;
mod table;
mod who;

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use actix_web::dev::ServiceRequest;

use crate::metrics::CallerRefusal;

use super::problem::{Kind, Problem};
use super::refusal::Refusal;
use super::settings::Settings as ServerSettings;
use table::{AtOnce, Rate};
use who::Who;

pub use forwarded::{Node, forwarded_nodes, x_forwarded_for_nodes};
pub use settings::Settings;
pub(super) use settings::loopback;
pub(crate) use table::Place;

/// The limits, and what each caller has used of them.
#[derive(Debug)]
pub(crate) struct Callers {
    who: Who,
    hasher: RandomState,
    requests: Option<Rate>,
    new_feeds: Option<Rate>,
    at_once: Option<AtOnce>,
    has_warned: AtomicBool,
}

/// Who asks: a place in the tables, or nobody who is limited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller(Option<usize>);

impl Callers {
    pub(crate) fn new(server: &ServerSettings, settings: &Settings) -> Self {
        Self {
            who: Who { trusted: server.trusted_proxies.clone(), exempt: settings.exempt.clone() },
            hasher: RandomState::new(),
            requests: Rate::new(settings.requests_per_minute, settings.requests_burst),
            new_feeds: Rate::new(settings.new_feeds_per_minute, settings.new_feeds_burst),
            at_once: AtOnce::new(settings.max_at_once),
            has_warned: AtomicBool::new(false),
        }
    }

    /// Finds who sent a request.
    pub(crate) fn find(&self, request: &ServiceRequest) -> Caller {
        // Only a test has no peer.
        let Some(peer) = request.peer_addr() else { return Caller(None) };
        let found = self.who.asks(peer.ip(), request.headers());
        if found.ignored_a_proxy && !self.has_warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "a request says whom it was forwarded for, but its sender is not in \
                 server.trusted_proxies, so it counts as the caller; this is said once"
            );
        }
        Caller(found.counted.map(|network| self.place_of(network)))
    }

    /// Counts a request; the place is held until its answer is sent.
    pub(crate) fn enter(&self, caller: Caller) -> Result<Option<Place>, Box<Refusal>> {
        let Some(slot) = caller.0 else { return Ok(None) };
        check(self.requests.as_ref(), slot)
            .map_err(|seconds| refusal(CallerRefusal::Rate, seconds))?;
        let Some(at_once) = &self.at_once else { return Ok(None) };
        match at_once.take(slot) {
            Some(place) => Ok(Some(place)),
            None => Err(refusal(CallerRefusal::AtOnce, AT_ONCE_SECONDS)),
        }
    }

    /// Whether a caller's new feeds are counted.
    pub(crate) fn counts_new_feeds(&self, caller: Caller) -> bool {
        caller.0.is_some() && self.new_feeds.is_some()
    }

    /// Counts a request that makes us read an address of which nothing is known.
    pub(crate) fn name_new_feed(&self, caller: Caller) -> Result<(), Box<Refusal>> {
        let Some(slot) = caller.0 else { return Ok(()) };
        check(self.new_feeds.as_ref(), slot)
            .map_err(|seconds| refusal(CallerRefusal::NewFeeds, seconds))
    }

    fn place_of(&self, network: IpAddr) -> usize {
        let hash = self.hasher.hash_one(network);
        usize::try_from(hash % table::SLOTS as u64).unwrap_or(0)
    }
}

/// When to come back with fewer requests at once.
const AT_ONCE_SECONDS: u64 = 2;

fn check(rate: Option<&Rate>, slot: usize) -> Result<(), u64> {
    rate.map_or(Ok(()), |rate| rate.check(slot))
}

fn refusal(reason: CallerRefusal, seconds: u64) -> Box<Refusal> {
    let what = match reason {
        CallerRefusal::AtOnce => "as many requests at once as one caller may have",
        CallerRefusal::NewFeeds => "as many new feeds as one caller may name in a while",
        CallerRefusal::Rate | CallerRefusal::Token | CallerRefusal::Signature => {
            "as many requests as one caller may send in a while"
        }
    };
    let detail = format!("These are {what}. Ask again in {seconds} seconds.");
    let problem = Problem::new(Kind::TooManyRequests, detail).retry_after(Some(seconds));
    Box::new(Refusal { reason, problem })
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn callers(settings: serde_json::Value) -> Callers {
        let settings = serde_json::from_value(settings).unwrap();
        Callers::new(&ServerSettings::default(), &settings)
    }

    fn from(callers: &Callers, address: &str) -> Caller {
        let peer = format!("{address}:1000").parse().unwrap();
        callers.find(&TestRequest::default().peer_addr(peer).to_srv_request())
    }

    fn reason<T>(result: Result<T, Box<Refusal>>) -> Option<CallerRefusal> {
        result.err().map(|refusal| {
            assert_eq!(refusal.problem.kind(), Kind::TooManyRequests);
            refusal.reason
        })
    }

    #[test]
    fn each_limit_has_its_end_and_each_caller_its_own() {
        let callers = callers(serde_json::json!({
            "requests_per_minute": 1, "requests_burst": 3,
            "new_feeds_per_minute": 1, "new_feeds_burst": 1,
            "max_at_once": 2,
        }));
        let caller = from(&callers, "192.0.2.1");
        let held = callers.enter(caller).ok().unwrap();
        let second = callers.enter(caller).ok().unwrap();
        assert_eq!(reason(callers.enter(caller)), Some(CallerRefusal::AtOnce));
        drop((held, second));
        assert_eq!(reason(callers.enter(caller)), Some(CallerRefusal::Rate));
        assert_eq!(reason(callers.name_new_feed(caller)), None);
        assert_eq!(reason(callers.name_new_feed(caller)), Some(CallerRefusal::NewFeeds));
        // Of a thousand others at most a few share the place.
        let others = (0..1000).map(|n| from(&callers, &format!("198.51.{}.{}", n / 250, n % 250)));
        let refused = others.filter(|other| callers.enter(*other).is_err()).count();
        assert!(refused < 10, "{refused}");
    }

    #[test]
    fn whoever_is_exempt_and_whatever_is_nought_has_no_limit() {
        let limited = callers(serde_json::json!({"requests_per_minute": 1, "requests_burst": 1}));
        let unlimited = callers(serde_json::json!({
            "requests_per_minute": 0, "new_feeds_per_minute": 0, "max_at_once": 0,
        }));
        for (callers, address) in [(&limited, "127.0.0.1"), (&unlimited, "192.0.2.1")] {
            let caller = from(callers, address);
            let held: Vec<_> = (0..1000).map(|_| callers.enter(caller).ok().unwrap()).collect();
            assert_eq!(held.len(), 1000);
            assert!(callers.name_new_feed(caller).is_ok());
            assert!(!callers.counts_new_feeds(caller));
        }
    }
}
