//! What is noted of a request while it is answered.

use std::cell::RefMut;

use actix_web::{HttpMessage, HttpRequest};

use super::callers::Caller;
use crate::gateway::Waits;
use crate::metrics::CallerRefusal;
use crate::model::SourceUrl;

/// Who asks, and what the request's line in the log tells of it. A problem leaves its `Kind` in the
/// answer by itself. One value, since each that a request carries is kept in a place of its own.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Who asks.
    pub(crate) caller: Option<Caller>,
    /// Why the caller was turned away, if it was.
    pub(crate) refusal: Option<CallerRefusal>,
    /// The source that was asked for.
    pub(crate) source: Option<SourceUrl>,
    /// Where the manifest came from.
    pub(crate) cache: Option<&'static str>,
    /// What was waited for.
    pub(crate) waits: Waits,
}

impl Notes {
    /// Those of a request, to be read and added to.
    pub(crate) fn of(request: &HttpRequest) -> RefMut<'_, Self> {
        let kept = request.extensions_mut();
        RefMut::map(kept, |kept| kept.get_or_insert_with(Self::default))
    }

    /// Where it is noted what a request waits for.
    pub(crate) fn waits(request: &HttpRequest) -> Waits {
        Self::of(request).waits.clone()
    }

    /// Notes what was asked for, and where the answer came from, if it came from somewhere.
    pub(crate) fn tell(
        request: &HttpRequest,
        source: Option<SourceUrl>,
        cache: Option<&'static str>,
    ) {
        let mut notes = Self::of(request);
        notes.source = source;
        notes.cache = cache;
    }
}
