//! The head of a manifest: enough to know one, and to walk its pages.
//!
//! What is not asked for is skipped as it is read, so a document takes no memory beyond its own.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::form::{is_https_url, is_uri, is_version_1};
use super::{MAX_BYTES, ManifestError};
use crate::model::Timestamp;

/// What a client must find in a manifest (MMSP 5.1), and what it needs to go on from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The version, `1.x`.
    pub mmsp: String,
    /// What identifies the feed.
    pub id: String,
    /// The title, which may be empty.
    pub title: String,
    /// The canonical address, `https`.
    pub feed_url: String,
    /// How many items there are, good or bad.
    pub items: usize,
    /// The cursor of this page (MMSP 5.5).
    pub cursor: Option<String>,
    /// Whether older items exist, where the manifest says so.
    pub has_more: Option<bool>,
    /// The address of the next older page, as it is written there.
    pub next_url: Option<String>,
    /// The address that the feed has moved to (MMSP 8.4), as it is written there.
    pub moved_to: Option<String>,
    /// The features that it declares (MMSP 5.4).
    pub capabilities: Vec<String>,
    /// When it ends (MMSP 8.5).
    pub sunset: Option<Timestamp>,
}

/// Whether this is a manifest that a client of MMSP 1 may use (5.1).
#[must_use]
pub fn is_native(bytes: &[u8]) -> bool {
    read(bytes).is_ok()
}

/// Reads the head of a manifest. Unknown members are ignored (MMSP 5.6), and so are optional ones
/// of the wrong type; the items are counted, not judged.
///
/// # Errors
/// Says what a client rejects the document for: no JSON, or a member that 5.1 requires and that
/// is missing or not of its form; a major version other than 1 (5.7).
pub fn read(bytes: &[u8]) -> Result<Head, ManifestError> {
    if bytes.len() > MAX_BYTES {
        return Err(ManifestError::TooLarge);
    }
    let text = std::str::from_utf8(bytes).map_err(not_json)?;
    if !text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('{') {
        return Err(serde_json::from_str::<IgnoredAny>(text)
            .map_or_else(not_json, |_| ManifestError::NotAnObject));
    }
    let members: Members<'_> = serde_json::from_str(text).map_err(not_json)?;
    let version: String = required(members.mmsp, "mmsp", "a text")?;
    if !is_version_1(&version) {
        return Err(ManifestError::Version(version.chars().take(LONGEST_SHOWN).collect()));
    }
    let pagination: Option<Pagination> = optional(members.pagination);
    let (cursor, has_more) = pagination.map_or((None, None), |page| (page.cursor, page.has_more));
    Ok(Head {
        mmsp: version,
        id: formed(required(members.id, "id", "a text")?, "id", "a URI", is_uri)?,
        title: required(members.title, "title", "a text")?,
        feed_url: formed(
            required(members.feed_url, "feed_url", "a text")?,
            "feed_url",
            "an https address",
            is_https_url,
        )?,
        items: required::<Vec<IgnoredAny>>(members.items, "items", "an array")?.len(),
        cursor,
        has_more,
        next_url: optional(members.next_url),
        moved_to: optional(members.moved_to),
        capabilities: optional(members.capabilities).unwrap_or_default(),
        sunset: optional(members.deprecated).and_then(|end: Deprecation| end.sunset_date),
    })
}

fn not_json(error: impl fmt::Display) -> ManifestError {
    ManifestError::NotJson(error.to_string())
}

fn required<T: DeserializeOwned>(
    member: Option<&RawValue>,
    name: &'static str,
    kind: &'static str,
) -> Result<T, ManifestError> {
    let raw = member.ok_or(ManifestError::Missing(name))?;
    serde_json::from_str(raw.get()).map_err(|_| ManifestError::Mistyped(name, kind))
}

fn formed(
    text: String,
    name: &'static str,
    kind: &'static str,
    form: fn(&str) -> bool,
) -> Result<String, ManifestError> {
    if form(&text) { Ok(text) } else { Err(ManifestError::Mistyped(name, kind)) }
}

fn optional<T: DeserializeOwned>(member: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(member?.get()).ok()
}

/// Characters of a wrong version that are shown.
const LONGEST_SHOWN: usize = 20;

#[derive(Deserialize)]
struct Pagination {
    cursor: Option<String>,
    has_more: Option<bool>,
}

#[derive(Deserialize)]
struct Deprecation {
    sunset_date: Option<Timestamp>,
}

/// The members that are asked for, unread; of one that is there twice, the last.
#[derive(Default)]
struct Members<'t> {
    mmsp: Option<&'t RawValue>,
    id: Option<&'t RawValue>,
    title: Option<&'t RawValue>,
    feed_url: Option<&'t RawValue>,
    items: Option<&'t RawValue>,
    pagination: Option<&'t RawValue>,
    next_url: Option<&'t RawValue>,
    moved_to: Option<&'t RawValue>,
    capabilities: Option<&'t RawValue>,
    deprecated: Option<&'t RawValue>,
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Picking;
        impl<'de> Visitor<'de> for Picking {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Members::default();
                while let Some(name) = map.next_key::<String>()? {
                    match members.place(&name) {
                        Some(place) => *place = Some(map.next_value()?),
                        None => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Picking)
    }
}

