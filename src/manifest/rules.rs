//! What no table can say: members that speak of one another.

use std::collections::HashMap;

use chrono::{DateTime, FixedOffset};
use serde_json::{Map, Value};

use super::finding::{Findings, Severity};
use super::path::Path;
use Severity::{Advice, Breach, Drop};

/// Rules of the manifest itself.
pub(super) fn feed(feed: &Map<String, Value>, findings: &mut Findings) {
    pagination(feed, findings);
    poll(feed, findings);
    let next = Path::Root.member("next_url");
    let address = |name: &str| feed.get(name).and_then(Value::as_str);
    if address("next_url").is_some() && address("next_url") == address("feed_url") {
        findings.add(
            Breach,
            "5.5.3",
            next,
            "it is the address of this page itself: a walk goes in a circle",
        );
    }
    if address("moved_to").is_some() && address("moved_to") == address("feed_url") {
        let what = "it is the feed's own address; leave it out where the feed has not moved";
        findings.add(Advice, "8.4", Path::Root.member("moved_to"), what);
    }
    signature(feed, Path::Root, findings);
}

fn pagination(feed: &Map<String, Value>, findings: &mut Findings) {
    let here = Path::Root.member("pagination");
    let next = Path::Root.member("next_url");
    let has_next = feed.contains_key("next_url");
    let Some(pagination) = feed.get("pagination").and_then(Value::as_object) else {
        if has_next {
            let what = "there is no pagination object beside it; add one with cursor and has_more";
            findings.add(Breach, "5.5", next, what);
        } else if declares(feed, "pagination") {
            let what = "pagination is declared, and there is no pagination object";
            findings.add(Breach, "5.5", Path::Root.member("capabilities"), what);
        }
        return;
    };
    match pagination.get("has_more") {
        Some(Value::Bool(true)) if !has_next => {
            let what = "has_more is true and next_url is missing: older items cannot be reached";
            findings.add(Breach, "5.5.1", here, what);
        }
        Some(Value::Bool(false)) if has_next => {
            let what = "has_more is false, so clients must not follow it; leave it out";
            findings.add(Breach, "5.5.1", next, what);
        }
        _ => {}
    }
    if !declares(feed, "pagination") && feed.contains_key("capabilities") && has_next {
        let what = "there are pages; declare the capability \"pagination\"";
        findings.add(Advice, "5.4", Path::Root.member("capabilities"), what);
    }
}

fn declares(feed: &Map<String, Value>, capability: &str) -> bool {
    let list = feed.get("capabilities").and_then(Value::as_array);
    list.is_some_and(|list| list.iter().any(|name| name.as_str() == Some(capability)))
}

fn poll(feed: &Map<String, Value>, findings: &mut Findings) {
    let seconds = |name: &str| feed.get("poll").and_then(|poll| poll.get(name)?.as_u64());
    let poll = Path::Root.member("poll");
    let recommended = seconds("recommended_interval_seconds");
    if recommended.is_some() && recommended < seconds("min_interval_seconds") {
        let what = "it is below min_interval_seconds, which clients obey first";
        findings.add(Advice, "8.1", poll.member("recommended_interval_seconds"), what);
    }
}

/// Rules of one item.
pub(super) fn item(item: &Map<String, Value>, path: Path<'_>, findings: &mut Findings) {
    let Some(kind) = item.get("type").and_then(Value::as_str) else { return };
    for (member, kinds, severity) in [
        ("live_status", &["livestream"][..], Drop),
        ("scheduled_start", &["event", "livestream"], Drop),
        ("duration", &["video", "audio", "short", "livestream"], Advice),
    ] {
        if item.contains_key(member) && !kinds.contains(&kind) {
            let what = format!("only items of type {} have it", kinds.join(", "));
            findings.add(severity, "6.2", path.member(member), what);
        }
    }
    chapters(item, path, findings);
    times(item, path, findings);
    signature(item, path, findings);
}

