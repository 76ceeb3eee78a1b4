//! Walks through a feed that changes on the way: each page is what the model of `paging` says.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::{brought, record};
use crate::model::Timestamp;
use crate::paging::walk_tests::{Event, Feed, event, happen, page, position};
use crate::paging::{Cursor, Limit, Position, Span};
use crate::store::{FeedRecord, Merge, Store, StoredItem};

/// Changes between two pages, and the start.
type Walk = (Vec<Position>, u16, Vec<Event>);

fn walk() -> impl Strategy<Value = Walk> {
    let start = prop::collection::btree_set(position(), 0..60);
    let start = start.prop_map(|start| start.into_iter().collect());
    (start, 1_u16..7, prop::collection::vec(event(), 0..40))
}

pub(super) async fn every_page_of_a_walk_is_what_the_model_says(store: &Store) {
    let mut runner = TestRunner::deterministic();
    for number in 0..CASES {
        let walk = walk().new_tree(&mut runner).unwrap().current();
        let feed = record(&format!("https://walk.example/{number}"));
        check(store, &feed, &walk).await;
    }
}

async fn check(store: &Store, feed: &FeedRecord, (start, limit, events): &Walk) {
    let span = Span::limited(Limit::parse(&limit.to_string()).unwrap());
    let mut model: Feed = start.iter().map(|at| (at.clone(), "{}".to_owned())).collect();
    put(store, feed, &Feed::new(), &model).await;
    let (mut below, mut events) = (None, events.iter());
    loop {
        let stretch = store.stretch(&feed.key, below.as_ref(), &span).await.unwrap();
        let expected = page(&model, below.as_ref(), &span);
        assert_eq!((&stretch.entries, stretch.has_more), (&expected.entries, expected.has_more));
        let Some(last) = stretch.entries.last().filter(|_| stretch.has_more) else { return };
        let cursor = Cursor::encode(&feed.key, &last.position);
        below = Some(Cursor::decode(&feed.key, &cursor).unwrap());
        if let Some(event) = events.next() {
            let before = model.clone();
            happen(&mut model, event);
            put(store, feed, &before, &model).await;
        }
    }
}

/// Writes what differs between two states of the model, as a poll would.
async fn put(store: &Store, feed: &FeedRecord, before: &Feed, after: &Feed) {
    let is_news = |(at, json): &(&Position, &String)| before.get(*at) != Some(*json);
    let items = after.iter().filter(is_news).map(|(at, json)| StoredItem {
        position: at.clone(),
        hash: [json.len().try_into().unwrap(); 16],
        twin: -1,
        mended: 0,
        json: json.clone(),
    });
    let items: Vec<_> = items.collect();
    let gone = before.keys().filter(|at| !after.contains_key(*at));
    let deleted: Vec<&str> = gone.map(|at| at.id.as_str()).collect();
    let merge = Merge { deleted: &deleted, ..brought(feed, &items, 1) };
    store.merge(&merge).await.unwrap();
    let known = store.find_feed_by_key(&feed.key).await.unwrap().unwrap();
    assert_eq!(known.pages_changed_at, Timestamp::saturating(1));
}

const CASES: usize = 40;
