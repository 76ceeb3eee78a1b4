//! A source for tests: answers from a table, counts who asked, and waits when told to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;

use crate::fetch::{FetchError, Request, Response};

/// Answers by URL. Clones share everything.
#[derive(Clone)]
pub(super) struct Script(Arc<State>);

type Answering = Box<dyn Fn(&Request) -> Result<Response, FetchError> + Send>;

struct State {
    answers: Mutex<HashMap<String, Answering>>,
    requests: Mutex<Vec<String>>,
    gate: Semaphore,
}

impl Script {
    pub(super) fn new() -> Self {
        Self(Arc::new(State {
            answers: Mutex::default(),
            requests: Mutex::default(),
            gate: Semaphore::new(Semaphore::MAX_PERMITS),
        }))
    }

    /// Says what a URL answers from now on.
    pub(super) fn answer(
        &self,
        url: &str,
        answer: impl Fn(&Request) -> Result<Response, FetchError> + Send + 'static,
    ) {
        self.answers().insert(url.to_owned(), Box::new(answer));
    }

    /// An answer may be to break.
    fn answers(&self) -> MutexGuard<'_, HashMap<String, Answering>> {
        self.0.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets no request be answered until [`Script::open`].
    pub(super) fn shut(&self) {
        self.0.gate.forget_permits(Semaphore::MAX_PERMITS);
    }

    pub(super) fn open(&self) {
        self.0.gate.add_permits(Semaphore::MAX_PERMITS);
    }

    /// How often the source was asked.
    pub(super) fn requests(&self) -> usize {
        self.0.requests.lock().unwrap().len()
    }

    /// How often one URL was asked.
    pub(super) fn requests_for(&self, url: &str) -> usize {
        self.0.requests.lock().unwrap().iter().filter(|asked| *asked == url).count()
    }

    pub(super) async fn fetch(&self, request: &Request) -> Result<Response, FetchError> {
        self.0.requests.lock().unwrap().push(request.url.as_str().to_owned());
        drop(self.0.gate.acquire().await);
        let answers = self.answers();
        match answers.get(request.url.as_str()) {
            Some(answer) => answer(request),
            None => Err(FetchError::Status { status: 404, retry_after: None }),
        }
    }
}

/// Stands for a fault of ours in reading: breaks over a document that says so.
pub(super) fn break_if_told(body: &[u8]) {
    assert!(!body.starts_with(BREAKING), "told to break");
}

/// A document that breaks the reader.
pub(super) const BREAKING: &[u8] = b"<rss><!-- break the reader -->";

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Script")
    }
}
