//! Holds a whole manifest against the draft.

use serde_json::{Map, Value};

use super::ManifestError;
use super::finding::{Findings, Severity};
use super::path::Path;
use super::rules;
use super::schema::{FEED, ITEM};
use super::tree::{self, Tree};
use super::walk::{Loss, Walk, said};

/// What a check of one document came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// Everything that was found.
    pub findings: Findings,
    /// Items in the document.
    pub items: usize,
    /// Items that a client skips (MMSP 6.15).
    pub skipped: usize,
}

impl Check {
    /// Whether a client loses nothing and no MUST of the draft is broken.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.findings.is_valid()
    }
}

/// Checks a manifest, member by member: what a client rejects, skips or drops, what the draft
/// forbids, and what could be better. Never fails; a document that is none is a finding.
#[must_use]
pub fn check(bytes: &[u8]) -> Check {
    look(bytes).0
}

/// Checks a manifest, and gives it to whoever wants to look further.
pub(super) fn look(bytes: &[u8]) -> (Check, Option<Value>) {
    match tree::read(bytes) {
        Ok(Tree { value: Value::Object(feed), doubles }) => {
            (judge(&feed, doubles, bytes.len()), Some(Value::Object(feed)))
        }
        Ok(_) => (refused(&ManifestError::NotAnObject), None),
        Err(error) => (refused(&error), None),
    }
}

fn judge(feed: &Map<String, Value>, doubles: Vec<String>, bytes: usize) -> Check {
    let mut walk = Walk::default();
    if bytes > SMALL_ENOUGH {
        let what =
            format!("the document has {bytes} bytes; some clients stop at 10 MiB: use pages");
        walk.findings.add(Severity::Advice, "5.5", Path::Root, what);
    }
    for path in doubles {
        let what = "the member stands there twice; parsers differ in which one they take";
        walk.findings.add(Severity::Breach, "RFC 8259, 4", path, what);
    }
    walk.object(feed, &FEED, Path::Root, Loss::Document);
    rules::feed(feed, &mut walk.findings);
    let (items, skipped) = walk_items(feed, &mut walk);
    walk.tell_unknown();
    Check { findings: walk.findings, items, skipped }
}

/// Clients are known that drop a longer document: 10 MiB.
const SMALL_ENOUGH: usize = 10 << 20;

fn refused(error: &ManifestError) -> Check {
    let mut findings = Findings::default();
    findings.add(Severity::Reject, "5.6", Path::Root, error.to_string());
    Check { findings, items: 0, skipped: 0 }
}

