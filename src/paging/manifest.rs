//! Writes a manifest (MMSP 5): the feed's head, this page's addresses, the items as kept.
//!
//! The bytes are a pure function of the arguments, in a fixed member order, so that an unchanged
//! page is byte-identical. Items are spliced in as the JSON they were stored as.

use serde::Serialize;

use super::{Address, Cursor, Entry, Poll, Position, Stretch};
use crate::model::{Feed, FeedKey};

/// Everything of a page but its items.
#[derive(Clone, Copy, Debug)]
pub struct Outline<'a> {
    /// The feed whose cursors these are.
    pub key: &'a FeedKey,
    /// What the source says of itself.
    pub feed: &'a Feed,
    /// How often to ask.
    pub poll: Poll,
    /// Where its pages are.
    pub address: &'a Address,
    /// Where its pages are from now on, if it has moved for good (MMSP 8.4).
    pub moved_to: Option<&'a Address>,
    /// The position below which this page begins; none on the first page.
    pub below: Option<&'a Position>,
}

/// A manifest and the addresses it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The document, `application/mmsp+json`.
    pub body: Vec<u8>,
    /// The address of the first page.
    pub feed_url: String,
    /// The address of this page.
    pub self_url: String,
    /// The address of the next older page, exactly where there is one.
    pub next_url: Option<String>,
    /// How many items it has.
    pub items: usize,
}

impl Outline<'_> {
    /// About how many bytes a page has beside its items, never too few.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let feed = serde_json::to_vec(self.feed).map_or(0, |json| json.len());
        let moved_to = self.moved_to.map_or(0, |address| address.first().len());
        feed + moved_to + 2 * self.address.first().len() + 2 * Cursor::MAX_CHARS + FIXED_BYTES
    }
}

/// Writes the page that holds this stretch of items.
///
/// # Errors
/// None that the types of the model can cause; the serializer's own signature has one.
pub fn render(outline: &Outline<'_>, stretch: &Stretch) -> Result<Manifest, serde_json::Error> {
    let end = Position::end();
    let last = stretch.entries.last().map(|entry| &entry.position);
    let last = last.or(outline.below).unwrap_or(&end);
    let cursor = Cursor::encode(outline.key, last);
    let next_url = stretch.has_more.then(|| outline.address.below(&cursor));
    let head = Head {
        mmsp: "1.0",
        feed: outline.feed,
        feed_url: outline.address.first(),
        poll: outline.poll,
        moved_to: outline.moved_to.map(Address::first),
        capabilities: CAPABILITIES,
        pagination: Pagination { cursor: &cursor, has_more: stretch.has_more },
        next_url: next_url.as_deref(),
    };
    Ok(Manifest {
        body: with_items(serde_json::to_vec(&head)?, &stretch.entries),
        feed_url: outline.address.first().to_owned(),
        self_url: outline.below.map_or_else(
            || outline.address.first().to_owned(),
            |below| outline.address.below(&Cursor::encode(outline.key, below)),
        ),
        next_url,
        items: stretch.entries.len(),
    })
}

/// All members but `items`, in the order in which they are written.
#[derive(Serialize)]
struct Head<'a> {
    mmsp: &'static str,
    #[serde(flatten)]
    feed: &'a Feed,
    feed_url: &'a str,
    poll: Poll,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<&'a str>,
    capabilities: [&'static str; 3],
    pagination: Pagination<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_url: Option<&'a str>,
}

#[derive(Serialize)]
struct Pagination<'a> {
    cursor: &'a str,
    has_more: bool,
}

/// MMSP 5.4.
const CAPABILITIES: [&str; 3] = ["conditional-get", "pagination", "filter-metadata"];
/// Names, punctuation and the fixed members.
const FIXED_BYTES: usize = 512;

