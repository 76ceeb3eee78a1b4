//! What every handler may look at.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use actix_web::HttpRequest;

use crate::current::Current;
use crate::gateway::Gateway;
use crate::metrics::Metrics;
use crate::model::SourceUrl;

use super::Shown;
use super::access::Access;
use super::callers::Callers;
use super::description::Description;
use super::limits::Limits;
use super::notes::Notes;
use super::problem::Problem;
use super::query_table::QueryTable;
use super::refusal::Refusal;
use super::settings::Settings;
use super::web::Assets;

/// The state behind the routes.
pub(crate) struct Site {
    pub(crate) gateway: Gateway,
    pub(crate) metrics: Metrics,
    pub(crate) limits: Limits,
    pub(crate) access: Current<Access>,
    pub(crate) callers: Arc<Callers>,
    pub(crate) assets: Arc<Assets>,
    pub(crate) phase: Phase,
    pub(crate) queries: QueryTable,
    pub(crate) description: Description,
}

impl Site {
    /// A site that shows that, at its start.
    ///
    /// # Errors
    /// The description of the paths cannot be written.
    pub(crate) fn new(settings: &Settings, shown: Shown) -> io::Result<Self> {
        let description = Description::new(shown.gateway.public_url().as_str())?;
        Ok(Self {
            gateway: shown.gateway,
            metrics: shown.metrics,
            limits: Limits::new(settings),
            access: Current::new(Access::new(&shown.access)),
            callers: Callers::new(settings, &shown.callers).into(),
            assets: Assets::new().into(),
            phase: Phase::default(),
            queries: QueryTable::new(),
            description,
        })
    }

    /// Counts a source against whoever names it, unless an answer needs no first look at it.
    pub(crate) async fn count_source(
        &self,
        request: &HttpRequest,
        source: &SourceUrl,
    ) -> Result<(), Problem> {
        let caller = Notes::of(request).caller;
        let Some(caller) = caller.filter(|caller| self.callers.counts_new_feeds(*caller)) else {
            return Ok(());
        };
        // A store that does not answer is told by whoever needs it next.
        if self.gateway.knows(source).await.unwrap_or(true) {
            return Ok(());
        }
        let named = self.callers.name_new_feed(caller);
        named.map_err(|refusal| self.turn_away(request, *refusal))
    }

    /// Counts a look at what an address offers against whoever wants it, unless that is known.
    pub(crate) async fn count_page(
        &self,
        request: &HttpRequest,
        page: &SourceUrl,
    ) -> Result<(), Problem> {
        let looked = self.look_at(request, page).await;
        looked.map_err(|refusal| self.turn_away(request, *refusal))
    }

    /// Counts as [`Site::count_page`] does, for an answer that does without the look: nobody is
    /// turned away.
    pub(crate) async fn may_look_at(&self, request: &HttpRequest, page: &SourceUrl) -> bool {
        self.look_at(request, page).await.is_ok()
    }

    async fn look_at(&self, request: &HttpRequest, page: &SourceUrl) -> Result<(), Box<Refusal>> {
        let caller = Notes::of(request).caller;
        let Some(caller) = caller.filter(|caller| self.callers.counts_new_feeds(*caller)) else {
            return Ok(());
        };
        // A store that does not answer is told by whoever needs it next.
        if self.gateway.knows_offers(page).await.unwrap_or(true) {
            return Ok(());
        }
        self.callers.name_new_feed(caller)
    }

    /// Counts a caller who is turned away, notes why, and gives what it is told.
    pub(crate) fn turn_away(&self, request: &HttpRequest, refusal: Refusal) -> Problem {
        self.metrics.caller_refused(refusal.reason);
        Notes::of(request).refusal = Some(refusal.reason);
        refusal.problem
    }
}

/// Where the process stands between start and stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Phase(Arc<AtomicU8>);

impl Phase {
    /// Everything is up.
    pub(crate) fn begin_serving(&self) {
        self.0.store(SERVING, Ordering::Release);
    }

    /// The signal to stop has come.
    pub(crate) fn begin_draining(&self) {
        self.0.store(DRAINING, Ordering::Release);
    }

    pub(crate) fn is_serving(&self) -> bool {
        self.0.load(Ordering::Acquire) == SERVING
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.0.load(Ordering::Acquire) == DRAINING
    }
}

/// 0 is "starting".
const SERVING: u8 = 1;
const DRAINING: u8 = 2;
