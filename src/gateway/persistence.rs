//! How the gateway asks its store: every question is timed and counted, and a poll asks again for a
//! while, so that what it fetched is not lost for a database that is only restarting.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::desk::Desk;
use crate::metrics::Operation;
use crate::store::StoreError;

impl Desk {
    /// Times a question to the store and counts its failure.
    pub(super) async fn timed<T>(
        &self,
        operation: Operation,
        question: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let start = Instant::now();
        let answer = question.await;
        self.metrics.store(operation, start.elapsed().as_secs_f64());
        if answer.is_err() {
            self.metrics.store_error(operation);
        }
        self.note_store(operation, answer.as_ref().err());
        answer
    }

    /// Asks again where the store may be back in a moment, for a minute in all.
    pub(super) async fn insist<T>(
        &self,
        operation: Operation,
        question: impl AsyncFn() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let end = Instant::now() + PERSISTENCE;
        let mut pause = FIRST_PAUSE;
        loop {
            match self.timed(operation, question()).await {
                Err(error) if error.may_pass() && Instant::now() < end => {
                    let operation = operation.as_str();
                    tracing::warn!(error = %error, cause = ?error, operation, "the store is asked again");
                    sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                answer => return answer,
            }
        }
    }

    /// Whether the last thing that was to be written was.
    pub(super) fn writes_go_well(&self) -> bool {
        !self.store_state.writes_fail.load(Ordering::Relaxed)
    }

    /// Tells the log and the metrics when the store begins to fail, and when it goes well again.
    /// What is written may fail while reading goes well, as on a full disk.
    fn note_store(&self, operation: Operation, error: Option<&StoreError>) {
        // That a feed was forgotten meanwhile is an answer.
        let error = error.filter(|error| !matches!(error, StoreError::Forgotten));
        let StoreState { writes_fail, reads_fail } = &self.store_state;
        let (fails, what) =
            if operation.is_write() { (writes_fail, "written") } else { (reads_fail, "read") };
        let failed_before = fails.swap(error.is_some(), Ordering::Relaxed);
        let any = [writes_fail, reads_fail].iter().any(|fails| fails.load(Ordering::Relaxed));
        self.metrics.store_degraded(any);
        match error {
            Some(error) if !failed_before => {
                tracing::error!(error = %error, cause = ?error, "the store cannot be {what}");
            }
            None if failed_before => tracing::info!("the store is {what} again"),
            _ => {}
        }
    }
}

/// How the store did when it was last asked.
#[derive(Debug, Default)]
pub(super) struct StoreState {
    writes_fail: AtomicBool,
    reads_fail: AtomicBool,
}

/// How long a poll asks again. It keeps its place among the polls under way, so that a store which
/// is away does not fill the memory.
const PERSISTENCE: Duration = Duration::from_secs(60);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
