//! Recognises the bot checks that delivery networks put in a source's place.
//!
//! By header fields where the network has the decency, else by what only such a page holds. The
//! scripts that networks add to ordinary pages prove nothing.

use awc::http::header::HeaderMap;
use memchr::memmem;

/// Whether these header fields are those of a bot check.
pub(super) fn is_challenge(headers: &HeaderMap) -> bool {
    FIELDS.iter().any(|(name, value)| {
        headers
            .get_all(*name)
            .any(|found| found.as_bytes().to_ascii_lowercase().starts_with(value.as_bytes()))
    })
}

/// Whether a page of this type and with these bytes is a bot check.
pub(super) fn is_challenge_page(content_type: Option<&str>, body: &[u8]) -> bool {
    let is_html = content_type.is_some_and(|kind| kind.to_ascii_lowercase().contains("html"));
    let front = body.get(..MAX_FRONT_BYTES).unwrap_or(body);
    is_html && PAGE_MARKS.iter().any(|mark| memmem::find(front, mark).is_some())
}

/// Field and how its value begins.
const FIELDS: &[(&str, &str)] = &[
    ("cf-mitigated", "challenge"),       // Cloudflare
    ("x-amzn-waf-action", "challenge"),  // AWS WAF
    ("x-amzn-waf-action", "captcha"),    // AWS WAF
    ("x-vercel-mitigated", "challenge"), // Vercel
    ("sg-captcha", "challenge"),         // SiteGround
];

const PAGE_MARKS: &[&[u8]] = &[
    b"<title>Just a moment...</title>",             // Cloudflare
    b"<title>Attention Required! | Cloudflare</ti", // Cloudflare
    b"<title>Vercel Security Checkpoint</title>",   // Vercel
    b"<title>DDOS-GUARD</title>",                   // DDoS-Guard
    b"/.well-known/sgcaptcha/",                     // SiteGround
    b"geo.captcha-delivery.com",                    // DataDome
    b"sucuri_cloudproxy_js",                        // Sucuri
    b"anubis_challenge",                            // Anubis
    b"window.awsWafCookieDomainList",               // AWS WAF
    b"Request unsuccessful. Incapsula incident ID", // Imperva
];

const MAX_FRONT_BYTES: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use awc::http::header::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn the_mark_and_not_the_network_alone_makes_a_challenge() {
        let is_challenge = |name: &'static str, value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
            is_challenge(&headers)
        };
        assert!(is_challenge("cf-mitigated", "challenge"));
        assert!(is_challenge("x-amzn-waf-action", "Captcha"));
        assert!(!is_challenge("cf-ray", "8a1b"));
        assert!(!is_challenge("server", "cloudflare"));
    }

    #[test]
    fn a_page_is_a_challenge_by_what_no_other_page_holds() {
        let page = b"<!DOCTYPE html><title>Just a moment...</title>";
        assert!(is_challenge_page(Some("text/html; charset=UTF-8"), page));
        assert!(!is_challenge_page(Some("application/rss+xml"), page));
        assert!(!is_challenge_page(None, page));
        let ordinary =
            b"<html><script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script>";
        assert!(!is_challenge_page(Some("text/html"), ordinary));
    }
}
