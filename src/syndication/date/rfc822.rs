//! The one form that nearly every RSS feed has: `Tue, 05 Mar 2024 10:00:00 +0100`.

use super::{Time, moment, time_of_day};
use crate::model::Timestamp;

/// Reads a date exactly as RFC 822 with four digits of the year (RFC 1123, 5.2.14) has it, with a
/// zone that is a number, `GMT` or `UTC`. Whatever is otherwise is left to those who look closer.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let (weekday, rest) = text.split_once(", ")?;
    if weekday.len() != 3 || !weekday.bytes().all(|b| b.is_ascii_alphabetic()) {
        return None;
    }
    let mut words = rest.split(' ');
    let mut word = || words.next();
    let (day, month, year, clock, zone) = (word()?, word()?, word()?, word()?, word()?);
    if word().is_some() || day.len() > 2 || year.len() != 4 {
        return None;
    }
    let month = MONTHS.iter().position(|name| *name == month)?;
    let year = i32::try_from(number(year)?).ok()?;
    let time = Time { seconds: clock_time(clock)?, offset: offset(zone)? };
    moment(year, u32::try_from(month).ok()? + 1, number(day)?, time)
}

fn clock_time(clock: &str) -> Option<i64> {
    let (hour, rest) = clock.split_once(':')?;
    let (minute, second) = rest.split_once(':')?;
    let part = |text: &str| number(text).filter(|_| text.len() == 2);
    time_of_day(part(hour)?, part(minute)?, part(second)?)
}

fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "GMT" | "UTC") {
        return Some(0);
    }
    let (sign, digits) = zone.split_at_checked(1)?;
    let sign = match sign {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (hours, minutes) = digits.split_at_checked(2).filter(|_| digits.len() == 4)?;
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours <= 24 && minutes < 60).then(|| sign * i64::from(hours * 3600 + minutes * 60))
}

fn number(digits: &str) -> Option<u32> {
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::words;
    use super::*;

    proptest! {
        #[test]
        fn what_it_reads_those_who_look_closer_read_alike(
            weekday in "[A-Za-z]{3}", day in "[0-9]{1,2}", month in 0..12_usize, year in "[0-9]{4}",
            clock in "[0-2][0-9]:[0-6][0-9]:[0-6][0-9]", zone in "GMT|UTC|[+-][0-2][0-9][0-6][0-9]",
        ) {
            let month = MONTHS[month];
            let text = format!("{weekday}, {day} {month} {year} {clock} {zone}");
            if let Some(moment) = parse(&text) {
                prop_assert_eq!(Some(moment), words::parse(&text), "{}", text);
            }
        }
    }

    #[test]
    fn the_common_form_is_read_here() {
        let read = |text| parse(text).map(|moment| moment.to_string());
        let want = Some("2024-03-05T10:00:00Z".to_owned());
        assert_eq!(read("Tue, 05 Mar 2024 10:00:00 GMT"), want);
        assert_eq!(read("Tue, 5 Mar 2024 12:30:00 +0230"), want);
        assert_eq!(read("Tue, 05 Mar 2024 05:00:00 -0500"), want);
        for text in [
            "Tues, 05 Mar 2024 10:00:00 GMT",
            "T1e, 05 Mar 2024 10:00:00 GMT",
            "Tue, 005 Mar 2024 10:00:00 GMT",
            "Tue, 05 Mar 24 10:00:00 GMT",
            "Tue, 05 Mar 2024 10:00:00 GMT x",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read("Tue, 05 Mar 2024 10:00 GMT"), None);
        assert_eq!(read("Tue, 05 Mar 2024 10:00:00 EST"), None);
    }
}
