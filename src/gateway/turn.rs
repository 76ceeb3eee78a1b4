//! One poll at a time among all gateways that share a store.
//!
//! Whoever flies holds a lease: a row that runs out by itself and is renewed on the way. Whoever
//! does not get it looks again for what the other brings, since nothing but the store connects
//! the two. What the store does not keep, the failure of an unknown address or the manifest that
//! it turned out to be, is left in the lease for a few seconds as a word to those who wait.

use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::time::{Instant, sleep};

use super::desk::Desk;
use super::errand::{Errand, FlightKey, Sought};
use super::landed::Landed;
use super::{Failure, GatewayError};
use crate::metrics::{Counted, LeaseOutcome, Operation, Queue};
use crate::model::{FeedKey, SourceUrl};
use crate::store::{Lease, StoreError};

/// A flight that waits for its turn.
pub(super) struct Turn<'a> {
    desk: &'a Desk,
    key: FeedKey,
    errand: Errand,
    /// The address, where no feed is known.
    unknown: Option<&'a SourceUrl>,
    owner: String,
}

/// What those hear who waited for somebody else's flight to an unknown address.
#[derive(Serialize, Deserialize)]
enum Word {
    Failure(Failure),
    Native(SourceUrl),
}

impl<'a> Turn<'a> {
    /// The turn of one document.
    pub(super) fn to_read(desk: &'a Desk, sought: &'a Sought) -> Self {
        let unknown = match sought {
            Sought::Known(_) | Sought::At(..) => None,
            Sought::New(url) | Sought::Page(url) => Some(url),
        };
        Self::new(desk, sought.flight(), unknown)
    }

    /// The turn of a walk into the older documents of a feed: what writes a feed, writes alone.
    pub(super) fn to_walk(desk: &'a Desk, feed: &FeedKey) -> Self {
        Self::new(desk, (*feed, Errand::Read), None)
    }

    /// The turn of a search from an address of which nothing is known.
    pub(super) fn to_search(desk: &'a Desk, flight: FlightKey, url: &'a SourceUrl) -> Self {
        Self::new(desk, flight, Some(url))
    }

    fn new(desk: &'a Desk, (key, errand): FlightKey, unknown: Option<&'a SourceUrl>) -> Self {
        let owner = format!("{:032x}", rand::random::<u128>());
        Self { desk, key: lease_key(key, errand), errand, unknown, owner }
    }

