//! What is remembered: the store, what goes from it, and what is kept in memory.

use prometheus::{Error, IntGauge};

use super::Metrics;
use super::family::{Counters, Families, Family, Gauges, Histograms};
use super::labels::{CacheName, Operation, Swept};

/// The metrics of store and caches.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    seconds: Histograms<Operation>,
    errors: Counters<Operation>,
    degraded: IntGauge,
    bytes: IntGauge,
    feeds: IntGauge,
    items: IntGauge,
    sweeping: IntGauge,
    swept: Counters<Swept>,
    caches: Gauges<CacheName>,
}

/// How much is remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of all items, and of what else is kept of their feeds.
    pub bytes: i64,
    /// Feeds.
    pub feeds: i64,
    /// Items of all feeds.
    pub items: i64,
}

impl Memory {
    pub(super) fn new(families: &mut Families<'_>) -> Result<Self, Error> {
        families.begin("Store and caches");
        Ok(Self {
            seconds: families.histograms(SECONDS)?,
            errors: families.counters(ERRORS)?,
            degraded: families.gauge(DEGRADED)?,
            bytes: families.gauge(BYTES)?,
            feeds: families.gauge(FEEDS)?,
            items: families.gauge(ITEMS)?,
            sweeping: families.gauge(SWEEPING)?,
            swept: families.counters(SWEPT)?,
            caches: families.gauges(CACHES)?,
        })
    }
}

impl Metrics {
    /// Adds the time of a question to the store.
    pub fn store(&self, operation: Operation, seconds: f64) {
        self.memory.seconds.add(operation, seconds);
    }

    /// Counts a question that the store failed to answer.
    pub fn store_error(&self, operation: Operation) {
        self.memory.errors.add(operation, 1);
    }

    /// Says whether the store cannot be written.
    pub fn store_degraded(&self, is_degraded: bool) {
        self.memory.degraded.set(i64::from(is_degraded));
    }

    /// Says how much is remembered.
    pub fn store_sizes(&self, sizes: Sizes) {
        self.memory.bytes.set(sizes.bytes);
        self.memory.feeds.set(sizes.feeds);
        self.memory.items.set(sizes.items);
    }

    /// Says whether this gateway is the one that keeps the memory within its limits.
    pub fn sweeping(&self, is_sweeping: bool) {
        self.memory.sweeping.set(i64::from(is_sweeping));
    }

    /// Counts what went to keep the memory within its limits.
    pub fn swept(&self, what: Swept, count: u64) {
        self.memory.swept.add(what, count);
    }

    /// Says how many bytes a cache takes.
    pub fn cache_bytes(&self, cache: CacheName, bytes: u64) {
        self.memory.caches.of(cache).set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }
}

const SECONDS: Family = Family {
    name: "mmsp_gateway_store_duration_seconds",
    help: "Time of questions to the store, failed ones too.",
    look: "The disk, or PostgreSQL and the way to it. All operations alike: connections are short, \
           `store.max_connections`.",
};
const ERRORS: Family = Family {
    name: "mmsp_gateway_store_errors_total",
    help: "Questions that the store failed to answer.",
    look: "The log has the cause. A poll asks again for a minute, a reader is told.",
};
const DEGRADED: Family = Family {
    name: "mmsp_gateway_store_degraded",
    help: "1 while the store cannot be read or written.",
    look: "Disk full, database away or read-only. What is in memory goes on being served.",
};
const BYTES: Family = Family {
    name: "mmsp_gateway_store_bytes",
    help: "Bytes of all items at the end of the last sweep, on the gateway that sweeps; elsewhere 0.",
    look: "Near `retention.max_bytes` feeds begin to go.",
};
const FEEDS: Family = Family {
    name: "mmsp_gateway_store_feeds",
    help: "Feeds remembered at the end of the last sweep, on the gateway that sweeps; elsewhere 0.",
    look: "How much there is to poll.",
};
const ITEMS: Family = Family {
    name: "mmsp_gateway_store_items",
    help: "Items remembered at the end of the last sweep, on the gateway that sweeps; elsewhere 0.",
    look: "How fast the memory grows.",
};
const SWEEPING: Family = Family {
    name: "mmsp_gateway_sweeping",
    help: "1 on the gateway that keeps the memory of a store within its limits.",
    look: "0 on all of them for long: the store takes no leases.",
};
const SWEPT: Family = Family {
    name: "mmsp_gateway_swept_total",
    help: "What went to keep the memory within its limits: items, or feeds.",
    look: "`feeds_for_room`: `retention.max_bytes` is reached, and feeds lose their history.",
};
const CACHES: Family = Family {
    name: "mmsp_gateway_cache_bytes",
    help: "Bytes of memory that a cache takes, about.",
    look: "Pages near five eighths of `cache.max_bytes` with many misses: raise it.",
};
