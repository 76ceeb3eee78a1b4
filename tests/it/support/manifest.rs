//! Judges every manifest that a test sees: by our schema, and by what a schema cannot say.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use jsonschema::{Registry, Validator};
use serde_json::Value;

use super::Response;

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let schema = serde_json::from_str(include_str!("mmsp.schema.json")).unwrap();
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
});

/// The protocol's own schemas, where they lie beside the project.
static PROTOCOL: LazyLock<Option<Validator>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/mmsp");
    let read = |name: &str| -> Option<Value> {
        serde_json::from_str(&fs::read_to_string(folder.join(name)).ok()?).ok()
    };
    let (feed, item) = (read("mmsp-feed.schema.json")?, read("mmsp-item.schema.json")?);
    let registry = Registry::new().add(item["$id"].as_str()?, &item).unwrap().prepare().unwrap();
    let options = jsonschema::options().should_validate_formats(true).with_registry(&registry);
    Some(options.build(&feed).unwrap())
});

/// The manifest of a response that must hold a good one.
pub fn of(response: &Response) -> Value {
    assert_eq!(response.status, 200, "{}", String::from_utf8_lossy(&response.body));
    assert_eq!(response.header("content-type"), Some("application/mmsp+json; version=1.0"));
    let manifest = response.json();
    check(&manifest);
    manifest
}

/// Fails the test unless the manifest is good.
pub fn check(manifest: &Value) {
    let faults = faults(manifest);
    assert!(faults.is_empty(), "{}\n{manifest:#}", faults.join("\n"));
}

/// Everything that is wrong with a manifest.
pub fn faults(manifest: &Value) -> Vec<String> {
    let mut faults: Vec<String> = SCHEMA
        .iter_errors(manifest)
        .chain(PROTOCOL.iter().flat_map(|schema| schema.iter_errors(manifest)))
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    let mut ids = HashSet::new();
    let mut last: Option<(&str, &str)> = None;
    for item in manifest["items"].as_array().into_iter().flatten() {
        let id = item["id"].as_str().unwrap_or_default();
        let position = (item["published"].as_str().unwrap_or_default(), id);
        if !ids.insert(id) {
            faults.push(format!("{id} is there twice"));
        }
        if last.is_some_and(|last| last < position) {
            faults.push(format!("{id} stands after an older item"));
        }
        last = Some(position);
    }
    faults
}

/// The ids of a manifest's items, in order.
pub fn ids(manifest: &Value) -> Vec<String> {
    let items = manifest["items"].as_array().unwrap();
    items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

mod tests {
    use serde_json::json;

    use super::*;

    fn good() -> Value {
        json!({
            "mmsp": "1.0",
            "id": "urn:feed",
            "title": "A feed",
            "feed_url": "https://localhost/mmsp/feed?url=x",
            "poll": {
                "min_interval_seconds": 300,
                "recommended_interval_seconds": 3600,
                "ttl_seconds": 86400
            },
            "capabilities": ["conditional-get"],
            "pagination": { "cursor": "AQ", "has_more": true },
            "next_url": "https://localhost/mmsp/feed?url=x&cursor=AQ",
            "items": [{
                "id": "urn:b",
                "type": "article",
                "title": "B",
                "url": "https://example.org/b",
                "published": "2024-01-02T00:00:00Z",
                "source": { "type": "rss", "feed_url": "http://example.org/feed" }
            }]
        })
    }

    #[test]
    fn a_good_manifest_has_no_fault() {
        check(&good());
    }

    #[test]
    fn the_judge_sees_what_is_wrong() {
        let item = |pointer: &str, value: Value| {
            let mut manifest = good();
            manifest["items"][0][pointer] = value;
            manifest
        };
        let member = |pointer: &str, value: Value| {
            let mut manifest = good();
            manifest[pointer] = value;
            manifest
        };
        for bad in [
            member("mmsp", json!("1.1")),
            member("id", json!("no uri")),
            member("title", json!("")),
            member("feed_url", json!("http://localhost/mmsp/feed")),
            member("contact", json!("nobody")),
            member("tags", json!([])),
            member("description", json!(null)),
            member("next_url", json!(null)),
            member("pagination", json!({ "cursor": "AQ", "has_more": false })),
            member("surprise", json!(1)),
            item("published", json!("2024-01-02T00:00:60Z")),
            item("published", json!("2024-01-02T00:00:00+00:00")),
            item("published", json!("2024-13-02T00:00:00Z")),
            item("duration", json!(1)),
            item("duration", json!(1.5)),
            item("live_status", json!("live")),
            item("url", json!("http://example.org/b")),
            item("media", json!([{ "url": "https://x/", "mime_type": "mp3" }])),
            item("thumbnail", json!([{ "url": "https://x/", "width": 0 }])),
            item("original", json!({})),
            item("source", json!({ "type": "mfeed", "feed_url": "https://x/" })),
        ] {
            assert!(!faults(&bad).is_empty(), "{bad:#}");
        }
    }

    #[test]
    fn order_and_doubles_are_judged_too() {
        let mut manifest = good();
        let mut second = manifest["items"][0].clone();
        manifest["items"].as_array_mut().unwrap().push(second.clone());
        assert!(faults(&manifest).iter().any(|fault| fault.contains("twice")));
        second["id"] = json!("urn:c");
        manifest["items"][1] = second;
        assert!(faults(&manifest).iter().any(|fault| fault.contains("older")));
    }
}
