//! `forget`: takes feeds out of the memory, of gateways that run too.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use tokio::time::sleep;

use super::loading::SettingsFiles;
use super::store::{Opening, with_store};
use super::{WRONG, say};
use crate::clock::Clock;
use crate::model::{FeedKey, SourceUrl};
use crate::store::{FeedRecord, Lease, Store, StoreError};

/// `forget [--config FILE]… URL…`
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    settings: SettingsFiles,
    /// The address of a feed, or any other that leads to it.
    #[arg(value_name = "URL", required = true)]
    urls: Vec<String>,
}

/// Forgets the feeds that the addresses lead to.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let mut urls = Vec::new();
    for text in &arguments.urls {
        match SourceUrl::parse(text) {
            Ok(url) => urls.push(url),
            Err(error) => {
                say(&format!("{text}: {error}"));
                return ExitCode::from(WRONG);
            }
        }
    }
    let mut unknown = Vec::new();
    let code = with_store(&arguments.settings, Opening::Existing, async |store| {
        for url in &urls {
            match find(&store, url).await? {
                Some(feed) => forget(&store, url, &feed).await?,
                None => unknown.push(url),
            }
        }
        while store.sweep_forgotten(ROWS).await? > 0 {}
        Ok(())
    });
    for url in &unknown {
        say(&format!("nothing is remembered of {url}"));
    }
    if unknown.is_empty() { code } else { ExitCode::from(super::FAILED) }
}

async fn find(store: &Store, url: &SourceUrl) -> Result<Option<FeedRecord>, StoreError> {
    match store.find_feed(url).await? {
        Some(feed) => Ok(Some(feed)),
        None => match url.upgraded() {
            Some(twin) => store.find_feed(&twin).await,
            None => Ok(None),
        },
    }
}

/// Waits for a poll under way, so that it does not bring the feed back, then forgets it.
async fn forget(store: &Store, url: &SourceUrl, feed: &FeedRecord) -> Result<(), StoreError> {
    let owner = format!("{:032x}", rand::random::<u128>());
    for _ in 0..TRIES {
        if lease(store, &feed.key, &owner).await? == Lease::Ours {
            break;
        }
        sleep(PAUSE).await;
    }
    store.forget(&feed.key, Clock::system().now()).await?;
    store.release(&feed.key, &owner).await?;
    say(&format!("{url} is forgotten; gateways that run drop it within ten seconds"));
    Ok(())
}

async fn lease(store: &Store, key: &FeedKey, owner: &str) -> Result<Lease, StoreError> {
    let now = Clock::system().now();
    store.lease(key, owner, now, now.plus_seconds(LEASE_SECONDS)).await
}

/// A poll takes no longer than a minute or so; what one writes later is refused anyway.
const TRIES: u32 = 90;
const PAUSE: Duration = Duration::from_secs(1);
const LEASE_SECONDS: i64 = 15;
/// Items that are deleted in one step.
const ROWS: u32 = 1_000;
