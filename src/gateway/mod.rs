//! The use cases: find a feed, poll its source, merge what came, answer with a page.
//!
//! Start reading at [`Gateway::page`]; what is at hand needs less (`Gateway::page_at_hand`). A reader looks into memory and store; where those have
//! nothing, or nothing fresh, it asks a [`poller`] thread and waits for a while. The poller, not
//! the reader, writes what came, so a poll outlives the client that started it, and all who want
//! one feed share one flight to its source.

mod all_skipped;
mod answer;
mod asking;
mod attendance;
mod chapters;
#[cfg(test)]
mod chapters_tests;
#[cfg(test)]
mod cost_tests;
mod course;
#[cfg(test)]
mod course_tests;
mod desk;
mod document;
mod domains;
mod errand;
mod error;
mod failure;
mod find;
mod flights;
mod history;
#[cfg(test)]
mod history_tests;
mod landed;
mod named;
#[cfg(test)]
mod named_tests;
mod offers;
mod older;
mod persistence;
mod poll;
mod poller;
mod reading;
mod retention;
#[cfg(test)]
mod revision_tests;
mod schedule;
#[cfg(test)]
mod schedule_tests;
mod scheduler;
#[cfg(test)]
mod script;
mod search;
#[cfg(test)]
mod search_tests;
mod settings;
mod settle;
mod source;
mod stage_time;
mod sweeper;
#[cfg(test)]
mod sweeper_tests;
#[cfg(test)]
mod tests;
mod turn;
#[cfg(test)]
mod turn_tests;
mod view;
mod waits;
#[cfg(test)]
mod world_for_tests;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

pub use all_skipped::all_skipped;
pub use answer::{Answer, CacheStatus, NativeAnswer, PageAnswer, PageRequest};
pub use desk::Parts;
pub use domains::registrable_domain;
pub use error::{GatewayError, StartError};
pub use failure::{Failure, FailureKind};
pub use named::{FeedSettings, NamedFault, NamedFeeds};
pub use offers::Offers;
pub use retention::Retention;
pub use settings::Settings;
pub use view::{FeedView, Standing, View};
pub use waits::Waits;

use desk::{Desk, KnownFeed};
use errand::Target;
use find::{Found, Lookup};
use poller::Pollers;
use source::Plan;

use crate::fetch::{self, Rests, Verdict};
use crate::metrics::Metrics;
use crate::model::SourceUrl;
use crate::normalize::{Mend, SkipReason};
use crate::paging::PublicUrl;

/// The gateway. Clones share everything.
#[derive(Clone, Debug)]
pub struct Gateway {
    desk: Arc<Desk>,
    pollers: Arc<Pollers>,
}

impl Gateway {
    /// Starts the poller threads.
    ///
    /// # Errors
    /// No thread can be had, or the settings of `fetch` cannot be put into force.
    pub async fn start(parts: Parts) -> Result<Self, StartError> {
        // A public URL that cannot be read leads nowhere, not even back to us.
        let own = SourceUrl::parse(&format!("{}/mmsp/", parts.public_url.as_str()));
        let clock = parts.clock.clone();
        let plan = Plan::Web {
            settings: Box::new(parts.fetch.clone()),
            own: own.into_iter().collect(),
            rests: Rests::new(move || clock.now()),
        };
        Self::start_with(parts, plan).await
    }

    async fn start_with(parts: Parts, plan: Plan) -> Result<Self, StartError> {
        declare_labels(&parts.metrics);
        let desk = Arc::new(Desk::new(parts));
        let pollers = Arc::new(Pollers::start(&desk, &plan).await?);
        Ok(Self { desk, pollers })
    }

    /// Answers with a page of a feed: fresh if it can be had in time, else as last seen.
    ///
    /// # Errors
    /// Says why there is nothing to answer with. A source that fails costs the reader nothing
    /// while the store has something of it.
    pub async fn page(&self, request: &PageRequest) -> Result<Answer, GatewayError> {
        match self.find(&request.url, &request.waits).await? {
            Found::Feed(feed, lookup) => {
                let answer = self.answer(request, &feed, lookup).await?;
                Ok(Answer::Page(answer))
            }
            Found::Native(native) => Ok(Answer::Native(native)),
        }
    }