fn chapters(item: &Map<String, Value>, path: Path<'_>, findings: &mut Findings) {
    let mut last = 0;
    let here = path.member("chapters");
    let chapters = item.get("chapters").and_then(Value::as_array);
    for (at, chapter) in chapters.into_iter().flatten().enumerate() {
        let seconds = |name: &str| chapter.get(name).and_then(Value::as_u64);
        let Some(start) = seconds("start_seconds") else { continue };
        if start < last {
            let what =
                "it starts before the chapter in front of it; write chapters in the order of time";
            findings.add(Advice, "6.6", here.element(at), what);
        }
        if seconds("end_seconds").is_some_and(|end| end < start) {
            findings.add(Advice, "6.6", here.element(at), "it ends before it starts");
        }
        last = start;
    }
}

fn times(item: &Map<String, Value>, path: Path<'_>, findings: &mut Findings) {
    if let (Some(published), Some(updated)) = (time(item, "published"), time(item, "updated"))
        && updated < published
    {
        findings.add(Advice, "6.2", path.member("updated"), "it is earlier than published");
    }
}

fn time(item: &Map<String, Value>, name: &str) -> Option<DateTime<FixedOffset>> {
    DateTime::parse_from_rfc3339(item.get(name)?.as_str()?).ok()
}

fn signature(object: &Map<String, Value>, path: Path<'_>, findings: &mut Findings) {
    if object.contains_key("signature") {
        let what = "the name is reserved for a later revision; use another one";
        findings.add(Breach, "12.5", path.member("signature"), what);
    }
}

