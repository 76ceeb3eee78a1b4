//! Conditional requests (MMSP 8.2, RFC 9110 13): does a publisher know its own validators again?

use super::bench::{Bench, Halt};
use super::wire;
use crate::fetch::{Answer, FetchError, Request, Response};
use crate::manifest::Severity;
use crate::model::Validators;
use Severity::{Advice, Breach};

/// What is known of conditional requests beforehand.
pub(super) struct Known<'a> {
    /// The answer to the first request.
    pub(super) first: &'a Response,
    /// Its body.
    pub(super) body: &'a [u8],
    /// Whether the manifest declares `conditional-get`; none where it is no manifest.
    pub(super) declares: Option<bool>,
}

impl Bench<'_> {
    /// Asks again with each validator alone, and once with a tag that was never given out.
    pub(super) async fn try_conditions(&mut self, known: &Known<'_>) -> Result<(), Halt> {
        let at = known.first.url.to_string();
        let given = &known.first.validators;
        if given.is_empty() {
            let (severity, clause, what) = match known.declares {
                Some(true) => (
                    Breach,
                    "5.4",
                    "conditional-get is declared, and there is neither ETag nor Last-Modified",
                ),
                _ => (
                    Advice,
                    "8.2",
                    "there is neither ETag nor Last-Modified: every poll transfers everything",
                ),
            };
            self.judgement.findings.add(severity, clause, at, what);
            return Ok(());
        }
        wire::validators(given, &at, &mut self.judgement.findings);
        if known.declares == Some(false) {
            let what = "there are validators; declare the capability \"conditional-get\"";
            self.judgement.findings.add(Advice, "5.4", &at, what);
        }
        let etag = Validators { etag: given.etag.clone(), last_modified: None };
        let date = Validators { etag: None, last_modified: given.last_modified.clone() };
        for (validators, names) in [(etag, TAG), (date, DATE)] {
            if !validators.is_empty() {
                self.try_own(known, validators, names).await?;
            }
        }
        self.try_foreign(known).await
    }

    /// A publisher's own validator gets a 304 that repeats what a cache needs.
    async fn try_own(
        &mut self,
        known: &Known<'_>,
        validators: Validators,
        (field, condition): (&str, &str),
    ) -> Result<(), Halt> {
        let at = known.first.url.to_string();
        let severity = if known.declares == Some(true) { Breach } else { Advice };
        let response = match self.ask(conditional(known, validators)).await? {
            Ok(response) => response,
            Err(error) => return self.fails(&at, condition, &error),
        };
        let findings = &mut self.judgement.findings;
        match &response.answer {
            Answer::NotModified => {
                let missing: Vec<_> = known.first.fields.missing_in(&response.fields).collect();
                if !missing.is_empty() {
                    let what = format!(
                        "the 304 to {condition} does not repeat {}; caches need what the 200 had",
                        missing.join(", ")
                    );
                    findings.add(Breach, "RFC 9110, 15.4.5", &at, what);
                }
            }
            Answer::Document(document) if document.body == known.body => {
                let what = format!(
                    "{condition} with its own {field} is answered with the whole document; \
                     answer 304"
                );
                findings.add(severity, "8.2", &at, what);
            }
            Answer::Document(_) => {
                let what = format!(
                    "two requests in a row gave different documents, so {condition} could not be \
                     tried; write the same bytes for the same content"
                );
                findings.add(Advice, "8.2", &at, what);
            }
        }
        Ok(())
    }

    /// A tag that the publisher never gave out gets a document, whatever the date says.
    async fn try_foreign(&mut self, known: &Known<'_>) -> Result<(), Halt> {
        let at = known.first.url.to_string();
        let mut validators = known.first.validators.clone();
        if validators.etag.is_none() {
            return Ok(());
        }
        validators.etag = Some(FOREIGN_TAG.to_vec());
        match self.ask(conditional(known, validators)).await? {
            Ok(Response { answer: Answer::NotModified, .. }) => {
                let what = "If-None-Match with a tag that it never gave out is answered with 304: \
                            clients miss what is new. The tag decides, whatever If-Modified-Since \
                            says";
                self.judgement.findings.add(Breach, "RFC 9110, 13.1.3", at, what);
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(error) => self.fails(&at, TAG.1, &error),
        }
    }

    fn fails(&mut self, at: &str, condition: &str, error: &FetchError) -> Result<(), Halt> {
        let what = format!("the request with {condition} fails: {error}");
        self.judgement.findings.add(Breach, "8.2", at, what);
        Ok(())
    }
}

fn conditional(known: &Known<'_>, validators: Validators) -> Request {
    Request { validators, ..Request::new(known.first.url.clone()) }
}

const TAG: (&str, &str) = ("ETag", "If-None-Match");
const DATE: (&str, &str) = ("Last-Modified", "If-Modified-Since");
const FOREIGN_TAG: &[u8] = b"\"mmsp-gateway-check\"";
