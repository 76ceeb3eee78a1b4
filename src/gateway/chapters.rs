//! Files of chapters that items name (`podcast:chapters`): fetched behind the polls, never in the
//! way of a manifest, each once; what failed is tried again a day later, if its item comes again.
//!
//! A poll gives its items what is known of their files already, and leaves the others to a queue:
//! those of its newest items. One worker goes through it, one file of a host at a time and few
//! hosts at once. What a file said is kept beside the feed, so that an item which is normalized
//! anew has its chapters again.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::poll::Poll;
use super::poller::Crew;
use super::{GatewayError, desk::Desk};
use crate::fetch::{Answer, Purpose, Request};
use crate::metrics::Operation;
use crate::model::{Chapter, FeedKey, Item, SourceUrl, Timestamp};
use crate::normalize::read_chapter_file;
use crate::store::{ChapterFile, FeedRecord, StoreError, StoredItem};

/// A file to be fetched, and the items that want it, as the store has them.
#[derive(Debug)]
pub(super) struct Wanted {
    feed: FeedKey,
    url: SourceUrl,
    items: Vec<StoredItem>,
}

/// The files that wait to be fetched, by host.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    hosts: HashMap<String, VecDeque<Wanted>>,
    /// Hosts that are being asked.
    busy: HashSet<String>,
    files: usize,
    /// What the items take that wait with them.
    bytes: usize,
}

impl Queue {
    /// Adds files at the end; beyond a limit they are left out, as a nicety may be.
    pub(super) fn add(&self, files: Vec<Wanted>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for wanted in files {
            let bytes = waiting.bytes + wanted.bytes();
            if waiting.files >= MOST_WAITING || bytes > MOST_BYTES {
                tracing::debug!(source.host = wanted.url.host(), "a file of chapters is left out");
                break;
            }
            waiting.files += 1;
            waiting.bytes = bytes;
            waiting.hosts.entry(wanted.url.host().to_owned()).or_default().push_back(wanted);
        }
        self.news.notify_one();
    }

    /// Takes the first file of a host that is not being asked, and has that host count as asked.
    fn take(&self) -> Option<Wanted> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let Waiting { hosts, busy, files, bytes } = &mut *waiting;
        let host = hosts.keys().find(|host| !busy.contains(*host))?.clone();
        let of_host = hosts.get_mut(&host)?;
        let wanted = of_host.pop_front();
        if of_host.is_empty() {
            hosts.remove(&host);
        }
        *files = files.saturating_sub(1);
        *bytes = bytes.saturating_sub(wanted.as_ref().map_or(0, Wanted::bytes));
        busy.insert(host);
        wanted
    }

    fn finish(&self, url: &SourceUrl) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.busy.remove(url.host());
    }
}

impl Poll<'_> {
    /// Gives items the chapters that are known, and tells which files are to be fetched.
    pub(super) async fn with_chapters(
        &self,
        record: &FeedRecord,
        items: &mut [StoredItem],
    ) -> Result<Vec<Wanted>, GatewayError> {
        let urls: Vec<Option<SourceUrl>> =
            items.iter().map(|item| chapters_url(&record.read.url, &item.json)).collect();
        let texts: Vec<&str> = urls.iter().flatten().map(SourceUrl::as_str).collect();
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let question = async || self.desk.store.chapter_files(&record.key, &texts).await;
        let files = self.desk.insist(Operation::FindItems, question).await?;
        let mut unknown = Vec::new();
        let now = self.desk.clock.now();
        for (item, url) in items.iter_mut().zip(&urls) {
            let Some(url) = url else { continue };
            match files.get(url.as_str()).filter(|file| is_known(file, now)) {
                None => unknown.push((item.clone(), url)),
                Some(file) => {
                    if let Some(chapters) = &file.json
                        && let Some(json) = chaptered(&item.json, chapters)
                    {
                        item.json = json;
                    }
                }
            }
        }
        unknown.sort_by(|(one, _), (other, _)| other.position.cmp(&one.position));
        unknown.truncate(NEWEST);
        let mut files: Vec<Wanted> = Vec::new();
        for (item, url) in unknown {
            match files.iter_mut().find(|wanted| wanted.url == *url) {
                Some(wanted) => wanted.items.push(item),
                None => {
                    let (feed, url) = (record.key, url.clone());
                    files.push(Wanted { feed, url, items: vec![item] });
                }
            }
        }
        Ok(files)
    }
}

