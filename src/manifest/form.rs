//! The forms of texts in a manifest, judged as clients judge them: nothing is mended here.

use url::Url;

use crate::model::Uri;

/// Whether this is a version of the major version 1 (MMSP 5.7).
pub(super) fn is_version_1(text: &str) -> bool {
    let minor = text.strip_prefix("1.");
    minor.is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether this is an absolute URI of RFC 3986.
pub(super) fn is_uri(text: &str) -> bool {
    Uri::parse(text).is_some()
}

/// Whether this is a URI of the scheme `https`, in lower case as clients compare it, with a host.
pub(super) fn is_https_url(text: &str) -> bool {
    // Browsers read `https:///x` as `https://x/`; RFC 3986 sees an empty host there.
    let authority = text.strip_prefix("https://");
    authority.is_some_and(|rest| !rest.starts_with(['/', '?', '#', ':']))
        && is_uri(text)
        && Url::parse(text).is_ok_and(|url| url.has_host())
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
}
