//! `/mmsp/feed`: the manifest of a source.

use std::sync::Arc;

use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_MAX_AGE, AGE, ALLOW,
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, DATE, ETAG, HeaderName, HeaderValue,
    LAST_MODIFIED, LINK, LOCATION, VARY,
};
use actix_web::web::{self, Bytes, Data};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};

use crate::gateway::{Answer, GatewayError, NativeAnswer, PageAnswer, PageRequest};
use crate::metrics::Stage;
use crate::model::SourceUrl;
use crate::paging::{Coding, Page};
use crate::server::notes::Notes;
use crate::server::page_head::PageHead;
use crate::server::problem::{Kind, Problem};
use crate::server::query::{PageQuery, Query};
use crate::server::router::METHODS_WITH_OPTIONS;
use crate::server::site::Site;
use crate::server::telling::tell;
use crate::server::{caching, coding, own};

/// `GET` and `HEAD`.
pub(crate) async fn answer(site: Data<Site>, request: HttpRequest) -> HttpResponse {
    let query = match read(&site, &request) {
        Ok(query) => query,
        Err(problem) => return tell(&site, &request, &problem, None),
    };
    let PageQuery { cursor, limit } = query.page.clone();
    let (url, waits) = (query.url.clone(), Notes::waits(&request));
    let asked = PageRequest { url, name: None, cursor, limit, waits };
    // Most are at hand, and none of those is a new feed of anybody's.
    if let Some(answer) = site.gateway.page_at_hand(&asked).await {
        return conclude(&site, &request, asked.url, answer.map(Answer::Page)).await;
    }
    // In a box, so that room for all that may happen here is not moved about with each hit.
    Box::pin(look(&site, &request, asked)).await
}

/// Answers where more is needed than memory.
async fn look(site: &Site, request: &HttpRequest, asked: PageRequest) -> HttpResponse {
    if let Err(problem) = site.count_source(request, &asked.url).await {
        return tell(site, request, &problem, Some(asked.url));
    }
    show(site, request, asked).await
}

/// Answers with the page that was asked for, once it is settled that it may be.
pub(super) async fn show(site: &Site, request: &HttpRequest, asked: PageRequest) -> HttpResponse {
    let answer = site.gateway.page(&asked).await;
    conclude(site, request, asked.url, answer).await
}

async fn conclude(
    site: &Site,
    request: &HttpRequest,
    source: SourceUrl,
    answer: Result<Answer, GatewayError>,
) -> HttpResponse {
    match answer {
        Ok(Answer::Page(answer)) => {
            Notes::tell(request, Some(source), Some(caching::word(&answer.cache)));
            send(site, request, &answer).await
        }
        Ok(Answer::Native(native)) => {
            Notes::tell(request, Some(source), Some("native"));
            lead_to(&native)
        }
        Err(error) => {
            let problem = problem_of(&error, &source);
            tell(site, request, &problem, Some(source))
        }
    }
}

/// `OPTIONS`, of a browser that asks before it asks.
pub(crate) async fn options() -> HttpResponse {
    HttpResponse::NoContent()
        .insert_header((ALLOW, METHODS_WITH_OPTIONS))
        .insert_header((ACCESS_CONTROL_ALLOW_METHODS, METHODS_WITH_OPTIONS))
        .insert_header((
            ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, if-none-match, if-modified-since",
        ))
        .insert_header((ACCESS_CONTROL_MAX_AGE, "86400"))
        .finish()
}

/// Reads what is asked for, and refuses to ask ourselves.
pub(super) fn read(site: &Site, request: &HttpRequest) -> Result<Arc<Query>, Problem> {
    let query = site.queries.read(request.query_string());
    let query = query.map_err(|error| Problem::from(&error))?;
    refuse_own(site, request, &query)?;
    Ok(query)
}

/// Refuses to ask ourselves.
pub(super) fn refuse_own(site: &Site, request: &HttpRequest, query: &Query) -> Result<(), Problem> {
    let headers = request.headers();
    if own::has_passed_a_gateway(headers)
        || own::is_own(&query.url, site.gateway.public_url().as_str(), headers)
    {
        return Err(Problem::new(Kind::Loop, Kind::Loop.advice()).with("url", query.url.as_str()));
    }
    Ok(())
}

/// Sends the reader to the manifest itself, for as long as it is known to be there.
fn lead_to(native: &NativeAnswer) -> HttpResponse {
    HttpResponse::Found()
        .insert_header((LOCATION, native.url.as_str()))
        .insert_header((CACHE_CONTROL, format!("public, max-age={}", native.max_age_seconds)))
        .finish()
}

async fn send(site: &Site, request: &HttpRequest, answer: &PageAnswer) -> HttpResponse {
    let page = &answer.page;
    let head = PageHead::of(page, &site.gateway.public_url());
    let wanted = coding::choose(request.headers());
    if head.version.is_known_to(request.headers()) {
        let mut response = HttpResponse::NotModified();
        describe(&mut response, answer, &head, wanted);
        response.finish()
    } else {
        let (body, coding) = body(site, page, wanted).await;
        let mut response = HttpResponse::Ok();
        describe(&mut response, answer, &head, coding);
        response
            .insert_header((CONTENT_TYPE, MEDIA_TYPE))
            .insert_header((LINK, head.links.clone()));
        if let Some(coding) = coding {
            response.insert_header((CONTENT_ENCODING, HeaderValue::from_static(coding.as_str())));
        }
        response.body(body)
    }
}

/// What a 200 and its 304 have in common (RFC 9110 15.4.5).
fn describe(
    response: &mut HttpResponseBuilder,
    answer: &PageAnswer,
    head: &PageHead,
    coding: Option<Coding>,
) {
    response
        .insert_header((ETAG, head.entity_tag(coding).clone()))
        .insert_header((LAST_MODIFIED, head.last_modified.clone()))
        .insert_header((VARY, HeaderValue::from_static("Accept-Encoding")))
        .insert_header((CACHE_CONTROL, caching::cache_control(answer)))
        .insert_header((AGE, answer.age_seconds))
        .insert_header((CACHE_STATUS, caching::cache_status(answer)));
    if let Some(date) = head.version.date(answer.answered_at) {
        response.insert_header((DATE, date));
    }
}

/// The page in the coding that is wanted, if that makes it smaller. The first to want it pays; a
/// large page is coded off the event loop.
async fn body(site: &Site, page: &Arc<Page>, wanted: Option<Coding>) -> (Bytes, Option<Coding>) {
    let Some(coding) = wanted else { return (page.body.clone(), None) };
    let coded = if page.is_coded(coding) || page.body.len() < SMALL_BYTES {
        page.coded(coding)
    } else {
        let (page, metrics) = (page.clone(), site.metrics.clone());
        let coded = web::block(move || {
            let begun = std::time::Instant::now();
            let coded = page.coded(coding);
            metrics.stage(Stage::Compress, begun.elapsed().as_secs_f64());
            coded
        });
        coded.await.ok().flatten()
    };
    match coded {
        Some(coded) => (coded, Some(coding)),
        None => (page.body.clone(), None),
    }
}

/// What a failure of the gateway or of a source becomes.
pub(super) fn problem_of(error: &GatewayError, source: &SourceUrl) -> Problem {
    if let GatewayError::Store(cause) = error {
        // That it is away is told where that begins, and the line of the request has the problem.
        tracing::debug!(source.host = source.host(), ?cause, "the store does not answer");
    }
    Problem::from(error)
}

/// MMSP 5, 14.1.
const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/mmsp+json; version=1.0");

const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// A page below is coded in well under a millisecond.
const SMALL_BYTES: usize = 32 * 1024;