    /// Flies when it is our turn, unless a look finds that there is no need to any more.
    pub(super) async fn take<P>(
        &self,
        look: impl AsyncFn() -> Result<ControlFlow<Landed, P>, GatewayError>,
        fly: impl AsyncFnOnce(P) -> Result<Landed, GatewayError>,
    ) -> Result<Landed, GatewayError> {
        let end = Instant::now() + self.patience();
        let mut pause = FIRST_PAUSE;
        let mut waiting = None;
        loop {
            if let ControlFlow::Break(landed) = look().await? {
                return Ok(landed);
            }
            match self.lease().await? {
                Lease::Ours => break,
                Lease::Theirs { word: Some(word) } => return self.hear(&word).await,
                Lease::Theirs { word: None } if Instant::now() >= end => return self.give_up(),
                Lease::Theirs { word: None } => {
                    waiting.get_or_insert_with(|| self.count_waiting());
                    sleep(pause).await;
                }
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        drop(waiting);
        self.desk.metrics.lease(LeaseOutcome::Granted);
        // Somebody else's turn may have ended since the last look.
        let ended = match look().await {
            Ok(ControlFlow::Break(landed)) => Ok(landed),
            Ok(ControlFlow::Continue(plan)) => self.hold(fly(plan)).await,
            Err(error) => Err(error),
        };
        self.give_back(&ended).await;
        ended
    }

    /// Counts that somebody else has the lease, and the wait for as long as the guard lives.
    fn count_waiting(&self) -> Counted {
        self.desk.metrics.lease(LeaseOutcome::Refused);
        self.desk.metrics.poll_waiting(Queue::Turn)
    }

    async fn lease(&self) -> Result<Lease, StoreError> {
        let now = self.desk.clock.now();
        let until = now.plus_seconds(self.desk.settings.lease_seconds());
        let leasing = self.desk.store.lease(&self.key, &self.owner, now, until);
        self.desk.timed(Operation::Lease, leasing).await
    }

    /// Flies, and renews the lease beside that: a flight that writes is not to wait for a renewal
    /// that waits for its connection. A store that is away cannot give the lease to others.
    async fn hold<T>(&self, flight: impl Future<Output = T>) -> T {
        let renewing = async {
            loop {
                sleep(self.desk.settings.lease_renewal()).await;
                drop(self.lease().await);
            }
        };
        // A flight is large, and there may be one inside another.
        match select(Box::pin(flight), pin!(renewing)).await {
            Either::Left((ended, _)) => ended,
            Either::Right((never, _)) => never,
        }
    }

    /// Gives the lease back, with a word where nothing else tells how it went.
    async fn give_back(&self, ended: &Result<Landed, GatewayError>) {
        let word = match ended {
            // What our settings refuse, those of another gateway may not, and ours may change.
            Err(GatewayError::Source { failure, .. }) if failure.kind.is_of_settings() => None,
            Err(GatewayError::Source { failure, .. }) => Some(Word::Failure(failure.clone())),
            Ok(Landed::Native(native)) => Some(Word::Native(SourceUrl::clone(native))),
            _ => None,
        };
        let word = word.filter(|_| self.unknown.is_some());
        // What we do not remember ourselves, such as that a host rests, is nothing to pass on.
        let is_kept = match (&word, self.unknown) {
            (Some(Word::Failure(_)), Some(url)) => {
                self.desk.remembered_failure(url).await.is_some()
            }
            _ => true,
        };
        let word = word.filter(|_| is_kept);
        let word = word.and_then(|word| serde_json::to_string(&word).ok());
        let giving = async {
            let Some(word) = word else {
                return self.desk.store.release(&self.key, &self.owner).await;
            };
            let until = self.desk.clock.now().plus_seconds(WORD_SECONDS);
            self.desk.store.leave_word(&self.key, &self.owner, &word, until).await
        };
        if let Err(error) = self.desk.timed(Operation::Lease, giving).await {
            // It runs out by itself.
            tracing::debug!(error = %error, cause = ?error, "a lease was not given back");
        }
    }

    async fn hear(&self, word: &str) -> Result<Landed, GatewayError> {
        let url = self.unknown.ok_or(GatewayError::Internal)?;
        match serde_json::from_str(word) {
            Ok(Word::Failure(failure)) => Err(self.desk.fail_unknown(url, failure, None).await),
            Ok(Word::Native(native)) => {
                let landed = Landed::Native(Arc::new(native));
                self.desk.remember_elsewhere(self.errand, url, landed.clone()).await;
                Ok(landed)
            }
            Err(_) => Err(GatewayError::Internal),
        }
    }

    /// How long somebody else is waited for: for news of a feed as long as a reader waits.
    fn patience(&self) -> Duration {
        self.unknown.map_or(self.desk.settings.stale_wait(), |_| LONGEST)
    }

    fn give_up(&self) -> Result<Landed, GatewayError> {
        match self.unknown {
            Some(url) => Err(GatewayError::SourceTimeout { url: Arc::new(url.clone()) }),
            None => Ok(Landed::Feed),
        }
    }
}

/// A feed is leased by its own key, and so is the document of an address that may become one.
fn lease_key(key: FeedKey, errand: Errand) -> FeedKey {
    let name: &[u8] = match errand {
        Errand::Read => return key,
        Errand::Look => b"look",
        Errand::Search => b"search",
    };
    let hash = Sha256::new().chain_update(key.as_bytes()).chain_update(name).finalize();
    FeedKey::from_bytes(&hash).unwrap_or(key)
}

const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// A flight takes no longer, with its search.
const LONGEST: Duration = Duration::from_secs(120);
/// Longer than the longest pause between two looks.
const WORD_SECONDS: i64 = 10;
