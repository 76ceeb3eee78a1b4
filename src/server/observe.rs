//! What happens around every request: its id, its limits, its headers, one log line, its metrics.

use std::time::Instant;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, HeaderName, HeaderValue,
    X_CONTENT_TYPE_OPTIONS,
};
use actix_web::http::{ConnectionType, Method};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage, HttpRequest};

use crate::gateway::Waits;
use crate::metrics::{CallerRefusal, Route};
use crate::model::SourceUrl;

use super::access::Admission;
use super::callers::Place;
use super::problem::{Kind, Problem};
use super::request_id::{RequestId, X_REQUEST_ID};
use super::site::Site;
use super::{caching, router, sending, telling};

/// What a handler leaves in its response's extensions for the log. A problem leaves its `Kind` there
/// by itself.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The source that was asked for.
    pub(crate) source: Option<SourceUrl>,
    /// Where the manifest came from.
    pub(crate) cache: Option<&'static str>,
}

/// Where it is noted what a request waits for.
pub(crate) fn waits(request: &HttpRequest) -> Waits {
    request.extensions().get::<Waits>().cloned().unwrap_or_default()
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
    let id = RequestId::of(request.headers());
    request.extensions_mut().insert(Waits::default());
    let mut response = match enter(&site, route, &request) {
        Ok(entered) => entered.leave(next.call(request).await?),
        Err(problem) => {
            let refusal = telling::tell(&site, request.request(), &problem, None);
            request.into_response(refusal)
        }
    };
    finish(&site, route, &id.id, &mut response);
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
            let entered = site.callers.enter(caller);
            entered.map_err(|refusal| site.turn_away(&mut request.extensions_mut(), *refusal))?
        }
    };
    let admission = site.access.now().admit(route, request);
    let admission =
        admission.map_err(|refusal| site.turn_away(&mut request.extensions_mut(), *refusal))?;
    Ok(Entered { admission, place })
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
    if FOR_SCRIPTS.contains(&route) {
        headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
        // Browser clients are clients; nothing here depends on who asks.
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
}

fn count(site: &Site, route: Route, response: &ServiceResponse<BoxBody>, seconds: f64) {
    site.metrics.request(route, response.status().as_u16(), seconds);
    site.metrics.bytes_sent(body_bytes(response));
    if let Some(kind) = problem(response) {
        site.metrics.problem(kind.name(), 1);
    }
}

/// What went wrong, if anything did.
fn problem(response: &ServiceResponse<BoxBody>) -> Option<Kind> {
    response.response().extensions().get::<Kind>().copied()
}

/// The canonical line, one for each request: what was asked for, who was turned away and why, where
/// the answer came from, how the source answered, and what took how long.
fn log(route: Route, id: &RequestId, response: &ServiceResponse<BoxBody>, seconds: f64) {
    let extensions = response.response().extensions();
    let outcome = extensions.get::<Outcome>();
    let source = outcome.and_then(|outcome| outcome.source.as_ref());
    let request = response.request().extensions();
    let waits = request.get::<Waits>();
    let refusal = request.get::<CallerRefusal>();
    let request_id = id.id.to_str().unwrap_or_default();
    tracing::info!(
        request.id = request_id,
        request.method = shown(response.request().method()),
        request.route = route.as_str(),
        trace.id = id.trace.as_ref().map(|(trace, _)| trace),
        trace.parent = id.trace.as_ref().map(|(_, span)| span),
        access.refused = refusal.map(|refusal| refusal.as_str()),
        source.host = source.map(SourceUrl::host),
        source.outcome = waits.and_then(Waits::outcome),
        source.seconds = waits.and_then(Waits::source).map(|time| time.as_secs_f64()),
        store.seconds = waits.and_then(Waits::store).map(|time| time.as_secs_f64()),
        cache.outcome = outcome.and_then(|outcome| outcome.cache),
        response.status = response.status().as_u16(),
        response.bytes = body_bytes(response),
        response.seconds = seconds,
        problem = problem(response).map(Kind::name),
        "answered"
    );
    if let Some(source) = source {
        tracing::debug!(request.id = request_id, source.url = source.as_str(), "asked for");
    }
}

/// A method as a line has room for it: whoever makes one up may make it long.
fn shown(method: &Method) -> &str {
    method.as_str().get(..LONGEST_METHOD).unwrap_or(method.as_str())
}

const LONGEST_METHOD: usize = 32;

/// The bytes that are really sent: none for `HEAD`.
fn body_bytes(response: &ServiceResponse<BoxBody>) -> u64 {
    match response.response().body().size() {
        BodySize::Sized(bytes) if response.request().method() != "HEAD" => bytes,
        _ => 0,
    }
}

/// What scripts in browsers may read, wherever they come from.
const FOR_SCRIPTS: [Route; 5] =
    [Route::Feed, Route::Named, Route::WellKnown, Route::Discover, Route::Description];

const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// What a script in a browser may read beside the headers that it always may.
const EXPOSED: &str = "age, cache-status, etag, link, retry-after, x-request-id";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_that_somebody_made_up_does_not_fill_the_log() {
        let long = "A".repeat(20_000);
        for (method, shown_as) in [("GET", "GET"), ("PROPFIND", "PROPFIND"), (&long, &long[..32])] {
            assert_eq!(shown(&Method::from_bytes(method.as_bytes()).unwrap()), shown_as);
        }
    }
}
