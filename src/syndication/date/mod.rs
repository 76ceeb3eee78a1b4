//! Dates as feeds write them: RFC 822 and its kin, ISO 8601 in all shapes, local month names.
//!
//! Without a zone a date is in UTC. A bad time in a good date keeps the date. Years of two digits
//! are read as RFC 2822, 4.3 says.

mod iso8601;
mod months;
mod rfc822;
mod words;
mod zones;

use chrono::NaiveDate;

use crate::model::Timestamp;

/// Reads a date in any form that feeds are known to use.
#[must_use]
pub(crate) fn parse_date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > LONGEST {
        return None;
    }
    if text.contains(MINUS) {
        return parse_date(&text.replace(MINUS, "-"));
    }
    rfc822::parse(text)
        .or_else(|| epoch(text))
        .or_else(|| iso8601::parse(text))
        .or_else(|| words::parse(text))
        .or_else(|| iso8601::parse_date_alone(text))
}

/// A longer text is no date.
const LONGEST: usize = 128;

/// What word processors make of the sign of a zone.
const MINUS: char = '\u{2212}';

/// Seconds since 1970 as ten digits or so, milliseconds as thirteen.
fn epoch(text: &str) -> Option<Timestamp> {
    let number = text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<i64>().ok())??;
    match text.len() {
        9 | 10 => Timestamp::from_seconds(number),
        13 => Timestamp::from_seconds(number / 1000),
        _ => None,
    }
}

/// A time of day with its distance from UTC in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Time {
    seconds: i64,
    offset: i64,
}

/// Seconds since midnight; hour 24 is the next midnight, a leap second the one before it.
fn time_of_day(hour: u32, minute: u32, second: u32) -> Option<i64> {
    let valid = (hour < 24 && minute < 60 && second <= 60) || (hour == 24 && minute + second == 0);
    valid.then(|| i64::from(hour * 3600 + minute * 60 + second.min(59)))
}

fn moment(year: i32, month: u32, day: u32, time: Time) -> Option<Timestamp> {
    let midnight = NaiveDate::from_ymd_opt(year, month, day)?.and_hms_opt(0, 0, 0)?;
    Timestamp::from_seconds(midnight.and_utc().timestamp() + time.seconds - time.offset)
}

