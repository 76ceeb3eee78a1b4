//! Decides whether a client has the page already (RFC 9110 13).
//!
//! A page has one strong entity tag for each content coding: a stem from the SHA-256 of its body,
//! and the coding's name. All of them stand for one body, so any of them is an answer to "changed?".

use actix_web::http::header::{HeaderMap, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, NaiveDateTime};

use crate::model::Timestamp;
use crate::paging::Coding;

/// What a page is compared by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    stem: String,
    last_modified: Timestamp,
}

impl Version {
    /// The version of a body, by its SHA-256 and by when its content last changed.
    pub(crate) fn new(digest: &[u8; 32], last_modified: Timestamp) -> Self {
        Self { stem: URL_SAFE_NO_PAD.encode(digest), last_modified }
    }

    /// The entity tag of the body in that coding, quoted.
    pub(crate) fn entity_tag(&self, coding: Option<Coding>) -> String {
        match coding {
            None => format!("\"{}\"", self.stem),
            Some(coding) => format!("\"{}.{}\"", self.stem, coding.as_str()),
        }
    }

    /// `Last-Modified` as RFC 9110 5.6.7 writes it.
    pub(crate) fn last_modified(&self) -> String {
        http_date(self.last_modified)
    }

    /// The `Date` of an answer given at that moment, where the one that is put on otherwise may lie
    /// before `Last-Modified`: it is made twice a second only (RFC 9110 8.8.2.1).
    pub(crate) fn date(&self, answered_at: Timestamp) -> Option<String> {
        let is_young = self.last_modified >= answered_at.minus_seconds(1);
        is_young.then(|| http_date(answered_at.max(self.last_modified)))
    }

    /// Whether the answer is 304. `If-Modified-Since` counts only without `If-None-Match`
    /// (RFC 9110 13.1.3).
    pub(crate) fn is_known_to(&self, headers: &HeaderMap) -> bool {
        if headers.contains_key(IF_NONE_MATCH) {
            return headers
                .get_all(IF_NONE_MATCH)
                .filter_map(|value| value.to_str().ok())
                .any(|list| self.matches_list(list));
        }
        headers
            .get(IF_MODIFIED_SINCE)
            .and_then(|value| value.to_str().ok())
            .and_then(parse_http_date)
            .is_some_and(|since| self.last_modified.seconds() <= since)
    }

    /// Weak comparison with each tag of a list (RFC 9110 8.8.3.2).
    fn matches_list(&self, mut list: &str) -> bool {
        if list.trim() == "*" {
            return true;
        }
        while let Some((tag, rest)) = next_tag(list) {
            if self.matches(tag) {
                return true;
            }
            list = rest;
        }
        false
    }

    fn matches(&self, tag: &str) -> bool {
        let Some(suffix) = tag.strip_prefix(self.stem.as_str()) else { return false };
        suffix.is_empty()
            || suffix
                .strip_prefix('.')
                .is_some_and(|name| Coding::ALL.iter().any(|coding| coding.as_str() == name))
    }
}

/// Takes the first quoted tag off a list. A comma inside of quotes is part of the tag, so the
/// quotes lead and not the commas.
fn next_tag(list: &str) -> Option<(&str, &str)> {
    let (_, rest) = list.split_once('"')?;
    rest.split_once('"')
}

fn http_date(moment: Timestamp) -> String {
    let moment = DateTime::from_timestamp(moment.seconds(), 0).unwrap_or_default();
    moment.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// Reads the one form that is sent today and the two that RFC 9110 keeps alive.
fn parse_http_date(text: &str) -> Option<i64> {
    const FORMS: [&str; 3] =
        ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];
    let text = text.trim();
    FORMS
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
        .map(|moment| moment.and_utc().timestamp())
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    const MOMENT: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

    fn version() -> Version {
        Version::new(&[7; 32], Timestamp::from_seconds(784_111_777).unwrap())
    }

    fn check(pairs: &[(HeaderName, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name.clone(), HeaderValue::from_str(value).unwrap());
        }
        version().is_known_to(&headers)
    }

    #[test]
    fn each_coding_has_a_strong_tag_of_its_own() {
        let tags = [None, Some(Coding::Gzip), Some(Coding::Brotli), Some(Coding::Zstd)]
            .map(|coding| version().entity_tag(coding));
        for (place, tag) in tags.iter().enumerate() {
            assert!(tag.starts_with('"') && tag.ends_with('"'), "{tag} is not strong");
            assert!(!tags[..place].contains(tag), "{tag} is there twice");
        }
    }

    #[test]
    fn the_tag_of_any_coding_is_known_weak_or_strong_alone_or_in_a_list() {
        let tag = version().entity_tag(Some(Coding::Brotli));
        assert!(check(&[(IF_NONE_MATCH, &version().entity_tag(None))]));
        assert!(check(&[(IF_NONE_MATCH, &tag)]));
        assert!(check(&[(IF_NONE_MATCH, &format!("W/{tag}"))]));
        assert!(check(&[(IF_NONE_MATCH, &format!("\"a,b\", W/\"c\" ,{tag}"))]));
        assert!(check(&[(IF_NONE_MATCH, "\"other\""), (IF_NONE_MATCH, &tag)]));
        assert!(check(&[(IF_NONE_MATCH, "*")]));
    }

    #[test]
    fn other_tags_and_broken_ones_are_not_known() {
        let tag = version().entity_tag(None);
        for value in ["\"other\"", "", "\"", &tag[1..tag.len() - 1], "\"*\"", "W/"] {
            assert!(!check(&[(IF_NONE_MATCH, value)]), "{value}");
        }
        assert!(!check(&[(IF_NONE_MATCH, &tag.replace("\"\"", "\"x\"").replacen('"', "\"x", 1))]));
    }

    #[test]
    fn the_date_counts_to_the_second_and_in_each_of_its_forms() {
        assert_eq!(version().last_modified(), MOMENT);
        for same in [MOMENT, "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert!(check(&[(IF_MODIFIED_SINCE, same)]), "{same}");
        }
        assert!(!check(&[(IF_MODIFIED_SINCE, "Sun, 06 Nov 1994 08:49:36 GMT")]));
        assert!(!check(&[(IF_MODIFIED_SINCE, "yesterday")]));
    }

    #[test]
    fn the_date_is_not_looked_at_beside_a_tag() {
        assert!(!check(&[(IF_NONE_MATCH, "\"other\""), (IF_MODIFIED_SINCE, MOMENT)]));
    }
}
