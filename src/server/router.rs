//! Which path leads where.

use actix_web::guard::{Any, Get, Head, Options, Post};
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{FromRequest, Handler, HttpRequest, HttpResponse, Resource, Responder};

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
        .service(read_by_scripts(FEED, feed::answer))
        .service(read_by_scripts(NAMED, named::by_name))
        .service(read_by_scripts(WELL_KNOWN_PATH, named::of_the_site))
        .service(read_by_scripts(DISCOVER, discover::answer))
        .service(read(PAGE, METHODS, page::answer))
        .service(read(ASSET, METHODS, assets::answer))
        .service(resource(OPML, WRITING).route(web::route().guard(Post()).to(opml::answer)))
        .service(read(PROBLEM, METHODS, problems::answer))
        .service(read(HEALTHZ, METHODS, health::alive))
        .service(read(READYZ, METHODS, health::ready))
        .service(read(ROBOTS, METHODS, robots::answer))
        .service(read(DESCRIPTION, METHODS, description::answer))
        .default_service(web::to(nothing_here));
}

/// The routes of the metrics listener.
pub(crate) fn operators(config: &mut ServiceConfig) {
    config
        .service(read("/metrics", METHODS, metrics::answer))
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

/// A resource that is read, and may be asked by scripts of other sites what else it takes.
fn read_by_scripts<F, A>(path: &str, answer: F) -> Resource
where
    F: Handler<A>,
    A: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    read(path, METHODS_WITH_OPTIONS, answer).route(web::route().guard(Options()).to(feed::options))
}

/// A resource that is read.
fn read<F, A>(path: &str, methods: &'static str, answer: F) -> Resource
where
    F: Handler<A>,
    A: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    resource(path, methods).route(web::route().guard(Any(Get()).or(Head())).to(answer))
}

/// A resource that says 405 to every other method.
fn resource(path: &str, methods: &'static str) -> Resource {
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
