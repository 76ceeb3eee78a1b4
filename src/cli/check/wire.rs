//! What an answer says of itself beside its body, held against the draft and RFC 9110.

use chrono::DateTime;

use crate::fetch::{FetchError, Redirect, RedirectKind, RetryAfter, Unreachable};
use crate::manifest::{Findings, Severity};
use crate::model::{MimeType, Timestamp, Validators};
use Severity::{Advice, Breach, Reject};

/// Whether a `Content-Type` is that of a manifest.
pub(super) fn is_manifest_type(content_type: Option<&str>) -> bool {
    let essence = content_type.and_then(MimeType::parse);
    essence.is_some_and(|essence| essence.as_str() == "application/mmsp+json")
}

/// Judges the `Content-Type` of a manifest (MMSP 5, 5.6, 14.1).
pub(super) fn media_type(content_type: Option<&str>, at: &str, findings: &mut Findings) {
    if !is_manifest_type(content_type) {
        let said = content_type.map_or("missing".to_owned(), |said| format!("{said:?}"));
        let what = format!(
            "Content-Type is {said}; it must be application/mmsp+json, or clients take the poll \
             for failed"
        );
        findings.add(Breach, "5.6", at, what);
        return;
    }
    let parameters = content_type.into_iter().flat_map(|text| text.split(';').skip(1));
    for (name, value) in parameters.filter_map(|parameter| parameter.split_once('=')) {
        let value = value.trim().trim_matches('"');
        if name.trim().eq_ignore_ascii_case("version") && !value.starts_with("1.") {
            let what = format!("the parameter version is {value:?}; the manifest's is \"1.0\"");
            findings.add(Advice, "14.1", at, what);
        }
        if name.trim().eq_ignore_ascii_case("charset") && !value.eq_ignore_ascii_case("utf-8") {
            let what = format!("the parameter charset is {value:?}; a manifest is UTF-8 always");
            findings.add(Breach, "14.1", at, what);
        }
    }
}

/// Judges the way to a document.
pub(super) fn redirects(redirects: &[Redirect], findings: &mut Findings) {
    for hop in redirects {
        let what = match hop.kind {
            RedirectKind::Permanent => {
                format!("it has moved for good to {}; clients subscribe there", hop.to)
            }
            RedirectKind::Temporary => {
                format!("it leads to {} for now; clients make the detour at every poll", hop.to)
            }
            RedirectKind::Upgrade => {
                format!("it is an http address; {} was read in its place", hop.to)
            }
        };
        findings.add(Advice, "8.4", &hop.from, what);
    }
}

/// Judges the form of the validators (RFC 9110, 8.8).
pub(super) fn validators(validators: &Validators, at: &str, findings: &mut Findings) {
    if let Some(etag) = &validators.etag {
        let opaque = etag.strip_prefix(b"W/").unwrap_or(etag);
        let inner = opaque.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
        if inner.is_none_or(|inner| inner.iter().any(|byte| *byte <= b' ' || *byte == b'"')) {
            let what = format!(
                "ETag is {:?}; an entity tag stands between quotation marks",
                String::from_utf8_lossy(etag)
            );
            findings.add(Breach, "RFC 9110, 8.8.3", at, what);
        }
    }
    if let Some(date) = &validators.last_modified {
        let text = String::from_utf8_lossy(date);
        if !text.ends_with(" GMT") || DateTime::parse_from_rfc2822(&text).is_err() {
            let what = format!(
                "Last-Modified is {text:?}; it is written as Tue, 05 Mar 2024 10:00:00 GMT"
            );
            findings.add(Breach, "RFC 9110, 5.6.7", at, what);
        }
    }
}

