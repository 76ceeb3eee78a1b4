//! Numbers and moments as people read them.

use chrono::DateTime;

use crate::model::Timestamp;

/// A moment, seen from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// For programs.
    pub(super) iso: String,
    /// The day and the minute.
    pub(super) text: String,
    /// How far away it is.
    pub(super) ago: String,
}

impl Moment {
    pub(super) fn of(moment: Timestamp, now: Timestamp) -> Self {
        Self { iso: moment.to_string(), text: date(moment), ago: distance(moment, now) }
    }
}

/// Day and minute, such as `3 March 2026, 10:00 UTC`.
pub(super) fn date(moment: Timestamp) -> String {
    let moment = DateTime::from_timestamp(moment.seconds(), 0).unwrap_or_default();
    moment.format("%-d %B %Y, %H:%M UTC").to_string()
}

fn distance(moment: Timestamp, now: Timestamp) -> String {
    let seconds = now.seconds() - moment.seconds();
    let far = rough(seconds.unsigned_abs());
    match (seconds, far) {
        (0.., None) => "just now".to_owned(),
        (_, None) => "in a moment".to_owned(),
        (0.., Some(far)) => format!("{far} ago"),
        (_, Some(far)) => format!("in {far}"),
    }
}

/// A length of time in its largest unit, to the nearest; none below a minute.
pub(super) fn rough(seconds: u64) -> Option<String> {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    // What lacks less than a hundredth of a unit is called one.
    let is_one = |length: u64| seconds.saturating_add(length / 120) >= length;
    let (length, unit) = units.into_iter().find(|(length, _)| is_one(*length))?;
    let number = seconds.saturating_add(length / 2) / length;
    Some(count(usize::try_from(number).unwrap_or(usize::MAX), unit))
}

/// So many of something whose plural ends in `s`.
pub(super) fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// A place in a recording, or its length: `4:05`, `1:02:03`.
pub(super) fn length(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

/// A size, such as `12.3 MB`.
pub(super) fn size(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => {
            let tenths = bytes / (unit / 10);
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
        None => count(usize::try_from(bytes).unwrap_or(usize::MAX), "byte"),
    }
}

/// The beginning of a text, up to so many characters, and no half word.
pub(super) fn beginning(text: &str, chars: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(chars) else { return text.to_owned() };
    let cut = text.get(..end).unwrap_or_default();
    let whole = cut.rsplit_once(char::is_whitespace).map_or(cut, |(before, _)| before);
    let kept = if whole.len() * 2 > cut.len() { whole } else { cut };
    format!("{}…", kept.trim_end_matches([' ', ',', ';', ':', '.', '…']))
}

/// A part of a sentence as one on its own, without its full stop.
pub(super) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    [first.as_deref().unwrap_or_default(), letters.as_str()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::saturating(seconds)
    }

    #[test]
    fn moments_are_told_by_their_distance_and_by_their_date() {
        let now = at(1_000_000);
        for (moment, told) in [
            (1_000_000, "just now"),
            (999_941, "just now"),
            (999_940, "1 minute ago"),
            (992_800, "2 hours ago"),
            (0, "12 days ago"),
            (913_601, "1 day ago"),
            (978_401, "6 hours ago"),
            (996_405, "1 hour ago"),
            (996_500, "58 minutes ago"),
            (1_000_030, "in a moment"),
            (1_000_900, "in 15 minutes"),
        ] {
            assert_eq!(Moment::of(at(moment), now).ago, told);
        }
        assert_eq!(date(at(1_772_532_000)), "3 March 2026, 10:00 UTC");
    }

    #[test]
    fn lengths_and_sizes_have_their_usual_forms() {
        assert_eq!([0, 65, 3_723].map(length), ["0:00", "1:05", "1:02:03"]);
        let sizes = [1, 999, 1_000, 12_345_678, 3_000_000_000].map(size);
        assert_eq!(sizes, ["1 byte", "999 bytes", "1.0 kB", "12.3 MB", "3.0 GB"]);
        assert!(size(u64::MAX).ends_with(" GB"));
        assert_eq!(length(u64::MAX).split(':').count(), 3);
    }

    #[test]
    fn a_long_text_ends_behind_a_word() {
        assert_eq!(beginning("short", 5), "short");
        assert_eq!(beginning("one two, three", 11), "one two…");
        assert_eq!(beginning("ééééé", 3), "ééé…");
        assert_eq!(capitalized("an item"), "An item");
        assert_eq!(capitalized(""), "");
    }
}
