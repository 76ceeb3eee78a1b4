//! How a feed stands, for people who look at a page of it.

use super::desk::KnownFeed;
use super::{Failure, Found, Gateway, GatewayError, NativeAnswer, PageAnswer, PageRequest};
use crate::convert::Summary;
use crate::model::{HttpsUrl, SourceType, SourceUrl, Timestamp};

/// What a look at an address ends in.
#[derive(Clone, Debug)]
pub enum View {
    /// A page of a feed.
    Feed(Box<FeedView>),
    /// The source is a manifest already, or offers one.
    Native(NativeAnswer),
}

/// A page of a feed, and how the feed stands.
#[derive(Clone, Debug)]
pub struct FeedView {
    /// The page, as clients get it.
    pub answer: PageAnswer,
    /// What is known beside it.
    pub standing: Standing,
}

/// What the gateway knows of a feed beside its items.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The present moment, which the others are to be seen from.
    pub now: Timestamp,
    /// The address that is polled.
    pub url: SourceUrl,
    /// Whether that was asked for; else by the address of a page that leads there, or an older one.
    pub is_own_address: bool,
    /// The kind of source.
    pub source_type: SourceType,
    /// The web page that it belongs to.
    pub page_url: Option<HttpsUrl>,
    /// Where the publisher has moved the feed for good.
    pub moved_to: Option<SourceUrl>,
    /// When a document last came.
    pub read_at: Timestamp,
    /// What became of that document, unless it was read by a version that did not say.
    pub summary: Option<Summary>,
    /// When the source was last asked.
    pub polled_at: Timestamp,
    /// When that last went well.
    pub succeeded_at: Timestamp,
    /// When it will be asked again, at the earliest.
    pub next_poll_at: Timestamp,
    /// How the last poll failed, if it did.
    pub failure: Option<Failure>,
    /// Since when nothing but failures came; none after a success.
    pub failing_since: Option<Timestamp>,
}

impl Gateway {
    /// Answers as [`Gateway::page`] does, and tells how the feed stands.
    ///
    /// # Errors
    /// As [`Gateway::page`].
    pub async fn view(&self, request: &PageRequest) -> Result<View, GatewayError> {
        let (feed, lookup) = match self.find(&request.url, &request.waits).await? {
            Found::Feed(feed, lookup) => (feed, lookup),
            Found::Native(native) => return Ok(View::Native(native)),
        };
        let answer = self.answer(request, &feed, lookup).await?;
        let newest = self.desk.find_by_key(&feed.record.key).await.unwrap_or(feed);
        let standing = newest.standing(&request.url, self.desk.clock.now());
        Ok(View::Feed(Box::new(FeedView { answer, standing })))
    }
}

impl KnownFeed {
    /// Whether an address is the feed's own; one of a page that only leads to it is not.
    pub(super) fn is_at(&self, url: &SourceUrl) -> bool {
        let own = [&self.record.url, &self.record.first_url, &self.record.read.url];
        own.into_iter().any(|own| own == url || url.upgraded().as_ref() == Some(own))
    }

    fn standing(&self, asked: &SourceUrl, now: Timestamp) -> Standing {
        let (record, schedule) = (&self.record, &self.record.schedule);
        Standing {
            now,
            url: record.url.clone(),
            is_own_address: self.is_at(asked),
            source_type: record.source_type,
            page_url: record.page_url.clone(),
            moved_to: record.moved_to.clone().filter(|to| to != asked),
            read_at: record.read.read_at,
            summary: record.read.summary.clone(),
            polled_at: schedule.polled_at,
            succeeded_at: schedule.succeeded_at,
            next_poll_at: schedule.next_poll_at,
            failure: self.failure.clone(),
            failing_since: schedule.failing_since,
        }
    }
}