fn with_items(mut head: Vec<u8>, entries: &[Entry]) -> Vec<u8> {
    head.truncate(head.len().saturating_sub(1)); // its closing brace
    let items: usize = entries.iter().map(|entry| entry.json.len() + 1).sum();
    head.reserve_exact(items + 16);
    head.extend(b",\"items\":[");
    for (at, entry) in entries.iter().enumerate() {
        if at > 0 {
            head.push(b',');
        }
        head.extend(entry.json.as_bytes());
    }
    head.extend(b"]}");
    head
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{SourceUrl, Timestamp};

    fn rendered(stretch: &Stretch, below: Option<&Position>) -> Manifest {
        let source = SourceUrl::parse("a.example").unwrap();
        let feed = r#"{"id":"x:feed","title":"A"}"#;
        let outline = Outline {
            key: &FeedKey::of(&source),
            feed: &serde_json::from_str(feed).unwrap(),
            poll: Poll::recommending(900),
            address: &Address::of(&"https://gw.example".into(), &source, None),
            moved_to: None,
            below,
        };
        let manifest = render(&outline, stretch).unwrap();
        let items: usize = stretch.entries.iter().map(|entry| entry.json.len() + 1).sum();
        assert!(manifest.body.len() <= outline.bytes() + items);
        manifest
    }

    #[test]
    fn an_empty_feed_has_a_fixed_cursor_and_no_next_page() {
        let manifest = rendered(&Stretch::default(), None);
        insta::assert_snapshot!(String::from_utf8(manifest.body).unwrap(), @r#"{"mmsp":"1.0","id":"x:feed","title":"A","feed_url":"https://gw.example/mmsp/feed?url=https%3A%2F%2Fa.example%2F","poll":{"min_interval_seconds":300,"recommended_interval_seconds":900,"ttl_seconds":86400},"capabilities":["conditional-get","pagination","filter-metadata"],"pagination":{"cursor":"AdtGpyp68jVDAAAAAAAAAAA","has_more":false},"items":[]}"#);
        assert_eq!(manifest.next_url, None);
        assert_eq!(manifest.self_url, manifest.feed_url);
    }

    #[test]
    fn a_page_names_its_last_position_and_the_page_below_it() {
        let position = Position { published: Timestamp::saturating(9), id: "x:1".to_owned() };
        let entry = Entry { position: position.clone(), json: r#"{"id":"x:1"}"#.to_owned() };
        let mut stretch = Stretch::default();
        stretch.entries = vec![entry.clone(), entry];
        stretch.has_more = true;
        let manifest = rendered(&stretch, None);
        let next = rendered(&Stretch::default(), Some(&position));
        assert_eq!(manifest.next_url.as_deref(), Some(next.self_url.as_str()));
        let json: serde_json::Value = serde_json::from_slice(&manifest.body).unwrap();
        assert_eq!(json["items"].as_array().map(Vec::len), Some(2));
        assert!(next.self_url.ends_with(json["pagination"]["cursor"].as_str().unwrap()));
    }

    #[test]
    fn the_bytes_beside_the_items_are_never_too_few_and_not_far_too_many() {
        let source = SourceUrl::parse(&format!("a.example/{}", "x".repeat(500))).unwrap();
        let (old, new) = ("https://gw.example".into(), "https://new.example".into());
        let feed = format!(r#"{{"id":"x:feed","title":"{}"}}"#, "A".repeat(900));
        let id = "x".repeat(Cursor::MAX_ID_BYTES);
        let position = Position { published: Timestamp::saturating(i64::MAX), id };
        let outline = Outline {
            key: &FeedKey::of(&source),
            feed: &serde_json::from_str(&feed).unwrap(),
            poll: Poll::recommending(u32::MAX),
            address: &Address::of(&old, &source, None),
            moved_to: Some(&Address::of(&new, &source, None)),
            below: None,
        };
        let entries = vec![Entry { position, json: "{}".to_owned() }];
        let manifest = render(&outline, &Stretch::of(entries, true)).unwrap();
        let beside = manifest.body.len() - "{}".len();
        let (least, most) = (beside, beside + FIXED_BYTES);
        assert!((least..most).contains(&outline.bytes()), "{} for {beside}", outline.bytes());
    }
}
