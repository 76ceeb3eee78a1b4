//! What a source says about time: how long its answer stays fresh, and when to ask again.

use awc::http::header::{self, HeaderMap};
use chrono::{DateTime, NaiveDateTime};

use crate::model::Timestamp;

/// How long a source calls its answer fresh (RFC 9111, 4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freshness {
    /// `s-maxage`, else `max-age`, less the `Age` that the answer already has; in seconds.
    pub max_age_seconds: Option<u64>,
    /// The moment that `Expires` names; the epoch where it cannot be read (RFC 9111, 5.3).
    pub expires: Option<Timestamp>,
    /// The moment of the answer by the source's own clock.
    pub date: Option<Timestamp>,
}

impl Freshness {
    /// What the header fields say.
    #[must_use]
    pub(super) fn read(headers: &HeaderMap) -> Self {
        let age = text(headers, &header::AGE).and_then(parse_seconds).unwrap_or_default();
        Self {
            max_age_seconds: max_age(headers).map(|seconds| seconds.saturating_sub(age)),
            expires: text(headers, &header::EXPIRES)
                .map(|value| parse_http_date(value).unwrap_or(Timestamp::EPOCH)),
            date: text(headers, &header::DATE).and_then(parse_http_date),
        }
    }

    /// Seconds of freshness that are left; `received` stands in for a missing `Date`.
    #[must_use]
    pub fn seconds(&self, received: Timestamp) -> Option<u64> {
        self.max_age_seconds.or_else(|| {
            let left = self.expires?.seconds() - self.date.unwrap_or(received).seconds();
            Some(u64::try_from(left).unwrap_or_default())
        })
    }
}

/// When a source wants to be asked again (RFC 9110, 10.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// After so many seconds.
    Seconds(u64),
    /// Not before this moment.
    At(Timestamp),
}

impl RetryAfter {
    /// What the header field says; none where it says nothing that can be read.
    #[must_use]
    pub(super) fn read(headers: &HeaderMap) -> Option<Self> {
        let value = text(headers, &header::RETRY_AFTER)?;
        let seconds = || parse_seconds(value).map(Self::Seconds);
        seconds().or_else(|| parse_http_date(value).map(Self::At))
    }

    /// Seconds to wait from this moment on.
    #[must_use]
    pub fn seconds_from(self, now: Timestamp) -> u64 {
        match self {
            Self::Seconds(seconds) => seconds,
            Self::At(moment) => u64::try_from(moment.seconds() - now.seconds()).unwrap_or_default(),
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

/// A shared cache follows `s-maxage` first (RFC 9111, 5.2.2.10).
fn max_age(headers: &HeaderMap) -> Option<u64> {
    let directives = || {
        headers
            .get_all(header::CACHE_CONTROL)
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .filter_map(|directive| directive.split_once('='))
    };
    let find = |name: &str| {
        directives()
            .find(|(known, _)| known.trim().eq_ignore_ascii_case(name))
            .and_then(|(_, value)| parse_seconds(value.trim().trim_matches('"')))
    };
    find("s-maxage").or_else(|| find("max-age"))
}

/// Digits only; what is too large to count is as large as can be (RFC 9111, 1.2.2).
fn parse_seconds(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

/// An HTTP date in any of its three forms (RFC 9110, 5.6.7), and with an offset as some write it.
pub(super) fn parse_http_date(text: &str) -> Option<Timestamp> {
    let moment = DateTime::parse_from_rfc2822(text).map(|date| date.timestamp());
    let moment = moment.ok().or_else(|| {
        OLD_DATES
            .iter()
            .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
            .map(|date| date.and_utc().timestamp())
    });
    moment.map(Timestamp::saturating)
}

/// RFC 850 and `asctime`.
const OLD_DATES: &[&str] = &["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];

#[cfg(test)]
mod tests {
    use awc::http::header::{HeaderName, HeaderValue};

    use super::*;

    const NOW: i64 = 784_111_777; // Sun, 06 Nov 1994 08:49:37 GMT

    fn headers(fields: &[(&str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in fields {
            map.append(
                HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_str(value).unwrap(),
            );
        }
        map
    }

    fn seconds(fields: &[(&str, &str)]) -> Option<u64> {
        Freshness::read(&headers(fields)).seconds(Timestamp::saturating(NOW))
    }

    #[test]
    fn the_three_forms_of_a_date_name_one_moment() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun, 06 Nov 1994 09:49:37 +0100",
        ] {
            assert_eq!(parse_http_date(text), Timestamp::from_seconds(NOW), "{text}");
        }
        for text in ["0", "-1", "tomorrow", "", "1994-11-06T08:49:37Z"] {
            assert_eq!(parse_http_date(text), None, "{text}");
        }
    }

    #[test]
    fn max_age_loses_its_age_and_wins_over_expires() {
        let expires = ("expires", "Sun, 06 Nov 1994 09:49:37 GMT");
        assert_eq!(seconds(&[("cache-control", "public, max-age=600"), expires]), Some(600));
        assert_eq!(seconds(&[("cache-control", "Max-Age=\"600\""), ("age", "60")]), Some(540));
        assert_eq!(seconds(&[("cache-control", "max-age=60"), ("age", "600")]), Some(0));
        assert_eq!(seconds(&[("cache-control", "max-age=60, s-maxage=5")]), Some(5));
        assert_eq!(
            seconds(&[("cache-control", "no-store"), ("cache-control", "max-age=7")]),
            Some(7)
        );
        assert_eq!(seconds(&[("cache-control", "max-age=99999999999999999999")]), Some(u64::MAX));
        assert_eq!(seconds(&[("cache-control", "max-age=-1"), expires]), Some(3600));
    }

    #[test]
    fn expires_counts_from_the_date_of_the_answer() {
        let expires = ("expires", "Sun, 06 Nov 1994 09:49:37 GMT");
        assert_eq!(seconds(&[expires]), Some(3600));
        assert_eq!(seconds(&[expires, ("date", "Sun, 06 Nov 1994 09:48:37 GMT")]), Some(60));
        assert_eq!(seconds(&[("expires", "Thu, 19 Nov 1981 08:52:00 GMT")]), Some(0));
        assert_eq!(seconds(&[("expires", "-1")]), Some(0));
        assert_eq!(seconds(&[]), None);
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        let read = |value| RetryAfter::read(&headers(&[("retry-after", value)]));
        assert_eq!(read("120"), Some(RetryAfter::Seconds(120)));
        let date = read("Sun, 06 Nov 1994 08:51:37 GMT").unwrap();
        assert_eq!(date.seconds_from(Timestamp::saturating(NOW)), 120);
        assert_eq!(date.seconds_from(Timestamp::saturating(NOW + 500)), 0);
        assert_eq!(read("99999999999999999999999"), Some(RetryAfter::Seconds(u64::MAX)));
        for value in ["-5", "1.5", "soon", ""] {
            assert_eq!(read(value), None, "{value}");
        }
    }
}
