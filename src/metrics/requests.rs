//! What readers see: answers, problems, and where manifests came from.

use std::sync::Arc;

use prometheus::{Error, IntCounter, IntCounterVec, IntGauge};

use super::Metrics;
use super::family::{Counted, Counters, Families, Family, Histograms};
use super::labels::{CacheOutcome, CallerRefusal, Label as _, Route};

/// The metrics of requests.
#[derive(Clone, Debug)]
pub(super) struct Requests {
    /// A row for each route, a column for each status.
    answered: Arc<[[IntCounter; STATUSES.len() + 1]]>,
    seconds: Histograms<Route>,
    in_flight: IntGauge,
    bytes: IntCounter,
    problems: IntCounterVec,
    refusals: Counters<CallerRefusal>,
    cache: Counters<CacheOutcome>,
}

impl Requests {
    pub(super) fn new(families: &mut Families<'_>) -> Result<Self, Error> {
        families.begin("Requests");
        let answered = families.counters_by(ANSWERED, &["route", "status"])?;
        families.explain::<Route>();
        let label = |column: usize| STATUSES.get(column).map_or(OTHER, |(_, label)| label);
        let row = |route: &Route| {
            std::array::from_fn(|column| {
                answered.with_label_values(&[route.as_str(), label(column)])
            })
        };
        Ok(Self {
            answered: Route::ALL.iter().map(row).collect(),
            seconds: families.histograms(SECONDS)?,
            in_flight: families.gauge(IN_FLIGHT)?,
            bytes: families.counter(BYTES)?,
            problems: families.counters_by(PROBLEMS, &["problem"])?,
            refusals: families.counters(REFUSALS)?,
            cache: families.counters(CACHE)?,
        })
    }
}

impl Metrics {
    /// Counts an answered request.
    pub fn request(&self, route: Route, status: u16, seconds: f64) {
        let Requests { answered, seconds: times, .. } = &self.requests;
        let counter = answered.get(route.place()).and_then(|row| row.get(column_of(status)));
        if let Some(counter) = counter {
            counter.inc();
        }
        times.add(route, seconds);
    }

    /// Counts a request as being answered for as long as the guard lives.
    #[must_use]
    pub fn request_in_flight(&self) -> Counted {
        Counted::new(self.requests.in_flight.clone())
    }

    /// Counts the bytes of a body that was sent.
    pub fn bytes_sent(&self, bytes: u64) {
        self.requests.bytes.inc_by(bytes);
    }

    /// Counts answers that told a problem, by the name that `/problems/NAME` explains.
    pub fn problem(&self, name: &'static str, count: u64) {
        self.requests.problems.with_label_values(&[name]).inc_by(count);
    }

    /// Counts a caller who was turned away.
    pub fn caller_refused(&self, reason: CallerRefusal) {
        self.requests.refusals.add(reason, 1);
    }

    /// Counts where a manifest came from.
    pub fn cache(&self, outcome: CacheOutcome) {
        self.requests.cache.add(outcome, 1);
    }
}

/// The column of a status; that of `OTHER` is the last one.
fn column_of(status: u16) -> usize {
    STATUSES.iter().position(|(known, _)| *known == status).unwrap_or(STATUSES.len())
}

const ANSWERED: Family = Family {
    name: "mmsp_gateway_requests_total",
    help: "Requests answered.",
    look: "500 is a fault of ours: the log has it. 502 and 504 tell of sources, 503 of either; \
           `mmsp_gateway_problems_total` tells which. `other` should stay at 0.",
};
const SECONDS: Family = Family {
    name: "mmsp_gateway_request_duration_seconds",
    help: "Time from the head of a request to the head of its answer.",
    look: "A known feed is answered within 2 s whatever its source does. Slower ones wait for the \
           store, for a processor, or are first looks at sources, which may take 20 s.",
};
const IN_FLIGHT: Family = Family {
    name: "mmsp_gateway_requests_in_flight",
    help: "Requests being answered.",
    look: "Grows with readers, with slow sources and with a slow store. Near \
           `server.max_connections` new clients wait.",
};
const BYTES: Family = Family {
    name: "mmsp_gateway_response_bytes_total",
    help: "Bytes of bodies sent to readers, after content coding.",
    look: "Rises much faster than requests where readers do not ask conditionally.",
};
const PROBLEMS: Family = Family {
    name: "mmsp_gateway_problems_total",
    help: "Answers that told a problem, by its name.",
    look: "`/problems/NAME` explains each. `internal` and `overloaded` are ours, `source-…` those of \
           sources, the others are the caller's.",
};
const REFUSALS: Family = Family {
    name: "mmsp_gateway_caller_refusals_total",
    help: "Requests turned away before anything was done for them.",
    look: "`rate`, `at_once` and `new_feeds`: somebody asks too much, or `server.trusted_proxies` \
           is not set and all readers count as one. `token` and `signature`: a key was changed, or \
           somebody guesses.",
};
const CACHE: Family = Family {
    name: "mmsp_gateway_cache_lookups_total",
    help: "Manifests answered, by where they came from.",
    look: "`hit` should be most. Many `miss`: `cache.max_bytes` is small, or each reader has a feed \
           of its own. Many `stale`: sources are slow or fail, or polls are behind.",
};

/// The status label of an answer that nobody planned.
const OTHER: &str = "other";

/// Every status that the gateway answers with.
const STATUSES: [(u16, &str); 20] = [
    (200, "200"),
    (204, "204"),
    (302, "302"),
    (304, "304"),
    (400, "400"),
    (401, "401"),
    (403, "403"),
    (404, "404"),
    (405, "405"),
    (408, "408"),
    (410, "410"),
    (413, "413"),
    (414, "414"),
    (422, "422"),
    (429, "429"),
    (431, "431"),
    (500, "500"),
    (502, "502"),
    (503, "503"),
    (504, "504"),
];
