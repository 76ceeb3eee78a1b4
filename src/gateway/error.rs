//! What a request for a page can end in instead.

use std::sync::Arc;

use thiserror::Error;

use super::Failure;
use crate::fetch::SetupError;
use crate::metrics::PollOutcome;
use crate::model::SourceUrl;
use crate::paging::CursorError;
use crate::store::StoreError;

/// Why there is no page. `Display` is for strangers.
#[derive(Clone, Debug, Error)]
pub enum GatewayError {
    /// The cursor cannot be read, or is another feed's.
    #[error(transparent)]
    InvalidCursor(#[from] CursorError),
    /// The source failed and nothing of it is stored. `failure.kind` says how.
    #[error("{}", failure.detail)]
    Source {
        /// The address that was asked for.
        url: Arc<SourceUrl>,
        /// What went wrong there.
        failure: Failure,
        /// When it is worth asking again: the failure is remembered until then.
        retry_after_seconds: u64,
    },
    /// The source is slower than a reader can wait; the poll goes on.
    #[error("the source did not answer in time; it is still being asked")]
    SourceTimeout {
        /// The address that was asked for.
        url: Arc<SourceUrl>,
    },
    /// As many polls are under way as there may be, or the gateway is stopping.
    #[error("the gateway is busy")]
    Overloaded {
        /// When it is worth asking again.
        retry_after_seconds: u64,
    },
    /// The store does not answer, and memory has nothing.
    #[error("the gateway cannot reach its memory")]
    Store(#[source] Arc<StoreError>),
    /// A part of the gateway broke; the log says which.
    #[error("the gateway failed")]
    Internal,
}

impl GatewayError {
    /// As what a poll counts that ended so.
    pub(super) fn outcome(&self) -> PollOutcome {
        match self {
            Self::Source { failure, .. } => failure.kind.outcome(),
            Self::InvalidCursor(_)
            | Self::SourceTimeout { .. }
            | Self::Overloaded { .. }
            | Self::Store(_)
            | Self::Internal => PollOutcome::Internal,
        }
    }
}

impl From<StoreError> for GatewayError {
    fn from(error: StoreError) -> Self {
        Self::Store(Arc::new(error))
    }
}

/// Why the gateway does not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// The system gives no thread or no event loop.
    #[error("a poller cannot be started")]
    Thread(#[source] std::io::Error),
    /// The settings of `fetch` cannot be put into force.
    #[error("fetching cannot be set up: {0}")]
    Fetch(#[source] SetupError),
}
