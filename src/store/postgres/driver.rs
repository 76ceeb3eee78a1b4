//! The event loop of the connections.
//!
//! A connection belongs to the event loop that it was opened on. Those of workers and pollers are
//! busy at times and end before the store does, so all connections live on one of their own.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, EnterGuard, Runtime};
use tokio::time::timeout;

use crate::store::StoreError;

/// The event loop. Clones share it; it ends with the last of them.
#[derive(Clone, Debug)]
pub(super) struct Driver(Arc<Loop>);

#[derive(Debug)]
struct Loop(Option<Runtime>);

impl Driver {
    pub(super) fn start() -> Result<Self, StoreError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("store")
            .enable_all()
            .build()
            .map_err(StoreError::Driver)?;
        Ok(Self(Arc::new(Loop(Some(runtime)))))
    }

    /// Runs a question where the caller is, with whatever it opens belonging to this loop.
    pub(super) async fn run<T>(
        &self,
        question: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let limited = {
            let _here = self.enter();
            timeout(LONGEST, question)
        };
        let mut limited = pin!(limited);
        let answer = poll_fn(|context| {
            let _here = self.enter();
            limited.as_mut().poll(context)
        });
        answer.await.unwrap_or(Err(StoreError::Timeout))
    }

    fn enter(&self) -> Option<EnterGuard<'_>> {
        self.0.0.as_ref().map(Runtime::enter)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        // The last clone may go where waiting is not allowed.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// A question that takes longer is given up: a network that swallows packets says nothing.
const LONGEST: Duration = Duration::from_secs(60);
