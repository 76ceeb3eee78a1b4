//! Tells a native manifest from everything else that sites answer with.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::model::{HttpsUrl, Uri};

/// Whether a document is a manifest by MMSP 5.1, of a version that is understood (5.7): every
/// required member is there and of its kind. Its items are not looked at.
///
/// A site that answers every path with a page, or with `{}`, has none.
#[must_use]
pub fn is_native(body: &[u8]) -> bool {
    let body = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body);
    let is_object = body.trim_ascii_start().starts_with(b"{");
    is_object && serde_json::from_slice::<Required>(body).is_ok_and(|required| required.holds())
}

/// The members of MMSP 5.1.
#[derive(Deserialize)]
struct Required {
    mmsp: String,
    id: String,
    title: String,
    feed_url: String,
    #[serde(rename = "items")]
    _items: Vec<IgnoredAny>,
}

impl Required {
    fn holds(&self) -> bool {
        is_understood(&self.mmsp)
            && Uri::parse(&self.id).is_some()
            && !self.title.trim().is_empty()
            && HttpsUrl::parse(&self.feed_url).is_some()
    }
}

/// Every minor version of the major one that we know (MMSP 5.7).
fn is_understood(version: &str) -> bool {
    let minor = version.strip_prefix("1.");
    minor.is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit()))
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn manifest() -> Value {
        json!({
            "mmsp": "1.0",
            "id": "urn:uuid:7b1d9c5e-33c2-4f1f-9f0a-1f5f5a9d2c11",
            "title": "T",
            "feed_url": "https://a.example/.well-known/mmsp.json",
            "items": [],
        })
    }

    fn with(name: &str, value: Value) -> bool {
        let mut manifest = manifest();
        manifest[name] = value;
        is_native(manifest.to_string().as_bytes())
    }

    #[test]
    fn what_has_every_required_member_is_one_whatever_else_it_has() {
        assert!(is_native(manifest().to_string().as_bytes()));
        assert!(is_native(format!("\u{feff} {}", manifest()).as_bytes()));
        assert!(with("mmsp", json!("1.7")));
        assert!(with("items", json!([1, {"a": [2]}, null])));
        assert!(with("signature", json!({"any": "thing"})));
    }

    #[test]
    fn what_lacks_one_or_has_it_of_another_kind_is_none() {
        for name in ["mmsp", "id", "title", "feed_url", "items"] {
            for value in [json!(null), json!(1), json!(""), json!({})] {
                assert!(!with(name, value.clone()), "{name} = {value}");
            }
            let mut without = manifest();
            without.as_object_mut().unwrap().remove(name);
            assert!(!is_native(without.to_string().as_bytes()), "{name}");
        }
        for (name, value) in [
            ("mmsp", "2.0"),
            ("mmsp", "1"),
            ("mmsp", "1.x"),
            ("id", "no uri"),
            ("feed_url", "http://a.example/"),
        ] {
            assert!(!with(name, json!(value)), "{name} = {value}");
        }
    }

    #[test]
    fn what_sites_answer_in_its_place_is_none() {
        for body in ["", "{}", "[]", "null", "<!doctype html><title>Home</title>", "{\"mmsp\":", "1"] {
            assert!(!is_native(body.as_bytes()), "{body}");
        }
    }
}
