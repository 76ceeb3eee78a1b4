//! Every metric that the gateway shows, in one place.
//!
//! Nothing is global: whoever counts is given a [`Metrics`], and clones count together. Names end
//! in units; labels come from closed sets (`labels`), and every value exists from the start, so
//! that a rate over a first failure is not lost.

mod labels;

use prometheus::{
    Encoder, Error, Gauge, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec,
    IntGauge, Opts, Registry, TextEncoder, core::Collector,
};

use crate::model::SourceType;

pub use labels::{
    CacheOutcome, CallerRefusal, ItemOutcome, Operation, PollOutcome, Route, Stage, Swept,
};

/// All collectors, and the registry that shows them.
#[derive(Clone, Debug)]
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    request_seconds: HistogramVec,
    response_bytes: IntCounter,
    caller_refusals: IntCounterVec,
    cache: IntCounterVec,
    polls: IntCounterVec,
    poll_seconds: Histogram,
    polls_in_flight: IntGauge,
    polls_waiting: IntGauge,
    backoffs: IntCounter,
    panics: IntCounter,
    stage_seconds: HistogramVec,
    source_bytes: IntCounterVec,
    plain_http: IntCounter,
    items: IntCounterVec,
    skipped: IntCounterVec,
    mended: IntCounterVec,
    refusals: IntCounterVec,
    store_seconds: HistogramVec,
    store_errors: IntCounterVec,
    store_degraded: IntGauge,
    store_bytes: IntGauge,
    swept: IntCounterVec,
}

impl Metrics {
    /// Makes all collectors, at zero.
    ///
    /// # Errors
    /// Fails if two collectors have one name, which a test rules out.
    pub fn new() -> Result<Self, Error> {
        let metrics = Self {
            registry: Registry::new(),
            requests: counters("requests_total", "Requests answered.", &["route", "status"])?,
            request_seconds: histograms(
                "request_duration_seconds",
                "Time from the request's head to the answer's.",
                "route",
            )?,
            response_bytes: counter("response_bytes_total", "Bytes of bodies sent.")?,
            caller_refusals: counters(
                "caller_refusals_total",
                "Requests turned away before anything was done for them.",
                &["reason"],
            )?,
            cache: counters("cache_lookups_total", "Manifests by origin.", &["outcome"])?,
            polls: counters(
                "polls_total",
                "Polls of sources that ended.",
                &["source_type", "outcome"],
            )?,
            poll_seconds: Histogram::with_opts(
                HistogramOpts::new(name("poll_duration_seconds"), "Time of a whole poll.")
                    .buckets(SECONDS.to_vec()),
            )?,
            polls_in_flight: gauge("polls_in_flight", "Polls that are under way.")?,
            polls_waiting: gauge("polls_waiting", "Polls that wait for a place.")?,
            backoffs: counter("backoffs_total", "Times a source was put off after a failure.")?,
            panics: counter("panics_total", "Polls that broke a part of the gateway.")?,
            stage_seconds: histograms("stage_duration_seconds", "Time in each stage.", "stage")?,
            source_bytes: counters("source_bytes_total", "Bytes read from sources.", &["form"])?,
            plain_http: counter("plain_http_fetches_total", "Sources read without TLS.")?,
            items: counters("items_total", "Items of polls.", &["outcome"])?,
            skipped: counters("items_skipped_total", "Entries left out.", &["reason"])?,
            mended: counters("mended_total", "Faults of documents that were mended.", &["what"])?,
            refusals: counters("refusals_total", "Addresses refused.", &["verdict"])?,
            store_seconds: histograms(
                "store_duration_seconds",
                "Time of questions to the store.",
                "operation",
            )?,
            store_errors: counters(
                "store_errors_total",
                "Questions that the store failed to answer.",
                &["operation"],
            )?,
            store_degraded: gauge("store_degraded", "1 while the store cannot be written.")?,
            store_bytes: gauge("store_bytes", "Bytes of all items, on the gateway that sweeps.")?,
            swept: counters("swept_total", "What went for want of room or asking.", &["what"])?,
        };
        metrics.register()?;
        metrics.fill_in();
        Ok(metrics)
    }

