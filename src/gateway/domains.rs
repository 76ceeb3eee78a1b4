//! Few requests at once to one registrable domain: thousands of feeds live under the sub-domains
//! of one hoster.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::model::SourceUrl;

/// The domains that are being asked.
#[derive(Debug)]
pub(super) struct Domains {
    most: usize,
    busy: Mutex<HashMap<String, Weak<Semaphore>>>,
}

impl Domains {
    pub(super) fn new(most: u32) -> Self {
        let most = usize::try_from(most.max(1)).unwrap_or(1);
        Self { most, busy: Mutex::default() }
    }

    /// Waits for a place at the domain of an address; none where none came free in time.
    pub(super) async fn enter(
        &self,
        url: &SourceUrl,
        wait: Duration,
    ) -> Option<OwnedSemaphorePermit> {
        let places = self.places(registrable_domain(url));
        timeout(wait, places.acquire_owned()).await.ok()?.ok()
    }

    fn places(&self, domain: String) -> Arc<Semaphore> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(places) = busy.get(&domain).and_then(Weak::upgrade) {
            return places;
        }
        if busy.len() >= SWEEP_AT {
            busy.retain(|_, places| places.strong_count() > 0);
        }
        let places = Arc::new(Semaphore::new(self.most));
        busy.insert(domain, Arc::downgrade(&places));
        places
    }
}

/// The registrable domain. A hoster whose customers have domains of their own under its suffix
/// (`someone.github.io`) is one all the same; so is an address, and a name of one label.
#[must_use]
pub fn registrable_domain(url: &SourceUrl) -> String {
    let host = url.host();
    if host.parse::<std::net::IpAddr>().is_ok() {
        return host.to_owned();
    }
    let Some(domain) = psl::domain(host.as_bytes()) else { return host.to_owned() };
    let suffix = domain.suffix();
    let is_hosters = suffix.typ() == Some(psl::Type::Private);
    let name = if is_hosters { suffix.as_bytes() } else { domain.as_bytes() };
    String::from_utf8_lossy(name).into_owned()
}

const SWEEP_AT: usize = 1_024;

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> SourceUrl {
        SourceUrl::parse(text).unwrap()
    }

    #[test]
    fn sub_domains_of_one_owner_or_hoster_are_one() {
        for (host, one) in [
            ("example.org", "example.org"),
            ("a.b.example.org", "example.org"),
            ("feeds.example.co.uk", "example.co.uk"),
            ("someone.github.io", "github.io"),
            ("blog.someone.blogspot.com", "blogspot.com"),
            ("192.0.2.7", "192.0.2.7"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("intranet", "intranet"),
        ] {
            assert_eq!(registrable_domain(&url(&format!("https://{host}/feed"))), one, "{host}");
        }
    }

    #[tokio::test]
    async fn a_domain_has_few_places_and_another_its_own() {
        let domains = Domains::new(2);
        let enter = async |host: &str| domains.enter(&url(host), Duration::from_millis(1)).await;
        let first = enter("a.example.org").await;
        let second = enter("b.example.org").await;
        assert!(first.is_some() && second.is_some());
        assert!(enter("example.org").await.is_none());
        assert!(enter("example.net").await.is_some());
        drop(first);
        assert!(enter("example.org").await.is_some());
    }

    #[tokio::test]
    async fn a_domain_that_nobody_asks_is_forgotten() {
        let domains = Domains::new(1);
        for n in 0..3 * SWEEP_AT {
            let entered = domains.enter(&url(&format!("d{n}.example")), Duration::ZERO).await;
            assert!(entered.is_some());
        }
        assert!(domains.busy.lock().unwrap().len() <= SWEEP_AT);
    }
}
