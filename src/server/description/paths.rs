//! What each route takes and gives: a row for each.

use super::answers::ToldTo;
use super::outcomes::{
    ACCESS, ADDRESS, ALIVE, ASSET, BODY, BUSY, DESCRIPTION, DRAINING, EXPLANATION, FILTER, LIST,
    LONG, MANIFEST, MISSING, NATIVE, OFFERS, PAGE, PAGES, QUERY, RULES, SIGNATURE, SOURCE,
    UNCHANGED,
};
use super::parameters::{
    cursor, cursor_of_form, filter, limit, limit_of_form, name, optional_url, sig, url,
};
use super::row::{Access, Described, Row};
use crate::discovery::WELL_KNOWN_PATH;
use crate::metrics::Route;
use crate::server::router;

/// Describes a route; none where nothing is served.
pub(super) fn describe(route: Route) -> Option<Described> {
    let described = match route {
        Route::Feed => Row {
            path: router::FEED,
            id: "feed",
            summary: "The manifest of a feed, by the feed's address",
            parameters: vec![url(), limit(), cursor(), sig()],
            good: &[MANIFEST, NATIVE, UNCHANGED],
            problems: &[LONG, BUSY, QUERY, ADDRESS, ACCESS, SIGNATURE, SOURCE, PAGES],
            access: Access::Token,
            ..PLAIN
        }
        .for_browsers(),
        Route::Named => Row {
            path: router::NAMED,
            id: "named",
            summary: "The manifest of a feed that the operator named; open to everybody",
            parameters: vec![name("The name of the feed."), limit(), cursor()],
            good: &[MANIFEST, NATIVE, UNCHANGED],
            problems: &[LONG, BUSY, QUERY, SOURCE, PAGES, MISSING],
            ..PLAIN
        }
        .for_browsers(),
        Route::WellKnown => Row {
            path: WELL_KNOWN_PATH,
            id: "well_known",
            summary: "The manifest of the site's own feed, if the operator named one",
            parameters: vec![limit(), cursor()],
            good: &[MANIFEST, NATIVE, UNCHANGED],
            problems: &[LONG, BUSY, QUERY, SOURCE, PAGES, MISSING],
            ..PLAIN
        }
        .for_browsers(),
        Route::Discover => Row {
            path: router::DISCOVER,
            id: "discover",
            summary: "The feeds that a page offers, the best first (MMSP 9.3)",
            parameters: vec![url()],
            good: &[OFFERS],
            problems: &[LONG, BUSY, QUERY, ADDRESS, ACCESS, SIGNATURE, SOURCE],
            access: Access::Token,
            ..PLAIN
        }
        .for_browsers(),
        Route::Page => Row {
            path: router::PAGE,
            id: "page",
            summary: "The page for people: what a client will see of a feed",
            parameters: vec![optional_url(), limit_of_form(), cursor_of_form(), filter()],
            good: &[PAGE],
            problems: &[LONG, BUSY, QUERY, FILTER, ADDRESS, ACCESS, SIGNATURE, SOURCE],
            told: ToldTo::People,
            access: Access::Token,
        }
        .for_all(),
        Route::Asset => Row {
            path: router::ASSET,
            id: "asset",
            summary: "A file that the page loads; its name tells its content",
            parameters: vec![name("The name of the file, as the page has it.")],
            good: &[ASSET],
            problems: &[LONG, BUSY, MISSING],
            ..PLAIN
        }
        .for_all(),
        Route::Opml => Row {
            path: router::OPML,
            id: "opml",
            summary: "A subscription list (OPML) with manifests for feeds; nothing is kept of it",
            good: &[LIST],
            problems: &[LONG, BUSY, ACCESS, BODY],
            told: ToldTo::Both,
            access: Access::Token,
            ..PLAIN
        }
        .for_lists(),
        Route::Problem => Row {
            path: router::PROBLEM,
            id: "problem",
            summary: "What a problem of that name means, and what to do about it",
            parameters: vec![name("The name of the problem, the end of its type.")],
            good: &[EXPLANATION],
            problems: &[LONG, BUSY, MISSING],
            ..PLAIN
        }
        .for_all(),
        Route::Health => Row {
            path: router::HEALTHZ,
            id: "alive",
            summary: "Whether the process answers",
            good: &[ALIVE],
            problems: &[LONG],
            ..PLAIN
        }
        .for_all(),
        Route::Ready => Row {
            path: router::READYZ,
            id: "ready",
            summary: "Whether requests should be sent here",
            good: &[ALIVE, DRAINING],
            problems: &[LONG],
            ..PLAIN
        }
        .for_all(),
        Route::Robots => Row {
            path: router::ROBOTS,
            id: "robots",
            summary: "Nothing here is for crawlers",
            good: &[RULES],
            ..PLAIN
        }
        .for_all(),
        Route::Description => Row {
            path: router::DESCRIPTION,
            id: "description",
            summary: "This description",
            good: &[DESCRIPTION, UNCHANGED],
            ..PLAIN
        }
        .for_all(),
        Route::Unknown => return None,
    };
    Some(described)
}

/// A path that is open to everybody, and takes nothing.
const PLAIN: Row = Row {
    path: "",
    id: "",
    summary: "",
    parameters: Vec::new(),
    good: &[],
    problems: &[LONG, BUSY],
    told: ToldTo::Programs,
    access: Access::Open,
};
