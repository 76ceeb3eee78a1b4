//! Dates of words and numbers in any order: RFC 822, `asctime`, American, European.

use chrono_tz::Tz;

use super::months::month;
use super::{Time, moment, time_of_day, year, zones};
use crate::model::Timestamp;

/// Reads a date by what its words can be, whatever their order.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let text = without_comments(text);
    let (text, default_offset) = with_dashes(&text);
    let mut found = Found::default();
    for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty()) {
        found.take(word);
    }
    let (y, m, d) = found.date()?;
    let time = found.time(default_offset);
    match found.region {
        Some(region) => zones::in_region(moment(y, m, d, Time { offset: 0, ..time })?, region),
        None => moment(y, m, d, time),
    }
}

#[derive(Default)]
struct Found {
    /// Numbers by themselves, as written.
    numbers: Vec<String>,
    month: Option<u32>,
    /// Whether the month stood right behind a number, where a weekday never does.
    month_is_sure: bool,
    /// Day, month and year in one word.
    whole: Option<(i32, u32, u32)>,
    clock: Option<(u32, u32, u32)>,
    afternoon: Option<bool>,
    offset: Option<i64>,
    region: Option<Tz>,
    last_was_number: bool,
}

impl Found {
    fn take(&mut self, word: &str) {
        let was_number = std::mem::take(&mut self.last_was_number);
        // A preposition, not the Atlantic zone.
        if word == "at" {
            return;
        }
        let trimmed = word.trim_matches(['.', '-']);
        if let Some(number) = plain_number(trimmed).filter(|_| !word.starts_with(['+', '-'])) {
            self.numbers.push(number.to_owned());
            self.last_was_number = true;
        } else if let Some(half) = zones::half_of_day(word) {
            self.afternoon = Some(half);
        } else if word.starts_with(|c: char| c.is_ascii_digit()) && word.contains(':') {
            self.take_clock(word);
        } else if let Some(offset) = zones::offset(word) {
            self.offset = Some(offset);
        } else if let Some(region) = zones::region(word) {
            self.region = Some(region);
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            self.take_compound(word);
        } else if let Some(number) = month(word)
            && (self.month.is_none() || (was_number && !self.month_is_sure))
        {
            self.month = Some(number);
            self.month_is_sure = was_number;
        }
    }

    /// `16:04`, `16:04:05.7`, `3:09pm`, `10:00:00Z`, `19:48:21+0100`.
    fn take_clock(&mut self, word: &str) {
        let end = word.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.'));
        let (clock, tail) = word.split_at(end.unwrap_or(word.len()));
        let whole = clock.split('.').next().unwrap_or_default();
        let parts: Option<Vec<u32>> = whole.split(':').map(|part| part.parse().ok()).collect();
        self.clock = match parts.as_deref() {
            Some([hour, minute]) => Some((*hour, *minute, 0)),
            Some([hour, minute, second]) => Some((*hour, *minute, *second)),
            _ => None,
        };
        if let Some(half) = zones::half_of_day(tail) {
            self.afternoon = Some(half);
        } else if let Some(offset) = zones::offset(tail) {
            self.offset = Some(offset);
        }
    }

    /// `16-Nov-2020`, `03/30/2020`, `26.06.2020`, `2006/09/15`; behind a date `19.48.21`.
    fn take_compound(&mut self, word: &str) {
        let word = word.trim_end_matches(['.', '-']);
        if self.date().is_some() && word.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            return self.take_clock(&word.replace('.', ":"));
        }
        let Some(separator) = word.chars().find(|c| matches!(c, '-' | '/' | '.')) else { return };
        let parts: Vec<&str> = word.split(separator).collect();
        let [first, second, third] = parts.as_slice() else { return };
        let number = |text: &str| text.parse::<u32>().ok();
        self.whole = match (number(first), number(second).or_else(|| month(second)), third) {
            (Some(_), Some(m), day) if first.len() == 4 => {
                year(first).and_then(|y| Some((y, m, number(day)?)))
            }
            (Some(a), Some(b), y) => {
                let named = number(second).is_none();
                let american = separator == '/' && b <= 31 && a <= 12 && !named;
                year(y).map(|y| if american { (y, a, b) } else { (y, b, a) })
            }
            _ => None,
        };
    }

    fn date(&self) -> Option<(i32, u32, u32)> {
        if self.whole.is_some() {
            return self.whole;
        }
        let numbers: Vec<&str> = self.numbers.iter().map(String::as_str).collect();
        match (self.month, numbers.as_slice()) {
            (Some(m), [y]) if y.len() == 4 => Some((year(y)?, m, 1)),
            (Some(m), [y, d]) if y.len() == 4 => Some((year(y)?, m, d.parse().ok()?)),
            (Some(m), [d, y, ..]) => Some((year(y)?, m, d.parse().ok()?)),
            // `Sat, 11 04 2020`: the order of RFC 822 with a number for the month.
            (None, [d, m, y]) if y.len() == 4 => Some((year(y)?, m.parse().ok()?, d.parse().ok()?)),
            _ => None,
        }
    }

    fn time(&self, default_offset: i64) -> Time {
        let Some((hour, minute, second)) = self.clock else {
            return Time { seconds: 0, offset: self.offset.unwrap_or(default_offset) };
        };
        let hour = match self.afternoon {
            Some(true) if hour < 12 => hour + 12,
            Some(false) if hour == 12 => 0,
            _ => hour,
        };
        match time_of_day(hour, minute, second) {
            Some(seconds) => Time { seconds, offset: self.offset.unwrap_or(default_offset) },
            None => Time::default(),
        }
    }
}

/// A number by itself, the ending of an ordinal taken off.
fn plain_number(word: &str) -> Option<&str> {
    let lower = ["st", "nd", "rd", "th", "ST", "ND", "RD", "TH"];
    let bare = lower.iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    (!bare.is_empty() && bare.len() <= 4 && bare.bytes().all(|b| b.is_ascii_digit()))
        .then_some(bare)
}

/// Comments in parentheses (RFC 822, 3.1.4) say nothing.
fn without_comments(text: &str) -> String {
    let mut depth = 0_usize;
    text.chars()
        .filter(|c| {
            match c {
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect()
}

/// Year, month and day with their marks as East Asia writes them; Korean blog hosts mean their own
/// time.
fn with_dashes(text: &str) -> (String, i64) {
    if !text.contains(['\u{b144}', '\u{c624}', '\u{5e74}']) {
        return (text.to_owned(), 0);
    }
    let mut dashed = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\u{b144}' | '\u{c6d4}' | '\u{5e74}' | '\u{6708}' => {
                dashed.push('-');
                while characters.next_if_eq(&' ').is_some() {}
            }
            '\u{c77c}' | '\u{65e5}' => dashed.push(' '),
            other => dashed.push(other),
        }
    }
    (dashed, if text.contains('\u{5e74}') { 0 } else { KOREA })
}

const KOREA: i64 = 9 * 3600;
