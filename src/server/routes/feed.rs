//! `/mmsp/feed`: the manifest of a source.

use std::sync::Arc;

use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_MAX_AGE, AGE, ALLOW,
    CACHE_CONTROL, CONTENT_ENCODING, DATE, ETAG, HeaderName, LAST_MODIFIED, LINK, LOCATION, VARY,
};
use actix_web::web::{self, Bytes, Data};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};

use crate::gateway::{Answer, GatewayError, NativeAnswer, PageAnswer, PageRequest};
use crate::metrics::Stage;
use crate::model::SourceUrl;
use crate::paging::{Coding, Page};
use crate::server::conditional::Version;
use crate::server::links::Links;
use crate::server::observe::Outcome;
use crate::server::problem::{Kind, Problem};
use crate::server::query::{PageQuery, Query};
use crate::server::router::{self, METHODS_WITH_OPTIONS};
use crate::server::site::Site;
use crate::server::{caching, coding, observe, own};

/// `GET` and `HEAD`.
pub(crate) async fn answer(site: Data<Site>, request: HttpRequest) -> HttpResponse {
    let query = match read(&site, &request) {
        Ok(query) => query,
        Err(problem) => return tell(&problem, None),
    };
    if let Err(problem) = site.count_source(&request, &query.url).await {
        return tell(&problem, Some(query.url));
    }
    let PageQuery { cursor, limit } = query.page;
    let waits = observe::waits(&request);
    show(&site, &request, PageRequest { url: query.url, name: None, cursor, limit, waits }).await
}

/// Answers with the page that was asked for, once it is settled that it may be.
pub(super) async fn show(site: &Site, request: &HttpRequest, asked: PageRequest) -> HttpResponse {
    let source = asked.url.clone();
    match site.gateway.page(&asked).await {
        Ok(Answer::Page(answer)) => send(site, request, source, &answer).await,
        Ok(Answer::Native(native)) => lead_to(&native, source),
        Err(error) => fail(&error, source),
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
pub(super) fn read(site: &Site, request: &HttpRequest) -> Result<Query, Problem> {
    let query = Query::parse(request.query_string()).map_err(|error| Problem::from(&error))?;
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
fn lead_to(native: &NativeAnswer, source: SourceUrl) -> HttpResponse {
    let mut response = HttpResponse::Found();
    response
        .insert_header((LOCATION, native.url.as_str()))
        .insert_header((CACHE_CONTROL, format!("public, max-age={}", native.max_age_seconds)));
    let mut response = response.finish();
    let outcome = Outcome { source: Some(source), cache: Some("native"), problem: None };
    response.extensions_mut().insert(outcome);
    response
}

async fn send(
    site: &Site,
    request: &HttpRequest,
    source: SourceUrl,
    answer: &PageAnswer,
) -> HttpResponse {
    let page = &answer.page;
    let version = Version::new(&page.digest, page.last_modified);
    let wanted = coding::choose(request.headers());
    let mut response = if version.is_known_to(request.headers()) {
        let mut response = HttpResponse::NotModified();
        describe(&mut response, answer, &version, wanted);
        response.finish()
    } else {
        let (body, coding) = body(site, page, wanted).await;
        let mut response = HttpResponse::Ok();
        describe(&mut response, answer, &version, coding);
        response.content_type(MEDIA_TYPE).insert_header((LINK, links(site, page).as_str()));
        if let Some(coding) = coding {
            response.insert_header((CONTENT_ENCODING, coding.as_str()));
        }
        response.body(body)
    };
    response.extensions_mut().insert(Outcome {
        source: Some(source),
        cache: Some(caching::word(&answer.cache)),
        problem: None,
    });
    response
}

/// What a 200 and its 304 have in common (RFC 9110 15.4.5).
fn describe(
    response: &mut HttpResponseBuilder,
    answer: &PageAnswer,
    version: &Version,
    coding: Option<Coding>,
) {
    response
        .insert_header((ETAG, version.entity_tag(coding)))
        .insert_header((LAST_MODIFIED, version.last_modified()))
        .insert_header((VARY, "Accept-Encoding"))
        .insert_header((CACHE_CONTROL, caching::cache_control(answer)))
        .insert_header((AGE, answer.age_seconds))
        .insert_header((CACHE_STATUS, caching::cache_status(answer)));
    if let Some(date) = version.date(answer.answered_at) {
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

fn links(site: &Site, page: &Page) -> Links {
    let mut links = Links::default();
    links.add("self", &page.self_url).add("first", &page.feed_url);
    if let Some(next) = &page.next_url {
        links.add("next", next);
    }
    links.add_typed("via", &page.origin.url, &page.origin.media_type);
    if let Some(own) = &page.origin.manifest_url {
        links.add("canonical", own);
    }
    if let Some(page_url) = &page.origin.page_url {
        links.add("alternate", page_url.as_str());
    }
    let description = format!("{}{}", site.gateway.public_url().as_str(), router::DESCRIPTION);
    links.add_typed("describedby", &description, "application/json");
    links
}

/// Tells a failure of the gateway or of a source.
pub(super) fn fail(error: &GatewayError, source: SourceUrl) -> HttpResponse {
    if let GatewayError::Store(cause) = error {
        tracing::error!(source.host = source.host(), ?cause, "the store does not answer");
    }
    tell(&Problem::from(error), Some(source))
}

pub(super) fn tell(problem: &Problem, source: Option<SourceUrl>) -> HttpResponse {
    let mut response = problem.response();
    response.extensions_mut().insert(Outcome {
        source,
        cache: None,
        problem: Some(problem.kind()),
    });
    response
}

/// MMSP 5, 14.1.
const MEDIA_TYPE: &str = "application/mmsp+json; version=1.0";

const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// A page below is coded in well under a millisecond.
const SMALL_BYTES: usize = 32 * 1024;
