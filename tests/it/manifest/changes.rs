//! A manifest with every member of the draft, and what can be done to it.

use serde_json::{Value, json};

/// A manifest that has every member there is.
pub fn everything() -> Value {
    serde_json::from_str(include_str!("../../../fixtures/manifests/everything.json")).unwrap()
}

/// The same in two parts, each quicker to judge: every member of a feed with a short item, and
/// every member of an item in a short feed.
pub fn halves() -> (Value, Value) {
    let (mut feed, mut item) = (everything(), everything());
    feed["items"].as_array_mut().unwrap().remove(0);
    item["items"].as_array_mut().unwrap().remove(1);
    let required = ["mmsp", "id", "title", "feed_url", "items"];
    item.as_object_mut().unwrap().retain(|name, _| required.contains(&name.as_str()));
    (feed, item)
}

/// What any value is replaced by.
pub fn values() -> Vec<Value> {
    let texts = [
        "",
        " ",
        "x",
        "1.0",
        "1.1",
        "2.0",
        "1.x",
        "en",
        "en_US",
        "de-x-private",
        "abcdefghi",
        "a b",
        "a@b.example",
        "nobody",
        "\u{e4}",
        "\u{0}",
        "\u{1f600}",
        "urn:x",
        "urn:",
        "a:b c",
        "http://a.example/",
        "https://a.example/",
        "https://a.example/a b",
        "HTTPS://A.example/",
        "https://a.example/%zz",
        "https://a.example/[x]",
        "https://a.example/\u{e4}",
        "//a.example/",
        "/x",
        "https:",
        "ftp://a.example/",
        "javascript:alert(1)",
        "data:,x",
        "audio/mpeg",
        "Audio/MPEG",
        "audio",
        "audio/mpeg; codecs=mp3",
        "*/*",
        "image/svg+xml",
        "video",
        "audio ",
        "vlog",
        "livestream",
        "live",
        "general",
        "blocklist",
        "alternate",
        "podcast",
        "mfeed",
        "DE",
        "de",
        "DEU",
        "conditional-get",
        "push",
        "2026-06-01T12:00:00Z",
        "2026-06-01T12:00:00",
        "2026-06-01",
        "2026-06-01 12:00:00Z",
        "2026-06-01T12:00:00.5Z",
        "2026-06-01T12:00:00.Z",
        "2026-06-01T12:00:00+0200",
        "2026-06-01T12:00:00+02:00",
        "2026-06-01t12:00:00z",
        "2026-06-01T24:00:00Z",
        "2026-02-30T12:00:00Z",
        "2026-06-01T12:00:60Z",
        "2026-06-01T12:00Z",
        "20260601T120000Z",
        "0000-01-01T00:00:00Z",
        "2026-06-01T12:00:00+24:00",
        "Mon, 01 Jun 2026 12:00:00 GMT",
    ];
    let others = [
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(-1),
        json!(299),
        json!(300),
        json!(1.0),
        json!(1.5),
        json!(-0.0),
        json!(1e300),
        json!(i64::MAX),
        json!(u64::MAX),
        json!([]),
        json!({}),
        json!([null]),
        json!(["x"]),
        json!(["DE"]),
        json!([{}]),
        json!([[]]),
        json!({ "a": 1 }),
        json!({ "name": "" }),
        json!({ "name": "A" }),
        json!({ "cursor": "c", "has_more": false }),
        json!({ "rating": "teen" }),
    ];
    texts.into_iter().map(Value::from).chain(others).collect()
}

/// The place of every value in a document but the root, as JSON pointers.
pub fn places(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), document)];
    while let Some((place, value)) = open.pop() {
        let inside: Vec<(String, &Value)> = match value {
            Value::Object(map) => {
                map.iter().map(|(name, v)| (format!("{place}/{name}"), v)).collect()
            }
            Value::Array(list) => {
                list.iter().enumerate().map(|(at, v)| (format!("{place}/{at}"), v)).collect()
            }
            _ => Vec::new(),
        };
        found.extend(inside.iter().map(|(place, _)| place.clone()));
        open.extend(inside);
    }
    found.sort();
    found
}

/// The document with another value in that place.
pub fn replaced(document: &Value, place: &str, value: Value) -> Value {
    let mut changed = document.clone();
    *changed.pointer_mut(place).unwrap() = value;
    changed
}

/// The document without the value in that place.
pub fn removed(document: &Value, place: &str) -> Value {
    let mut changed = document.clone();
    let (parent, name) = place.rsplit_once('/').unwrap();
    match changed.pointer_mut(parent).unwrap() {
        Value::Object(map) => drop(map.remove(name)),
        Value::Array(list) => drop(list.remove(name.parse().unwrap())),
        _ => unreachable!(),
    }
    changed
}
