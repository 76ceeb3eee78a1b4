//! Lists the feeds that an address offers, for whoever wants to choose (MMSP 9.3).

use std::sync::Arc;

use super::desk::KnownFeed;
use super::errand::{Errand, Sought, Target};
use super::landed::Landed;
use super::{Gateway, GatewayError, Waits};
use crate::discovery::{Candidate, FeedType};
use crate::model::{MimeType, SourceUrl};

/// The feeds of an address, in the order of MMSP 9.3, and how long the list holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Offers {
    /// The feeds, one at least.
    pub candidates: Vec<Candidate>,
    /// For how many seconds the list may be reused.
    pub max_age_seconds: u64,
}

impl Offers {
    fn of(candidates: Vec<Candidate>) -> Self {
        Self { candidates, max_age_seconds: HOLD_SECONDS }
    }
}

impl Gateway {
    pub(super) async fn find_offers(
        &self,
        url: &SourceUrl,
        waits: &Waits,
    ) -> Result<Offers, GatewayError> {
        if let Some(feed) = self.known(url, waits).await? {
            return Ok(Offers::of(vec![of_feed(&feed)]));
        }
        let landed = self.document(url, waits).await?;
        let mut candidates: Vec<Candidate> = Vec::new();
        match &landed {
            Landed::Feed => match self.known(url, waits).await? {
                Some(feed) => candidates.push(of_feed(&feed)),
                None => return Err(GatewayError::Internal),
            },
            Landed::Native(native) => candidates.push(of_manifest(native)),
            Landed::Page(offers) => {
                let own = self.pollers.inboxes().own_manifest(url).await;
                let others = offers.iter().filter(|offer| Some(&offer.url) != own.as_deref());
                candidates.extend(own.as_deref().map(of_manifest));
                candidates.extend(others.cloned());
            }
        }
        Ok(Offers::of(candidates))
    }

    /// Whether the list of what a URL offers needs no look at it: it is a feed, or was looked at
    /// lately, however that ended.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn knows_offers(&self, url: &SourceUrl) -> Result<bool, GatewayError> {
        Ok(self.desk.remembered_failure(url).await.is_some()
            || self.desk.remembered_elsewhere(Errand::Read, url).await.is_some()
            || self.known(url, &Waits::default()).await?.is_some())
    }

    /// The feed that has this address for its own; a page that only leads to one does not count.
    async fn known(
        &self,
        url: &SourceUrl,
        waits: &Waits,
    ) -> Result<Option<Arc<KnownFeed>>, GatewayError> {
        let found = waits.for_store(self.desk.find_known(url)).await?;
        Ok(found.filter(|feed| feed.is_at(url) && feed.native.is_none()))
    }

    async fn document(&self, url: &SourceUrl, waits: &Waits) -> Result<Landed, GatewayError> {
        let sought = match self.desk.find_in_memory(url).await {
            // A page that leads to a feed is looked at again.
            Some(_) => Sought::Page(url.clone()),
            None => Sought::New(url.clone()),
        };
        waits.for_poll(self.pollers.poll(Target::Document(sought))).await.result
    }
}

fn of_feed(feed: &KnownFeed) -> Candidate {
    let record = &feed.record;
    let media_type = MimeType::parse(&record.media_type);
    let r#type = media_type.as_ref().and_then(FeedType::of_media_type);
    Candidate {
        r#type: r#type.unwrap_or(FeedType::Unsaid),
        url: record.url.clone(),
        title: Some(record.feed.title.clone()),
    }
}

fn of_manifest(url: &SourceUrl) -> Candidate {
    Candidate { r#type: FeedType::Mmsp, url: url.clone(), title: None }
}

/// As long as what a page offers is believed, about.
const HOLD_SECONDS: u64 = 600;