/// Rules between items: each identifier once, the newest first.
pub(super) fn items(items: &[Value], findings: &mut Findings) {
    let here = Path::Root.member("items");
    let mut ids: HashMap<&str, usize> = HashMap::new();
    let mut canonical: HashMap<&str, usize> = HashMap::new();
    let mut last = None;
    let mut out_of_order = 0;
    for (at, item) in items.iter().enumerate() {
        let Some(map) = item.as_object() else { continue };
        let path = here.element(at);
        if let Some(id) = map.get("id").and_then(Value::as_str) {
            let first = *ids.entry(id).or_insert(at);
            if first != at {
                let what = format!(
                    "it is the id of $.items[{first}] too; ids are unique, and clients keep one of the two at most"
                );
                findings.add(Breach, "6.1", path.member("id"), what);
            }
        }
        if let Some(url) = map.get("canonical_url").and_then(Value::as_str) {
            let first = *canonical.entry(url).or_insert(at);
            if first != at {
                let what =
                    format!("it is that of $.items[{first}] too; clients take the two for one");
                findings.add(Advice, "6.14", path.member("canonical_url"), what);
            }
        }
        let Some(published) = time(map, "published") else { continue };
        if last.is_some_and(|last| published > last) {
            out_of_order += 1;
            if out_of_order == 1 {
                let what = "it is newer than the item in front of it; the order of a feed is published, the newest first";
                findings.add(Advice, "5.5.2", path.member("published"), what);
            }
        }
        last = Some(published);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::manifest::check;

    /// What is found in a manifest of these members and items, as `severity clause at`.
    fn found(more: serde_json::Value, items: serde_json::Value) -> Vec<String> {
        let mut manifest = json!({
            "mmsp": "1.0", "id": "urn:x", "title": "A", "feed_url": "https://a.example/f",
        });
        manifest.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        manifest["items"] = items;
        let check = check(manifest.to_string().as_bytes());
        let lines = check.findings.list().iter();
        lines.map(|f| format!("{} {} {}", f.severity.as_str(), f.clause, f.at)).collect()
    }

    fn item(number: u32, more: serde_json::Value) -> serde_json::Value {
        let mut item = json!({
            "id": format!("urn:x:{number}"), "type": "article", "title": "A",
            "url": "https://a.example/1",
            "published": format!("2026-06-01T00:00:{:02}Z", 59 - number),
        });
        item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        item
    }

    #[test]
    fn pages_have_a_cursor_and_an_address_exactly_where_there_are_more() {
        let more = json!({ "cursor": "c", "has_more": true });
        let last = json!({ "cursor": "c", "has_more": false });
        let next = "https://a.example/2";
        for (members, want) in [
            (json!({ "pagination": more, "next_url": next }), &[][..]),
            (json!({ "pagination": last }), &[]),
            (json!({ "pagination": more }), &["breach 5.5.1 $.pagination"]),
            (json!({ "pagination": last, "next_url": next }), &["breach 5.5.1 $.next_url"]),
            (json!({ "next_url": next }), &["breach 5.5 $.next_url"]),
            (json!({ "capabilities": ["pagination"] }), &["breach 5.5 $.capabilities"]),
            (
                json!({ "pagination": {} }),
                &["drop 5.5 $.pagination.cursor", "drop 5.5 $.pagination.has_more"],
            ),
            (
                json!({ "pagination": more, "next_url": "https://a.example/f" }),
                &["breach 5.5.3 $.next_url"],
            ),
        ] {
            assert_eq!(found(members.clone(), json!([])), want, "{members}");
        }
    }

    #[test]
    fn ids_are_unique_and_the_newest_item_comes_first() {
        let twice = json!([item(1, json!({})), item(1, json!({}))]);
        assert_eq!(found(json!({}), twice), ["breach 6.1 $.items[1].id"]);
        let mixed = json!([item(2, json!({})), item(1, json!({})), item(0, json!({}))]);
        assert_eq!(found(json!({}), mixed), ["advice 5.5.2 $.items[1].published"]);
    }

    #[test]
    fn members_that_belong_to_some_types_only_are_told_on_others() {
        let of = |more| found(json!({}), json!([item(0, more)]));
        assert_eq!(of(json!({ "live_status": "live" })), ["drop 6.2 $.items[0].live_status"]);
        assert_eq!(of(json!({ "duration": 1 })), ["advice 6.2 $.items[0].duration"]);
        let start = "2026-06-01T00:00:00Z";
        assert_eq!(
            of(json!({ "scheduled_start": start })),
            ["drop 6.2 $.items[0].scheduled_start"]
        );
        assert_eq!(of(json!({ "type": "event", "scheduled_start": start })), [""; 0]);
    }

    #[test]
    fn what_goes_backwards_is_told() {
        let of = |more| found(json!({}), json!([item(0, more)]));
        let chapter =
            |start, end| json!({ "title": "A", "start_seconds": start, "end_seconds": end });
        assert_eq!(
            of(json!({ "chapters": [chapter(5, 9), chapter(0, 5), chapter(6, 2)] })),
            ["advice 6.6 $.items[0].chapters[1]", "advice 6.6 $.items[0].chapters[2]"]
        );
        assert_eq!(
            of(json!({ "updated": "2026-05-01T00:00:00Z" })),
            ["advice 6.2 $.items[0].updated"]
        );
        let poll = json!({ "min_interval_seconds": 900, "recommended_interval_seconds": 600 });
        assert_eq!(
            found(json!({ "poll": poll }), json!([])),
            ["advice 8.1 $.poll.recommended_interval_seconds"]
        );
    }

    #[test]
    fn reserved_names_and_same_addresses_are_told() {
        let members = json!({ "signature": "x", "moved_to": "https://a.example/f" });
        assert_eq!(found(members, json!([])), ["advice 8.4 $.moved_to", "breach 12.5 $.signature"]);
        let same = json!({ "canonical_url": "https://a.example/c" });
        assert_eq!(
            found(json!({}), json!([item(0, same.clone()), item(1, same)])),
            ["advice 6.14 $.items[1].canonical_url"]
        );
    }

    #[test]
    fn what_is_the_same_goes_not_backwards_and_another_address_is_a_move() {
        let item = item(
            0,
            json!({
                "updated": "2026-06-01T00:00:59Z",
                "chapters": [
                    { "title": "A", "start_seconds": 5, "end_seconds": 5 },
                    { "title": "B", "start_seconds": 5, "end_seconds": 9 },
                ],
            }),
        );
        let members = json!({
            "moved_to": "https://b.example/f",
            "poll": { "min_interval_seconds": 900, "recommended_interval_seconds": 900 },
        });
        assert_eq!(found(members, json!([item])), [""; 0]);
    }
}
