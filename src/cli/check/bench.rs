//! The test bench of an address: everything that a client will meet there, within bounds.
//!
//! It asks through the gateway's own guarded door, one request after the other: the document, the
//! same conditionally, the pages behind it, and where it says that it has moved to. A publisher
//! that asks for rest gets it: the bench stops.

use std::io;
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::task::LocalSet;

use super::conditional::Known;
use super::judgement::{Judgement, Kind, is_meant_as_manifest};
use super::wire;
use crate::cli::document::{Document, DocumentError};
use crate::fetch::{Answer, FetchError, Fetcher, Request, Response, Settings};
use crate::manifest::{self, Head, Next, Severity, Trail};
use crate::model::{SourceUrl, Timestamp};
use Severity::{Advice, Breach, Reject};

/// A bench at work.
pub(super) struct Bench<'f> {
    fetcher: &'f Fetcher,
    pub(super) judgement: Judgement,
    now: Timestamp,
    pub(super) max_pages: usize,
    begun: Instant,
    bytes: u64,
}

/// Nothing more is to be asked: for which reason, in words.
pub(super) struct Halt(pub(super) String);

/// Judges what is at an address.
pub(super) fn judge(
    address: &str,
    settings: &Settings,
    max_pages: usize,
    now: Timestamp,
) -> Result<Judgement, DocumentError> {
    let url =
        SourceUrl::parse(address).map_err(|error| DocumentError::Url(address.to_owned(), error))?;
    let broken = |error: io::Error| DocumentError::Io(address.to_owned(), error);
    let runtime = Builder::new_current_thread().enable_all().build().map_err(broken)?;
    LocalSet::new().block_on(&runtime, async {
        let fetcher = Fetcher::for_user(settings)?;
        let mut bench = Bench {
            fetcher: &fetcher,
            judgement: Judgement::of(address),
            now,
            max_pages,
            begun: Instant::now(),
            bytes: 0,
        };
        if let Err(Halt(why)) = bench.run(url).await {
            bench.judgement.stopped = Some(why);
        }
        Ok(bench.judgement)
    })
}

