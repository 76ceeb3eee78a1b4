//! What the gateway does at sources: polls, their waiting, and what the guard refuses.

use prometheus::{Error, Histogram, IntCounter, IntCounterVec, IntGauge};

use super::Metrics;
use super::family::{Counted, Counters, Families, Family, Gauges};
use super::labels::{LeaseOutcome, PollOutcome, Queue};
use crate::model::SourceType;

/// The metrics of polls.
#[derive(Clone, Debug)]
pub(super) struct Polls {
    ended: IntCounterVec,
    seconds: Histogram,
    in_flight: IntGauge,
    waiting: Gauges<Queue>,
    due: IntGauge,
    backoffs: IntCounter,
    leases: Counters<LeaseOutcome>,
    refusals: IntCounterVec,
    plain_http: IntCounter,
    panics: IntCounter,
}

impl Polls {
    pub(super) fn new(families: &mut Families<'_>) -> Result<Self, Error> {
        families.begin("Polls");
        let ended = families.counters_by(ENDED, &["source_type", "outcome"])?;
        families.explain::<PollOutcome>();
        let polls = Self {
            ended,
            seconds: families.histogram(SECONDS)?,
            in_flight: families.gauge(IN_FLIGHT)?,
            waiting: families.gauges(WAITING)?,
            due: families.gauge(DUE)?,
            backoffs: families.counter(BACKOFFS)?,
            leases: families.counters(LEASES)?,
            refusals: families.counters_by(REFUSALS, &["verdict"])?,
            plain_http: families.counter(PLAIN_HTTP)?,
            panics: families.counter(PANICS)?,
        };
        for outcome in PollOutcome::ALL {
            for source_type in SourceType::ALL.map(SourceType::as_str).into_iter().chain([UNKNOWN])
            {
                polls.ended.with_label_values(&[source_type, outcome.as_str()]);
            }
        }
        Ok(polls)
    }
}

impl Metrics {
    /// Counts a poll that ended; the type is known only of a feed that was read once.
    pub fn poll(&self, source_type: Option<SourceType>, outcome: PollOutcome, seconds: f64) {
        let source_type = source_type.map_or(UNKNOWN, SourceType::as_str);
        self.polls.ended.with_label_values(&[source_type, outcome.as_str()]).inc();
        self.polls.seconds.observe(seconds);
    }

    /// Counts a poll as under way for as long as the guard lives.
    #[must_use]
    pub fn poll_in_flight(&self) -> Counted {
        Counted::new(self.polls.in_flight.clone())
    }

    /// Counts a poll as waiting for as long as the guard lives.
    #[must_use]
    pub fn poll_waiting(&self, at: Queue) -> Counted {
        Counted::new(self.polls.waiting.of(at))
    }

    /// Says how many feeds were due and had to wait.
    pub fn feeds_due(&self, count: usize) {
        self.polls.due.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Counts that a source was put off.
    pub fn backoff(&self) {
        self.polls.backoffs.inc();
    }

    /// Counts a request for the right to poll.
    pub fn lease(&self, outcome: LeaseOutcome) {
        self.polls.leases.add(outcome, 1);
    }

    /// Counts addresses that the guard refused, by its verdict.
    pub fn refused(&self, verdict: &'static str, count: u64) {
        self.polls.refusals.with_label_values(&[verdict]).inc_by(count);
    }

    /// Counts a source that was read without TLS.
    pub fn plain_http(&self) {
        self.polls.plain_http.inc();
    }

    /// Counts a poll that broke what worked at it.
    pub fn panicked(&self) {
        self.polls.panics.inc();
    }
}

/// The source type of a feed that was never read.
const UNKNOWN: &str = "unknown";

const ENDED: Family = Family {
    name: "mmsp_gateway_polls_total",
    help: "Polls of sources that ended, by the type of the feed and how they ended.",
    look: "`unreachable` and `timeout` of nearly all: our own way out is broken. `internal`: the \
           store, or a fault of ours. `not_modified` and `unchanged` should be most.",
};
const SECONDS: Family = Family {
    name: "mmsp_gateway_poll_duration_seconds",
    help: "Time of a whole poll, from its place to what was written.",
    look: "Sources are slow, or the store is: compare `mmsp_gateway_stage_duration_seconds`.",
};
const IN_FLIGHT: Family = Family {
    name: "mmsp_gateway_polls_in_flight",
    help: "Polls under way.",
    look: "At `poll.max_in_flight` for long: sources hang, or there are more feeds than one \
           gateway can poll.",
};
const WAITING: Family = Family {
    name: "mmsp_gateway_polls_waiting",
    help: "Polls that wait before they begin, by what they wait for.",
    look: "`domain`: many feeds of one hoster. `place`: raise `poll.max_in_flight`. `turn`: another \
           gateway polls the same feed, or died at it.",
};
const DUE: Family = Family {
    name: "mmsp_gateway_feeds_due",
    help: "Feeds that were due at the scheduler's last look and had to wait for room; a hundred \
           stands for any number.",
    look: "Above 0 for long: polls are behind, so readers get older pages. Look at polls waiting and \
           in flight, and at the time of the store.",
};
const BACKOFFS: Family = Family {
    name: "mmsp_gateway_backoffs_total",
    help: "Times a source was put off after a failure.",
    look: "Follows failing polls; alone it tells nothing.",
};
const LEASES: Family = Family {
    name: "mmsp_gateway_lease_requests_total",
    help: "Requests for the right to poll a feed, among all gateways of a store.",
    look: "Many `refused`: gateways get in each other's way, or one of them died a moment ago.",
};
const REFUSALS: Family = Family {
    name: "mmsp_gateway_refusals_total",
    help: "Addresses that the guard refused, by its verdict.",
    look: "Somebody tries to reach what is not public: the log has the hosts. Or a source of your \
           own network is not in `fetch.allow_networks`.",
};
const PLAIN_HTTP: Family = Family {
    name: "mmsp_gateway_plain_http_fetches_total",
    help: "Documents read without TLS.",
    look: "Whether `fetch.allow_http` can be turned off.",
};
const PANICS: Family = Family {
    name: "mmsp_gateway_panics_total",
    help: "Polls that broke a part of the gateway.",
    look: "A fault of ours: the log names the host. Please report it.",
};
