//! What the tests of this module stand on: feeds as text in, heads and items as JSON out.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    Context, Known, Mended, Mends, Origin, Settings, candidate_ids, normalize_item, read_channel,
    resolve,
};
use crate::model::{Feed, SourceUrl, Timestamp, Uri};
use crate::syndication::{self, Limits};

/// The address of every feed here.
pub(super) const FEED: &str = "https://feeds.example.com/pier";
/// The time at which every feed here is read.
pub(super) const NOW: &str = "2026-01-01T00:00:00Z";

/// What becomes of a feed.
pub(super) struct Outcome {
    pub(super) head: Feed,
    pub(super) context: Context,
    /// In document order.
    pub(super) items: Vec<Value>,
    /// What a store would remember of them.
    pub(super) known: HashMap<Uri, Known>,
    pub(super) duplicates: usize,
    pub(super) candidates: Vec<Uri>,
    pub(super) mended: Mended,
}

impl Outcome {
    pub(super) fn ids(&self) -> Vec<&str> {
        self.items.iter().map(|item| item["id"].as_str().unwrap()).collect()
    }
}

/// Reads a feed of which `known` is remembered.
pub(super) fn read_after(text: &str, known: &HashMap<Uri, Known>) -> Outcome {
    let url = SourceUrl::parse(FEED).unwrap();
    let origin = Origin {
        url: &url,
        feed_url: &url,
        first_url: &url,
        was_podcast: false,
        now: moment(NOW),
        undated: moment(NOW),
        max_text_bytes: 1000,
    };
    let mut source = syndication::read(text, &Limits::default()).unwrap();
    let mut mended = Mended::default();
    let (head, context) = read_channel(&source, &origin, &Settings::default(), &mut mended);
    let (resolved, duplicates) = resolve(&source.entries, &context, known, &mut mended);
    let mut outcome = Outcome {
        candidates: candidate_ids(&source.entries, &context),
        duplicates: duplicates.len(),
        items: Vec::new(),
        known: HashMap::new(),
        mended: Mended::default(),
        head,
        context,
    };
    for resolved in resolved {
        let entry = &mut source.entries[resolved.index];
        let first = known.get(&resolved.id).map(|known| known.published);
        let id = resolved.id.clone();
        let item = normalize_item(entry, id, first, &outcome.context, &mut mended);
        let remembered = Known {
            hash: [0; 16],
            published: item.published,
            twin: resolved.twin,
            mends: Mends::default(),
        };
        outcome.known.insert(resolved.id, remembered);
        outcome.items.push(serde_json::to_value(item).unwrap());
    }
    outcome.mended = mended;
    outcome
}

/// Reads a feed that nobody has read before.
pub(super) fn read(text: &str) -> Outcome {
    read_after(text, &HashMap::new())
}

/// An RSS feed with those items and whatever else stands in its channel.
pub(super) fn rss(inside: &str) -> String {
    let link = "<link>https://www.example.com/news/</link>";
    format!("<rss version='2.0'><channel><title>Pier News</title>{link}{inside}</channel></rss>")
}

/// The item of a plain RSS feed with that inside it.
pub(super) fn item(inside: &str) -> Value {
    read(&rss(&format!("<item>{inside}</item>"))).items.remove(0)
}

/// The item of a podcast with that inside it.
pub(super) fn episode(inside: &str) -> Value {
    let other = "<item><enclosure url='https://cdn.example.net/other.mp3' type='audio/mpeg'/>\
                 <itunes:author>Ines</itunes:author></item>";
    read(&rss(&format!("<item>{inside}</item>{other}"))).items.remove(0)
}

pub(super) fn moment(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}