    /// Everything in the Prometheus text format.
    ///
    /// # Errors
    /// Fails if a collector is inconsistent.
    pub fn text(&self) -> Result<String, Error> {
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Counts an answered request.
    pub fn request(&self, route: Route, status: u16, seconds: f64) {
        self.requests.with_label_values(&[route.as_str(), status_label(status)]).inc();
        self.request_seconds.with_label_values(&[route.as_str()]).observe(seconds);
    }

    /// Counts the bytes of a body that was sent.
    pub fn bytes_sent(&self, bytes: u64) {
        self.response_bytes.inc_by(bytes);
    }

    /// Counts a caller who was turned away.
    pub fn caller_refused(&self, reason: CallerRefusal) {
        self.caller_refusals.with_label_values(&[reason.as_str()]).inc();
    }

    /// Counts where a manifest came from.
    pub fn cache(&self, outcome: CacheOutcome) {
        self.cache.with_label_values(&[outcome.as_str()]).inc();
    }

    /// Counts a poll that ended; the type is known only of a feed that was read once.
    pub fn poll(&self, source_type: Option<SourceType>, outcome: PollOutcome, seconds: f64) {
        let source_type = source_type.map_or(UNKNOWN, SourceType::as_str);
        self.polls.with_label_values(&[source_type, outcome.as_str()]).inc();
        self.poll_seconds.observe(seconds);
    }

    /// Counts a poll as under way for as long as the guard lives.
    #[must_use]
    pub fn poll_in_flight(&self) -> Counted {
        Counted::new(&self.polls_in_flight)
    }

    /// Counts a poll as waiting for as long as the guard lives.
    #[must_use]
    pub fn poll_waiting(&self) -> Counted {
        Counted::new(&self.polls_waiting)
    }

    /// Counts that a source was put off.
    pub fn backoff(&self) {
        self.backoffs.inc();
    }

    /// Counts a poll that broke what worked at it.
    pub fn panicked(&self) {
        self.panics.inc();
    }

    /// Adds the time of a stage.
    pub fn stage(&self, stage: Stage, seconds: f64) {
        self.stage_seconds.with_label_values(&[stage.as_str()]).observe(seconds);
    }

    /// Counts the bytes of a body as they came, and as they were after content decoding.
    pub fn bytes_read(&self, wire: u64, decoded: u64) {
        self.source_bytes.with_label_values(&["wire"]).inc_by(wire);
        self.source_bytes.with_label_values(&["decoded"]).inc_by(decoded);
    }

    /// Counts a source that was read without TLS.
    pub fn plain_http(&self) {
        self.plain_http.inc();
    }

    /// Counts items by what became of them.
    pub fn items(&self, outcome: ItemOutcome, count: u64) {
        self.items.with_label_values(&[outcome.as_str()]).inc_by(count);
    }

    /// Counts entries that were left out, by the reason that `convert` gives (MMSP 6.15).
    pub fn skipped(&self, reason: &'static str, count: u64) {
        self.skipped.with_label_values(&[reason]).inc_by(count);
    }

    /// Counts faults that were mended, by the name that `convert` gives them.
    pub fn mended(&self, what: &'static str, count: u64) {
        self.mended.with_label_values(&[what]).inc_by(count);
    }

    /// Counts addresses that the guard refused, by its verdict.
    pub fn refused(&self, verdict: &'static str, count: u64) {
        self.refusals.with_label_values(&[verdict]).inc_by(count);
    }

    /// Adds the time of a question to the store.
    pub fn store(&self, operation: Operation, seconds: f64) {
        self.store_seconds.with_label_values(&[operation.as_str()]).observe(seconds);
    }

    /// Counts a question that the store failed to answer.
    pub fn store_error(&self, operation: Operation) {
        self.store_errors.with_label_values(&[operation.as_str()]).inc();
    }

    /// Says whether the store cannot be written.
    pub fn store_degraded(&self, is_degraded: bool) {
        self.store_degraded.set(i64::from(is_degraded));
    }

    /// Says how many bytes all items take.
    pub fn store_bytes(&self, bytes: i64) {
        self.store_bytes.set(bytes);
    }

    /// Counts what went to keep the memory within its limits.
    pub fn swept(&self, what: Swept, count: u64) {
        self.swept.with_label_values(&[what.as_str()]).inc_by(count);
    }

    fn register(&self) -> Result<(), Error> {
        let build = Gauge::with_opts(
            Opts::new(name("build_info"), "The program that runs; always 1.")
                .const_label("version", env!("CARGO_PKG_VERSION")),
        )?;
        build.set(1.0);
        let collectors: [Box<dyn Collector>; 25] = [
            Box::new(build),
            Box::new(prometheus::process_collector::ProcessCollector::for_self()),
            Box::new(self.requests.clone()),
            Box::new(self.request_seconds.clone()),
            Box::new(self.response_bytes.clone()),
            Box::new(self.caller_refusals.clone()),
            Box::new(self.cache.clone()),
            Box::new(self.polls.clone()),
            Box::new(self.poll_seconds.clone()),
            Box::new(self.polls_in_flight.clone()),
            Box::new(self.polls_waiting.clone()),
            Box::new(self.backoffs.clone()),
            Box::new(self.panics.clone()),
            Box::new(self.stage_seconds.clone()),
            Box::new(self.source_bytes.clone()),
            Box::new(self.plain_http.clone()),
            Box::new(self.items.clone()),
            Box::new(self.skipped.clone()),
            Box::new(self.mended.clone()),
            Box::new(self.refusals.clone()),
            Box::new(self.store_seconds.clone()),
            Box::new(self.store_errors.clone()),
            Box::new(self.store_degraded.clone()),
            Box::new(self.store_bytes.clone()),
            Box::new(self.swept.clone()),
        ];
        collectors.into_iter().try_for_each(|collector| self.registry.register(collector))
    }

    /// Makes every value of every closed label, so that each series starts at zero. Reasons and
    /// verdicts are named by the modules above; those add theirs with a count of none.
    fn fill_in(&self) {
        for route in Route::ALL {
            self.request_seconds.with_label_values(&[route.as_str()]);
            for (_, status) in STATUSES {
                self.requests.with_label_values(&[route.as_str(), status]);
            }
            self.requests.with_label_values(&[route.as_str(), OTHER]);
        }
        for reason in CallerRefusal::ALL {
            self.caller_refusals.with_label_values(&[reason.as_str()]);
        }
        for outcome in CacheOutcome::ALL {
            self.cache.with_label_values(&[outcome.as_str()]);
        }
        for outcome in PollOutcome::ALL {
            for source_type in SourceType::ALL {
                self.polls.with_label_values(&[source_type.as_str(), outcome.as_str()]);
            }
            self.polls.with_label_values(&[UNKNOWN, outcome.as_str()]);
        }
        for stage in Stage::ALL {
            self.stage_seconds.with_label_values(&[stage.as_str()]);
        }
        for outcome in ItemOutcome::ALL {
            self.items.with_label_values(&[outcome.as_str()]);
        }
        for operation in Operation::ALL {
            self.store_seconds.with_label_values(&[operation.as_str()]);
            self.store_errors.with_label_values(&[operation.as_str()]);
        }
        for what in Swept::ALL {
            self.swept(*what, 0);
        }
        self.bytes_read(0, 0);
    }
}

/// Keeps a gauge one higher for as long as it lives.
#[derive(Debug)]
pub struct Counted(IntGauge);

impl Counted {
    fn new(gauge: &IntGauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// The source type of a feed that was never read.
const UNKNOWN: &str = "unknown";

/// The status label of an answer that nobody planned.
const OTHER: &str = "other";

/// Every status that the gateway answers with.
const STATUSES: [(u16, &str); 18] = [
    (200, "200"),
    (204, "204"),
    (304, "304"),
    (400, "400"),
    (401, "401"),
    (403, "403"),
    (404, "404"),
    (405, "405"),
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

/// Bounds of time histograms: a cached answer takes well under a millisecond, a poll up to 20 s.
const SECONDS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 2.5, 10.0, 30.0];

fn status_label(status: u16) -> &'static str {
    STATUSES.iter().find(|(known, _)| *known == status).map_or(OTHER, |(_, label)| label)
}

fn name(short: &str) -> String {
    format!("mmsp_gateway_{short}")
}

fn counter(short: &str, help: &str) -> Result<IntCounter, Error> {
    IntCounter::new(name(short), help)
}

fn counters(short: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec, Error> {
    IntCounterVec::new(Opts::new(name(short), help), labels)
}

fn gauge(short: &str, help: &str) -> Result<IntGauge, Error> {
    IntGauge::new(name(short), help)
}

fn histograms(short: &str, help: &str, label: &str) -> Result<HistogramVec, Error> {
    HistogramVec::new(HistogramOpts::new(name(short), help).buckets(SECONDS.to_vec()), &[label])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_a_closed_label_starts_at_zero() {
        let text = Metrics::new().unwrap().text().unwrap();
        for line in [
            "mmsp_gateway_requests_total{route=\"feed\",status=\"304\"} 0",
            "mmsp_gateway_polls_total{outcome=\"changed\",source_type=\"podcast\"} 0",
            "mmsp_gateway_polls_total{outcome=\"timeout\",source_type=\"unknown\"} 0",
            "mmsp_gateway_store_errors_total{operation=\"merge\"} 0",
            "mmsp_gateway_source_bytes_total{form=\"decoded\"} 0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is missing in\n{text}");
        }
    }

    #[test]
    fn clones_count_together() {
        let metrics = Metrics::new().unwrap();
        metrics.clone().request(Route::Feed, 200, 0.01);
        metrics.clone().request(Route::Feed, 299, 0.01);
        let text = metrics.text().unwrap();
        assert!(text.contains("requests_total{route=\"feed\",status=\"200\"} 1"));
        assert!(text.contains("requests_total{route=\"feed\",status=\"other\"} 1"));
    }

    #[test]
    fn a_gauge_is_up_while_its_guard_lives() {
        let metrics = Metrics::new().unwrap();
        let guard = metrics.poll_in_flight();
        assert_eq!(metrics.polls_in_flight.get(), 1);
        drop(guard);
        assert_eq!(metrics.polls_in_flight.get(), 0);
    }

    #[test]
    fn the_text_says_which_program_and_how_much_memory() {
        let text = Metrics::new().unwrap().text().unwrap();
        assert!(text.contains(concat!("version=\"", env!("CARGO_PKG_VERSION"), "\"} 1")));
        #[cfg(target_os = "linux")]
        assert!(text.contains("process_resident_memory_bytes"));
    }
}
