//! What each failure of the floors below becomes: one row a variant, no wildcard.

use crate::gateway::{Failure, FailureKind, GatewayError};
use crate::server::query::{Parameter, QueryError};

use super::{Kind, Problem};

impl Kind {
    /// The kind of problem that a failure of a source is.
    #[must_use]
    pub fn of(failure: FailureKind) -> Self {
        match failure {
            FailureKind::AddressNotAllowed => Self::AddressNotAllowed,
            FailureKind::HostNotAllowed => Self::HostNotAllowed,
            FailureKind::Loop => Self::Loop,
            FailureKind::NoFeedFound => Self::NoFeedFound,
            FailureKind::NotAFeed => Self::NotAFeed,
            FailureKind::Challenge => Self::SourceChallenge,
            FailureKind::Empty => Self::SourceEmpty,
            FailureKind::Malformed => Self::SourceMalformed,
            FailureKind::Undecodable => Self::SourceUndecodable,
            FailureKind::Truncated => Self::SourceTruncated,
            FailureKind::NotFound => Self::SourceNotFound,
            FailureKind::Gone => Self::SourceGone,
            FailureKind::Refused => Self::SourceRefused,
            FailureKind::BackingOff => Self::SourceBackingOff,
            FailureKind::Unavailable => Self::SourceUnavailable,
            FailureKind::TooLarge => Self::SourceTooLarge,
            FailureKind::TooDeep => Self::SourceTooDeep,
            FailureKind::Timeout => Self::SourceTimeout,
        }
    }
}

impl Problem {
    /// The problem of a source, without saying which: as the command line tells it too.
    #[must_use]
    pub fn of_failure(failure: &Failure) -> Self {
        let kind = Kind::of(failure.kind);
        Self::new(kind, sentences(&failure.detail, kind.advice()))
    }
}

impl From<&GatewayError> for Problem {
    fn from(error: &GatewayError) -> Self {
        match error {
            GatewayError::InvalidCursor(error) => {
                Self::new(Kind::InvalidCursor, sentence(&error.to_string()))
            }
            GatewayError::Source { url, failure, retry_after_seconds } => {
                let problem = Self::of_failure(failure).with("url", url.as_str());
                // No waiting opens an address that is closed.
                let is_refusal = problem.kind().status() == 403;
                problem.retry_after((!is_refusal).then_some(*retry_after_seconds))
            }
            GatewayError::SourceTimeout { url } => {
                Self::new(Kind::SourceTimeout, sentences(&error.to_string(), ASK_AGAIN))
                    .with("url", url.as_str())
                    .retry_after(Some(MINUTE))
            }
            GatewayError::Overloaded { retry_after_seconds } => {
                Self::new(Kind::Overloaded, sentences(&error.to_string(), ASK_AGAIN))
                    .retry_after(Some(*retry_after_seconds))
            }
            GatewayError::Store(_) => {
                Self::new(Kind::Overloaded, sentences(&error.to_string(), ASK_AGAIN))
                    .retry_after(Some(MINUTE))
            }
            GatewayError::Internal => {
                Self::new(Kind::Internal, sentences(&error.to_string(), Kind::Internal.advice()))
            }
        }
    }
}

impl From<&QueryError> for Problem {
    fn from(error: &QueryError) -> Self {
        let problem = Self::new(kind_of_query(error), sentence(&error.to_string()));
        match error {
            QueryError::NoUrl
            | QueryError::Url(_)
            | QueryError::Limit(_)
            | QueryError::EmptyCursor => problem,
            QueryError::Twice(parameter) | QueryError::Encoding(parameter) => {
                problem.with("parameter", parameter.to_string())
            }
            QueryError::UnknownOfNamed(name) => problem.with("parameter", name.as_str()),
            QueryError::Unknown { name, meant } => {
                let problem = problem.with("parameter", name.as_str());
                match meant {
                    Some(query) => problem.with("try", format!("/mmsp/feed?{query}")),
                    None => problem,
                }
            }
        }
    }
}

fn kind_of_query(error: &QueryError) -> Kind {
    match error {
        QueryError::NoUrl | QueryError::Url(_) => Kind::InvalidUrl,
        QueryError::Limit(_) => Kind::InvalidLimit,
        QueryError::EmptyCursor => Kind::InvalidCursor,
        QueryError::Unknown { .. } | QueryError::UnknownOfNamed(_) => Kind::UnknownParameter,
        QueryError::Twice(parameter) | QueryError::Encoding(parameter) => match parameter {
            Parameter::Url => Kind::InvalidUrl,
            Parameter::Cursor => Kind::InvalidCursor,
            Parameter::Limit => Kind::InvalidLimit,
            Parameter::Sig => Kind::NotSigned,
        },
    }
}

/// Errors are written as parts of sentences; a detail is read on its own.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str().trim_end_matches('.'))
}

fn sentences(what: &str, then: &str) -> String {
    format!("{} {then}", sentence(what))
}

const ASK_AGAIN: &str = "Ask again in a while.";
const MINUTE: u64 = 60;

#[cfg(test)]
mod tests {
    use percent_encoding::percent_decode_str;

    use crate::model::SourceUrl;
    use crate::server::Query;

    use super::*;

    #[test]
    fn a_failed_source_is_told_with_its_address_and_what_to_do() {
        let failure = Failure { kind: FailureKind::Gone, detail: "it is gone".to_owned() };
        let url = SourceUrl::parse("x.example").unwrap();
        let error = GatewayError::Source { url: url.into(), failure, retry_after_seconds: 5 };
        let json = Problem::from(&error).json();
        assert_eq!(
            json["detail"],
            "It is gone. The publisher has taken the feed down. Unsubscribe."
        );
        assert_eq!(json["url"], "https://x.example/");
        assert_eq!(json["retry_after_seconds"], 5);
        assert_eq!(json["status"], 410);
    }

    #[test]
    fn an_unencoded_address_is_handed_back_encoded() {
        let error = Query::parse("url=https://x.example/f?a=1&b=2").unwrap_err();
        let json = Problem::from(&error).json();
        assert_eq!(json["parameter"], "b");
        let again = json["try"].as_str().unwrap().strip_prefix("/mmsp/feed?url=").unwrap();
        assert_eq!(percent_decode_str(again).decode_utf8().unwrap(), "https://x.example/f?a=1&b=2");
    }
}