impl Bench<'_> {
    async fn run(&mut self, url: SourceUrl) -> Result<(), Halt> {
        let at = url.to_string();
        let mut response = match self.ask(Request::new(url)).await? {
            Ok(response) => response,
            Err(error) => {
                wire::failure(&error, &at, self.now, &mut self.judgement.findings);
                return Ok(());
            }
        };
        wire::redirects(&response.redirects, &mut self.judgement.findings);
        self.shake_hands(&response.url).await;
        let Answer::Document(document) = &mut response.answer else { return Ok(()) };
        let is_coded = u64::try_from(document.body.len()) != Ok(document.wire_bytes);
        let document = Document {
            body: std::mem::take(&mut document.body),
            content_type: document.content_type.take(),
            complete: document.complete,
            link_fields: response.links.clone(),
            url: response.url.clone(),
            is_nameless: false,
            is_coded,
        };
        if is_meant_as_manifest(&document) {
            return self.manifest(&response, &document).await;
        }
        self.judgement.take(&document, self.now);
        match self.judgement.kind {
            Kind::Manifest => self.manifest_manners(&response, &document),
            Kind::Feed(_) => {
                if !response.url.is_https() {
                    let what = "the feed is read over http; clients warn, and some reject it";
                    self.judgement.findings.add(Advice, "11", &response.url, what);
                }
                let known = Known { first: &response, body: &document.body, declares: None };
                self.try_conditions(&known).await?;
            }
            Kind::Page | Kind::Unknown => {}
        }
        Ok(())
    }

    /// Looks at the TLS of a publisher that has answered (MMSP 11); a connection that does not come
    /// about a second time is none of the document's.
    async fn shake_hands(&mut self, url: &SourceUrl) {
        if !url.is_https() {
            return;
        }
        let Ok(handshake) = self.fetcher.shake_hands(url).await else { return };
        self.judgement.tls = Some(handshake.version);
        let soon = self.now.plus_seconds(SOON_DAYS * 86_400);
        if let Ok(false) = handshake.is_good_at(soon) {
            let what = format!(
                "the certificate ends within {SOON_DAYS} days; renew it, or clients cannot connect"
            );
            self.judgement.findings.add(Advice, "11", url, what);
        }
    }

    async fn manifest(&mut self, response: &Response, document: &Document) -> Result<(), Halt> {
        self.judgement.kind = Kind::Manifest;
        self.manifest_manners(response, document);
        let mut trail = Trail::default();
        let next = trail.page(response.url.as_str(), &document.body);
        let walked = match manifest::read(&document.body) {
            Ok(head) => self.behaviour(response, document, &head, &mut trail, next).await,
            Err(_) => Ok(()),
        };
        self.judgement.close(&trail);
        walked
    }

    /// What the answer says beside its body.
    fn manifest_manners(&mut self, response: &Response, document: &Document) {
        let at = response.url.as_str();
        let findings = &mut self.judgement.findings;
        if !response.url.is_https() {
            let what = "the manifest is served over http; clients reject the address";
            findings.add(Reject, "11", at, what);
        }
        wire::media_type(document.content_type.as_deref(), at, findings);
        if !document.complete {
            let what = "the answer ends before the length that it announced";
            findings.add(Reject, "5.6", at, what);
        }
        if response.freshness.seconds(self.now).is_none() {
            let what = "there is neither Cache-Control: max-age nor Expires; caches have to guess";
            findings.add(Advice, "RFC 9111, 4.2", at, what);
        }
        if !response.fields.has("Date") {
            let what = "there is no Date; caches reckon the age of an answer from it";
            findings.add(Advice, "RFC 9110, 6.6.1", at, what);
        }
        if document.is_coded && !response.fields.has("Vary") {
            let what = "the answer is compressed, and there is no Vary: Accept-Encoding; caches \
                        may give it to clients that cannot unpack it";
            findings.add(Breach, "RFC 9110, 12.5.5", at, what);
        }
    }

    /// What the publisher does when it is asked for more.
    async fn behaviour(
        &mut self,
        response: &Response,
        document: &Document,
        head: &Head,
        trail: &mut Trail,
        next: Next,
    ) -> Result<(), Halt> {
        let is_canonical = SourceUrl::parse(&head.feed_url).is_ok_and(|url| url == response.url);
        if !is_canonical && head.moved_to.is_none() {
            self.look_at_canonical(response, head).await?;
        }
        if head.sunset.is_some_and(|sunset| sunset < self.now) {
            let what = "the sunset_date has passed, and the feed is still there";
            self.judgement.findings.add(Advice, "8.5", "$.deprecated.sunset_date", what);
        }
        let declares = head.capabilities.iter().any(|name| name == "conditional-get");
        let known = Known { first: response, body: &document.body, declares: Some(declares) };
        self.try_conditions(&known).await?;
        self.walk(trail, next).await?;
        match &head.moved_to {
            Some(to) if *to != head.feed_url => self.follow_move(head, to).await,
            _ => Ok(()),
        }
    }

    /// Asks once more, where the bounds allow it and the publisher does not want to be left alone.
    pub(super) async fn ask(
        &mut self,
        request: Request,
    ) -> Result<Result<Response, FetchError>, Halt> {
        if self.bytes > MAX_BYTES || self.begun.elapsed() > LONGEST {
            return Err(Halt(format!(
                "the check was ended after {} requests and {} bytes",
                self.judgement.requests, self.bytes
            )));
        }
        let is_first = self.judgement.requests == 0;
        self.judgement.requests += 1;
        let at = request.url.to_string();
        let answer = self.fetcher.fetch(&request).await;
        match &answer {
            Ok(Response { answer: Answer::Document(document), .. }) => {
                self.bytes += u64::try_from(document.body.len()).unwrap_or(u64::MAX);
            }
            Err(error) if !is_first => {
                if let Some(what) = wire::rest_asked_for(error, self.now) {
                    self.judgement.findings.add(Advice, "8.3", at, what);
                    return Err(Halt("the publisher asks to be left alone".to_owned()));
                }
            }
            _ => {}
        }
        Ok(answer)
    }
}

/// How many days a certificate had better last: time enough for somebody to notice.
const SOON_DAYS: i64 = 7;

/// Bytes of documents that one check reads, about: 256 MiB.
const MAX_BYTES: u64 = 256 << 20;

/// How long a check may go on asking; a request under way is let end.
const LONGEST: Duration = Duration::from_secs(300);
