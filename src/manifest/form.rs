//! The forms of texts in a manifest, judged as clients judge them: nothing is mended here.

use chrono::NaiveDate;
use url::Url;

use crate::model::Uri;

/// Whether this is a version of the major version 1 (MMSP 5.7).
pub(super) fn is_version_1(text: &str) -> bool {
    let minor = text.strip_prefix("1.");
    minor.is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether this is an absolute URI of RFC 3986, which may have nothing behind its scheme.
pub(super) fn is_uri(text: &str) -> bool {
    let is_scheme_alone = text.find(':').is_some_and(|at| at + 1 == text.len());
    Uri::parse(text).is_some() || (is_scheme_alone && Uri::parse(&format!("{text}x")).is_some())
}

/// Whether this is a URI of the scheme `https`, in lower case as clients compare it, with a host.
pub(super) fn is_https_url(text: &str) -> bool {
    // Browsers read `https:///x` as `https://x/`; RFC 3986 sees an empty host there.
    let authority = text.strip_prefix("https://");
    authority.is_some_and(|rest| !rest.starts_with(['/', '?', '#', ':']))
        && is_uri(text)
        && Url::parse(text).is_ok_and(|url| url.has_host())
}

/// Whether this is a time of RFC 3339, which is ISO 8601 with date, time and zone. Second 60 is
/// none, and there is no year 0: clients refuse them.
pub(super) fn is_time(text: &str) -> bool {
    let Some((date, rest)) = text.split_at_checked(10) else { return false };
    let Some((time, rest)) = rest.split_at_checked(9) else { return false };
    let fraction = rest.strip_prefix('.').map_or(Some(rest), |digits| {
        let zone = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        (zone.len() < digits.len()).then_some(zone)
    });
    is_date(date)
        && time.starts_with(['T', 't'])
        && numbers(&time[1..], [24, 60, 60])
        && fraction.is_some_and(is_zone)
}

fn is_date(text: &str) -> bool {
    let shape = text.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    shape && !text.starts_with("0000") && NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()
}

fn is_zone(text: &str) -> bool {
    matches!(text, "Z" | "z")
        || text.strip_prefix(['+', '-']).is_some_and(|offset| numbers(offset, [24, 60]))
}

/// Numbers of two digits between colons, each below its bound.
fn numbers<const N: usize>(text: &str, bounds: [u8; N]) -> bool {
    let mut parts = text.split(':');
    let fits = bounds.iter().all(|bound| {
        parts.next().is_some_and(|part| {
            let digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
            digits && part.parse().is_ok_and(|number: u8| number < *bound)
        })
    });
    fits && parts.next().is_none()
}

/// Whether this is a language tag in the shape that the protocol's schema has: subtags of two to
/// eight characters, the first of letters only.
pub(super) fn is_language(text: &str) -> bool {
    let mut subtags = text.split('-');
    let is_subtag = |tag: &str, fits: fn(&u8) -> bool| {
        (2..=8).contains(&tag.len()) && tag.as_bytes().iter().all(fits)
    };
    subtags.next().is_some_and(|first| is_subtag(first, u8::is_ascii_alphabetic))
        && subtags.all(|subtag| is_subtag(subtag, u8::is_ascii_alphanumeric))
}

/// Whether this can be a mail address.
pub(super) fn is_mail(text: &str) -> bool {
    let parts = text.rsplit_once('@');
    parts.is_some_and(|(user, host)| !user.is_empty() && !host.is_empty())
        && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// Whether this is `type/subtype` of RFC 6838, without parameters.
pub(super) fn is_mime_type(text: &str) -> bool {
    let is_name = |name: &str, others: &[u8]| {
        name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || others.contains(&b))
    };
    text.split_once('/')
        .is_some_and(|(kind, sub)| is_name(kind, b"!#$&-^_") && is_name(sub, b"!#$&-^_.+"))
}

/// Whether this has the shape of an ISO 3166-1 alpha-2 code.
pub(super) fn is_country(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Whether this has the shape of an SPDX expression, or is a URI.
pub(super) fn is_license(text: &str) -> bool {
    let is_word =
        |word: &str| word.bytes().all(|b| b.is_ascii_alphanumeric() || b".-+()".contains(&b));
    let joined = |word: &str| matches!(word, "AND" | "OR" | "WITH");
    let words: Vec<&str> = text.split(' ').collect();
    let is_expression = words
        .iter()
        .enumerate()
        .all(|(at, word)| !word.is_empty() && is_word(word) && (at % 2 == 0 || joined(word)));
    (is_expression && words.len() % 2 == 1) || is_uri(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(form: fn(&str) -> bool, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(form(text), "{text}");
        }
        for text in bad {
            assert!(!form(text), "{text}");
        }
    }

    #[test]
    fn every_minor_version_of_1_is_one() {
        check(is_version_1, &["1.0", "1.17"], &["1", "1.", "2.0", "1.x", "1.0.0", " 1.0", "01.0"]);
    }

    #[test]
    fn a_scheme_may_stand_alone_where_it_needs_no_host() {
        check(is_uri, &["x:", "urn:x", "a:b:"], &["", ":", "1:", "urn"]);
    }

    #[test]
    fn an_address_is_an_absolute_https_uri_with_a_host() {
        check(
            is_https_url,
            &["https://a.example/f?x=1&y=%20#z", "https://[2001:db8::1]:8443/"],
            &[
                "http://a.example/",
                "HTTPS://a.example/",
                "https://",
                "https:///x",
                "/f",
                "https:x",
                "https://a.example/a b",
                "https://a.example/\u{e4}",
                "https://a.example:99999/",
            ],
        );
    }

    #[test]
    fn a_time_has_a_date_a_time_and_a_zone() {
        check(
            is_time,
            &[
                "2026-06-01T12:00:00Z",
                "2026-06-01t12:00:00z",
                "2024-02-29T23:59:59.123456789+14:00",
                "0001-01-01T00:00:00-00:00",
            ],
            &[
                "0000-01-01T00:00:00Z",
                "",
                "2026-06-01",
                "2026-06-01T12:00:00",
                "2026-06-01T12:00Z",
                "2026-06-01 12:00:00Z",
                "2026-06-01T12:00:60Z",
                "2026-06-01T24:00:00Z",
                "2026-02-29T00:00:00Z",
                "2026-13-01T00:00:00Z",
                "2026-06-01T12:00:00.Z",
                "2026-06-01T12:00:00+0200",
                "2026-06-01T12:00:00+24:00",
                "2026-06-01T12:00:00+2:00",
                "20260601T120000Z",
                "2026-06-01T12:00:00Zx",
                "2026-06-01T1\u{e4}:00:00Z",
                "\u{e4}026-06-01T12:00:00Z",
                "+026-06-01T12:00:00Z",
            ],
        );
    }

    #[test]
    fn tags_types_codes_and_mail_have_their_shapes() {
        check(
            is_language,
            &["en", "pt-BR", "zh-Hans-CN"],
            &["", "e", "en_US", "de-x-a", "12", "en-"],
        );
        check(
            is_mime_type,
            &["audio/mpeg", "image/svg+xml", "Video/MP4"],
            &["", "mp3", "a/", "*/*", "text/html; charset=x", "a/b/c"],
        );
        check(is_country, &["DE"], &["de", "DEU", "", "D1"]);
        check(is_mail, &["a@example.com"], &["nobody", "@x", "a@", "a b@example.com"]);
        check(
            is_license,
            &["CC-BY-4.0", "MIT OR Apache-2.0", "https://x.example/l"],
            &["", "All rights reserved", "MIT OR", "\u{a9} 2026"],
        );
    }
}
