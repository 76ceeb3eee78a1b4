//! How a feed stands, in words: when it was asked, how that went, what was mended of it.

use super::asked::href_of;
use super::words::{self, Moment};
use crate::convert::{Fate, Remark};
use crate::gateway::{CacheStatus, PageAnswer, Standing};
use crate::model::SourceType;
use crate::server::problem::Problem;

/// When a feed was polled, and what came of it.
#[derive(Debug)]
pub(super) struct StandingView {
    pub(super) polled: Moment,
    pub(super) succeeded: Moment,
    pub(super) read: Moment,
    pub(super) next: Moment,
    /// Where the answer came from.
    pub(super) cache: String,
    /// The format and encoding of the document.
    pub(super) format: Option<String>,
    /// The address that is polled.
    pub(super) source: String,
    pub(super) failure: Option<FailureView>,
    pub(super) moved: Option<Moved>,
}

/// How the source failed.
#[derive(Debug)]
pub(super) struct FailureView {
    pub(super) title: &'static str,
    pub(super) detail: String,
    pub(super) since: String,
}

/// Where the feed has moved.
#[derive(Debug)]
pub(super) struct Moved {
    pub(super) href: String,
    pub(super) name: String,
}

/// Remarks of one fate.
#[derive(Debug)]
pub(super) struct Remarks {
    pub(super) title: &'static str,
    pub(super) class: &'static str,
    pub(super) remarks: Vec<RemarkView>,
}

/// Something that did not arrive as it was written.
#[derive(Debug)]
pub(super) struct RemarkView {
    pub(super) what: String,
    pub(super) times: Option<String>,
    pub(super) advice: &'static str,
}

impl StandingView {
    pub(super) fn of(standing: &Standing, answer: &PageAnswer) -> Self {
        let moment = |at| Moment::of(at, standing.now);
        let mut next = moment(standing.next_poll_at);
        if standing.next_poll_at <= standing.now {
            next.ago = "with the next request".to_owned();
        }
        let failure = standing.failure.as_ref().map(|failure| {
            let problem = Problem::of_failure(failure);
            let since = standing.failing_since.unwrap_or(standing.polled_at);
            FailureView {
                title: problem.kind().title(),
                detail: problem.detail().to_owned(),
                since: format!("It has failed since {}.", words::date(since)),
            }
        });
        Self {
            polled: moment(standing.polled_at),
            succeeded: moment(standing.succeeded_at),
            read: moment(standing.read_at),
            next,
            cache: cache(answer, standing),
            format: standing
                .summary
                .as_ref()
                .map(|summary| format!("{}, {}", format_name(&summary.format), summary.encoding)),
            source: standing.url.to_string(),
            failure,
            moved: standing
                .moved_to
                .as_ref()
                .map(|to| Moved { href: href_of(to.as_str()), name: to.to_string() }),
        }
    }
}

impl Remarks {
    /// What was skipped, dropped and mended, each under its own title; none where nobody knows.
    pub(super) fn of(standing: &Standing) -> Option<Vec<Self>> {
        let remarks = standing.summary.as_ref()?.remarks();
        let groups = [
            (Fate::Skipped, "Entries left out", "skipped"),
            (Fate::Dropped, "Parts left out", "dropped"),
            (Fate::Mended, "Mended", "mended"),
        ];
        let group = |(fate, title, class)| Self {
            title,
            class,
            remarks: remarks.iter().filter(|it| it.fate == fate).map(RemarkView::of).collect(),
        };
        Some(groups.map(group).into_iter().filter(|group| !group.remarks.is_empty()).collect())
    }
}

impl RemarkView {
    fn of(remark: &Remark) -> Self {
        let times = (remark.count > 1).then(|| format!("{} times", remark.count));
        let parts: Vec<String> = times.into_iter().chain(remark.place()).collect();
        Self {
            what: words::capitalized(remark.what),
            times: (!parts.is_empty()).then(|| parts.join(", ")),
            advice: remark.advice,
        }
    }
}

/// The link to the remarks.
pub(super) fn remarks_link(remarks: Option<&[Remarks]>) -> String {
    let number = remarks.into_iter().flatten().map(|group| group.remarks.len()).sum();
    match number {
        0 => "Mended and left out".to_owned(),
        number => format!("{} to the publisher", words::count(number, "remark")),
    }
}

pub(super) fn source_name(source_type: SourceType) -> &'static str {
    match source_type {
        SourceType::Rss => "RSS",
        SourceType::Atom => "Atom",
        SourceType::Podcast => "Podcast",
        SourceType::Platform => "JSON Feed",
    }
}

fn cache(answer: &PageAnswer, standing: &Standing) -> String {
    // By the page of a site one comes to feeds that were read before.
    let is_new = standing.now.seconds() - standing.read_at.seconds() < JUST_NOW_SECONDS;
    let from = match &answer.cache {
        CacheStatus::Hit => "from memory",
        CacheStatus::Stored => "from the store",
        CacheStatus::Stale { failure: None, .. } => "what was last seen; the source is slow",
        CacheStatus::Stale { failure: Some(_), .. } => "what was last seen; the source fails",
        CacheStatus::Refreshed { .. } => "the source was asked just now",
        CacheStatus::Miss { .. } if is_new => "read just now, for the first time",
        CacheStatus::Miss { .. } => "the address leads to a feed that was read before",
    };
    let from = words::capitalized(from);
    let is_fresh = !matches!(answer.cache, CacheStatus::Stale { .. });
    match words::rough(answer.max_age_seconds).filter(|_| is_fresh) {
        Some(left) => format!("{from}; fresh for {left}"),
        None => from,
    }
}

const JUST_NOW_SECONDS: i64 = 60;

/// The name of a format as its publishers write it.
fn format_name(short: &str) -> &str {
    FORMATS.iter().find(|(known, _)| *known == short).map_or(short, |(_, name)| name)
}

const FORMATS: [(&str, &str); 12] = [
    ("rss090", "RSS 0.90"),
    ("rss091", "RSS 0.91"),
    ("rss092", "RSS 0.92"),
    ("rss093", "RSS 0.93"),
    ("rss094", "RSS 0.94"),
    ("rss10", "RSS 1.0"),
    ("rss11", "RSS 1.1"),
    ("rss20", "RSS 2.0"),
    ("atom03", "Atom 0.3"),
    ("atom10", "Atom 1.0"),
    ("json10", "JSON Feed 1.0"),
    ("json11", "JSON Feed 1.1"),
];
