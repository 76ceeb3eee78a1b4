//! Bytes to manifest: bounded, repeatable, and valid by our own check.

use std::collections::HashMap;

use mmsp_gateway::convert::{self, Conversion, ConvertError, Input, Known, Limits, Part};
use mmsp_gateway::manifest;
use mmsp_gateway::model::{FeedKey, SourceUrl, Timestamp, Uri};
use mmsp_gateway::normalize::Settings;
use mmsp_gateway::paging::{self, Address, Entry, Outline, Poll, Position, Stretch};

/// Reading never panics and stays within small limits, whatever they are.
pub fn reading_stays_within_its_limits(bytes: &[u8]) {
    let (head, body) = bytes.split_at(bytes.len().min(2));
    let number = |at: usize| head.get(at).copied().map_or(0, usize::from);
    let limits = Limits {
        max_bytes: 1 << 20,
        max_depth: 2 + number(0) % 50,
        max_nodes: 2 + number(0),
        max_attributes: 8,
        max_namespaces: 8,
        max_entries: number(1) % 8,
        max_text_bytes: 64,
    };
    let content_type = ["text/xml; charset=utf-16", "application/json", "text/html; charset=big5"];
    let input = Input { limits: &limits, ..input(body, content_type.get(number(1) % 4).copied()) };
    let Ok(conversion) = convert_once(&input, &HashMap::new()) else { return };
    let report = &conversion.report;
    assert!(report.items.len() + report.duplicates.len() <= limits.max_entries);
    assert_eq!(report.items.len(), conversion.shown.len());
    for item in &conversion.changed {
        // Cleaning may put an address and a relation into the shortest link.
        let longest = limits.max_text_bytes * 64;
        let text = item.item.description.as_deref().unwrap_or_default();
        assert!(text.len() <= longest, "{} bytes of text", text.len());
        assert!(!item.item.title.trim().is_empty());
        assert!(item.item.title.len() <= longest);
    }
}

/// Converting gives a manifest that the check finds valid, or a problem; twice the same bytes
/// give the same manifest; and whoever remembers the items has nothing new to write.
pub fn converting_gives_a_valid_manifest_or_a_problem(bytes: &[u8]) {
    let limits = Limits { max_bytes: 1 << 20, max_entries: 200, ..Limits::default() };
    let input = Input { limits: &limits, ..input(bytes, None) };
    let first = convert_once(&input, &HashMap::new());
    let again = convert_once(&input, &HashMap::new());
    let (first, again) = match (first, again) {
        (Ok(first), Ok(again)) => (first, again),
        (Err(first), Err(again)) => return assert_eq!(first, again),
        _ => panic!("once a manifest, once a problem"),
    };
    let manifest = manifest_of(&first);
    assert_eq!(manifest, manifest_of(&again));
    let check = manifest::check(&manifest);
    assert!(
        check.is_valid() && check.skipped == 0,
        "{:?}\n{}",
        check.findings.list(),
        String::from_utf8_lossy(&manifest)
    );
    let known = remembered(&first);
    let later = convert_once(&input, &known).unwrap();
    assert_eq!(later.changed.len(), 0, "an unchanged feed has no changed items");
    assert_eq!(later.shown, first.shown);
}

/// The document as the claims read it: a fixed address, a fixed time.
pub fn input<'a>(body: &'a [u8], content_type: Option<&'a str>) -> Input<'a> {
    Input {
        body,
        content_type,
        complete: true,
        url: url(),
        first_url: url(),
        was_podcast: false,
        part: Part::Current,
        limits: leaked(Limits::default),
        settings: leaked(Settings::default),
    }
}

/// Converts a document by what is remembered of it.
pub fn convert_once(
    input: &Input<'_>,
    known: &HashMap<Uri, Known>,
) -> Result<Conversion, ConvertError> {
    let text = convert::decode(input)?;
    let reading = text.read(input)?;
    for id in reading.candidate_ids() {
        assert_eq!(Uri::parse(id.as_str()), Some(id));
    }
    Ok(reading.normalize(known, now()))
}

fn remembered(conversion: &Conversion) -> HashMap<Uri, Known> {
    let items = conversion.changed.iter().map(|item| {
        let convert::ConvertedItem { hash, published, twin, mends, .. } = *item;
        let known = Known { hash, published, twin, mends };
        (item.id.clone(), known)
    });
    items.collect()
}

/// The whole feed as one page.
pub fn manifest_of(conversion: &Conversion) -> Vec<u8> {
    let mut entries: Vec<Entry> = conversion
        .changed
        .iter()
        .map(|item| Entry {
            position: Position { published: item.published, id: item.id.to_string() },
            json: serde_json::to_string(&item.item).unwrap(),
        })
        .collect();
    entries.sort_by(|a, b| b.position.cmp(&a.position));
    let published = conversion.shown.iter().map(|(when, _)| *when).collect();
    let outline = Outline {
        key: &FeedKey::of(url()),
        feed: &conversion.feed,
        poll: Poll::of_published(published),
        address: &Address::of(&"https://gateway.example".into(), url(), None),
        moved_to: None,
        below: None,
    };
    let has_more = entries.len() > 1;
    paging::render(&outline, &Stretch::of(entries, has_more)).unwrap().body
}

fn url() -> &'static SourceUrl {
    leaked(|| SourceUrl::parse("https://feeds.example/blog/feed.xml").unwrap())
}

fn now() -> Timestamp {
    Timestamp::parse_rfc3339("2026-06-01T12:00:00Z").unwrap()
}

/// Values that live as long as the process, made once for each type.
fn leaked<T: Send + Sync + 'static>(make: fn() -> T) -> &'static T {
    use std::any::{Any, TypeId};
    use std::sync::{LazyLock, Mutex};
    static MADE: LazyLock<Mutex<HashMap<TypeId, &'static (dyn Any + Send + Sync)>>> =
        LazyLock::new(Mutex::default);
    let mut made = MADE.lock().unwrap();
    let value = made.entry(TypeId::of::<T>()).or_insert_with(|| Box::leak(Box::new(make())));
    value.downcast_ref().unwrap()
}
