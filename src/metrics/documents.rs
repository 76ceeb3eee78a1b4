//! What becomes of documents: bytes, stages, items, what is left out and mended.

use prometheus::{Error, IntCounterVec};

use super::Metrics;
use super::family::{Counters, Families, Family, Histograms};
use super::labels::{Form, ItemOutcome, Stage};

/// The metrics of documents.
#[derive(Clone, Debug)]
pub(super) struct Documents {
    bytes: Counters<Form>,
    stages: Histograms<Stage>,
    items: Counters<ItemOutcome>,
    skipped: IntCounterVec,
    mended: IntCounterVec,
}

impl Documents {
    pub(super) fn new(families: &mut Families<'_>) -> Result<Self, Error> {
        families.begin("Documents");
        Ok(Self {
            bytes: families.counters(BYTES)?,
            stages: families.histograms(STAGES)?,
            items: families.counters(ITEMS)?,
            skipped: families.counters_by(SKIPPED, &["reason"])?,
            mended: families.counters_by(MENDED, &["what"])?,
        })
    }
}

impl Metrics {
    /// Counts the bytes of a body as they came, and as they were after content decoding.
    pub fn bytes_read(&self, wire: u64, decoded: u64) {
        self.documents.bytes.add(Form::Wire, wire);
        self.documents.bytes.add(Form::Decoded, decoded);
    }

    /// Adds the time of a stage.
    pub fn stage(&self, stage: Stage, seconds: f64) {
        self.documents.stages.add(stage, seconds);
    }

    /// Counts items by what became of them.
    pub fn items(&self, outcome: ItemOutcome, count: u64) {
        self.documents.items.add(outcome, count);
    }

    /// Counts entries that were left out, by the reason that `convert` gives (MMSP 6.15).
    pub fn skipped(&self, reason: &'static str, count: u64) {
        self.documents.skipped.with_label_values(&[reason]).inc_by(count);
    }

    /// Counts faults that were mended, by the name that `convert` gives them.
    pub fn mended(&self, what: &'static str, count: u64) {
        self.documents.mended.with_label_values(&[what]).inc_by(count);
    }
}

const BYTES: Family = Family {
    name: "mmsp_gateway_source_bytes_total",
    help: "Bytes of documents read from sources, as they came and after content decoding.",
    look: "What polling costs. Rises without readers where sources do not answer 304.",
};
const STAGES: Family = Family {
    name: "mmsp_gateway_stage_duration_seconds",
    help: "Time of each stage between a source and a page.",
    look: "`fetch` is the source's; `read` and `normalize` want a processor, `render` the store.",
};
const ITEMS: Family = Family {
    name: "mmsp_gateway_items_total",
    help: "Items of polls, by what became of them.",
    look: "Many `changed`: a source writes its items anew at each poll.",
};
const SKIPPED: Family = Family {
    name: "mmsp_gateway_items_skipped_total",
    help: "Entries left out, by the reason.",
    look: "`mmsp-gateway convert --report` tells it of a single feed.",
};
const MENDED: Family = Family {
    name: "mmsp_gateway_mended_total",
    help: "Faults of documents that were mended, by kind.",
    look: "After an upgrade: whether the converter sees faults that it did not see before.",
};
