//! How a reader comes to a feed: by memory, by the store, or by its source.

use std::sync::Arc;

use tokio::time::timeout;

use super::answer::NativeAnswer;
use super::desk::KnownFeed;
use super::errand::Target;
use super::flights::Landing;
use super::landed::Landed;
use super::{Gateway, GatewayError, Waits};
use crate::model::{SourceUrl, Timestamp};

impl Gateway {
    /// Finds a feed, in memory, in the store or at its source.
    pub(super) async fn find(&self, url: &SourceUrl, waits: &Waits) -> Result<Found, GatewayError> {
        if let Some(feed) = self.desk.find_in_memory(url).await {
            return Ok(self.refresh(feed, waits).await);
        }
        if let Some(error) = self.desk.remembered_failure(url).await {
            return Err(error);
        }
        if let Some(native) = self.desk.native_in_memory(url).await {
            return Ok(Found::Native(native));
        }
        match waits.for_store(self.desk.find_in_store(url)).await? {
            Some(feed) => Ok(self.refresh(feed, waits).await),
            None => self.look_for(url, waits).await,
        }
    }

    /// Polls a known feed if it is due, and waits for it as long as a reader should.
    async fn refresh(&self, feed: Arc<KnownFeed>, waits: &Waits) -> Found {
        let now = self.desk.clock.now();
        self.desk.note_asked(&feed, now);
        if !feed.is_due(now) {
            return Found::feed(feed, Lookup::Known, now);
        }
        let landing = waits.for_poll(self.pollers.poll(Target::Known(feed.record.key)));
        let landing = timeout(self.desk.settings.stale_wait(), landing).await;
        let collapsed = matches!(landing, Ok(Landing { collapsed: true, .. }));
        let newest = self.desk.find_by_key(&feed.record.key).await.unwrap_or(feed);
        let succeeded = matches!(landing, Ok(Landing { result: Ok(Landed::Feed), .. }));
        let lookup = if succeeded { Lookup::Refreshed { collapsed } } else { Lookup::Known };
        Found::feed(newest, lookup, now)
    }

    /// Polls a URL of which nothing is known.
    async fn look_for(&self, url: &SourceUrl, waits: &Waits) -> Result<Found, GatewayError> {
        let found = timeout(self.desk.settings.reader_wait(), self.poll_and_find(url, waits)).await;
        found.unwrap_or_else(|_| Err(GatewayError::SourceTimeout { url: Arc::new(url.clone()) }))
    }

    async fn poll_and_find(&self, url: &SourceUrl, waits: &Waits) -> Result<Found, GatewayError> {
        // A flight that somebody else began may have been for the `http` twin, and come down on
        // that: the second one is for this URL.
        for _ in 0..2 {
            let landing = waits.for_poll(self.pollers.poll(Target::New(url.clone()))).await;
            if let Landed::Native(_) = landing.result?
                && let Some(native) = self.desk.native_in_memory(url).await
            {
                return Ok(Found::Native(native));
            }
            let lookup = Lookup::Read { collapsed: landing.collapsed };
            if let Some(feed) = self.desk.find_in_memory(url).await {
                return Ok(Found::feed(feed, lookup, self.desk.clock.now()));
            }
            if let Some(feed) = waits.for_store(self.desk.find_in_store(url)).await? {
                return Ok(Found::feed(feed, lookup, self.desk.clock.now()));
            }
        }
        Err(GatewayError::Internal)
    }
}

/// What there is at an address that a reader asked for.
pub(super) enum Found {
    Feed(Arc<KnownFeed>, Lookup),
    Native(NativeAnswer),
}

impl Found {
    /// A feed; or the manifest that its source has become.
    fn feed(feed: Arc<KnownFeed>, lookup: Lookup, now: Timestamp) -> Self {
        let Some(url) = feed.native.clone() else { return Self::Feed(feed, lookup) };
        let left = feed.record.schedule.next_poll_at.seconds() - now.seconds();
        Self::Native(NativeAnswer { url, max_age_seconds: u64::try_from(left).unwrap_or(0) })
    }
}

/// Where a feed was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// Known, without asking the source, or in spite of asking it.
    Known,
    /// Known, and the source confirmed or renewed it just now.
    Refreshed { collapsed: bool },
    /// Read for the first time.
    Read { collapsed: bool },
}