/// Walks the items; gives how many there are, and how many a client skips.
fn walk_items(feed: &Map<String, Value>, walk: &mut Walk) -> (usize, usize) {
    let here = Path::Root.member("items");
    let Some(items) = feed.get("items") else {
        let what = "it is missing; it must be an array, empty where there are no items";
        walk.findings.add(Severity::Reject, "5.1", here, what);
        return (0, 0);
    };
    let Value::Array(items) = items else {
        let what = format!("it is {}; it must be an array", said(items));
        walk.findings.add(Severity::Reject, "5.1", here, what);
        return (0, 0);
    };
    let mut skipped = 0;
    for (at, item) in items.iter().enumerate() {
        let path = here.element(at);
        let before = walk.findings.count(Severity::Skip);
        match item {
            Value::Object(map) => {
                walk.object(map, &ITEM, path, Loss::Item);
                rules::item(map, path, &mut walk.findings);
            }
            other => {
                let what = format!("it is {}; an item is an object", said(other));
                walk.findings.add(Severity::Skip, "6.15", path, what);
            }
        }
        skipped += usize::from(walk.findings.count(Severity::Skip) > before);
    }
    rules::items(items, &mut walk.findings);
    if skipped == items.len() && skipped > 0 {
        let what = "clients skip every item: the feed looks empty";
        walk.findings.add(Severity::Breach, "6.15", here, what);
    }
    (items.len(), skipped)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn good() -> Value {
        json!({
            "mmsp": "1.0", "id": "urn:x:feed", "title": "A",
            "feed_url": "https://a.example/mmsp.json",
            "poll": { "min_interval_seconds": 300 },
            "pagination": { "cursor": "c", "has_more": true },
            "next_url": "https://a.example/mmsp.json?c=c",
            "items": [
                {
                    "id": "urn:x:2", "type": "audio", "title": "B", "url": "https://a.example/2",
                    "published": "2026-06-02T00:00:00Z", "duration": 60,
                    "media": [{ "url": "https://a.example/2.mp3", "mime_type": "audio/mpeg" }],
                },
                {
                    "id": "urn:x:1", "type": "article", "title": "A", "url": "https://a.example/1",
                    "published": "2026-06-01T00:00:00+02:00",
                },
            ],
        })
    }

    /// The findings of the good manifest with one value changed, as `severity clause at`.
    fn changed(pointer: &str, value: Value) -> Vec<String> {
        let mut manifest = good();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let place = manifest.pointer_mut(parent).unwrap();
        match place {
            Value::Array(list) => list[name.parse::<usize>().unwrap()] = value,
            place => place[name] = value,
        }
        found(&manifest)
    }

    fn without(pointer: &str) -> Vec<String> {
        let mut manifest = good();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        manifest.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(name).unwrap();
        found(&manifest)
    }

    fn found(manifest: &Value) -> Vec<String> {
        let check = check(manifest.to_string().as_bytes());
        let lines = check.findings.list().iter();
        lines.map(|f| format!("{} {} {}", f.severity.as_str(), f.clause, f.at)).collect()
    }

    #[test]
    fn a_good_manifest_has_no_findings() {
        assert_eq!(found(&good()), [""; 0]);
        let check = check(good().to_string().as_bytes());
        assert!(check.is_valid());
        assert_eq!((check.items, check.skipped), (2, 0));
    }

    #[test]
    fn a_required_member_of_the_feed_costs_the_document() {
        for name in ["mmsp", "id", "title", "feed_url", "items"] {
            assert_eq!(without(&format!("/{name}"))[0], format!("reject 5.1 $.{name}"));
            assert!(changed(&format!("/{name}"), json!(7))[0].starts_with("reject 5."));
        }
        assert_eq!(changed("/mmsp", json!("2.0")), ["reject 5.7 $.mmsp"]);
        assert_eq!(changed("/mmsp", json!("1.3")), [""; 0]);
        assert_eq!(changed("/feed_url", json!("http://a.example/")), ["reject 5.1 $.feed_url"]);
        assert_eq!(changed("/title", json!("")), ["breach 5.1 $.title"]);
    }

    #[test]
    fn a_required_member_of_an_item_costs_the_item_alone() {
        for (name, clause) in
            [("id", "6.1"), ("type", "6.3"), ("title", "6.1"), ("url", "6.1"), ("published", "6.1")]
        {
            assert_eq!(
                without(&format!("/items/0/{name}"))[0],
                format!("skip {clause} $.items[0].{name}")
            );
        }
        assert_eq!(changed("/items/1", json!("x")), ["skip 6.15 $.items[1]"]);
        assert_eq!(
            changed("/items/1/published", json!("2026-06-01T00:00:00")),
            ["skip 6.1 $.items[1].published"]
        );
        let mut manifest = good();
        manifest["items"][0]["url"] = json!(null);
        let one = check(manifest.to_string().as_bytes());
        assert_eq!((one.items, one.skipped, one.is_valid()), (2, 1, false));
        manifest["items"][1]["url"] = json!(null);
        assert_eq!(found(&manifest).last().unwrap(), "breach 6.15 $.items");
    }

    #[test]
    fn an_unknown_item_type_degrades_and_costs_nothing_else() {
        assert_eq!(changed("/items/0/type", json!("vlog"))[0], "breach 6.3 $.items[0].type");
    }

    #[test]
    fn an_optional_member_costs_itself() {
        for (pointer, value, want) in [
            ("/icon", json!("http://a.example/i"), "drop 5.2 $.icon"),
            ("/contact", json!("nobody"), "drop 5.2 $.contact"),
            ("/tags", json!(["a", 1]), "drop 5.2 $.tags[1]"),
            ("/capabilities", json!(["pagination", "push"]), "drop 5.4 $.capabilities[1]"),
            ("/deprecated", json!({ "sunset_date": "soon" }), "drop 8.5 $.deprecated.sunset_date"),
            ("/poll/min_interval_seconds", json!(60), "breach 8.1 $.poll.min_interval_seconds"),
            ("/items/0/updated", json!(null), "drop 6.2 $.items[0].updated"),
            ("/items/0/duration", json!(1.5), "drop 6.2 $.items[0].duration"),
            ("/items/0/duration", json!(-1), "drop 6.2 $.items[0].duration"),
            ("/items/0/duration", json!(60.0), "advice 6.2 $.items[0].duration"),
            ("/items/0/media/0/url", json!("x"), "drop 6.4 $.items[0].media[0].url"),
            ("/items/0/media/0/width", json!(0), "drop 6.4 $.items[0].media[0].width"),
            (
                "/items/0/authors",
                json!([{ "url": "https://x/" }]),
                "drop 5.3 $.items[0].authors[0].name",
            ),
            (
                "/items/0/geo_restriction",
                json!({ "type": "allowlist", "regions": [] }),
                "drop 6.11 $.items[0].geo_restriction.regions",
            ),
            ("/items/0/license", json!("All rights reserved"), "advice 6.2 $.items[0].license"),
        ] {
            assert_eq!(changed(pointer, value), [want]);
        }
    }

    #[test]
    fn what_is_unknown_is_told_once_and_costs_nothing() {
        let mut manifest = good();
        manifest["items"][0]["publishd"] = json!(1);
        manifest["items"][1]["publishd"] = json!(1);
        let check = check(manifest.to_string().as_bytes());
        assert!(check.is_valid());
        let [finding] = check.findings.list() else { panic!("{:?}", check.findings) };
        assert_eq!(finding.at, "$.items[0].publishd");
        assert!(finding.what.contains("2 times"), "{}", finding.what);
        assert_eq!(changed("/items/0/publishd", json!(1)), ["advice 6.15 $.items[0].publishd"]);
        assert_eq!(changed("/titel", json!(1)), ["advice 5.6 $.titel"]);
    }

    #[test]
    fn unknown_members_are_told_up_to_a_hundred_and_a_single_one_without_a_number() {
        let mut manifest = good();
        for number in 0..150 {
            manifest[format!("x{number}")] = json!(number);
        }
        let check = check(manifest.to_string().as_bytes());
        assert_eq!(check.findings.total(), 100);
        assert!(check.findings.list().iter().all(|finding| !finding.what.contains("times")));
    }

    #[test]
    fn a_document_that_some_clients_drop_is_told() {
        let manifest = good();
        let of = |bytes| judge(manifest.as_object().unwrap(), Vec::new(), bytes).findings;
        assert_eq!(of(10 * 1024 * 1024).list(), []);
        let findings = of(10 * 1024 * 1024 + 1);
        let [finding] = findings.list() else { panic!("{findings:?}") };
        assert_eq!((finding.severity, finding.clause), (Severity::Advice, "5.5"));
    }

    #[test]
    fn lists_that_may_be_empty_may_and_lists_that_may_be_filled_may() {
        let regions = json!({ "type": "allowlist", "regions": ["DE", "AT"] });
        for (pointer, value) in [
            ("/tags", json!([])),
            ("/items/0/authors", json!([])),
            ("/items/0/geo_restriction", regions),
            ("/items/0/original", json!({ "pubDate": "yesterday" })),
            ("/items/0/license", json!("CC-BY-4.0")),
        ] {
            assert_eq!(changed(pointer, value), [""; 0], "{pointer}");
        }
        assert_eq!(changed("/items/0/original", json!("x")), ["drop 6.2 $.items[0].original"]);
    }

    #[test]
    fn words_tell_an_empty_array_from_a_full_one() {
        for (value, words) in
            [(json!([]), "it is an empty array;"), (json!([1]), "it is an array;")]
        {
            let mut manifest = good();
            manifest["items"][0]["title"] = value;
            let check = check(manifest.to_string().as_bytes());
            let what = &check.findings.list()[0].what;
            assert!(what.starts_with(words), "{what}");
        }
    }

    #[test]
    fn a_document_that_is_none_is_one_finding() {
        for bytes in [&b""[..], b"[]", b"{", b"<rss/>", b"\xef\xbb\xbf{}", b"{\"a\":\"\\ud800\"}"] {
            let check = check(bytes);
            let [finding] = check.findings.list() else { panic!("{:?}", check.findings) };
            assert_eq!((finding.severity, finding.at.as_str()), (Severity::Reject, "$"));
        }
    }

    #[test]
    fn words_tell_what_to_write_and_show_no_control_characters() {
        let mut manifest = good();
        manifest["items"][0]["url"] = json!("http://a.example/\u{1b}[2J\u{202e}");
        let check = check(manifest.to_string().as_bytes());
        assert_eq!(
            check.findings.list()[0].what,
            "it is \"http://a.example/\\u{1b}[2J\\u{202e}\"; it must be an https:// address, \
             percent-encoded where it is not ASCII"
        );
    }
}
