//! Every metric that the gateway shows, in one place.
//!
//! Nothing is global: whoever counts is given a [`Metrics`], and clones count together. Names end
//! in units; labels come from closed sets (`labels`), and every value exists from the start, so
//! that a rate over a first failure is not lost. Each metric is described where it is made
//! ([`Family`]); `docs/metrics.md` is written from that.

mod documents;
mod family;
mod labels;
mod memory;
mod polls;
mod process;
mod requests;

use std::sync::Arc;

use prometheus::{Encoder, Error, Registry, TextEncoder};

pub use family::{Counted, Described, Family, Subject};
pub use labels::{
    CacheName, CacheOutcome, CallerRefusal, Form, ItemOutcome, LeaseOutcome, Operation,
    PollOutcome, Queue, Route, Stage, Swept,
};
pub use memory::Sizes;

use documents::Documents;
use family::Families;
use memory::Memory;
use polls::Polls;
use process::Process;
use requests::Requests;

/// All collectors, and the registry that shows them.
#[derive(Clone, Debug)]
pub struct Metrics {
    registry: Registry,
    subjects: Arc<[Subject]>,
    requests: Requests,
    polls: Polls,
    documents: Documents,
    memory: Memory,
    process: Process,
}

impl Metrics {
    /// Makes all collectors, at zero.
    ///
    /// # Errors
    /// Fails if two collectors have one name, which a test rules out.
    pub fn new() -> Result<Self, Error> {
        let registry = Registry::new();
        let mut families = Families::new(&registry);
        let requests = Requests::new(&mut families)?;
        let polls = Polls::new(&mut families)?;
        let documents = Documents::new(&mut families)?;
        let memory = Memory::new(&mut families)?;
        let process = Process::new(&mut families)?;
        let subjects = families.list().into();
        Ok(Self { registry, subjects, requests, polls, documents, memory, process })
    }

    /// What there is, described.
    #[must_use]
    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }

    /// Everything in the Prometheus text format.
    ///
    /// # Errors
    /// Fails if a collector is inconsistent.
    pub fn text(&self) -> Result<String, Error> {
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_a_closed_label_starts_at_zero() {
        let text = Metrics::new().unwrap().text().unwrap();
        for line in [
            "mmsp_gateway_requests_total{route=\"feed\",status=\"304\"} 0",
            "mmsp_gateway_polls_total{outcome=\"changed\",source_type=\"podcast\"} 0",
            "mmsp_gateway_polls_total{outcome=\"timeout\",source_type=\"unknown\"} 0",
            "mmsp_gateway_polls_waiting{at=\"domain\"} 0",
            "mmsp_gateway_store_errors_total{operation=\"merge\"} 0",
            "mmsp_gateway_source_bytes_total{form=\"decoded\"} 0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is missing in\n{text}");
        }
    }

    #[test]
    fn clones_count_together() {
        let metrics = Metrics::new().unwrap();
        metrics.clone().request(Route::Feed, 200, 0.01);
        metrics.clone().request(Route::Feed, 299, 0.01);
        let text = metrics.text().unwrap();
        assert!(text.contains("requests_total{route=\"feed\",status=\"200\"} 1"));
        assert!(text.contains("requests_total{route=\"feed\",status=\"other\"} 1"));
    }

    #[test]
    fn a_gauge_is_up_while_its_guard_lives() {
        let metrics = Metrics::new().unwrap();
        let waiting = |count: u8| {
            let line = format!("mmsp_gateway_polls_waiting{{at=\"place\"}} {count}\n");
            metrics.text().unwrap().contains(&line)
        };
        let guard = metrics.poll_waiting(Queue::Place);
        assert!(waiting(1));
        drop(guard);
        assert!(waiting(0));
    }

    #[test]
    fn the_text_says_which_program_and_how_much_memory() {
        let text = Metrics::new().unwrap().text().unwrap();
        assert!(text.contains(concat!("version=\"", env!("CARGO_PKG_VERSION"), "\"} 1")));
        #[cfg(target_os = "linux")]
        assert!(text.contains("process_resident_memory_bytes"));
    }
}
