//! What a client on the wire gets from the real program.

mod crowd;
mod guard;
mod life;
mod manifest;
mod metrics;
mod paging;
mod problems;
mod protocol;

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Origin, Program, Response};

/// A program with an origin that it may read, in a folder of their own.
struct Pair {
    folder: TempDir,
    origin: Origin,
    program: Program,
}

impl Pair {
    fn start() -> Self {
        Self::start_with(&[])
    }

    fn start_with(settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let origin = Origin::start(folder.path());
        let program = Program::start(folder.path(), origin.ca_file(), settings);
        Self { folder, origin, program }
    }

    fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Asks for the manifest of a path at the origin.
    fn feed(&self, path: &str, more: &str) -> Response {
        self.program.feed(&self.origin.url(path), more)
    }
}

/// The problem of a response that must tell one, checked for what all of them have.
fn problem(response: &Response, status: u16, name: &str) -> Value {
    assert_eq!(response.status, status, "{}", String::from_utf8_lossy(&response.body));
    assert_eq!(response.header("content-type"), Some("application/problem+json"));
    let problem = response.json();
    assert_eq!(problem["type"], format!("/problems/{name}"));
    assert_eq!(problem["status"], status);
    assert!(problem["title"].as_str().is_some_and(|title| !title.is_empty()));
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.len() > 10), "{problem}");
    let cache = response.header("cache-control").unwrap();
    assert!(cache == "no-store" || cache.starts_with("public, max-age="), "{cache}");
    assert!(response.header("etag").is_none());
    problem
}
