//! What happens around every request: its id, its limits, its headers, one log line, its metrics.

use std::time::Instant;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::ConnectionType;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, HeaderMap, HeaderName, HeaderValue,
    X_CONTENT_TYPE_OPTIONS,
};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage, HttpResponse};

use crate::metrics::Route;
use crate::model::SourceUrl;

use super::access::Admission;
use super::callers::Place;
use super::problem::{Kind, Problem};
use super::site::Site;
use super::{caching, router, sending, web};

/// What a handler leaves in its response's extensions for the log.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The source that was asked for.
    pub(crate) source: Option<SourceUrl>,
    /// Where the manifest came from.
    pub(crate) cache: Option<&'static str>,
    /// What went wrong.
    pub(crate) problem: Option<Kind>,
}

/// The middleware.
pub(crate) async fn observe(
    site: Data<Site>,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let begun = Instant::now();
    let _counted = site.metrics.request_in_flight();
    let route = router::route_of(request.path());
    let id = request_id(request.headers());
    let mut response = match enter(&site, route, &request) {
        Ok(entered) => entered.leave(next.call(request).await?),
        Err(problem) => {
            let refusal = refuse(&site, route, &request, &problem);
            request.into_response(refusal)
        }
    };
    finish(&site, route, &id, &mut response);
    let seconds = begun.elapsed().as_secs_f64();
    count(&site, route, &response, seconds);
    log(route, &id, &response, seconds);
    Ok(response)
}

/// A request that may be answered.
struct Entered {
    admission: Admission,
    place: Option<Place>,
}

/// Judges a request before anything is done for it: its size, its caller's share, its right.
fn enter(site: &Site, route: Route, request: &ServiceRequest) -> Result<Entered, Problem> {
    if let Some(problem) = site.limits.judge(request) {
        return Err(problem);
    }
    // The router reads escapes, and whoever judges a route does not: no path of ours has one.
    if request.path().contains('%') {
        return Err(router::not_found());
    }
    let place = match route {
        // Whoever restarts and balances must always get an answer.
        Route::Health | Route::Ready => None,
        _ => {
            let caller = site.callers.find(request);
            request.extensions_mut().insert(caller);
            site.callers.enter(caller).map_err(|refusal| site.turn_away(*refusal))?
        }
    };
    let admission = site.access.admit(route, request);
    let admission = admission.map_err(|refusal| site.turn_away(*refusal))?;
    Ok(Entered { admission, place })
}

fn refuse(site: &Site, route: Route, request: &ServiceRequest, problem: &Problem) -> HttpResponse {
    if web::is_for_people(route, request.headers()) {
        let query = request.query_string();
        return web::tell(problem, &site.assets, route, query, request.headers(), None);
    }
    let mut response = problem.response();
    let outcome = Outcome { problem: Some(problem.kind()), ..Outcome::default() };
    response.extensions_mut().insert(outcome);
    response
}

impl Entered {
    /// What a token has opened is for its owner; the place is held until all is sent.
    fn leave(self, response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
        let mut response = response.map_body(|_, body| sending::in_portions(body, self.place));
        if self.admission == Admission::Token {
            caching::make_private(response.headers_mut());
        }
        response
    }
}

/// Adds what every response carries, errors too.
fn finish(site: &Site, route: Route, id: &HeaderValue, response: &mut ServiceResponse<BoxBody>) {
    let head = response.response_mut().head_mut();
    if site.phase.is_draining() {
        head.set_connection_type(ConnectionType::Close);
    }
    let headers = head.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_REQUEST_ID, id.clone());
    if matches!(route, Route::Feed | Route::Named | Route::WellKnown | Route::Discover) {
        headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
        // Browser clients are clients; nothing here depends on who asks.
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
}

fn count(site: &Site, route: Route, response: &ServiceResponse<BoxBody>, seconds: f64) {
    site.metrics.request(route, response.status().as_u16(), seconds);
    site.metrics.bytes_sent(body_bytes(response));
    let extensions = response.response().extensions();
    if let Some(problem) = extensions.get::<Kind>() {
        site.metrics.problem(problem.name(), 1);
    }
}

/// The canonical line. Failures of ours and of sources stand out; a client's own do not.
fn log(route: Route, id: &HeaderValue, response: &ServiceResponse<BoxBody>, seconds: f64) {
    let extensions = response.response().extensions();
    let outcome = extensions.get::<Outcome>();
    let source = outcome.and_then(|outcome| outcome.source.as_ref());
    tracing::info!(
        request.id = id.to_str().unwrap_or_default(),
        request.method = response.request().method().as_str(),
        request.route = route.as_str(),
        source.host = source.map(SourceUrl::host),
        response.status = response.status().as_u16(),
        response.bytes = body_bytes(response),
        response.seconds = seconds,
        cache.outcome = outcome.and_then(|outcome| outcome.cache),
        problem = outcome.and_then(|outcome| outcome.problem).map(Kind::name),
        "answered"
    );
    if let Some(source) = source {
        tracing::debug!(
            request.id = id.to_str().unwrap_or_default(),
            source.url = source.as_str(),
            "asked for"
        );
    }
}

/// The bytes that are really sent: none for `HEAD`.
fn body_bytes(response: &ServiceResponse<BoxBody>) -> u64 {
    match response.response().body().size() {
        BodySize::Sized(bytes) if response.request().method() != "HEAD" => bytes,
        _ => 0,
    }
}

/// The id that a proxy gave, if it can stand in a log line, or a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    headers
        .get(X_REQUEST_ID)
        .filter(|given| (1..=64).contains(&given.len()) && given.as_bytes().iter().all(is_id))
        .cloned()
        .or_else(|| HeaderValue::from_str(&format!("{:032x}", rand::random::<u128>())).ok())
        .unwrap_or(HeaderValue::from_static("none"))
}

fn is_id(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.:".contains(byte)
}

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// What a script in a browser may read beside the headers that it always may.
const EXPOSED: &str = "age, cache-status, etag, link, retry-after, x-request-id";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_id_is_kept_if_it_can_stand_in_a_log_line() {
        let long = "x".repeat(65);
        for (given, kept) in [("a-1_b.c:d", true), ("a b", false), ("", false), (&long, false)] {
            let mut headers = HeaderMap::new();
            headers.insert(X_REQUEST_ID, HeaderValue::from_str(given).unwrap());
            assert_eq!(request_id(&headers) == given, kept, "{given}");
        }
    }

    #[test]
    fn a_new_id_is_32_digits_and_another_each_time() {
        let (first, second) = (request_id(&HeaderMap::new()), request_id(&HeaderMap::new()));
        assert_eq!(first.len(), 32);
        assert_ne!(first, second);
    }
}
