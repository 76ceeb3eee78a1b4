//! What became of a document under check, and how one is judged by its bytes.

use super::wire;
use crate::cli::convert::convert_document;
use crate::cli::document::Document;
use crate::convert::{Conversion, Fate, Remark};
use crate::discovery::{self, Page};
use crate::manifest::{self, Findings, Next, Severity, Trail};
use crate::model::Timestamp;

/// What a check of one input came to.
pub(super) struct Judgement {
    /// The input as it was named.
    pub(super) input: String,
    pub(super) kind: Kind,
    pub(super) findings: Findings,
    /// Items, on all pages that were read.
    pub(super) items: usize,
    /// Items that a client skips, or entries that do not become items.
    pub(super) skipped: usize,
    /// Pages that were read.
    pub(super) pages: usize,
    /// Requests that were made.
    pub(super) requests: usize,
    /// The version of TLS that the publisher speaks.
    pub(super) tls: Option<&'static str>,
    /// Why the walk over the pages did not come to its end, where it did not.
    pub(super) stopped: Option<String>,
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An MMSP manifest, or what wants to be one.
    Manifest,
    /// A legacy feed of that format.
    Feed(&'static str),
    /// A web page.
    Page,
    /// Nothing of these, or nothing at all.
    Unknown,
}

impl Judgement {
    /// Nothing is known of that input yet.
    pub(super) fn of(input: &str) -> Self {
        Self {
            input: input.to_owned(),
            kind: Kind::Unknown,
            findings: Findings::default(),
            items: 0,
            skipped: 0,
            pages: 0,
            requests: 0,
            tls: None,
            stopped: None,
        }
    }

    /// Judges a document that stands for itself.
    pub(super) fn take(&mut self, document: &Document, now: Timestamp) {
        if is_meant_as_manifest(document) {
            self.kind = Kind::Manifest;
            if document.content_type.is_some() {
                wire::media_type(document.content_type.as_deref(), &self.input, &mut self.findings);
            }
            let mut trail = Trail::default();
            if let Next::Page(_) = trail.page(document.url.as_str(), &document.body) {
                self.stopped = Some("the pages behind the first are not looked at".to_owned());
            }
            return self.close(&trail);
        }
        match convert_document(document, now) {
            Ok((_, conversion)) => self.take_feed(&conversion),
            Err(_) if is_json(&document.body) => {
                self.kind = Kind::Manifest;
                let mut trail = Trail::default();
                trail.page(document.url.as_str(), &document.body);
                self.close(&trail);
            }
            Err(error) => self.take_other(document, &error.to_string()),
        }
    }

    /// Takes over what was found on a walk over pages.
    pub(super) fn close(&mut self, trail: &Trail) {
        self.findings.append(trail.findings().clone());
        self.items = trail.items();
        self.skipped = trail.skipped();
        self.pages = trail.pages();
    }

    /// What will be lost or mended of a legacy feed.
    fn take_feed(&mut self, conversion: &Conversion) {
        let report = &conversion.report;
        self.kind = Kind::Feed(report.source.format.as_str());
        self.items = report.items.len();
        self.skipped = report.skipped.len();
        self.pages = 1;
        for remark in report.remarks() {
            let severity = match remark.fate {
                Fate::Skipped => Severity::Skip,
                Fate::Dropped => Severity::Drop,
                Fate::Mended => Severity::Advice,
            };
            self.findings.add(severity, "10.1", place(&remark), words(&remark));
        }
    }

    /// A page, with the feeds that it offers; or nothing that anyone could read.
    fn take_other(&mut self, document: &Document, why: &str) {
        let found = discovery::find(&Page {
            body: &document.body,
            content_type: document.content_type.as_deref(),
            url: &document.url,
            link_fields: &document.link_fields,
        });
        let offers: Vec<&str> =
            found.iter().take(MAX_OFFERS).map(|candidate| candidate.url.as_str()).collect();
        if offers.is_empty() {
            self.findings.add(Severity::Reject, "5.6", &self.input, why);
            return;
        }
        self.kind = Kind::Page;
        let what = format!("it is a web page, not a feed; it offers {}", offers.join(", "));
        self.findings.add(Severity::Reject, "9.3", &self.input, what);
    }
}

/// Feeds of a page that are named.
const MAX_OFFERS: usize = 5;

/// Whether a document is to be judged as a manifest: it is one, or says so.
pub(super) fn is_meant_as_manifest(document: &Document) -> bool {
    manifest::is_native(&document.body) || wire::is_manifest_type(document.content_type.as_deref())
}

fn is_json(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    body.starts_with(b"{") || body.starts_with(b"[")
}

fn place(remark: &Remark) -> String {
    let mut entries = remark.entries();
    match (entries.next(), entries.next_back()) {
        (Some(first), Some(last)) => format!("entries {first} to {last}"),
        (Some(one), None) => format!("entry {one}"),
        (None, _) => "the feed".to_owned(),
    }
}

fn words(remark: &Remark) -> String {
    let times = if remark.count > 1 { format!(", {} times", remark.count) } else { String::new() };
    format!("{}{times}. To do: {}", remark.what, remark.advice)
}
