//! What a page is sent with: what it may load and do in a browser is as little as it needs.

use actix_web::http::header;
use actix_web::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName,
    PERMISSIONS_POLICY, REFERRER_POLICY, VARY,
};
use actix_web::{HttpResponse, HttpResponseBuilder};
use askama::Template;

use super::Assets;
use super::page;
use crate::metrics::Route;
use crate::server::coding;
use crate::server::problem::{Kind, Problem};

/// Answers with a page.
pub(crate) fn html(page: &impl Template, headers: &HeaderMap) -> HttpResponse {
    send(HttpResponse::Ok().insert_header(FOR_ONE), page, headers)
}

/// Answers with a page that has the words for a problem itself, where it came up.
pub(crate) fn html_of_problem(
    kind: Kind,
    page: &impl Template,
    headers: &HeaderMap,
) -> HttpResponse {
    let problem = Problem::new(kind, kind.advice());
    send(problem.head().insert_header(FOR_ONE), page, headers)
}

/// Answers with the page of a problem. `query` is that of the request, for the form on the page.
pub(crate) fn problem(
    problem: &Problem,
    assets: &Assets,
    route: Route,
    query: &str,
    headers: &HeaderMap,
) -> HttpResponse {
    send(&mut problem.head(), &page::problem(problem, assets, route, query), headers)
}

/// Whether a problem with a request is to be told as a page: at the page itself, and to a browser
/// that sends a form.
pub(crate) fn is_for_people(route: Route, headers: &HeaderMap) -> bool {
    let accepts_html = || {
        let accepted = headers.get_all(ACCEPT).filter_map(|value| value.to_str().ok());
        accepted.into_iter().any(|value| value.contains("text/html"))
    };
    route == Route::Page || (route == Route::Opml && accepts_html())
}

fn send(
    response: &mut HttpResponseBuilder,
    page: &impl Template,
    headers: &HeaderMap,
) -> HttpResponse {
    let Ok(text) = page.render() else {
        // Only writing fails, and a string takes everything.
        return Problem::new(Kind::Internal, Kind::Internal.advice()).response();
    };
    let wanted = coding::choose(headers);
    let coded = wanted.and_then(|coding| coding.encode(text.as_bytes()));
    response
        .content_type("text/html; charset=utf-8")
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .insert_header((PERMISSIONS_POLICY, PERMISSIONS))
        .insert_header((X_ROBOTS_TAG, "noindex"))
        .insert_header((VARY, "Accept-Encoding"));
    match (coded, wanted) {
        (Some(coded), Some(coding)) => {
            response.insert_header((CONTENT_ENCODING, coding.as_str())).body(coded)
        }
        _ => response.body(text),
    }
}

/// What the page shows is as of now, and for whoever looks.
const FOR_ONE: (HeaderName, &str) = (CACHE_CONTROL, "private, no-cache");

/// Own style and script; pictures and media of publishers, which are `https` always. Nothing is
/// sent anywhere, no frame holds the page, no `<base>` moves its links.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
    img-src 'self' https:; media-src https:; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

const PERMISSIONS: &str = "camera=(), geolocation=(), microphone=(), payment=(), usb=()";

const X_ROBOTS_TAG: HeaderName = header::HeaderName::from_static("x-robots-tag");

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn browsers_are_told_in_words_and_programs_as_ever() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        for (route, accept, words) in [
            (Route::Page, "application/json", true),
            (Route::Opml, browser, true),
            (Route::Opml, "*/*", false),
            (Route::Opml, "", false),
            (Route::Feed, browser, false),
            (Route::Discover, browser, false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
            assert_eq!(is_for_people(route, &headers), words, "{route:?} {accept}");
        }
    }
}
