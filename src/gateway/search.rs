//! Follows an address to a feed: reads what is there and, where that is a web page, what it offers
//! (MMSP 9.3).
//!
//! The first offer that can be read is the choice, and the store remembers it: from then on the
//! page's address leads to that feed. A feed that turns into a page is looked for again in the
//! same way, and goes on with its own history at the address that was found.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::desk::flight_key;
use super::errand::{Errand, Sought, Target};
use super::flights::Landing;
use super::history;
use super::landed::Landed;
use super::poll::{self, Place};
use super::poller::{Crew, Inboxes};
use super::turn::Turn;
use super::{Failure, GatewayError};
use crate::discovery::{self, Candidate};
use crate::metrics::Operation;
use crate::model::{FeedKey, SourceUrl};
use crate::store::{FeedRecord, Moving, MovingBy};

impl Crew {
    /// Polls a target, on the thread that its key belongs to.
    pub(super) async fn send_out(&self, target: &Target) -> Result<Landed, GatewayError> {
        match target {
            Target::Document(sought) => poll::run(&self.desk, &self.source.now(), sought).await,
            Target::Known(key) => self.look_after(key).await,
            Target::New(url) => self.look_for(url).await,
            Target::Older(key) => history::walk_on(&self.desk, &self.source.now(), key).await,
        }
    }

    /// Polls a feed of the store.
    async fn look_after(&self, key: &FeedKey) -> Result<Landed, GatewayError> {
        let offers = match self.read(Sought::Known(*key)).await? {
            Landed::Page(offers) => offers,
            Landed::Native(native) => return Ok(Landed::Native(native)),
            Landed::Feed => {
                self.follow_move(key).await?;
                return Ok(Landed::Feed);
            }
        };
        for offer in offers.iter().take(MOST_TRIED) {
            match self.read(Sought::At(*key, offer.url.clone(), Place::Offered)).await {
                Ok(Landed::Page(_)) | Err(GatewayError::Source { .. }) => {}
                ended => return ended,
            }
        }
        Ok(Landed::Page(offers))
    }

    /// Reads an address of which nothing is known.
    async fn look_for(&self, url: &SourceUrl) -> Result<Landed, GatewayError> {
        let turn = Turn::to_search(&self.desk, (flight_key(url), Errand::Search), url);
        turn.take(async || self.look_up(url).await, async |()| self.search(url).await).await
    }

    /// What there is already: somebody else may have searched.
    async fn look_up(&self, url: &SourceUrl) -> Result<ControlFlow<Landed, ()>, GatewayError> {
        if let Some(error) = self.desk.remembered_failure(url).await {
            return Err(error);
        }
        if let Some((landed, _)) = self.desk.remembered_elsewhere(Errand::Search, url).await {
            return Ok(ControlFlow::Break(landed));
        }
        poll::refuse(&self.desk, &self.source.now(), url).await?;
        let found = self.desk.find_in_store(url).await?;
        Ok(found.map_or(ControlFlow::Continue(()), |_| ControlFlow::Break(Landed::Feed)))
    }

    async fn search(&self, url: &SourceUrl) -> Result<Landed, GatewayError> {
        match self.read(Sought::New(url.clone())).await? {
            Landed::Page(offers) => {
                let search = timeout(LONGEST, self.follow(url, &offers)).await;
                search.unwrap_or_else(|_| {
                    Err(GatewayError::SourceTimeout { url: Arc::new(url.clone()) })
                })
            }
            Landed::Native(native) => Ok(Landed::Native(native)),
            Landed::Feed => {
                if let Some(feed) = self.desk.find_in_memory(url).await {
                    // Somebody waits who has the feed already; the next poll looks longer.
                    let follow = self.follow_move(&feed.record.key);
                    timeout(self.desk.settings.stale_wait(), follow).await.unwrap_or(Ok(()))?;
                }
                Ok(Landed::Feed)
            }
        }
    }

    /// Looks where a feed says that it has moved to, once a day while that is not the same feed.
    async fn follow_move(&self, key: &FeedKey) -> Result<(), GatewayError> {
        let Some(feed) = self.desk.find_by_key(key).await else { return Ok(()) };
        let said = feed.record.moving.as_ref().filter(|moving| moving.by == MovingBy::Word);
        let Some(moving) = said else { return Ok(()) };
        let now = self.desk.clock.now();
        if now.seconds() - moving.since.seconds() < LOOK_AGAIN_SECONDS {
            return Ok(());
        }
        let sought = Sought::At(*key, moving.to.clone(), Place::Announced);
        match self.read(sought).await {
            Ok(Landed::Feed) => return Ok(()),
            Ok(Landed::Native(_) | Landed::Page(_)) | Err(GatewayError::Source { .. }) => {}
            Err(error) => return Err(error),
        }
        let moving = Some(Moving { since: now, ..moving.clone() });
        let record = FeedRecord { moving, ..feed.record.clone() };
        let writing = self.desk.store.touch(&record, now);
        if let Some(record) = self.desk.timed(Operation::Touch, writing).await? {
            self.desk.remember(record).await;
        }
        Ok(())
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
        let feed = self.desk.find_known(found).await?.ok_or(GatewayError::Internal)?;
        let key = feed.record.key;
        self.desk.lead(page, key).await?;
        if feed.record.moving.as_ref().is_some_and(|moving| moving.by == MovingBy::Word) {
            // Its own thread looks where it says that it has moved to.
            self.inboxes.poll(Target::Known(key)).await.result?;
        }
        Ok(Landed::Feed)
    }

    /// Reads one document, in one flight with whoever else wants it.
    async fn read(&self, sought: Sought) -> Result<Landed, GatewayError> {
        let (reply, landing) = oneshot::channel::<Landing>();
        if let Some(flight) = self.flights.board(sought.flight(), reply) {
            flight.land(&poll::run(&self.desk, &self.source.now(), &sought).await);
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
/// A day.
const LOOK_AGAIN_SECONDS: i64 = 86_400;
/// How long a search may go on, whoever waits for it.
const LONGEST: Duration = Duration::from_secs(60);
/// How long the host's own manifest is waited for, while the page's offers stand back.
const WELL_KNOWN_WAIT: Duration = Duration::from_secs(5);
