//! How a source failed: the closed set that is remembered, counted and told.

use serde::{Deserialize, Serialize};

use crate::convert::ConvertError;
use crate::fetch::{DecodeError, FetchError, RefusalKind, RetryAfter};
use crate::metrics::PollOutcome;
use crate::model::Timestamp;

/// A failure of a source, as it is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Which kind it is.
    pub kind: FailureKind,
    /// What a stranger may read of it.
    pub detail: String,
}

/// The ways in which a source can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The address may not be dialled.
    AddressNotAllowed,
    /// The operator closed the gateway to this host.
    HostNotAllowed,
    /// The gateway would ask itself.
    Loop,
    /// A web page, and it names no feed.
    NoFeedFound,
    /// Some other document.
    NotAFeed,
    /// Nothing.
    Empty,
    /// Beyond mending.
    Malformed,
    /// A bot check answered in its place.
    Challenge,
    /// A content coding that is broken or cut.
    Undecodable,
    /// Cut off before the first complete item.
    Truncated,
    /// 404.
    NotFound,
    /// 410.
    Gone,
    /// 401 or 403.
    Refused,
    /// 429, or 503 with a time: it asks to be left alone.
    BackingOff,
    /// Any other status, no connection, broken HTTP.
    Unavailable,
    /// Over the limit of size or expansion.
    TooLarge,
    /// Over the limit of depth.
    TooDeep,
    /// Slower than a poll may take.
    Timeout,
}

impl Failure {
    /// Reads a failure as the store kept it.
    pub(super) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Writes a failure for the store.
    pub(super) fn to_text(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    /// A document that could not be had.
    #[must_use]
    pub fn of_fetch(error: &FetchError) -> Self {
        Self { kind: kind_of_fetch(error), detail: error.to_string() }
    }

    /// A document that is no feed.
    #[must_use]
    pub fn of_convert(error: &ConvertError) -> Self {
        Self { kind: kind_of_convert(error), detail: error.to_string() }
    }

    /// A document whose content coding cannot be undone.
    #[must_use]
    pub fn of_decode(error: &DecodeError) -> Self {
        let kind = match error {
            DecodeError::TooLarge => FailureKind::TooLarge,
            DecodeError::Unsupported | DecodeError::Truncated | DecodeError::Damaged(_) => {
                FailureKind::Undecodable
            }
        };
        Self { kind, detail: error.to_string() }
    }

    /// A page whose offers are pages as well.
    pub(super) fn no_feed_found() -> Self {
        Self::of_convert(&ConvertError::WebPage)
    }

    /// A document that is not the feed that it was said to be.
    pub(super) fn another_feed() -> Self {
        let detail = "the address leads to another feed".to_owned();
        Self { kind: FailureKind::NotAFeed, detail }
    }

    /// A document that broke the reader itself.
    pub(super) fn of_broken_reader() -> Self {
        let detail = "the document cannot be read".to_owned();
        Self { kind: FailureKind::Malformed, detail }
    }
}

impl FailureKind {
    /// Whether it says nothing of the source, but of what the settings let through.
    pub(super) fn is_of_settings(self) -> bool {
        matches!(self, Self::AddressNotAllowed | Self::HostNotAllowed | Self::Loop)
    }

    /// For how long at least such a failure is remembered: a document that is no feed does not
    /// become one in five minutes.
    pub(super) fn remembered_seconds(self) -> u64 {
        match self {
            Self::NoFeedFound | Self::NotAFeed | Self::Empty | Self::Malformed => 600,
            _ => 0,
        }
    }

    pub(super) fn outcome(self) -> PollOutcome {
        match self {
            Self::AddressNotAllowed | Self::HostNotAllowed | Self::Loop => PollOutcome::Refused,
            Self::NoFeedFound | Self::NotAFeed | Self::Empty | Self::Malformed => {
                PollOutcome::NotAFeed
            }
            Self::Undecodable | Self::Truncated | Self::TooLarge | Self::TooDeep => {
                PollOutcome::Unreadable
            }
            Self::NotFound | Self::Gone | Self::Refused | Self::BackingOff | Self::Challenge => {
                PollOutcome::Status
            }
            Self::Unavailable => PollOutcome::Unreachable,
            Self::Timeout => PollOutcome::Timeout,
        }
    }
}

fn kind_of_fetch(error: &FetchError) -> FailureKind {
    match error {
        FetchError::Refused(verdict) => match verdict.kind() {
            RefusalKind::Address => FailureKind::AddressNotAllowed,
            RefusalKind::Host => FailureKind::HostNotAllowed,
            RefusalKind::Loop => FailureKind::Loop,
        },
        FetchError::Status { status, retry_after } => kind_of_status(*status, *retry_after),
        FetchError::Challenge { .. } => FailureKind::Challenge,
        FetchError::Resting { .. } => FailureKind::BackingOff,
        FetchError::Timeout(_) => FailureKind::Timeout,
        FetchError::TooLarge => FailureKind::TooLarge,
        FetchError::Undecodable(_) => FailureKind::Undecodable,
        FetchError::Unreachable(_)
        | FetchError::Certificate(_)
        | FetchError::TooManyRedirects
        | FetchError::RedirectLoop
        | FetchError::Downgrade
        | FetchError::BadRedirect(_)
        | FetchError::PlainHttp
        | FetchError::UnaskedNotModified
        | FetchError::Protocol(_) => FailureKind::Unavailable,
    }
}

fn kind_of_status(status: u16, retry_after: Option<RetryAfter>) -> FailureKind {
    match status {
        401 | 403 => FailureKind::Refused,
        404 => FailureKind::NotFound,
        410 => FailureKind::Gone,
        429 => FailureKind::BackingOff,
        503 if retry_after.is_some() => FailureKind::BackingOff,
        _ => FailureKind::Unavailable,
    }
}

fn kind_of_convert(error: &ConvertError) -> FailureKind {
    match error {
        ConvertError::NotAFeed => FailureKind::NotAFeed,
        ConvertError::WebPage => FailureKind::NoFeedFound,
        ConvertError::Empty => FailureKind::Empty,
        ConvertError::Malformed => FailureKind::Malformed,
        ConvertError::Truncated => FailureKind::Truncated,
        ConvertError::TooLarge => FailureKind::TooLarge,
        ConvertError::TooDeep => FailureKind::TooDeep,
    }
}

/// How long the source asks to be left alone.
pub(super) fn retry_after_seconds(error: &FetchError, now: Timestamp) -> Option<u64> {
    match error {
        FetchError::Status { retry_after, .. } | FetchError::Challenge { retry_after, .. } => {
            retry_after.map(|retry_after| retry_after.seconds_from(now))
        }
        FetchError::Resting { seconds } => Some(*seconds),
        _ => None,
    }
}
