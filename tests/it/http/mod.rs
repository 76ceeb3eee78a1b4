//! What a client on the wire gets from the real program.

mod access;
mod callers;
mod crowd;
mod description;
mod discovery;
mod guard;
mod life;
mod lists;
mod log;
mod manifest;
mod metrics;
mod named;
mod paging;
mod problems;
mod protocol;
mod reload;
mod sources;

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Origin, Program, Response};

/// A program with an origin that it may read, in a folder of their own.
pub struct Pair {
    folder: TempDir,
    pub origin: Origin,
    pub program: Program,
}

impl Pair {
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    pub fn start_with(settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let origin = Origin::start(folder.path());
        let program = Program::start(folder.path(), origin.ca_file(), settings);
        Self { folder, origin, program }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Asks for the manifest of a path at the origin.
    pub fn feed(&self, path: &str, more: &str) -> Response {
        self.program.feed(&self.origin.url(path), more)
    }
}

/// The problem of a response that must tell one, checked for what all of them have.
pub fn problem(response: &Response, status: u16, name: &str) -> Value {
    assert_eq!(response.status, status, "{}", String::from_utf8_lossy(&response.body));
    assert_eq!(response.header("content-type"), Some("application/problem+json"));
    let problem = response.json();
    assert_eq!(problem["type"], format!("/problems/{name}"));
    assert_eq!(problem["status"], status);
    assert!(problem["title"].as_str().is_some_and(|title| !title.is_empty()));
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.len() > 10), "{problem}");
    let cache = response.header("cache-control").unwrap();
    let is_brief = ["public, max-age=", "private, max-age="].iter().any(|it| cache.starts_with(it));
    assert!(cache == "no-store" || is_brief, "{cache}");
    assert!(response.header("etag").is_none());
    problem
}
