//! What readers and pollers share: settings, clock, memory and the caches in front of it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use super::answer::PageKey;
use super::chapters;
use super::domains::Domains;
use super::errand::{Errand, FlightKey};
use super::landed::{Landed, Remembered};
use super::named::NamedFeeds;
use super::persistence::StoreState;
use super::schedule::back_off_seconds;
use super::{Failure, GatewayError, NativeAnswer, Retention, Settings};
use crate::cache::{self, Cache, Weight};
use crate::clock::Clock;
use crate::convert::{self, Summary};
use crate::current::Current;
use crate::discovery::Candidate;
use crate::fetch;
use crate::metrics::{CacheName, Metrics, Operation};
use crate::model::{FeedKey, SourceUrl, Timestamp};
use crate::normalize;
use crate::paging::{Page, PublicUrl};
use crate::store::{FeedRecord, Store, StoreError};

/// What a gateway is made of.
#[derive(Clone, Debug)]
pub struct Parts {
    /// When to ask.
    pub poll: Settings,
    /// How to ask.
    pub fetch: fetch::Settings,
    /// How much to remember.
    pub retention: Retention,
    /// How to write what came.
    pub normalize: normalize::Settings,
    /// How much of a document to read.
    pub limits: convert::Limits,
    /// How much to keep in memory.
    pub cache: cache::Settings,
    /// Where to remember.
    pub store: Store,
    /// What time it is.
    pub clock: Clock,
    /// Where to count.
    pub metrics: Metrics,
    /// Our own HTTPS address, without a path of ours.
    pub public_url: PublicUrl,
    /// Feeds that have names.
    pub named: NamedFeeds,
}

/// The shared state.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) settings: Settings,
    pub(super) retention: Retention,
    pub(super) normalize: normalize::Settings,
    pub(super) limits: convert::Limits,
    pub(super) store: Store,
    pub(super) clock: Clock,
    pub(super) metrics: Metrics,
    pub(super) public_url: Current<PublicUrl>,
    /// Feeds that have names: polled and kept though nobody asks.
    pub(super) named: Current<NamedFeeds>,
    /// Rendered pages.
    pub(super) pages: Cache<PageKey, Arc<Page>>,
    /// Which feed a URL leads to.
    addresses: Cache<SourceUrl, FeedKey>,
    feeds: Cache<FeedKey, Arc<KnownFeed>>,
    /// Failures of URLs of which nothing is stored. In memory only: strangers make them up.
    failures: Cache<FeedKey, Arc<Remembered<FailedOften>>>,
    /// What pages offer, and where manifests are that need no gateway. Likewise.
    elsewhere: Cache<FlightKey, Arc<Remembered<Landed>>>,
    /// Feeds that were asked for, to be written down.
    asked: Mutex<Vec<FeedKey>>,
    /// How the store did when it was last asked.
    pub(super) store_state: StoreState,
    /// Places for polls under way.
    pub(super) places: Semaphore,
    /// Files of chapters to be fetched.
    pub(super) chapters: chapters::Queue,
    /// Places for polls of each domain.
    pub(super) domains: Domains,
    /// Places for documents being read.
    pub(super) readers: Semaphore,
}

/// A feed of the store, in memory.
#[derive(Debug)]
pub(super) struct KnownFeed {
    pub(super) record: FeedRecord,
    /// How it last failed, if the last poll did.
    pub(super) failure: Option<Failure>,
    /// The manifest that its source has become, if it has.
    pub(super) native: Option<Arc<SourceUrl>>,
    asked_at: AtomicI64,
}

/// A failure, and how often in a row there was one.
#[derive(Clone, Debug)]
pub(super) struct FailedOften {
    failure: Failure,
    failures: u32,
}

impl KnownFeed {
    pub(super) fn new(record: FeedRecord) -> Self {
        let failure = record.schedule.failure.as_deref().and_then(Failure::parse);
        let asked_at = AtomicI64::new(record.asked_at.seconds());
        Self { record, failure, native: None, asked_at }
    }

    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        now >= self.record.schedule.next_poll_at
    }
}

