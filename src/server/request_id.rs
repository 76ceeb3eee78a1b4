//! The ids that a request is known by: the one that a proxy gave, the trace that it is part of
//! (W3C Trace Context), or a new one. What is not well-formed is not taken over.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

/// What a request is known by in the log.
#[derive(Clone, Debug)]
pub(super) struct RequestId {
    /// Its own id, which its answer carries too.
    pub(super) id: HeaderValue,
    /// The trace and the span that asked, as 32 and 16 digits.
    pub(super) trace: Option<(String, String)>,
}

impl RequestId {
    /// Reads the headers. Without an id the trace's is taken, else a new one.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let trace = headers.get(TRACEPARENT).and_then(|value| parse_traceparent(value.as_bytes()));
        let given = headers.get(X_REQUEST_ID).filter(|given| is_id(given.as_bytes())).cloned();
        let of_trace = || trace.as_ref().and_then(|(trace, _)| HeaderValue::from_str(trace).ok());
        let id = given.or_else(of_trace).or_else(new_id);
        Self { id: id.unwrap_or(HeaderValue::from_static("none")), trace }
    }
}

/// 32 digits that nobody had before.
fn new_id() -> Option<HeaderValue> {
    let random = rand::random::<u128>();
    let digits: [u8; 32] = std::array::from_fn(|place| match (random >> (4 * place)) as u8 & 15 {
        digit @ 0..=9 => b'0' + digit,
        digit => b'a' - 10 + digit,
    });
    HeaderValue::from_bytes(&digits).ok()
}

/// Whether an id can stand in a log line.
fn is_id(given: &[u8]) -> bool {
    let is_kept = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(byte);
    (1..=64).contains(&given.len()) && given.iter().all(is_kept)
}

/// `00-TRACE-SPAN-FLAGS`, in lower-case digits; a later version may have more behind that.
fn parse_traceparent(value: &[u8]) -> Option<(String, String)> {
    let value = std::str::from_utf8(value).ok()?;
    let mut parts = value.split('-');
    let [version, trace, span, flags] = [(); 4].map(|()| parts.next());
    let digits = |part: Option<&str>, length: usize| {
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        part.filter(|part| part.len() == length && part.bytes().all(is_hex)).map(str::to_owned)
    };
    let version = digits(version, 2).filter(|version| version != "ff")?;
    if version == "00" && parts.next().is_some() {
        return None;
    }
    let is_something = |id: &String| id.bytes().any(|byte| byte != b'0');
    let trace = digits(trace, 32).filter(is_something)?;
    let span = digits(span, 16).filter(is_something)?;
    digits(flags, 2).map(|_| (trace, span))
}

pub(super) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
        pairs.collect()
    }

    #[test]
    fn a_given_id_is_kept_if_it_can_stand_in_a_log_line() {
        let long = "x".repeat(65);
        for (given, kept) in [("a-1_b.c:d", true), ("a b", false), ("", false), (&long, false)] {
            let id = RequestId::of(&headers(&[(X_REQUEST_ID, given)])).id;
            assert_eq!(id == given, kept, "{given}");
        }
    }

    #[test]
    fn a_new_id_is_32_digits_and_another_each_time() {
        let new = || RequestId::of(&HeaderMap::new()).id;
        assert_eq!(new().len(), 32);
        assert_ne!(new(), new());
    }

    #[test]
    fn the_trace_of_a_request_is_told_and_names_it_unless_it_has_an_id() {
        let traceparent = format!("00-{TRACE}-00f067aa0ba902b7-01");
        let alone = RequestId::of(&headers(&[(TRACEPARENT, &traceparent)]));
        assert_eq!(alone.trace, Some((TRACE.to_owned(), "00f067aa0ba902b7".to_owned())));
        assert_eq!(alone.id, TRACE);
        let both = RequestId::of(&headers(&[(TRACEPARENT, &traceparent), (X_REQUEST_ID, "a-1")]));
        assert!(both.id == "a-1" && both.trace.is_some());
    }

    #[test]
    fn a_trace_that_is_not_well_formed_is_none() {
        let (span, none) = ("00f067aa0ba902b7", "0000000000000000");
        for (value, is_good) in [
            (format!("00-{TRACE}-{span}-00"), true),
            (format!("01-{TRACE}-{span}-00-more"), true),
            (format!("00-{TRACE}-{span}-00-more"), false),
            (format!("ff-{TRACE}-{span}-00"), false),
            (format!("00-{}-{span}-00", TRACE.to_uppercase()), false),
            (format!("00-{none}{none}-{span}-00"), false),
            (format!("00-{TRACE}-{none}-00"), false),
            (format!("00-{TRACE}-{span}"), false),
            (format!("00-{TRACE}-{span}-0"), false),
            ("x".to_owned(), false),
        ] {
            assert_eq!(parse_traceparent(value.as_bytes()).is_some(), is_good, "{value}");
        }
    }
}
