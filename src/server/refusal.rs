//! A caller who is turned away before anything is done for it.

use crate::metrics::CallerRefusal;

use super::problem::Problem;

/// Why, for the metric, and as the caller is told.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) reason: CallerRefusal,
    pub(crate) problem: Problem,
}