impl Desk {
    pub(super) fn new(parts: Parts) -> Self {
        let bytes = parts.cache.max_bytes;
        let places = usize::try_from(parts.poll.max_in_flight.max(1)).unwrap_or(1);
        let readers = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            chapters: chapters::Queue::default(),
            domains: Domains::new(parts.poll.max_in_flight_per_domain),
            settings: parts.poll,
            retention: parts.retention,
            normalize: parts.normalize,
            limits: parts.limits,
            store: parts.store,
            clock: parts.clock,
            metrics: parts.metrics,
            public_url: Current::new(parts.public_url),
            named: Current::new(parts.named),
            pages: Cache::with_max_bytes(bytes / 8 * 5),
            addresses: Cache::with_max_bytes(bytes / 8),
            feeds: Cache::with_max_bytes(bytes / 8),
            failures: Cache::with_max_bytes(bytes / 16),
            elsewhere: Cache::with_max_bytes(bytes / 16),
            asked: Mutex::default(),
            store_state: StoreState::default(),
            places: Semaphore::new(places),
            readers: Semaphore::new(readers),
        }
    }

    pub(super) async fn find_in_memory(&self, url: &SourceUrl) -> Option<Arc<KnownFeed>> {
        let key = self.addresses.find(url).await?;
        self.feeds.find(&key).await
    }

    /// The feed that a URL leads to, in memory or in the store.
    pub(super) async fn find_known(
        &self,
        url: &SourceUrl,
    ) -> Result<Option<Arc<KnownFeed>>, StoreError> {
        match self.find_in_memory(url).await {
            Some(feed) => Ok(Some(feed)),
            None => self.find_in_store(url).await,
        }
    }

    pub(super) async fn find_by_key(&self, key: &FeedKey) -> Option<Arc<KnownFeed>> {
        self.feeds.find(key).await
    }

    pub(super) async fn find_in_store(
        &self,
        url: &SourceUrl,
    ) -> Result<Option<Arc<KnownFeed>>, StoreError> {
        let Some(record) = self.find_record(url).await? else { return Ok(None) };
        // What a poller put there meanwhile is newer than what was read.
        let (key, polled_at) = (record.key, record.schedule.polled_at);
        let feed = match self.feeds.find(&key).await {
            Some(feed) if feed.record.schedule.polled_at >= polled_at => feed,
            _ => self.remember(record).await,
        };
        self.addresses.put(url.clone(), key).await;
        Ok(Some(feed))
    }

    /// What the store has of the feed that a URL leads to, or its `https` twin.
    pub(super) async fn find_record(
        &self,
        url: &SourceUrl,
    ) -> Result<Option<FeedRecord>, StoreError> {
        let twin = url.upgraded().filter(|twin| twin != url);
        for url in [Some(url), twin.as_ref()].into_iter().flatten() {
            let found = self.timed(Operation::FindFeed, self.store.find_feed(url)).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// What the store has of the feed at an address that was read just now: under `https` it may
    /// be known by its plain twin, which it then takes over.
    pub(super) async fn find_twin(
        &self,
        url: &SourceUrl,
    ) -> Result<Option<FeedRecord>, StoreError> {
        let twin = url.plain_twin();
        for url in [Some(url), twin.as_ref()].into_iter().flatten() {
            let question = async || self.store.find_feed(url).await;
            let found = self.insist(Operation::FindFeed, question).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Whether an address leads to no other feed than that.
    pub(super) async fn is_free(&self, url: &SourceUrl, key: &FeedKey) -> Result<bool, StoreError> {
        let question = async || self.store.find_feed(url).await;
        let owner = self.insist(Operation::FindFeed, question).await?;
        Ok(owner.is_none_or(|owner| owner.key == *key))
    }

    /// Keeps a feed in memory as the store has it now.
    pub(super) async fn remember(&self, record: FeedRecord) -> Arc<KnownFeed> {
        let feed = Arc::new(KnownFeed::new(record));
        self.feeds.put(feed.record.key, Arc::clone(&feed)).await;
        feed
    }

    /// Keeps in memory that the source of a feed is a manifest now.
    pub(super) async fn remember_native(&self, record: FeedRecord, native: Arc<SourceUrl>) {
        let feed = KnownFeed { native: Some(native), ..KnownFeed::new(record) };
        self.feeds.put(feed.record.key, Arc::new(feed)).await;
    }

    /// Drops a feed that was forgotten, with its rendered pages.
    pub(super) async fn drop_feed(&self, key: &FeedKey) {
        self.feeds.remove(key).await;
        let key = *key;
        self.pages.remove_where(move |page| page.feed == key);
    }

    pub(super) async fn remember_address(&self, url: SourceUrl, key: FeedKey) {
        self.failures.remove(&flight_key(&url)).await;
        self.addresses.put(url, key).await;
    }

    /// Has one more address lead to a feed.
    pub(super) async fn lead(&self, url: &SourceUrl, key: FeedKey) -> Result<(), StoreError> {
        self.timed(Operation::Touch, self.store.add_alias(&key, url)).await?;
        self.remember_address(url.clone(), key).await;
        Ok(())
    }

    /// Remembers a failure of a URL of which nothing is stored, for longer each time.
    pub(super) async fn fail_unknown(
        &self,
        url: &SourceUrl,
        failure: Failure,
        retry_after: Option<u64>,
    ) -> GatewayError {
        self.fail_as(flight_key(url), url, failure, retry_after).await
    }

    /// Remembers under some key that a URL failed.
    pub(super) async fn fail_as(
        &self,
        key: FeedKey,
        url: &SourceUrl,
        failure: Failure,
        retry_after: Option<u64>,
    ) -> GatewayError {
        let before = self.failures.find(&key).await.map_or(0, |failed| failed.what.failures);
        let failures = before.saturating_add(1);
        let at_least = failure.kind.remembered_seconds();
        let seconds = back_off_seconds(failures, at_least, retry_after, rand::random());
        let what = FailedOften { failure: failure.clone(), failures };
        let until = later(self.clock.now(), seconds);
        self.failures.put(key, Arc::new(Remembered { what, until })).await;
        GatewayError::Source { url: Arc::new(url.clone()), failure, retry_after_seconds: seconds }
    }

    /// The failure of a URL, as long as it is an answer.
    pub(super) async fn remembered_failure(&self, url: &SourceUrl) -> Option<GatewayError> {
        self.remembered_as(&flight_key(url), url).await
    }

    /// The failure of a URL that was remembered under some key.
    pub(super) async fn remembered_as(
        &self,
        key: &FeedKey,
        url: &SourceUrl,
    ) -> Option<GatewayError> {
        let remembered = self.failures.find(key).await?;
        let retry_after_seconds = remembered.seconds_left(self.clock.now())?;
        let failure = remembered.what.failure.clone();
        let url = Arc::new(url.clone());
        Some(GatewayError::Source { url, failure, retry_after_seconds })
    }

    /// Remembers what there is at an address that is no feed, or what a search from there found.
    pub(super) async fn remember_elsewhere(&self, errand: Errand, url: &SourceUrl, what: Landed) {
        let until = later(self.clock.now(), ELSEWHERE_SECONDS);
        let remembered = Arc::new(Remembered { what, until });
        self.elsewhere.put((flight_key(url), errand), remembered).await;
    }

    /// What is remembered so, and for how many more seconds that is an answer.
    pub(super) async fn remembered_elsewhere(
        &self,
        errand: Errand,
        url: &SourceUrl,
    ) -> Option<(Landed, u64)> {
        let remembered = self.elsewhere.find(&(flight_key(url), errand)).await?;
        let seconds = remembered.seconds_left(self.clock.now())?;
        Some((remembered.what.clone(), seconds))
    }

    /// Forgets how addresses failed of which nothing is stored, and where they led.
    pub(super) fn forget_failures(&self) {
        self.failures.remove_where(|_| true);
        self.elsewhere.remove_where(|_| true);
    }

    /// The manifest that a URL turned out to be or to offer, as long as that is believed.
    pub(super) async fn native_in_memory(&self, url: &SourceUrl) -> Option<NativeAnswer> {
        for errand in [Errand::Search, Errand::Read] {
            let remembered = self.remembered_elsewhere(errand, url).await;
            if let Some((Landed::Native(url), max_age_seconds)) = remembered {
                return Some(NativeAnswer { url, max_age_seconds });
            }
        }
        None
    }

    /// Notes that somebody wants a feed, about once an hour.
    pub(super) fn note_asked(&self, feed: &KnownFeed, now: Timestamp) {
        let last = feed.asked_at.load(Ordering::Relaxed);
        if now.seconds() - last < ASKED_SECONDS {
            return;
        }
        feed.asked_at.store(now.seconds(), Ordering::Relaxed);
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() < MOST_ASKED {
            asked.push(feed.record.key);
        }
    }

    /// Writes down which feeds were asked for.
    pub(super) async fn flush_asked(&self) {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner));
        if asked.is_empty() {
            return;
        }
        let writing = self.store.asked(&asked, self.clock.now());
        if let Err(error) = self.timed(Operation::Touch, writing).await {
            tracing::warn!(error = %error, cause = ?error, "who asked for what is not written");
        }
    }

    /// Tells how much memory the caches take.
    pub(super) fn measure_caches(&self) {
        for (cache, bytes) in [
            (CacheName::Pages, self.pages.weight_bytes()),
            (CacheName::Addresses, self.addresses.weight_bytes()),
            (CacheName::Feeds, self.feeds.weight_bytes()),
            (CacheName::Failures, self.failures.weight_bytes()),
            (CacheName::Elsewhere, self.elsewhere.weight_bytes()),
        ] {
            self.metrics.cache_bytes(cache, bytes);
        }
    }
}

/// One key for a URL and its `https` twin, which is what is tried first: they share a flight.
pub(super) fn flight_key(url: &SourceUrl) -> FeedKey {
    FeedKey::of(url.upgraded().as_ref().unwrap_or(url))
}

/// How long it is believed that a page offers what it offered, or that a manifest is one.
const ELSEWHERE_SECONDS: u64 = 900;
/// How exact `asked_at` is.
const ASKED_SECONDS: i64 = 3_600;
/// More feeds than this between two flushes are not noted; they will be asked for again.
const MOST_ASKED: usize = 10_000;

impl Weight for Arc<Page> {
    fn weight_bytes(&self) -> usize {
        Page::weight_bytes(self)
    }
}

impl Weight for Arc<KnownFeed> {
    fn weight_bytes(&self) -> usize {
        // The head is parsed; its texts are most of it.
        let record = &self.record;
        let head = record.feed.description.as_ref().map_or(0, String::len)
            + record.feed.authors.len() * 128
            + record.feed.tags.len() * 48;
        let validators = &record.read.validators;
        let kept = [&validators.etag, &validators.last_modified];
        let kept: usize = kept.into_iter().flatten().map(Vec::len).sum();
        let summary = record.read.summary.as_ref().map_or(0, Summary::weight_bytes);
        size_of::<KnownFeed>() + summary + 2 * record.url.as_str().len() + head + kept + 512
    }
}

impl Weight for FeedKey {
    fn weight_bytes(&self) -> usize {
        // The URL it is kept under.
        256
    }
}

impl Weight for Arc<Remembered<FailedOften>> {
    fn weight_bytes(&self) -> usize {
        size_of::<Remembered<FailedOften>>() + self.what.failure.detail.len()
    }
}

impl Weight for Arc<Remembered<Landed>> {
    fn weight_bytes(&self) -> usize {
        let text = |offer: &Candidate| {
            2 * offer.url.as_str().len() + offer.title.as_ref().map_or(0, String::len) + 256
        };
        let texts = match &self.what {
            Landed::Feed => 0,
            Landed::Native(url) => 2 * url.as_str().len(),
            Landed::Page(offers) => offers.iter().map(text).sum(),
        };
        size_of::<Remembered<Landed>>() + texts
    }
}

fn later(now: Timestamp, seconds: u64) -> Timestamp {
    now.plus_seconds(i64::try_from(seconds).unwrap_or(i64::MAX))
}