impl<'t> Members<'t> {
    fn place(&mut self, name: &str) -> Option<&mut Option<&'t RawValue>> {
        Some(match name {
            "mmsp" => &mut self.mmsp,
            "id" => &mut self.id,
            "title" => &mut self.title,
            "feed_url" => &mut self.feed_url,
            "items" => &mut self.items,
            "pagination" => &mut self.pagination,
            "next_url" => &mut self.next_url,
            "moved_to" => &mut self.moved_to,
            "capabilities" => &mut self.capabilities,
            "deprecated" => &mut self.deprecated,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn good() -> Value {
        json!({
            "mmsp": "1.0", "id": "tag:a.example,2026:f", "title": "A",
            "feed_url": "https://a.example/.well-known/mmsp.json", "items": [{}, 1],
        })
    }

    fn with(name: &str, value: Value) -> Vec<u8> {
        let mut manifest = good();
        manifest[name] = value;
        manifest.to_string().into_bytes()
    }

    #[test]
    fn a_manifest_is_known_by_what_5_1_requires() {
        let head = read(good().to_string().as_bytes()).unwrap();
        assert_eq!((head.title.as_str(), head.items), ("A", 2));
        assert_eq!(head.feed_url, "https://a.example/.well-known/mmsp.json");
        for name in ["mmsp", "id", "title", "feed_url", "items"] {
            let mut manifest = good();
            manifest.as_object_mut().unwrap().remove(name);
            let error = read(manifest.to_string().as_bytes()).unwrap_err();
            assert_eq!(error, ManifestError::Missing(name));
            for wrong in [json!(null), json!(1), json!({}), json!(true)] {
                assert!(!is_native(&with(name, wrong.clone())), "{name}: {wrong}");
            }
        }
    }

    #[test]
    fn later_minor_versions_and_unknown_members_are_no_reason_to_reject() {
        assert!(is_native(&with("mmsp", json!("1.9"))));
        assert!(is_native(&with("surprise", json!({ "a": [1, 2] }))));
        assert!(is_native(&with("icon", json!(7))));
        assert!(is_native(&with("items", json!([]))));
        let error = read(&with("mmsp", json!("2.0"))).unwrap_err();
        assert_eq!(error.to_string(), "version \"2.0\" is not one of MMSP 1");
    }

    #[test]
    fn identifiers_are_uris_and_addresses_are_https() {
        assert!(!is_native(&with("id", json!("my feed"))));
        assert!(!is_native(&with("feed_url", json!("http://a.example/"))));
        assert!(!is_native(&with("feed_url", json!("/mmsp.json"))));
    }

    #[test]
    fn paging_is_read_where_it_can_be() {
        let mut manifest = good();
        manifest["pagination"] = json!({ "cursor": "c", "has_more": true });
        manifest["next_url"] = json!("https://a.example/2");
        let head = read(manifest.to_string().as_bytes()).unwrap();
        assert_eq!((head.cursor.as_deref(), head.has_more), (Some("c"), Some(true)));
        assert_eq!(head.next_url.as_deref(), Some("https://a.example/2"));
        assert_eq!(read(&with("pagination", json!([]))).unwrap().has_more, None);
    }

    #[test]
    fn moves_features_and_the_end_are_read_where_they_can_be() {
        let mut manifest = good();
        manifest["moved_to"] = json!("https://b.example/mmsp.json");
        manifest["capabilities"] = json!(["pagination"]);
        manifest["deprecated"] = json!({ "sunset_date": "2027-01-01T00:00:00Z" });
        let head = read(manifest.to_string().as_bytes()).unwrap();
        assert_eq!(head.moved_to.as_deref(), Some("https://b.example/mmsp.json"));
        assert_eq!(head.capabilities, ["pagination"]);
        assert_eq!(head.sunset, Timestamp::parse_rfc3339("2027-01-01T00:00:00Z"));
        for name in ["moved_to", "capabilities", "deprecated"] {
            let head = read(&with(name, json!(7))).unwrap();
            assert_eq!((head.moved_to, head.capabilities, head.sunset), (None, vec![], None));
        }
    }

    #[test]
    fn what_is_no_json_object_is_told_apart() {
        let check = |bytes: &[u8], want: fn(&ManifestError) -> bool| {
            let error = read(bytes).unwrap_err();
            assert!(want(&error), "{error:?}");
        };
        for bytes in [&b""[..], b"{", b"<rss/>", b"{} x", b"\xff", b"\xef\xbb\xbf{}"] {
            check(bytes, |error| matches!(error, ManifestError::NotJson(_)));
        }
        check(b" [1]", |error| *error == ManifestError::NotAnObject);
        check(b"{}", |error| *error == ManifestError::Missing("mmsp"));
        check(&vec![b' '; MAX_BYTES], |error| matches!(error, ManifestError::NotJson(_)));
        check(&vec![b' '; MAX_BYTES + 1], |error| *error == ManifestError::TooLarge);
    }

    #[test]
    fn nothing_nested_or_many_takes_the_stack_or_the_memory() {
        for inside in ["[".repeat(1 << 20), "[0,".repeat(1 << 20), "{\"a\":".repeat(1 << 20)] {
            assert!(!is_native(format!("{{\"items\":{inside}").as_bytes()));
        }
        let many = format!("{{\"items\":[{}0]}}", "0,".repeat(1 << 20));
        assert_eq!(read(many.as_bytes()), Err(ManifestError::Missing("mmsp")));
    }
}