/// The year that a text of digits means: 49 is 2049, 50 is 1950, 103 is 2003 (RFC 2822, 4.3).
fn year(digits: &str) -> Option<i32> {
    let value: i32 = digits.parse().ok()?;
    match digits.len() {
        1 | 2 if value < 50 => Some(2000 + value),
        1 | 2 => Some(1900 + value),
        3 => Some(1900 + value),
        4 => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(rows: &[(&str, &str)]) {
        for (text, want) in rows {
            let got = parse_date(text).map(|moment| moment.to_string());
            let want = (!want.is_empty()).then(|| (*want).to_owned());
            assert_eq!(got, want, "{text}");
        }
    }

    #[test]
    fn rfc_822_and_its_kin() {
        check(&[
            ("Tue, 05 Mar 2024 10:00:00 GMT", "2024-03-05T10:00:00Z"),
            ("5 Mar 24 10:00 UT", "2024-03-05T10:00:00Z"),
            ("Tue, 5 Mar 2024 12:00:00 +0200", "2024-03-05T10:00:00Z"),
            ("Tue, 05 Mar 2024 05:00:00 EST", "2024-03-05T10:00:00Z"),
            ("Tue, 05 Mar 2024 03:00:00 PDT", "2024-03-05T10:00:00Z"),
            ("Tue, 05 Mar 2024 10:00:00", "2024-03-05T10:00:00Z"),
            ("Tue, 05 Mar 2024 12:00:00 GMT+02:00", "2024-03-05T10:00:00Z"),
            ("Tue, 05 Mar 2024 (a comment) 10:00:00 Z", "2024-03-05T10:00:00Z"),
            ("Tue Mar  5 10:00:00 2024", "2024-03-05T10:00:00Z"),
            ("Tue Mar 05 10:00:00 +0000 2024", "2024-03-05T10:00:00Z"),
            ("Tuesday, March 5th, 2024 at 10:00 AM", "2024-03-05T10:00:00Z"),
            ("5-Mar-2024 22:00", "2024-03-05T22:00:00Z"),
            ("Tue, 05 Mar 2024 23:59:60 GMT", "2024-03-05T23:59:59Z"),
            ("Tue, 05 Mar 2024 24:00:00 GMT", "2024-03-06T00:00:00Z"),
            ("Tue, 05 Mar 2024 25:00:00 GMT", "2024-03-05T00:00:00Z"),
            ("Tue, 05 Mar 2024 24:30:00 GMT", "2024-03-05T00:00:00Z"),
            ("Tue, 05 Mar 2024 10:60:00 GMT", "2024-03-05T00:00:00Z"),
            ("Tue, 05 Mar 2024 (7 Dec) 10:00:00 Z", "2024-03-05T10:00:00Z"),
            ("Tue, 05 (7 (8) Dec) Mar 2024 10:00:00 Z", "2024-03-05T10:00:00Z"),
            ("Tue, 05 Mar 2024 05:00:00 -0500", "2024-03-05T10:00:00Z"),
            ("5 Mar 2024 02:00:00 America/Los_Angeles", "2024-03-05T10:00:00Z"),
            ("5 Mar 2024 02:00:00 -0800 America/Los_Angeles", "2024-03-05T10:00:00Z"),
            ("2024 Mar 5", "2024-03-05T00:00:00Z"),
            ("5 Dec 2023 Marseille", "2023-12-05T00:00:00Z"),
            ("Mar. 2024", "2024-03-01T00:00:00Z"),
        ]);
    }

    #[test]
    fn iso_8601_in_all_its_shapes() {
        check(&[
            ("2024-03-05T10:00:00Z", "2024-03-05T10:00:00Z"),
            ("2024-03-05t12:00:00.123+02:00", "2024-03-05T10:00:00Z"),
            ("2024-03-05 10:00", "2024-03-05T10:00:00Z"),
            ("2024-03-05T10:00:00+0000", "2024-03-05T10:00:00Z"),
            ("20240305T100000Z", "2024-03-05T10:00:00Z"),
            ("2024-03-05", "2024-03-05T00:00:00Z"),
            ("20240305", "2024-03-05T00:00:00Z"),
            ("2024-065", "2024-03-05T00:00:00Z"),
            ("2024-W10-2T10:00:00Z", "2024-03-05T10:00:00Z"),
            ("2024W10", "2024-03-04T00:00:00Z"),
            ("2024-03", "2024-03-01T00:00:00Z"),
            ("2024", "2024-01-01T00:00:00Z"),
            ("2024/03/05 10:00", "2024-03-05T10:00:00Z"),
            ("2024-03-05T99:00:00Z", "2024-03-05T00:00:00Z"),
            ("2024-03-05T05:00:00 EST", "2024-03-05T10:00:00Z"),
            ("2024-03-05T05:00:00\u{2212}05:00", "2024-03-05T10:00:00Z"),
            ("2024-03-05T12:00:00+02:00Z", "2024-03-05T10:00:00Z"),
            ("20240305T10", "2024-03-05T10:00:00Z"),
            ("20240305T1030", "2024-03-05T10:30:00Z"),
            ("20240305T103005", "2024-03-05T10:30:05Z"),
            ("240305", "2024-03-05T00:00:00Z"),
            ("2024065", "2024-03-05T00:00:00Z"),
            ("24-03-05", "2024-03-05T00:00:00Z"),
            ("-2403", "2024-03-01T00:00:00Z"),
            ("-24-03", "2024-03-01T00:00:00Z"),
            ("1709632800", "2024-03-05T10:00:00Z"),
            ("1709632800000", "2024-03-05T10:00:00Z"),
        ]);
    }

    #[test]
    fn other_languages_and_orders() {
        check(&[
            ("Di, 05 M\u{e4}r 2024 10:00:00 +0000", "2024-03-05T10:00:00Z"),
            ("mar., 05 mars 2024 10:00:00 +0000", "2024-03-05T10:00:00Z"),
            ("mar., 05 d\u{e9}c. 2023 10:00:00 +0000", "2023-12-05T10:00:00Z"),
            ("Seg, 05 Set 2022 07:00:00 -0300", "2022-09-05T10:00:00Z"),
            ("\u{432}\u{442}, 5 \u{43c}\u{430}\u{440}\u{442}\u{430} 2024", "2024-03-05T00:00:00Z"),
            ("03/05/2024 10:00 am", "2024-03-05T10:00:00Z"),
            ("05.03.2024 10:00", "2024-03-05T10:00:00Z"),
            ("5 Mar 2024 10.30.15 GMT", "2024-03-05T10:30:15Z"),
            ("05.03.2024 10.30", "2024-03-05T10:30:00Z"),
            ("25/03/2024", "2024-03-25T00:00:00Z"),
            ("03/05/24", "2024-03-05T00:00:00Z"),
            ("Tue, 05 03 2024", "2024-03-05T00:00:00Z"),
            ("2024\u{5e74}3\u{6708}5\u{65e5} 10:00:00", "2024-03-05T10:00:00Z"),
            ("2024\u{b144} 03\u{c6d4} 05\u{c77c}  19:00:00", "2024-03-05T10:00:00Z"),
        ]);
    }

    #[test]
    fn halves_of_the_day_begin_with_twelve() {
        for (half, want) in [
            ("12:00 am", "00:00:00"),
            ("12:30 am", "00:30:00"),
            ("10:00 am", "10:00:00"),
            ("12:00 pm", "12:00:00"),
            ("12:30 p.m.", "12:30:00"),
            ("10:00 PM", "22:00:00"),
        ] {
            let want = format!("2024-03-05T{want}Z");
            check(&[
                (&format!("2024-03-05 {half}"), &want),
                (&format!("March 5, 2024 {half}"), &want),
            ]);
        }
    }

    #[test]
    fn years_of_two_and_three_digits_are_read_as_mail_has_them() {
        for (digits, want) in [
            ("0", Some(2000)),
            ("49", Some(2049)),
            ("50", Some(1950)),
            ("99", Some(1999)),
            ("103", Some(2003)),
            ("2024", Some(2024)),
            ("20245", None),
            ("", None),
        ] {
            assert_eq!(year(digits), want, "{digits}");
        }
    }

    #[test]
    fn a_date_has_an_end() {
        let long = |letters: usize| {
            let text = format!("5 Mar 2024 ({})", "x".repeat(letters - "5 Mar 2024 ()".len()));
            parse_date(&text)
        };
        assert!(long(LONGEST).is_some());
        assert_eq!((long(LONGEST + 1), long(LONGEST + 2)), (None, None));
    }

    #[test]
    fn what_is_no_date_is_none() {
        check(&[
            ("Mar 5", ""),
            ("11 04 20", ""),
            ("24-03", ""),
            ("-243", ""),
            ("-2024-03", ""),
            ("", ""),
            ("yesterday", ""),
            ("Sun, 16 zzz 2012 11:47:32 GMT", ""),
            ("Sun, 99 Jun 2009 12:00:00 GMT", ""),
            ("2013-xx-27", ""),
            ("2013-02-30", ""),
            ("Sun, 99 Jun 2009 12:00:00 +9999999999", ""),
            ("Thu, 01 Jan 0100 00:00:01 +0100", ""),
            ("0001-01-01T00:00:00Z", ""),
        ]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(seconds in 0_i64..253_402_300_799) {
            let moment = Timestamp::from_seconds(seconds).unwrap();
            prop_assert_eq!(parse_date(&moment.to_string()), Some(moment));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[ -~\u{e4}]{0,40}") {
            let _ = parse_date(&text);
        }

        #[test]
        fn no_number_anywhere_in_a_date_makes_it_panic(
            day in "[0-9]{1,12}", year in "[0-9]{1,12}", time in "[0-9]{1,12}:[0-9]{1,12}(:[0-9]{1,12})?",
            zone in "(GMT)?[+-][0-9]{1,12}(:[0-9]{1,12})?",
        ) {
            let _ = parse_date(&format!("Tue, {day} Mar {year} {time} {zone}"));
            let _ = parse_date(&format!("{year}-{day}-{day}T{time}{zone}"));
        }

        #[test]
        fn nothing_like_a_date_makes_it_panic(text in "[0-9:/TZ+., -]{0,30}") {
            let _ = parse_date(&text);
        }
    }
}
