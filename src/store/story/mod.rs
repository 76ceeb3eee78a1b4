//! What every store must do, told once and run on each kind of database.

mod keeping;
mod walks;

use std::collections::BTreeSet;

use super::{
    ChapterFile, FeedRecord, History, KnownItem, Merge, Moving, MovingBy, OlderDocument, ReadState,
    Schedule, Store, StoredItem,
};
use crate::model::{FeedKey, QuietTimes, SourceType, SourceUrl, Timestamp, Validators};
use crate::paging::{Limit, Position, Span, Stretch};

const URL: &str = "https://story.example/feed.xml";

fn url(text: &str) -> SourceUrl {
    SourceUrl::parse(text).unwrap()
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::saturating(seconds)
}

const SUMMARY: &str =
    r#"{"format":"atom10","encoding":"UTF-8","items":2,"mended":{"bad-date":{"count":3}}}"#;

fn record(address: &str) -> FeedRecord {
    FeedRecord {
        key: FeedKey::of(&url(address)),
        first_url: url(address),
        url: url(address),
        feed: serde_json::from_str(r#"{"id":"x:feed","title":"A story"}"#).unwrap(),
        source_type: SourceType::Atom,
        media_type: "application/atom+xml".to_owned(),
        page_url: None,
        floor: None,
        recommended_seconds: 3600,
        moved_to: None,
        deprecated: false,
        version: 0,
        pages_changed_at: at(0),
        moving: None,
        history: History::default(),
        read: ReadState {
            url: url("https://cdn.example/feed.xml"),
            validators: Validators { etag: Some(b"\"\xff\"".to_vec()), last_modified: None },
            body_hash: Some([7; 32]),
            revision: 1,
            read_at: at(1000),
            hint_seconds: 3600,
            quiet_times: QuietTimes::of([3], ["Sunday"]),
            summary: serde_json::from_str(SUMMARY).unwrap(),
        },
        schedule: Schedule {
            polled_at: at(1000),
            succeeded_at: at(1000),
            fresh_until: at(1900),
            next_poll_at: at(1900),
            failures: 0,
            failure: None,
            failing_since: None,
        },
        asked_at: at(1000),
    }
}

fn item(published: i64, id: &str, json: &str) -> StoredItem {
    let position = Position { published: at(published), id: id.to_owned() };
    let hash = [json.len().try_into().unwrap(); 16];
    StoredItem { position, hash, twin: -1, mended: 5, json: json.to_owned() }
}

/// A feed with two items, as it stands after its first poll.
pub(super) async fn merged(store: &Store) -> FeedRecord {
    merge(store, &record(URL), &[item(1, "x:1", "{}"), item(2, "x:2", "{}")], 1000).await
}

async fn merge(store: &Store, record: &FeedRecord, items: &[StoredItem], now: i64) -> FeedRecord {
    store.merge(&Merge { aliases: &[url(URL)], ..brought(record, items, now) }).await.unwrap()
}

/// Items of a poll, and nothing else.
fn brought<'a>(record: &'a FeedRecord, items: &'a [StoredItem], now: i64) -> Merge<'a> {
    Merge { record, aliases: &[], items, deleted: &[], keep_only: None, now: at(now) }
}

async fn page(store: &Store, below: Option<&Position>, limit: &str) -> Stretch {
    let span = Span::limited(Limit::parse(limit).unwrap());
    store.stretch(&record(URL).key, below, &span).await.unwrap()
}

fn ids(stretch: &Stretch) -> Vec<&str> {
    stretch.entries.iter().map(|entry| entry.position.id.as_str()).collect()
}

/// Tells the story, from an empty store on.
pub(super) async fn tell(store: &Store) {
    a_feed_is_found_by_every_url_that_leads_to_it(store).await;
    pages_follow_the_order_of_positions(store).await;
    an_item_keeps_when_it_was_published(store).await;
    the_version_counts_what_changes_pages(store).await;
    deleted_items_go(store).await;
    a_poll_that_brought_nothing_changes_no_page(store).await;
    what_pages_show_of_a_feed_counts_on(store).await;
    an_alias_leads_to_the_feed_whatever_it_was_known_by_first(store).await;
    documents_of_history_are_remembered(store).await;
    files_of_chapters_are_remembered(store).await;
    due_feeds_are_found_while_somebody_wants_them(store).await;
    what_a_complete_feed_does_not_list_goes(store).await;
    an_item_is_replaced_only_as_long_as_it_is_the_same(store).await;
    keeping::a_lease_is_one_owners_until_it_runs_out(store).await;
    keeping::who_waited_for_a_lease_hears_how_it_went(store).await;
    keeping::what_a_feed_takes_is_counted(store).await;
    keeping::a_feed_too_large_loses_its_oldest_items(store).await;
    keeping::a_forgotten_feed_is_gone_and_may_come_anew(store).await;
    many_items_are_written_at_once(store).await;
    every_page_is_what_a_sorted_list_says(store).await;
    walks::every_page_of_a_walk_is_what_the_model_says(store).await;
}

/// What must still be there when the store is opened again.
pub(super) async fn recall(store: &Store) {
    let feed = store.find_feed(&url(URL)).await.unwrap().unwrap();
    assert_eq!(feed.schedule.failures, 3);
    assert_eq!(ids(&page(store, None, "500").await), ["x:c", "x:a"]);
}

async fn a_feed_is_found_by_every_url_that_leads_to_it(store: &Store) {
    assert_eq!(store.find_feed(&url(URL)).await.unwrap(), None);
    let twin = url("http://story.example/feed.xml");
    let new = record(URL);
    let aliases = [url(URL), twin.clone()];
    let merge = Merge { aliases: &aliases, ..brought(&new, &[], 1000) };
    let written = store.merge(&merge).await.unwrap();
    assert_eq!(written, FeedRecord { version: 1000, pages_changed_at: at(1000), ..new });
    for address in [url(URL), twin] {
        assert_eq!(store.find_feed(&address).await.unwrap().as_ref(), Some(&written));
    }
    let by_key = store.find_feed_by_key(&written.key).await.unwrap();
    assert_eq!(by_key.as_ref(), Some(&written));
    assert_eq!(page(store, None, "1").await, Stretch::default());
}

async fn pages_follow_the_order_of_positions(store: &Store) {
    let items = [item(50, "x:a", "{}"), item(60, "x:B", "{}"), item(50, "x:b", "{}")];
    merge(store, &record(URL), &items, 2000).await;
    let first = page(store, None, "2").await;
    assert_eq!((ids(&first), first.has_more), (vec!["x:B", "x:b"], true));
    assert_eq!(first.changed_at, Some(at(2000)));
    let second = page(store, first.entries.last().map(|entry| &entry.position), "2").await;
    assert_eq!((ids(&second), second.has_more), (vec!["x:a"], false));
    assert_eq!(page(store, Some(&Position::end()), "2").await, Stretch::default());
}

async fn an_item_keeps_when_it_was_published(store: &Store) {
    merge(store, &record(URL), &[item(99, "x:b", "{\"new\":1}")], 3000).await;
    let known = store.known_items(&record(URL).key, &["x:b", "x:unknown"]).await.unwrap();
    let expected = KnownItem { hash: [9; 16], published: at(50), twin: -1, mended: 5 };
    assert_eq!(known.into_iter().collect::<Vec<_>>(), [("x:b".to_owned(), expected)]);
    let stretch = page(store, None, "500").await;
    assert_eq!(ids(&stretch), ["x:B", "x:b", "x:a"]);
    assert_eq!(stretch.entries[1].json, "{\"new\":1}");
    assert_eq!(stretch.changed_at, Some(at(3000)));
}

async fn the_version_counts_what_changes_pages(store: &Store) {
    let before = store.find_feed(&url(URL)).await.unwrap().unwrap();
    let same = merge(store, &record(URL), &[item(50, "x:a", "{}")], 4000).await;
    assert_eq!((same.version, same.pages_changed_at), (before.version, before.pages_changed_at));
    let news = merge(store, &record(URL), &[item(70, "x:c", "{}")], 5000).await;
    assert_eq!((news.version, news.pages_changed_at), (before.version + 1, at(1000)));
    let mut renamed = record(URL);
    renamed.feed.title = "Another name".to_owned();
    let renamed = merge(store, &renamed, &[], 6000).await;
    assert_eq!((renamed.version, renamed.pages_changed_at), (before.version + 2, at(6000)));
    let old = merge(store, &renamed, &[item(1, "x:old", "{}")], 7000).await;
    assert_eq!(old.pages_changed_at, at(7000), "the last page has a page below it now");
}

async fn deleted_items_go(store: &Store) {
    let before = store.find_feed(&url(URL)).await.unwrap().unwrap();
    let deleted = &["x:B", "x:b", "x:old", "x:unknown"];
    let gone = Merge { deleted, ..brought(&before, &[], 8000) };
    let after = store.merge(&gone).await.unwrap();
    assert_eq!((after.version, after.pages_changed_at), (before.version + 1, at(8000)));
    assert_eq!(ids(&page(store, None, "500").await), ["x:c", "x:a"]);
}

async fn a_poll_that_brought_nothing_changes_no_page(store: &Store) {
    let mut feed = store.find_feed(&url(URL)).await.unwrap().unwrap();
    feed.schedule.failures = 3;
    feed.schedule.failure = Some("{\"status\":503}".to_owned());
    feed.schedule.failing_since = Some(at(8500));
    feed.read.validators.last_modified = Some(b"yesterday".to_vec());
    feed.moving = Some(Moving {
        to: url("https://new.example/"),
        since: at(8500),
        by: MovingBy::Word,
        is_same: true,
    });
    let touched = store.touch(&feed, at(9000)).await.unwrap();
    assert_eq!(touched.as_ref(), Some(&feed));
    assert_eq!(store.find_feed(&url(URL)).await.unwrap(), Some(feed));
    let unknown = record("https://unknown.example/");
    assert_eq!(store.touch(&unknown, at(9000)).await.unwrap(), None);
}

async fn what_pages_show_of_a_feed_counts_on(store: &Store) {
    let before = store.find_feed(&url(URL)).await.unwrap().unwrap();
    let mut feed = before.clone();
    feed.deprecated = true;
    feed.moved_to = Some(url("https://new.example/feed"));
    let after = store.touch(&feed, at(9100)).await.unwrap().unwrap();
    let version = before.version + 1;
    assert_eq!(after, FeedRecord { version, pages_changed_at: at(9100), ..feed });
    assert_eq!(store.find_feed(&url(URL)).await.unwrap(), Some(after));
}

async fn an_alias_leads_to_the_feed_whatever_it_was_known_by_first(store: &Store) {
    let feed = store.find_feed(&url(URL)).await.unwrap().unwrap();
    let page = url("https://story.example/about");
    store.add_alias(&feed.key, &page).await.unwrap();
    store.add_alias(&feed.key, &page).await.unwrap();
    assert_eq!(store.find_feed(&page).await.unwrap(), Some(feed));
}

async fn what_a_complete_feed_does_not_list_goes(store: &Store) {
    let feed = record("https://complete.example/");
    let items = [item(1, "x:1", "{}"), item(2, "x:2", "{}"), item(3, "x:3", "{}")];
    let before = store.merge(&brought(&feed, &items, 1)).await.unwrap();
    let keep_only = Some(["x:2", "x:4"].as_slice());
    let whole = Merge { keep_only, ..brought(&feed, &[], 2) };
    let after = store.merge(&whole).await.unwrap();
    assert_eq!((after.version, after.pages_changed_at), (before.version + 1, at(2)));
    let span = Span::limited(Limit::DEFAULT);
    assert_eq!(ids(&store.stretch(&feed.key, None, &span).await.unwrap()), ["x:2"]);
    let others = store.merge(&whole).await.unwrap();
    assert_eq!(others.version, after.version, "nothing more to go");
}

async fn documents_of_history_are_remembered(store: &Store) {
    let (feed, archive) = (record(URL).key, url("https://story.example/2023.xml"));
    assert_eq!(store.older_document(&feed, &archive).await.unwrap(), None);
    let mut document =
        OlderDocument { validators: Validators::default(), is_archive: false, read_at: at(1) };
    store.put_older_document(&feed, &archive, &document).await.unwrap();
    document.validators.etag = Some(b"\"\xe4\"".to_vec());
    document.is_archive = true;
    store.put_older_document(&feed, &archive, &document).await.unwrap();
    assert_eq!(store.older_document(&feed, &archive).await.unwrap(), Some(document));
    let other = record("https://other.example/").key;
    assert_eq!(store.older_document(&other, &archive).await.unwrap(), None);
}

async fn files_of_chapters_are_remembered(store: &Store) {
    let feed = record(URL).key;
    let (good, bad) = ("https://story.example/1.json", "https://story.example/2.json");
    let read = ChapterFile { json: Some("[]".to_owned()), fetched_at: at(1) };
    let unread = ChapterFile { json: None, fetched_at: at(2) };
    store.put_chapter_file(&feed, good, &unread).await.unwrap();
    store.put_chapter_file(&feed, good, &read).await.unwrap();
    store.put_chapter_file(&feed, bad, &unread).await.unwrap();
    let found = store.chapter_files(&feed, &[good, bad, "https://story.example/3.json"]).await;
    let expected = [(good.to_owned(), read), (bad.to_owned(), unread)];
    assert_eq!(found.unwrap(), expected.into_iter().collect());
}

async fn an_item_is_replaced_only_as_long_as_it_is_the_same(store: &Store) {
    let feed = record("https://replaced.example/");
    let first = item(1, "x:1", "{}");
    let before = store.merge(&brought(&feed, std::slice::from_ref(&first), 1)).await.unwrap();
    let replace = async |was: &str, is: &str, now| {
        store.replace_item(&feed.key, "x:1", (was, is), at(now)).await
    };
    assert!(!replace("{\"a\":0}", "{\"b\":1}", 5).await.unwrap());
    assert!(replace("{}", "{\"a\":1}", 6).await.unwrap());
    let after = store.find_feed_by_key(&feed.key).await.unwrap().unwrap();
    assert_eq!(after, FeedRecord { version: before.version + 1, ..before });
    let span = Span::limited(Limit::DEFAULT);
    let stretch = store.stretch(&feed.key, None, &span).await.unwrap();
    assert_eq!((stretch.entries[0].json.as_str(), stretch.changed_at), ("{\"a\":1}", Some(at(6))));
    let known = store.known_items(&feed.key, &["x:1"]).await.unwrap();
    assert_eq!(known["x:1"].hash, first.hash, "its entry is as it was");
}

async fn due_feeds_are_found_while_somebody_wants_them(store: &Store) {
    let key = record(URL).key;
    // Other parts of the story leave feeds that are due too.
    let due = async |now, since| {
        let due = store.due_feeds(at(now), at(since), 100).await.unwrap();
        due.into_iter().filter(|due| *due == key).collect::<Vec<_>>()
    };
    assert_eq!(due(1899, 0).await, []);
    assert_eq!(due(1900, 1000).await, [key]);
    assert_eq!(due(1900, 1001).await, [], "nobody asked lately");
    assert_eq!(due(1900, 1000).await, [], "and it is left alone from then on");
    store.asked(&[key], at(1500)).await.unwrap();
    assert_eq!(due(1900, 1001).await, [key]);
}

async fn many_items_are_written_at_once(store: &Store) {
    let feed = record("https://many.example/");
    let items: Vec<_> = (0..1234).map(|n| item(n, &format!("x:{n}"), "{}")).collect();
    store.merge(&brought(&feed, &items, 1)).await.unwrap();
    let ids: Vec<_> = items.iter().map(|item| item.position.id.as_str()).collect();
    assert_eq!(store.known_items(&feed.key, &ids).await.unwrap().len(), items.len());
    let floor = items[100].position.clone();
    let first = store.stretch(&feed.key, None, &Span::first(Some(floor))).await.unwrap();
    assert_eq!((first.entries.len(), first.has_more), (1134, true));
    let seen: BTreeSet<_> = first.entries.iter().map(|entry| &entry.position.id).collect();
    assert_eq!(seen.len(), 1134);
}

/// Many items of one second, ids in every order that databases like to differ in.
async fn every_page_is_what_a_sorted_list_says(store: &Store) {
    let feed = record("https://sorted.example/");
    let ids =
        ["x:a", "x:B", "x:_", "x:-", "x:~", "x:a%C3%A4", "x:a-1", "x:A", "x:aa", "y:1", "x:1"];
    let items: Vec<_> = (0..20)
        .flat_map(|second| {
            ids.iter().map(move |id| item(second / 3, &format!("{id}{second}"), "{}"))
        })
        .collect();
    store.merge(&brought(&feed, &items, 1)).await.unwrap();
    let mut sorted: Vec<_> = items.iter().map(|item| &item.position).collect();
    sorted.sort_by(|a, b| b.cmp(a));
    let span = Span::limited(Limit::parse("7").unwrap());
    for (place, below) in sorted.iter().enumerate() {
        let stretch = store.stretch(&feed.key, Some(below), &span).await.unwrap();
        let expected: Vec<_> = sorted[place + 1..].iter().copied().take(7).collect();
        let found: Vec<_> = stretch.entries.iter().map(|entry| &entry.position).collect();
        assert_eq!(found, expected);
        assert_eq!(stretch.has_more, sorted.len() > place + 8);
    }
}