/// Fetches what is queued until the thread ends.
pub(super) async fn work(crew: Rc<Crew>) {
    let mut tasks = JoinSet::new();
    loop {
        while tasks.len() < MOST_HOSTS {
            let Some(wanted) = crew.desk.chapters.take() else { break };
            let crew = Rc::clone(&crew);
            tasks.spawn_local(async move {
                let (desk, url) = (&crew.desk, wanted.url.clone());
                if let Err(error) = wanted.run(&crew).await {
                    tracing::warn!(error = %error, cause = ?error, "chapters could not be written");
                }
                desk.chapters.finish(&url);
            });
        }
        tokio::select! {
            () = crew.desk.chapters.news.notified() => {}
            Some(_) = tasks.join_next() => {}
        }
    }
}

impl Wanted {
    fn bytes(&self) -> usize {
        self.items.iter().map(|item| item.json.len()).sum()
    }

    async fn run(&self, crew: &Crew) -> Result<(), StoreError> {
        let desk = &crew.desk;
        let url = [self.url.as_str()];
        let finding = desk.store.chapter_files(&self.feed, &url);
        let known = desk.timed(Operation::FindItems, finding).await?;
        let known = known.into_values().next().filter(|file| is_known(file, desk.clock.now()));
        let json = match known {
            Some(file) => file.json,
            None => {
                let json = self.fetch(crew).await;
                let file = ChapterFile { json, fetched_at: desk.clock.now() };
                let writing = desk.store.put_chapter_file(&self.feed, self.url.as_str(), &file);
                desk.timed(Operation::Merge, writing).await?;
                file.json
            }
        };
        match json {
            Some(json) => self.write(desk, &json).await,
            None => Ok(()),
        }
    }

    /// The chapters as JSON; none where there are none to be had.
    async fn fetch(&self, crew: &Crew) -> Option<String> {
        let _place = crew.desk.domains.enter(&self.url, PATIENCE).await?;
        let request = Request { purpose: Purpose::Json, ..Request::new(self.url.clone()) };
        let source = crew.source.now();
        let fetched = timeout(PATIENCE, crew.desk.ask(&source, &request)).await.ok()?;
        let Answer::Document(document) = fetched.ok()?.answer else { return None };
        let chapters = read_chapter_file(&document.body).filter(|_| document.complete)?;
        serde_json::to_string(&chapters).ok()
    }

    /// Writes them into the items, unless those have changed meanwhile: a poll that changed them
    /// has seen to it, or will.
    async fn write(&self, desk: &Desk, chapters: &str) -> Result<(), StoreError> {
        let mut is_written = false;
        for item in &self.items {
            let Some(json) = chaptered(&item.json, chapters) else { continue };
            let (id, now) = (item.position.id.as_str(), desk.clock.now());
            let writing = desk.store.replace_item(&self.feed, id, (&item.json, &json), now);
            is_written |= desk.timed(Operation::Merge, writing).await?;
        }
        if is_written {
            let finding = desk.store.find_feed_by_key(&self.feed);
            if let Some(record) = desk.timed(Operation::FindFeed, finding).await? {
                desk.remember(record).await;
            }
        }
        Ok(())
    }
}

/// Whether a file need not be asked for: it was read, or failed not long ago.
fn is_known(file: &ChapterFile, now: Timestamp) -> bool {
    file.json.is_some() || file.fetched_at.plus_seconds(FAILED_SECONDS) > now
}

/// Where an item has its chapters, if it has none of its own.
fn chapters_url(base: &SourceUrl, json: &str) -> Option<SourceUrl> {
    // Few items name a file, and parsing takes longer than looking.
    if !json.contains(NAME) {
        return None;
    }
    let item: Value = serde_json::from_str(json).ok()?;
    let said = item.get("original")?.get(NAME)?;
    let said = said.as_str().or_else(|| said.get(0)?.as_str())?;
    item.get("chapters").is_none().then(|| base.join(said).ok()).flatten()
}

/// An item with these chapters; none where that changes nothing.
fn chaptered(json: &str, chapters: &str) -> Option<String> {
    let mut item: Item = serde_json::from_str(json).ok()?;
    let chapters: Vec<Chapter> = serde_json::from_str(chapters).ok()?;
    if chapters.is_empty() || !item.chapters.is_empty() {
        return None;
    }
    item.chapters = chapters;
    serde_json::to_string(&item).ok()
}

/// How `original` calls it.
const NAME: &str = "podcast:chapters";
/// The items of a poll whose files are fetched.
const NEWEST: usize = 20;
const MOST_WAITING: usize = 2_000;
const MOST_BYTES: usize = 32 << 20;
const MOST_HOSTS: usize = 4;
const FAILED_SECONDS: i64 = 86_400;
const PATIENCE: Duration = Duration::from_secs(10);
