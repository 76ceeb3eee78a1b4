//! How sources are asked: few at once at one domain and few altogether, and each answer is counted.
//!
//! A place at the domain is waited for first, so that a slow hoster holds up nobody else. Whoever
//! has places waits for no others: else two could wait for each other.

use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, SemaphorePermit};
use tokio::time::timeout;

use super::GatewayError;
use super::desk::Desk;
use super::poller::FULL_SECONDS;
use super::source::Source;
use crate::fetch::{Answer, FetchError, Request, Response};
use crate::metrics::{Counted, Queue, Stage};
use crate::model::SourceUrl;

/// The places of a request that is under way, which are free again when it goes.
pub(super) struct Places<'a> {
    _at_domain: OwnedSemaphorePermit,
    _among_all: SemaphorePermit<'a>,
    _counted: Counted,
}

impl Desk {
    /// Waits so long for a place at the domain of an address, then a little for one among all that
    /// is under way.
    pub(super) async fn places(
        &self,
        url: &SourceUrl,
        wait: Duration,
    ) -> Result<Places<'_>, GatewayError> {
        let full = || GatewayError::Overloaded { retry_after_seconds: FULL_SECONDS };
        let waiting = self.metrics.poll_waiting(Queue::Domain);
        let at_domain = self.domains.enter(url, wait).await.ok_or_else(full)?;
        drop(waiting);
        let waiting = self.metrics.poll_waiting(Queue::Place);
        let among_all = match timeout(self.settings.place_wait(), self.places.acquire()).await {
            Ok(place) => place.map_err(|_| GatewayError::Internal)?,
            Err(_) => return Err(full()),
        };
        drop(waiting);
        let counted = self.metrics.poll_in_flight();
        Ok(Places { _at_domain: at_domain, _among_all: among_all, _counted: counted })
    }

    /// Asks a source, and counts the time that it took and what came of it.
    pub(super) async fn ask(
        &self,
        source: &Source,
        request: &Request,
    ) -> Result<Response, FetchError> {
        let fetched = {
            let _time = self.time(Stage::Fetch);
            source.fetch(request).await
        };
        match &fetched {
            Ok(response) => self.count_document(response),
            Err(FetchError::Refused(verdict)) => self.metrics.refused(verdict.label(), 1),
            Err(_) => {}
        }
        fetched
    }

    fn count_document(&self, response: &Response) {
        let Answer::Document(document) = &response.answer else { return };
        let decoded = u64::try_from(document.body.len()).unwrap_or(u64::MAX);
        self.metrics.bytes_read(document.wire_bytes, decoded);
        if !response.url.is_https() {
            self.metrics.plain_http();
        }
    }
}
