//! Dates and times as ISO 8601 writes them: the draft's `iso8601` leaves open which of its forms it
//! means.
//!
//! Read are the extended and the basic form; a whole day, month or year; hours and minutes with or
//! without seconds. What has no offset is UTC. Week and ordinal dates are not read. No item is
//! older than 1970, and what lies before counts as its beginning.

use chrono::{DateTime, Days, Months, NaiveDate, NaiveTime};

use crate::model::Timestamp;

/// Which end of a range a moment is: of a day or a minute it is the first or the last second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    First,
    Last,
}

/// Reads a date, or a date and a time.
pub(super) fn parse(text: &str, end: End) -> Option<Timestamp> {
    let Some((date, time)) = text.split_once(['T', 't']) else { return period(text, end) };
    let start = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, offset) = time.split_at_checked(start)?;
    let date = day(date)?;
    let clock = of_day(clock, end)?;
    let text = format!("{date}T{clock}{}", of_zone(offset)?);
    let moment = DateTime::parse_from_rfc3339(&text).ok()?;
    // Items are of whole seconds: the first one that is not before a part of one is the next.
    let is_between = end == End::First && moment.timestamp_subsec_nanos() > 0;
    Some(Timestamp::saturating(moment.timestamp() + i64::from(is_between)))
}

/// A whole year, month or day.
fn period(text: &str, end: End) -> Option<Timestamp> {
    let is_year = text.len() == 4;
    let is_month = text.len() == 7;
    let date = match (is_year, is_month) {
        (true, _) => day(&format!("{text}-01-01")),
        (_, true) => day(&format!("{text}-01")),
        _ => day(text),
    }?;
    let next = match (is_year, is_month) {
        (true, _) => date.checked_add_months(Months::new(12)),
        (_, true) => date.checked_add_months(Months::new(1)),
        _ => date.checked_add_days(Days::new(1)),
    };
    let midnight = |date: NaiveDate| date.and_time(NaiveTime::MIN).and_utc().timestamp();
    Some(Timestamp::saturating(match end {
        End::First => midnight(date),
        End::Last => midnight(next?) - 1,
    }))
}

/// `YYYY-MM-DD` or `YYYYMMDD`.
fn day(text: &str) -> Option<NaiveDate> {
    let form = match text.len() {
        8 => "%Y%m%d",
        10 => "%Y-%m-%d",
        _ => return None,
    };
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    NaiveDate::parse_from_str(text, form).ok().filter(|_| is_plain && !text.starts_with('-'))
}

/// `HH:MM` or `HH:MM:SS`, with or without colons, and where there are seconds with or without a
/// fraction of one, as RFC 3339 has it.
fn of_day(text: &str, end: End) -> Option<String> {
    let (whole, fraction) = text.split_once('.').map_or((text, ""), |(whole, part)| (whole, part));
    let seconds = match end {
        End::First => "00",
        End::Last => "59",
    };
    let part = |range| whole.get(range);
    let has_seconds = matches!(whole.len(), 6 | 8);
    let whole = match (whole.len(), is_digits(whole)) {
        (4, true) => format!("{}:{}:{seconds}", part(0..2)?, part(2..4)?),
        (6, true) => format!("{}:{}:{}", part(0..2)?, part(2..4)?, part(4..6)?),
        (5, false) => format!("{whole}:{seconds}"),
        (8, false) => whole.to_owned(),
        _ => return None,
    };
    match (text.contains('.'), is_digits(fraction) && has_seconds) {
        (false, _) => Some(whole),
        (true, true) => Some(format!("{whole}.{fraction}")),
        (true, false) => None,
    }
}

/// `Z`, `+HH:MM`, `+HHMM` or `+HH`; none is UTC.
fn of_zone(text: &str) -> Option<String> {
    let part = |range| text.get(range);
    match text.len() {
        0 => Some("Z".to_owned()),
        3 => Some(format!("{text}:00")),
        5 => Some(format!("{}:{}", part(0..3)?, part(3..5)?)),
        1 | 6 => Some(text.to_owned()),
        _ => None,
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, first: &str, last: &str) {
        for (end, want) in [(End::First, first), (End::Last, last)] {
            let found = parse(text, end).map(|moment| moment.to_string());
            assert_eq!(found.as_deref(), Some(want), "{text} {end:?}");
        }
    }

    #[test]
    fn every_form_of_a_date_has_its_first_and_its_last_second() {
        check("2026-02-01", "2026-02-01T00:00:00Z", "2026-02-01T23:59:59Z");
        check("20260201", "2026-02-01T00:00:00Z", "2026-02-01T23:59:59Z");
        check("2026-02", "2026-02-01T00:00:00Z", "2026-02-28T23:59:59Z");
        check("2024-02", "2024-02-01T00:00:00Z", "2024-02-29T23:59:59Z");
        check("2026-12", "2026-12-01T00:00:00Z", "2026-12-31T23:59:59Z");
        check("2026", "2026-01-01T00:00:00Z", "2026-12-31T23:59:59Z");
        check("9999", "9999-01-01T00:00:00Z", "9999-12-31T23:59:59Z");
        check("1969", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z");
        check("1969-07-20T20:17Z", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z");
        check("2026-02-01T10:30Z", "2026-02-01T10:30:00Z", "2026-02-01T10:30:59Z");
        check("20260201T1030Z", "2026-02-01T10:30:00Z", "2026-02-01T10:30:59Z");
    }

    #[test]
    fn every_form_of_a_time_is_one_second() {
        let moment = "2026-02-01T10:30:05Z";
        for text in [
            moment,
            "2026-02-01t10:30:05z",
            "2026-02-01T10:30:05",
            "2026-02-01T10:30:05.000Z",
            "20260201T103005Z",
            "2026-02-01T11:30:05+01:00",
            "2026-02-01T11:30:05+0100",
            "2026-02-01T11:30:05+01",
            "2026-02-01T09:30:05-01:00",
        ] {
            check(text, moment, moment);
        }
    }

    #[test]
    fn between_two_seconds_a_range_begins_with_the_next_and_ends_with_the_last() {
        check("2026-02-01T10:30:05.25Z", "2026-02-01T10:30:06Z", "2026-02-01T10:30:05Z");
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "26",
            "2026-13",
            "2026-02-30",
            "2026-2-1",
            "+2026-02-01",
            "+202-02-01",
            "-202-02-01",
            "2026- 2-01",
            "2026-0-1",
            "2026-W05",
            "2026-032",
            "T10:30:05Z",
            "2026-02-01T",
            "2026-02-01T25:00:00Z",
            "2026-02-01T10",
            "2026-02-01T10:30:05.Z",
            "2026-02-01T10:30:05.xZ",
            "2026-02-01T10:30.5Z",
            "20260201T1030.5Z",
            "2026-02T10:30:05Z",
            "2026-02-01T10:30:05+1",
            "2026-02-01T10:30:05+01:00x",
            "2026-02-01Z",
            "\u{e4}\u{e4}\u{e4}\u{e4}",
            "2026-02-01T1\u{e4}:30:05Z",
        ] {
            for end in [End::First, End::Last] {
                assert_eq!(parse(text, end), None, "{text}");
            }
        }
    }
}
