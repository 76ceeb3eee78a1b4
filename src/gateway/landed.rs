//! What a poll found where it was sent.

use std::sync::Arc;

use crate::discovery::Candidate;
use crate::model::{SourceUrl, Timestamp};

/// What there is at an address.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Landed {
    /// A feed, which the store has now.
    Feed,
    /// A manifest that needs no gateway, and its address.
    Native(Arc<SourceUrl>),
    /// A web page that offers feeds, the best first (MMSP 9.3).
    Page(Arc<[Candidate]>),
}

/// What there was at an address that is no feed of the store, and until when that is an answer.
/// In memory only: strangers make up as many addresses as they like.
#[derive(Clone, Debug)]
pub(super) struct Remembered<T> {
    pub(super) what: T,
    pub(super) until: Timestamp,
}

impl<T> Remembered<T> {
    /// For how many more seconds it is an answer.
    pub(super) fn seconds_left(&self, now: Timestamp) -> Option<u64> {
        let left = self.until.seconds() - now.seconds();
        u64::try_from(left).ok().filter(|left| *left > 0)
    }
}