/// Says why a document cannot be had, as its clients will see it.
pub(super) fn failure(error: &FetchError, at: &str, now: Timestamp, findings: &mut Findings) {
    if let Some(what) = rest_asked_for(error, now) {
        findings.add(Reject, "8.3", at, what);
        return;
    }
    let clause = match error {
        FetchError::Certificate(_)
        | FetchError::PlainHttp
        | FetchError::Downgrade
        | FetchError::Unreachable(Unreachable::Tls(_)) => "11",
        FetchError::Refused(_) => "12.3",
        FetchError::TooManyRedirects | FetchError::RedirectLoop | FetchError::BadRedirect(_) => {
            "8.4"
        }
        FetchError::UnaskedNotModified => "8.2",
        FetchError::Resting { .. } => "8.3",
        FetchError::Status { .. }
        | FetchError::Challenge { .. }
        | FetchError::Timeout(_)
        | FetchError::Unreachable(_)
        | FetchError::TooLarge
        | FetchError::Undecodable(_)
        | FetchError::Protocol(_) => "5.6",
    };
    findings.add(Reject, clause, at, error.to_string());
}

/// What there is to say of a publisher who asks to be left alone (MMSP 8.3).
pub(super) fn rest_asked_for(error: &FetchError, now: Timestamp) -> Option<String> {
    let FetchError::Status { status: status @ (429 | 503), retry_after } = error else {
        return None;
    };
    Some(match retry_after {
        Some(RetryAfter::Seconds(seconds)) => {
            format!("status {status}; it asks to be left alone for {seconds} seconds")
        }
        Some(RetryAfter::At(moment)) => {
            format!("status {status}; it asks to be left alone until {moment}, now {now}")
        }
        None => format!(
            "status {status} without a Retry-After that can be read; say how long to wait, or \
             clients back off from min_interval_seconds on, doubling"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found, as `severity clause`.
    fn found(look: impl Fn(&mut Findings)) -> Vec<String> {
        let mut findings = Findings::default();
        look(&mut findings);
        let list = findings.list().iter();
        list.map(|f| format!("{} {}", f.severity.as_str(), f.clause)).collect()
    }

    #[test]
    fn a_manifest_has_its_own_media_type() {
        for (said, want) in [
            (Some("application/mmsp+json"), &[][..]),
            (Some("Application/MMSP+JSON; version=1.0; charset=utf-8"), &[]),
            (Some("application/mmsp+json; version=\"2.0\""), &["advice 14.1"]),
            (Some("application/mmsp+json; charset=iso-8859-1"), &["breach 14.1"]),
            (Some("application/json"), &["breach 5.6"]),
            (Some("text/html"), &["breach 5.6"]),
            (None, &["breach 5.6"]),
        ] {
            assert_eq!(found(|findings| media_type(said, "x", findings)), want, "{said:?}");
        }
    }

    #[test]
    fn validators_have_the_form_of_rfc_9110() {
        for (etag, date, want) in [
            (Some("\"a\""), Some("Tue, 05 Mar 2024 10:00:00 GMT"), &[][..]),
            (Some("W/\"a\""), None, &[]),
            (Some("a"), None, &["breach RFC 9110, 8.8.3"]),
            (Some("\"a b\""), None, &["breach RFC 9110, 8.8.3"]),
            (Some("w/\"a\""), None, &["breach RFC 9110, 8.8.3"]),
            (None, Some("2024-03-05T10:00:00Z"), &["breach RFC 9110, 5.6.7"]),
            (None, Some("Tue, 05 Mar 2024 10:00:00 +0100"), &["breach RFC 9110, 5.6.7"]),
        ] {
            let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
            let given = Validators { etag: bytes(etag), last_modified: bytes(date) };
            assert_eq!(found(|findings| validators(&given, "x", findings)), want, "{given:?}");
        }
    }

    #[test]
    fn a_publisher_who_asks_for_rest_is_told_from_one_who_fails() {
        let now = Timestamp::EPOCH;
        let status = |status, retry_after| FetchError::Status { status, retry_after };
        let said = |error: &FetchError| rest_asked_for(error, now);
        let seconds = Some(RetryAfter::Seconds(60));
        assert!(said(&status(429, seconds)).unwrap().contains("60 seconds"));
        assert!(said(&status(429, None)).unwrap().contains("without a Retry-After"));
        assert_eq!(said(&status(500, seconds)), None);
        let failed = found(|findings| failure(&status(404, None), "x", now, findings));
        assert_eq!(failed, ["reject 5.6"]);
        let failed = found(|findings| failure(&FetchError::Downgrade, "x", now, findings));
        assert_eq!(failed, ["reject 11"]);
    }
}
