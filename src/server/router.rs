//! Which path leads where.

use actix_web::guard::{Any, Get, Head, Options, Post};
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, Resource};

use crate::metrics::Route;

use super::problem::{Kind, Problem};
use super::routes::{
    assets, description, discover, feed, health, metrics, named, opml, page, problems, robots,
};
use super::site::Site;
use super::telling;
use crate::discovery::WELL_KNOWN_PATH;

/// The public routes.
pub(crate) fn public(config: &mut ServiceConfig) {
    config
        .service(
            reading(FEED, METHODS_WITH_OPTIONS)
                .route(web::route().guard(Any(Get()).or(Head())).to(feed::answer))
                .route(web::route().guard(Options()).to(feed::options)),
        )
        .service(
            reading(NAMED, METHODS_WITH_OPTIONS)
                .route(web::route().guard(Any(Get()).or(Head())).to(named::by_name))
                .route(web::route().guard(Options()).to(feed::options)),
        )
        .service(
            reading(WELL_KNOWN_PATH, METHODS_WITH_OPTIONS)
                .route(web::route().guard(Any(Get()).or(Head())).to(named::of_the_site))
                .route(web::route().guard(Options()).to(feed::options)),
        )
        .service(
            reading(DISCOVER, METHODS_WITH_OPTIONS)
                .route(web::route().guard(Any(Get()).or(Head())).to(discover::answer))
                .route(web::route().guard(Options()).to(feed::options)),
        )
        .service(
            reading(PAGE, METHODS)
                .route(web::route().guard(Any(Get()).or(Head())).to(page::answer)),
        )
        .service(
            reading(ASSET, METHODS)
                .route(web::route().guard(Any(Get()).or(Head())).to(assets::answer)),
        )
        .service(reading(OPML, WRITING).route(web::route().guard(Post()).to(opml::answer)))
        .service(
            reading(PROBLEM, METHODS)
                .route(web::route().guard(Any(Get()).or(Head())).to(problems::answer)),
        )
        .service(
            reading(HEALTHZ, METHODS)
                .route(web::route().guard(Any(Get()).or(Head())).to(health::alive)),
        )
        .service(
            reading(READYZ, METHODS)
                .route(web::route().guard(Any(Get()).or(Head())).to(health::ready)),
        )
        .service(
            reading(ROBOTS, METHODS)
                .route(web::route().guard(Any(Get()).or(Head())).to(robots::answer)),
        )
        .service(
            reading(DESCRIPTION, METHODS)
                .route(web::route().guard(Any(Get()).or(Head())).to(description::answer)),
        )
        .default_service(web::to(nothing_here));
}

/// The routes of the metrics listener.
pub(crate) fn operators(config: &mut ServiceConfig) {
    config
        .service(
            reading("/metrics", METHODS)
                .route(web::route().guard(Any(Get()).or(Head())).to(metrics::answer)),
        )
        .default_service(web::to(nothing_here));
}

/// The route that a path belongs to, for metrics and the log.
pub(crate) fn route_of(path: &str) -> Route {
    match path {
        FEED => Route::Feed,
        DISCOVER => Route::Discover,
        PAGE => Route::Page,
        WELL_KNOWN_PATH => Route::WellKnown,
        OPML => Route::Opml,
        HEALTHZ => Route::Health,
        READYZ => Route::Ready,
        ROBOTS => Route::Robots,
        DESCRIPTION => Route::Description,
        _ if path.starts_with("/assets/") => Route::Asset,
        _ if path.starts_with("/problems/") => Route::Problem,
        _ if is_named(path) => Route::Named,
        _ => Route::Unknown,
    }
}

/// Whether the path is one that `NAMED` stands for.
fn is_named(path: &str) -> bool {
    let name = path.strip_prefix("/mmsp/").and_then(|rest| rest.strip_suffix(".json"));
    name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
}

pub(crate) const FEED: &str = "/mmsp/feed";
pub(crate) const NAMED: &str = "/mmsp/{name}.json";
pub(crate) const DISCOVER: &str = "/mmsp/discover";
pub(crate) const PAGE: &str = "/";
pub(crate) const ASSET: &str = "/assets/{name}";
pub(crate) const OPML: &str = "/opml";
pub(crate) const HEALTHZ: &str = "/healthz";
pub(crate) const READYZ: &str = "/readyz";
pub(crate) const ROBOTS: &str = "/robots.txt";
pub(crate) const DESCRIPTION: &str = "/openapi.json";
pub(crate) const PROBLEM: &str = "/problems/{name}";

const METHODS: &str = "GET, HEAD";
const WRITING: &str = "POST";
pub(crate) const METHODS_WITH_OPTIONS: &str = "GET, HEAD, OPTIONS";

/// A resource that says 405 to every other method.
fn reading(path: &str, methods: &'static str) -> Resource {
    let refuse = move |request: HttpRequest, site: Option<Data<Site>>| async move {
        let detail = format!("Use one of {methods}.");
        let problem = Problem::new(Kind::MethodNotAllowed, detail).allow(methods);
        match site {
            Some(site) => telling::tell(&site, &request, &problem, None),
            // The metrics listener has nothing for people.
            None => problem.response(),
        }
    };
    web::resource(path).default_service(web::to(refuse))
}

async fn nothing_here() -> HttpResponse {
    not_found().response()
}

/// What there is under any other path.
pub(crate) fn not_found() -> Problem {
    Problem::new(
        Kind::NotFound,
        "Manifests are at /mmsp/feed?url=URL, and the page for people is at /.",
    )
}
