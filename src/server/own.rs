//! Knows the gateway's own addresses, so that it never asks itself.

use actix_web::http::header::{HOST, HeaderMap, VIA};
use url::Url;

use crate::fetch;
use crate::model::SourceUrl;

/// Whether the request has come through a gateway already (RFC 9110 7.6.3).
pub(crate) fn has_passed_a_gateway(headers: &HeaderMap) -> bool {
    headers.get_all(VIA).filter_map(|value| value.to_str().ok()).any(fetch::is_own_via)
}

/// Whether the source is one of our own manifests, under our public name or the one that this
/// request came by. The rest of the name is open: a publisher runs the gateway beside its site.
pub(crate) fn is_own(source: &SourceUrl, public_url: &str, headers: &HeaderMap) -> bool {
    let path = source.url().path();
    // Nearly every source, and this is asked for every request.
    if !path.contains(OWN) {
        return false;
    }
    let public = Url::parse(public_url).ok();
    let base = public.as_ref().map_or("", |url| url.path().trim_end_matches('/'));
    let is_own_path =
        path.starts_with(OWN) || path.strip_prefix(base).is_some_and(|path| path.starts_with(OWN));
    is_own_path
        && (public.as_ref().and_then(Url::host_str).is_some_and(|host| is_host(source, host))
            || headers
                .get(HOST)
                .and_then(|host| host.to_str().ok())
                .is_some_and(|host| is_host(source, without_port(host))))
}

/// Every path below it is, or will be, a manifest.
const OWN: &str = "/mmsp/";

fn is_host(source: &SourceUrl, host: &str) -> bool {
    source.host().eq_ignore_ascii_case(host.trim_matches(['[', ']']))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        headers
    }

    #[test]
    fn our_name_in_via_is_seen_wherever_it_stands() {
        for (via, passed) in [
            ("1.1 mmsp-gateway", true),
            ("1.1 cdn.example, 1.1 MMSP-Gateway (mmsp-gateway)", true),
            ("1.1 cdn.example (mmsp-gateway)", false),
            ("1.1 not-mmsp-gateway", false),
            ("", false),
        ] {
            assert_eq!(has_passed_a_gateway(&headers(VIA, via)), passed, "{via}");
        }
    }

    #[test]
    fn our_own_manifests_are_known_by_any_of_our_names() {
        for (source, own) in [
            ("https://g.example/feeds/mmsp/feed?url=x", true),
            ("https://g.example/mmsp/feed?url=x", true),
            ("http://G.example:8080/mmsp/a.json", true),
            ("https://inside.example/mmsp/feed", true),
            ("https://g.example/feed.xml", false),
            ("https://g.example/blog/mmsp/", false),
            ("https://other.example/mmsp/feed", false),
        ] {
            let source_url = SourceUrl::parse(source).unwrap();
            let headers = headers(HOST, "inside.example:8443");
            assert_eq!(is_own(&source_url, "https://g.example/feeds", &headers), own, "{source}");
        }
    }
}
