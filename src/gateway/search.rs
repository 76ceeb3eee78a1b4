//! Follows an address to a feed: reads what is there and, where that is a web page, what it offers
//! (MMSP 9.3).
//!
//! The first offer that can be read is the choice, and the store remembers it: from then on the
//! page's address leads to that feed. A feed that turns into a page is looked for again in the
//! same way, and goes on with its own history at the address that was found.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::desk::flight_key;
use super::landed::Landed;
use super::poll;
use super::poller::{Crew, Errand, Inboxes, Landing, Sought, Target};
use super::{Failure, GatewayError};
use crate::discovery::{self, Candidate};
use crate::model::{FeedKey, SourceUrl};

impl Crew {
    /// Polls a target, on the thread that its key belongs to.
    pub(super) async fn send_out(&self, target: &Target) -> Result<Landed, GatewayError> {
        match target {
            Target::Document(sought) => poll::run(&self.desk, &self.source, sought).await,
            Target::Known(key) => self.look_after(key).await,
            Target::New(url) => self.look_for(url).await,
        }
    }

    /// Polls a feed of the store.
    async fn look_after(&self, key: &FeedKey) -> Result<Landed, GatewayError> {
        let landed = self.read(Sought::Known(*key)).await?;
        let Landed::Page(offers) = landed else { return Ok(landed) };
        for offer in offers.iter().take(MOST_TRIED) {
            match self.read(Sought::At(*key, offer.url.clone())).await {
                Ok(Landed::Page(_)) | Err(GatewayError::Source { .. }) => {}
                ended => return ended,
            }
        }
        Ok(Landed::Page(offers))
    }

    /// Reads an address of which nothing is known.
    async fn look_for(&self, url: &SourceUrl) -> Result<Landed, GatewayError> {
        match self.read(Sought::New(url.clone())).await? {
            Landed::Page(offers) => {
                let search = timeout(LONGEST, self.follow(url, &offers)).await;
                search.unwrap_or_else(|_| {
                    Err(GatewayError::SourceTimeout { url: Arc::new(url.clone()) })
                })
            }
            landed => Ok(landed),
        }
    }

    /// Follows a page to the first of its offers that can be read.
    async fn follow(&self, page: &SourceUrl, offers: &[Candidate]) -> Result<Landed, GatewayError> {
        if let Some(native) = self.inboxes.own_manifest(page).await {
            let native = Landed::Native(native);
            self.desk.remember_elsewhere(Errand::Search, page, native.clone()).await;
            return Ok(native);
        }
        let mut failed = None;
        let others = offers.iter().filter(|offer| flight_key(&offer.url) != flight_key(page));
        for offer in others.take(MOST_TRIED) {
            let target = Target::Document(Sought::New(offer.url.clone()));
            match self.inboxes.poll(target).await.result {
                Ok(Landed::Feed) => return self.choose(page, &offer.url).await,
                Ok(native @ Landed::Native(_)) => {
                    self.desk.remember_elsewhere(Errand::Search, page, native.clone()).await;
                    return Ok(native);
                }
                Ok(Landed::Page(_)) => {}
                Err(GatewayError::Source { failure, .. }) => failed = failed.or(Some(failure)),
                Err(error) => return Err(error),
            }
        }
        let failure = failed.unwrap_or_else(Failure::no_feed_found);
        Err(self.desk.fail_unknown(page, failure, None).await)
    }

    /// Has the page's address lead to the feed that was found there.
    async fn choose(&self, page: &SourceUrl, found: &SourceUrl) -> Result<Landed, GatewayError> {
        let feed = match self.desk.find_in_memory(found).await {
            Some(feed) => Some(feed),
            None => self.desk.find_in_store(found).await?,
        };
        let feed = feed.ok_or(GatewayError::Internal)?;
        self.desk.lead(page, feed.record.key).await?;
        Ok(Landed::Feed)
    }

    /// Reads one document, in one flight with whoever else wants it.
    async fn read(&self, sought: Sought) -> Result<Landed, GatewayError> {
        let (reply, landing) = oneshot::channel::<Landing>();
        if let Some(flight) = self.flights.board(sought.flight(), reply) {
            flight.land(&poll::run(&self.desk, &self.source, &sought).await);
        }
        landing.await.map_or(Err(GatewayError::Internal), |landing| landing.result)
    }
}

impl Inboxes {
    /// The manifest of the host itself, which comes first at its root (MMSP 9.3).
    pub(super) async fn own_manifest(&self, page: &SourceUrl) -> Option<Arc<SourceUrl>> {
        let target = Target::Document(Sought::Page(discovery::well_known(page)?));
        match timeout(WELL_KNOWN_WAIT, self.poll(target)).await.ok()?.result {
            Ok(Landed::Native(native)) => Some(native),
            _ => None,
        }
    }
}

/// How many offers of a page are tried: each is a request that nobody may need.
const MOST_TRIED: usize = 4;
/// How long a search may go on, whoever waits for it.
const LONGEST: Duration = Duration::from_secs(60);
/// How long the host's own manifest is waited for, while the page's offers stand back.
const WELL_KNOWN_WAIT: Duration = Duration::from_secs(5);