    /// Answers with a page of a feed that was found, from older documents of its source where the
    /// store has nothing more.
    async fn answer(
        &self,
        request: &PageRequest,
        feed: &KnownFeed,
        lookup: Lookup,
    ) -> Result<PageAnswer, GatewayError> {
        let mut answer = self.desk.answer(request, feed, lookup).await?;
        if answer.ends_too_early(feed) {
            let url = Arc::new(request.url.clone());
            let walk = timeout(self.desk.settings.reader_wait(), self.walk_on(request, feed));
            // In a box, so that room for it is not moved about with each hit.
            answer = Box::pin(walk).await.unwrap_or(Err(GatewayError::SourceTimeout { url }))?;
        }
        self.desk.metrics.cache(answer.cache.outcome());
        Ok(answer)
    }

    /// Lists the feeds that an address offers: those of a page, or the one that is there.
    ///
    /// # Errors
    /// Says why there are none, as [`Gateway::page`] does.
    pub async fn offers(&self, url: &SourceUrl, waits: &Waits) -> Result<Offers, GatewayError> {
        let search = timeout(self.desk.settings.reader_wait(), self.find_offers(url, waits)).await;
        search.unwrap_or_else(|_| Err(GatewayError::SourceTimeout { url: Arc::new(url.clone()) }))
    }

    /// Whether an answer for that URL needs no first look at its source: the feed is known, or how
    /// it failed.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn knows(&self, url: &SourceUrl) -> Result<bool, GatewayError> {
        Ok(self.desk.find_in_memory(url).await.is_some()
            || self.desk.remembered_failure(url).await.is_some()
            || self.desk.native_in_memory(url).await.is_some()
            || self.desk.find_in_store(url).await?.is_some())
    }

    /// The feeds that have names.
    #[must_use]
    pub fn named(&self) -> Arc<NamedFeeds> {
        self.desk.named.now()
    }

    /// Puts other names in force, from the next request on.
    pub fn name_feeds(&self, named: NamedFeeds) {
        self.desk.named.put(named);
    }

    /// Where clients reach us, and how addresses are signed.
    #[must_use]
    pub fn public_url(&self) -> Arc<PublicUrl> {
        self.desk.public_url.now()
    }

    /// Signs addresses by other keys, from the next request on.
    pub fn sign_by(&self, public_url: PublicUrl) {
        self.desk.public_url.put(public_url);
    }

    /// Fetches by other settings from the next poll on, and forgets why addresses could not be
    /// read.
    ///
    /// # Errors
    /// The settings cannot be put into force; those before them stay.
    pub async fn fetch_by(&self, settings: &fetch::Settings) -> Result<(), StartError> {
        self.pollers.fetch_by(settings).await?;
        self.desk.forget_failures();
        Ok(())
    }

    /// Takes no new polls, waits for those under way within a limit, and closes nothing else.
    pub async fn stop(&self) {
        self.desk.flush_asked().await;
        self.pollers.stop(self.desk.settings.stop_wait()).await;
    }

    /// Whether the store gives a sign of life within a short time, and took what was last written.
    pub async fn has_store(&self) -> bool {
        if !self.desk.writes_go_well() {
            return false;
        }
        let sign = timeout(SIGN_WAIT, self.desk.store.check()).await;
        matches!(sign, Ok(Ok(())))
    }

    /// Has older documents of the source read, one after the other, until there is a page.
    async fn walk_on(
        &self,
        request: &PageRequest,
        feed: &KnownFeed,
    ) -> Result<PageAnswer, GatewayError> {
        let key = feed.record.key;
        for _ in 0..MOST_WALKED {
            let landing = self.pollers.poll(Target::Older(key));
            let landing = request.waits.for_poll(landing).await;
            // Another flight of the feed may have been joined: what became of that is not ours.
            if !landing.collapsed {
                landing.result?;
            }
            let feed = self.desk.find_by_key(&key).await.ok_or(GatewayError::Internal)?;
            let lookup = Lookup::Refreshed { collapsed: landing.collapsed };
            let answer = self.desk.answer(request, &feed, lookup).await?;
            if !answer.ends_too_early(&feed) {
                return Ok(answer);
            }
        }
        Err(GatewayError::SourceTimeout { url: Arc::new(request.url.clone()) })
    }
}

/// Older documents that one request has read at the most.
const MOST_WALKED: usize = 10;

/// Whoever asks whether all is well waits no longer for the store.
const SIGN_WAIT: Duration = Duration::from_secs(1);

/// Starts the series of labels that lower floors name: a rate over a first refusal is not lost.
fn declare_labels(metrics: &Metrics) {
    Verdict::ALL.iter().for_each(|verdict| metrics.refused(verdict.label(), 0));
    SkipReason::ALL.iter().for_each(|reason| metrics.skipped(reason.as_str(), 0));
    Mend::ALL.iter().for_each(|what| metrics.mended(what.label(), 0));
}
