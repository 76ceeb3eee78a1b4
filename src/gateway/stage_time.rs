//! The time that stages of the work take.

use std::time::Instant;

use super::desk::Desk;
use crate::metrics::{Metrics, Stage};

impl Desk {
    /// Times a stage until the guard goes.
    pub(super) fn time(&self, stage: Stage) -> StageTime<'_> {
        StageTime { metrics: &self.metrics, stage, start: Instant::now() }
    }
}

/// Adds the time of a stage when it goes.
pub(super) struct StageTime<'a> {
    metrics: &'a Metrics,
    stage: Stage,
    start: Instant,
}

impl Drop for StageTime<'_> {
    fn drop(&mut self) {
        self.metrics.stage(self.stage, self.start.elapsed().as_secs_f64());
    }
}
