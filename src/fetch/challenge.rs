//! Recognises the bot checks that delivery networks put in a source's place, by their headers.

use awc::http::header::HeaderMap;

/// Whether these header fields are those of a bot check.
pub(super) fn is_challenge(headers: &HeaderMap) -> bool {
    MARKS.iter().any(|(name, value)| {
        headers
            .get_all(*name)
            .any(|found| found.as_bytes().to_ascii_lowercase().starts_with(value.as_bytes()))
    })
}

/// Field and how its value begins.
const MARKS: &[(&str, &str)] = &[
    ("cf-mitigated", "challenge"),       // Cloudflare
    ("x-amzn-waf-action", "challenge"),  // AWS WAF
    ("x-amzn-waf-action", "captcha"),    // AWS WAF
    ("x-vercel-mitigated", "challenge"), // Vercel
    ("sg-captcha", "challenge"),         // SiteGround
    ("x-datadome", "protected"),         // DataDome
];

#[cfg(test)]
mod tests {
    use awc::http::header::HeaderName;
    use awc::http::header::HeaderValue;

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
}
