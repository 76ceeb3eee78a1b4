//! Whose turn it is to poll, what feeds take, and how they go.

use super::{at, brought, ids, item, record, url};
use crate::paging::{Limit, Span, Stretch};
use crate::store::{ChapterFile, Excess, FeedRecord, FeedSize, Lease, Merge, Store, StoreError};

pub(super) async fn a_lease_is_one_owners_until_it_runs_out(store: &Store) {
    let key = record("https://leased.example/").key;
    let lease =
        async |owner: &str, now, until| store.lease(&key, owner, at(now), at(until)).await.unwrap();
    let theirs = Lease::Theirs { word: None };
    assert_eq!(lease("a", 100, 115).await, Lease::Ours);
    assert_eq!(lease("b", 114, 130).await, theirs);
    assert_eq!(lease("a", 114, 130).await, Lease::Ours, "held for longer");
    assert_eq!(lease("b", 129, 144).await, theirs);
    assert_eq!(lease("b", 130, 145).await, Lease::Ours, "it had run out");
    store.release(&key, "a").await.unwrap();
    assert_eq!(lease("a", 131, 146).await, theirs, "another's lease is not given back");
    store.release(&key, "b").await.unwrap();
    assert_eq!(lease("a", 131, 146).await, Lease::Ours);
    let racers: Vec<_> = (0..20).map(|n| format!("racer {n}")).collect();
    let race = racers.iter().map(|racer| lease(racer, 200, 215));
    let won = futures_util::future::join_all(race).await;
    assert_eq!(won.iter().filter(|lease| **lease == Lease::Ours).count(), 1);
}

pub(super) async fn who_waited_for_a_lease_hears_how_it_went(store: &Store) {
    let key = record("https://failing.example/").key;
    store.lease(&key, "a", at(100), at(115)).await.unwrap();
    store.leave_word(&key, "b", "not b's to say", at(200)).await.unwrap();
    store.leave_word(&key, "a", "no such host", at(120)).await.unwrap();
    let heard = store.lease(&key, "b", at(119), at(134)).await.unwrap();
    assert_eq!(heard, Lease::Theirs { word: Some("no such host".to_owned()) });
    assert_eq!(store.lease(&key, "b", at(120), at(135)).await.unwrap(), Lease::Ours);
    let theirs = store.lease(&key, "c", at(121), at(136)).await.unwrap();
    assert_eq!(theirs, Lease::Theirs { word: None }, "that was the last poll");
}

/// The store's measure: an item is its JSON, three times its id and 200 bytes.
fn size(items: &[(&str, &str)]) -> i64 {
    items.iter().map(|(id, json)| (json.len() + 3 * id.len() + 200) as i64).sum()
}

async fn counted(store: &Store, record: &FeedRecord) -> (i64, i64) {
    let sizes = store.sizes(None, 1000).await.unwrap();
    let size = sizes.iter().find(|size| size.key == record.key).unwrap();
    (size.items, size.bytes)
}

pub(super) async fn what_a_feed_takes_is_counted(store: &Store) {
    let feed = record("https://counted.example/");
    let items = [item(1, "x:1", "{\"ä\":1}"), item(2, "x:ä", "{}")];
    store.merge(&brought(&feed, &items, 1)).await.unwrap();
    let all = size(&[("x:1", "{\"ä\":1}"), ("x:ä", "{}")]);
    assert_eq!(counted(store, &feed).await, (2, all));
    let items = [item(1, "x:1", "{\"longer\":1}"), item(2, "x:ä", "{}"), item(3, "x:3", "{}")];
    store.merge(&brought(&feed, &items, 2)).await.unwrap();
    let all = size(&[("x:1", "{\"longer\":1}"), ("x:ä", "{}"), ("x:3", "{}")]);
    assert_eq!(counted(store, &feed).await, (3, all));
    let deleted = ["x:1", "x:unknown"].as_slice();
    store.merge(&Merge { deleted, ..brought(&feed, &[], 3) }).await.unwrap();
    let kept = size(&[("x:ä", "{}"), ("x:3", "{}")]);
    assert_eq!(counted(store, &feed).await, (2, kept));
    let keep_only = Some(["x:3"].as_slice());
    store.merge(&Merge { keep_only, ..brought(&feed, &[], 4) }).await.unwrap();
    assert_eq!(counted(store, &feed).await, (1, size(&[("x:3", "{}")])));

    let others = async || {
        let sizes = store.sizes(None, 1000).await.unwrap();
        sizes.into_iter().find(|size| size.key == feed.key).unwrap().other_bytes
    };
    let before = others().await;
    let chapters = ChapterFile { json: Some("[1,2,3]".to_owned()), fetched_at: at(1) };
    store.put_chapter_file(&feed.key, "https://counted.example/1.json", &chapters).await.unwrap();
    assert_eq!(others().await, before + 207);

    let first = store.sizes(None, 1).await.unwrap();
    let rest = store.sizes(first.first().map(|size| &size.key), 1000).await.unwrap();
    assert!(rest.iter().all(|size| size.key > first[0].key), "in the order of keys");
    let least: Vec<FeedSize> = store.least_asked(1000).await.unwrap();
    assert_eq!(least.len(), rest.len() + 1);
    assert!(least.windows(2).all(|pair| pair[0].asked_at <= pair[1].asked_at));
}

