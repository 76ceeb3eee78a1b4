//! Walks through a feed that changes on the way, against a model. The stores are held to the same
//! model by their own story.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use proptest::prelude::*;

use super::{Cursor, Entry, Limit, Position, Span, Stretch};
use crate::model::{FeedKey, SourceUrl, Timestamp};

/// What happens to the feed between two pages.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// An item appears, anywhere: sources publish with old dates too.
    Added(Position),
    /// The nth item, counted round, changes.
    Changed(usize),
    /// The nth item, counted round, goes.
    Deleted(usize),
}

/// An id is of one position only: `published` never changes.
pub(crate) fn position() -> impl Strategy<Value = Position> {
    (0_i64..40, "[ab]{1,2}").prop_map(|(seconds, id)| Position {
        published: Timestamp::saturating(seconds),
        id: format!("x:{id}:{seconds}"),
    })
}

pub(crate) fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        position().prop_map(Event::Added),
        any::<usize>().prop_map(Event::Changed),
        any::<usize>().prop_map(Event::Deleted),
    ]
}

pub(crate) type Feed = BTreeMap<Position, String>;

pub(crate) fn page(feed: &Feed, below: Option<&Position>, span: &Span) -> Stretch {
    let upper = below.map_or(Bound::Unbounded, Bound::Excluded);
    let mut stretch = Stretch::default();
    for (position, json) in feed.range((Bound::Unbounded, upper)).rev().take(span.rows()) {
        let entry = Entry { position: position.clone(), json: json.clone() };
        if stretch.offer(span, entry, Timestamp::EPOCH).is_break() {
            break;
        }
    }
    stretch
}

pub(crate) fn happen(feed: &mut Feed, event: &Event) {
    let nth = |feed: &Feed, n: usize| feed.keys().nth(n % feed.len().max(1)).cloned();
    match event {
        Event::Added(position) => {
            feed.insert(position.clone(), "{}".to_owned());
        }
        Event::Changed(n) => {
            nth(feed, *n).map(|position| feed.insert(position, "{\"a\":1}".to_owned()));
        }
        Event::Deleted(n) => {
            nth(feed, *n).map(|position| feed.remove(&position));
        }
    }
}

proptest! {
    #[test]
    fn a_walk_skips_nothing_and_shows_nothing_twice(
        start in prop::collection::btree_set(position(), 0..60),
        limit in 1_u16..7,
        events in prop::collection::vec(event(), 0..40),
    ) {
        let key = FeedKey::of(&SourceUrl::parse("a.example").unwrap());
        let span = Span::limited(Limit::parse(&limit.to_string()).unwrap());
        let mut feed: Feed = start.iter().map(|at| (at.clone(), "{}".to_owned())).collect();
        let (mut seen, mut touched) = (Vec::new(), BTreeSet::new());
        let (mut below, mut events) = (None, events.iter());
        loop {
            let stretch = page(&feed, below.as_ref(), &span);
            seen.extend(stretch.entries.iter().map(|entry| entry.position.clone()));
            if !stretch.has_more {
                break;
            }
            let cursor = Cursor::encode(&key, &stretch.entries.last().unwrap().position);
            below = Some(Cursor::decode(&key, &cursor).unwrap());
            if let Some(event) = events.next() {
                let before: BTreeSet<_> = feed.keys().cloned().collect();
                happen(&mut feed, event);
                let after: BTreeSet<_> = feed.keys().cloned().collect();
                touched.extend(before.symmetric_difference(&after).cloned());
            }
        }
        prop_assert!(seen.windows(2).all(|pair| pair[0] > pair[1]), "in order, nothing twice");
        let steady: Vec<_> = start.iter().filter(|at| !touched.contains(*at)).collect();
        prop_assert!(steady.iter().all(|at| seen.contains(at)), "nothing skipped");
    }

    #[test]
    fn news_at_the_head_never_changes_what_a_cursor_reaches(
        start in prop::collection::btree_set(position(), 1..40),
        news in prop::collection::vec("[ab]{1,2}", 0..20),
    ) {
        let span = Span::limited(Limit::parse("3").unwrap());
        let mut feed: Feed = start.iter().map(|at| (at.clone(), "{}".to_owned())).collect();
        let below = page(&feed, None, &span).entries.last().unwrap().position.clone();
        let reached = page(&feed, Some(&below), &span);
        for (at, id) in news.iter().enumerate() {
            let published = Timestamp::saturating(100 + at as i64);
            feed.insert(Position { published, id: format!("x:{id}") }, "{}".to_owned());
        }
        prop_assert_eq!(page(&feed, Some(&below), &span), reached);
    }
}
