//! The page for people: as it is served, and as a real browser shows it.
//!
//! The browser is Chromium, driven by its `chromedriver`; accessibility is judged by axe, which npm
//! fetches. `./dev test` installs what is missing.

mod accessible;
mod axe;
mod browser;
mod feeds;
mod journeys;
mod served;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::http::Pair;
use crate::support::Response;

/// The page of a source, with more parameters such as `&limit=3`.
fn target(url: &str, more: &str) -> String {
    format!("/?url={}{more}", utf8_percent_encode(url, NON_ALPHANUMERIC))
}

/// The page of a path at the origin.
fn page(pair: &Pair, path: &str, more: &str) -> Response {
    pair.program.get(&target(&pair.origin.url(path), more))
}
