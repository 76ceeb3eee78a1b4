//! The other addresses that a manifest gives its feed: its own, and where it moved to.

use super::bench::{Bench, Halt};
use crate::discovery::WELL_KNOWN_PATH;
use crate::fetch::{Answer, FetchError, Request, Response};
use crate::manifest::{self, Head, Severity};
use crate::model::SourceUrl;
use Severity::{Advice, Breach};

impl Bench<'_> {
    /// Where `feed_url` is another address than the one that was read, the same feed had better be
    /// there (MMSP 5.1). The site's well-known address (9.1) may lead to a feed that has one of its
    /// own.
    pub(super) async fn look_at_canonical(
        &mut self,
        response: &Response,
        head: &Head,
    ) -> Result<(), Halt> {
        const AT: &str = "$.feed_url";
        // What is no https address has been found already.
        let Ok(url) = SourceUrl::parse(&head.feed_url) else { return Ok(()) };
        let answer = self.ask(Request::new(url)).await?;
        let findings = &mut self.judgement.findings;
        match read_manifest(answer) {
            Err(why) => {
                let what = format!(
                    "clients take it for the feed's address, and there is no manifest: {why}"
                );
                findings.add(Breach, "5.1", AT, what);
            }
            Ok(there) if there.id != head.id => {
                let what =
                    "clients take it for the feed's address, and the feed there has another id";
                findings.add(Breach, "5.1", AT, what);
            }
            Ok(_) if response.url.url().path() == WELL_KNOWN_PATH => {}
            Ok(_) => {
                let what = format!(
                    "feed_url names another address than the one that was read, {}",
                    response.url
                );
                findings.add(Advice, "5.1", AT, what);
            }
        }
        Ok(())
    }

    /// Clients follow `moved_to` for good, so it had better lead to the same feed (MMSP 8.4).
    pub(super) async fn follow_move(&mut self, head: &Head, to: &str) -> Result<(), Halt> {
        const AT: &str = "$.moved_to";
        // What is no https address has been found already.
        let Ok(url) = SourceUrl::parse(to) else { return Ok(()) };
        let answer = self.ask(Request::new(url)).await?;
        let findings = &mut self.judgement.findings;
        match read_manifest(answer) {
            Err(why) => {
                let what = format!("clients go there for good, and there is no manifest: {why}");
                findings.add(Breach, "8.4", AT, what);
            }
            Ok(there) if there.id != head.id => {
                let what = "clients go there for good, and the feed there has another id";
                findings.add(Breach, "8.4", AT, what);
            }
            Ok(there) if there.moved_to.as_deref() == Some(&head.feed_url) => {
                let what =
                    "the feed there says that it has moved back here: clients go in a circle";
                findings.add(Breach, "8.4", AT, what);
            }
            Ok(_) => {
                let what = "answer the old address with 301 too, as soon as clients have had time";
                findings.add(Advice, "8.4", AT, what);
            }
        }
        Ok(())
    }
}

/// The manifest of an answer to a request without conditions, or why there is none.
fn read_manifest(answer: Result<Response, FetchError>) -> Result<Head, String> {
    match answer {
        Ok(Response { answer: Answer::Document(document), .. }) => {
            manifest::read(&document.body).map_err(|error| error.to_string())
        }
        Ok(Response { answer: Answer::NotModified, .. }) => {
            Err(FetchError::UnaskedNotModified.to_string())
        }
        Err(error) => Err(error.to_string()),
    }
}