pub(super) async fn a_feed_too_large_loses_its_oldest_items(store: &Store) {
    let mut feed = record("https://large.example/");
    let items: Vec<_> = (1..=9).map(|n| item(n, &format!("x:{n}"), "{}")).collect();
    feed.floor = Some(items[5].position.clone());
    let before = store.merge(&brought(&feed, &items, 1)).await.unwrap();
    let trim = async |items, bytes, limit| {
        store.trim(&feed.key, Excess { items, bytes }, limit, at(50)).await.unwrap()
    };
    let span = Span::limited(Limit::DEFAULT);
    let left = async || {
        let stretch = store.stretch(&feed.key, None, &span).await.unwrap();
        stretch.entries.into_iter().map(|entry| entry.position.id).collect::<Vec<_>>()
    };
    let one = size(&[("x:1", "{}")]);
    assert_eq!(trim(0, 0, 10).await, 0);
    assert_eq!(trim(2, -5, 10).await, 2);
    assert_eq!(left().await.last().unwrap(), "x:3");
    assert_eq!(trim(0, one + 1, 1).await, 1, "a step at a time");
    assert_eq!(counted(store, &feed).await, (6, 6 * one));
    let after = store.find_feed_by_key(&feed.key).await.unwrap().unwrap();
    assert_eq!((after.version, after.pages_changed_at), (before.version + 2, at(50)));
    assert_eq!(trim(100, 0, 100).await, 2, "what the source shows stays");
    assert_eq!(left().await, ["x:9", "x:8", "x:7", "x:6"]);
}

pub(super) async fn a_forgotten_feed_is_gone_and_may_come_anew(store: &Store) {
    let (feed, address) = (record("https://forgotten.example/"), url("https://forgotten.example/"));
    let items: Vec<_> = (1..=5).map(|n| item(n, &format!("x:{n}"), "{}")).collect();
    let aliases = std::slice::from_ref(&address);
    let merge = |items, now| Merge { aliases, ..brought(&feed, items, now) };
    let before = store.merge(&merge(&items, 100)).await.unwrap();
    store.forget(&feed.key, at(200)).await.unwrap();
    assert_eq!(store.find_feed(&address).await.unwrap(), None);
    assert_eq!(store.find_feed_by_key(&feed.key).await.unwrap(), None);
    assert_eq!(store.touch(&before, at(201)).await.unwrap(), None);
    assert_eq!(store.forgotten(at(200)).await.unwrap(), [feed.key]);
    assert_eq!(store.forgotten(at(201)).await.unwrap(), []);

    let file = ChapterFile { json: None, fetched_at: at(201) };
    store.put_chapter_file(&feed.key, "https://forgotten.example/1.json", &file).await.unwrap();
    let files = store.chapter_files(&feed.key, &["https://forgotten.example/1.json"]).await;
    assert!(files.unwrap().is_empty(), "nothing is added to a feed that is gone");
    store.add_alias(&feed.key, &address).await.unwrap();

    let late = store.merge(&merge(&items, 199)).await.unwrap_err();
    assert!(matches!(late, StoreError::Forgotten), "{late}");
    let anew = store.merge(&merge(&items[..1], 300)).await.unwrap();
    assert!(anew.version > before.version, "no page of before is taken for one of now");
    let span = Span::limited(Limit::DEFAULT);
    assert_eq!(ids(&store.stretch(&feed.key, None, &span).await.unwrap()), ["x:1"]);
    assert_eq!(counted(store, &feed).await.0, 1);
    assert_eq!(store.sweep_forgotten(10).await.unwrap(), 0, "its items are new ones");

    store.merge(&merge(&items, 301)).await.unwrap();
    store.forget(&feed.key, at(400)).await.unwrap();
    let sweep = async || store.sweep_forgotten(3).await.unwrap();
    assert_eq!([sweep().await, sweep().await, sweep().await], [3, 2, 0]);
    store.clear_old(at(400)).await.unwrap();
    assert_eq!(store.forgotten(at(0)).await.unwrap(), [feed.key]);
    store.clear_old(at(401)).await.unwrap();
    assert_eq!(store.forgotten(at(0)).await.unwrap(), [], "an old tombstone goes at last");
    assert_eq!(store.stretch(&feed.key, None, &span).await.unwrap(), Stretch::default());
}
