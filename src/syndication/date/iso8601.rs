//! ISO 8601, RFC 3339 and W3CDTF, with the slips that are made in them.

use super::{Time, moment, time_of_day, year, zones};
use crate::model::Timestamp;

/// Reads a date of digits with an optional time and zone behind it.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let (date, time) = split(text);
    let (year, month, day) = calendar_date(date)?;
    let time = if time.is_empty() { Time::default() } else { parse_time(time)? };
    moment(year, month, day, time)
}

/// Reads the date and leaves out a time that is none.
pub(super) fn parse_date_alone(text: &str) -> Option<Timestamp> {
    let (year, month, day) = calendar_date(split(text).0)?;
    moment(year, month, day, Time::default())
}

fn split(text: &str) -> (&str, &str) {
    let end = text.find(['T', 't', ' ']).unwrap_or(text.len());
    let (date, rest) = text.split_at(end);
    // A zone may end in a T: only what parts date and time goes.
    (date, rest.trim_start_matches(['T', 't', ' ']).trim_end())
}

fn calendar_date(text: &str) -> Option<(i32, u32, u32)> {
    if text.contains('W') {
        return of_week(text);
    }
    let separator = if text.contains('/') { '/' } else { '-' };
    let parts: Vec<&str> = text.split(separator).collect();
    if !parts.iter().all(|part| part.bytes().all(|b| b.is_ascii_digit())) {
        return None;
    }
    match parts.as_slice() {
        [y, ordinal] if y.len() == 4 && ordinal.len() == 3 => of_ordinal(y, ordinal),
        [y, m] if y.len() == 4 => Some((year(y)?, m.parse().ok()?, 1)),
        // `-0312` and `-03-12`: the century left out (ISO 8601, 5.2.1.3).
        ["", ym] if ym.len() == 4 => {
            let (y, m) = ym.split_at_checked(2)?;
            Some((year(y)?, m.parse().ok()?, 1))
        }
        ["", y, m] if y.len() == 2 => Some((year(y)?, m.parse().ok()?, 1)),
        [y, m, d] if y.len() == 4 || (y.len() == 2 && separator == '-') => {
            Some((year(y)?, m.parse().ok()?, d.parse().ok()?))
        }
        [packed] => packed_date(packed),
        _ => None,
    }
}

fn packed_date(digits: &str) -> Option<(i32, u32, u32)> {
    let number = |from: usize, to: usize| digits.get(from..to)?.parse::<u32>().ok();
    match digits.len() {
        4 => Some((year(digits)?, 1, 1)),
        8 => Some((year(digits.get(..4)?)?, number(4, 6)?, number(6, 8)?)),
        6 => Some((year(digits.get(..2)?)?, number(2, 4)?, number(4, 6)?)),
        7 => of_ordinal(digits.get(..4)?, digits.get(4..)?),
        _ => None,
    }
}

/// `2024-W10-2` and `2024W102`; without a day the week's first.
fn of_week(text: &str) -> Option<(i32, u32, u32)> {
    use chrono::Datelike as _;
    let (year, rest) = text.split_once('W')?;
    let digits: String = rest.chars().filter(|c| *c != '-').collect();
    let week = digits.get(..2)?.parse().ok()?;
    let day = digits.get(2..).filter(|day| !day.is_empty()).map_or(Some(1), |d| d.parse().ok())?;
    let weekday = chrono::Weekday::try_from(u8::checked_sub(day, 1)?).ok()?;
    let year = year.trim_end_matches('-').parse().ok()?;
    let date = chrono::NaiveDate::from_isoywd_opt(year, week, weekday)?;
    Some((date.year(), date.month(), date.day()))
}

/// The day of the year, which may be any of 366.
fn of_ordinal(y: &str, ordinal: &str) -> Option<(i32, u32, u32)> {
    use chrono::Datelike as _;
    let date = chrono::NaiveDate::from_yo_opt(year(y)?, ordinal.parse().ok()?)?;
    Some((date.year(), date.month(), date.day()))
}

fn parse_time(text: &str) -> Option<Time> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.' | ','));
    let (clock, zone) = text.split_at(end.unwrap_or(text.len()));
    let seconds = clock_seconds(clock)?;
    let zone = zone.trim();
    let zone = zone.strip_suffix('Z').filter(|rest| !rest.is_empty()).unwrap_or(zone);
    let afternoon = zones::half_of_day(zone);
    let offset = if afternoon.is_some() { 0 } else { zones::offset(zone).unwrap_or(0) };
    let seconds = match afternoon {
        Some(true) if seconds < 43_200 => seconds + 43_200,
        Some(false) if seconds >= 43_200 => seconds - 43_200,
        _ => seconds,
    };
    Some(Time { seconds, offset })
}

fn clock_seconds(clock: &str) -> Option<i64> {
    let whole = clock.split(['.', ',']).next()?;
    if whole.contains(':') {
        let mut parts = whole.split(':').map(str::parse::<u32>);
        let (hour, minute) = (parts.next()?.ok()?, parts.next()?.ok()?);
        let second = parts.next().transpose().ok()?.unwrap_or(0);
        return parts.next().is_none().then(|| time_of_day(hour, minute, second))?;
    }
    let number = |from: usize| whole.get(from..from + 2)?.parse::<u32>().ok();
    let second = if whole.len() > 4 { number(4)? } else { 0 };
    time_of_day(number(0)?, if whole.len() > 2 { number(2)? } else { 0 }, second)
}
