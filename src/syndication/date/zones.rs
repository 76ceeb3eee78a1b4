//! Time zones by name and by number.

use chrono::{DateTime, TimeZone as _};
use chrono_tz::Tz;

use crate::model::Timestamp;

/// Seconds east of UTC; none for a zone that nobody knows.
pub(super) fn offset(zone: &str) -> Option<i64> {
    let zone = zone.trim().to_ascii_uppercase();
    let zone = zone.strip_prefix("ETC/").unwrap_or(&zone);
    if zone.is_empty() {
        return None;
    }
    if zone.starts_with(['+', '-']) {
        return numeric(zone);
    }
    // `GMT+02:00`, `UTC-7`: the sign as everywhere else, not as POSIX has it.
    if let Some(at) = zone.find(['+', '-']) {
        let (name, number) = zone.split_at(at);
        return offset(name).and_then(|base| Some(base + numeric(number)?));
    }
    let hours = ZONES.iter().find(|(names, _)| names.split(' ').any(|name| name == zone))?.1;
    Some(i64::from(hours) * 60)
}

/// A zone by its name in the IANA database, `Area/City`.
pub(super) fn region(zone: &str) -> Option<Tz> {
    zone.contains('/').then(|| Tz::from_str_insensitive(zone).ok())?
}

/// The moment that clocks of a region show as this one does in UTC; the first of two.
pub(super) fn in_region(shown: Timestamp, region: Tz) -> Option<Timestamp> {
    let shown = DateTime::from_timestamp(shown.seconds(), 0)?.naive_utc();
    let moment = region.from_local_datetime(&shown).earliest()?;
    Timestamp::from_seconds(moment.timestamp())
}

/// Whether a text is a mark of the second half of the day (true) or the first (false).
pub(super) fn half_of_day(text: &str) -> Option<bool> {
    let bare: String = text.chars().filter(|c| *c != '.').collect::<String>().to_lowercase();
    match bare.as_str() {
        "am" | "\u{c624}\u{c804}" | "\u{4e0a}\u{5348}" => Some(false),
        "pm" | "\u{c624}\u{d6c4}" | "\u{4e0b}\u{5348}" => Some(true),
        _ => None,
    }
}

/// `+0200`, `+02:00`, `+02`, `-7`.
fn numeric(text: &str) -> Option<i64> {
    let (sign, digits) = text.split_at_checked(1)?;
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None if digits.len() > 2 => digits.split_at_checked(digits.len() - 2)?,
        None => (digits, "0"),
    };
    let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
    if hours > 24 || minutes >= 60 {
        return None;
    }
    let seconds = i64::from(hours * 3600 + minutes * 60);
    Some(if sign == "-" { -seconds } else { seconds })
}

/// Names and minutes east of UTC. Where a name means two zones, the one seen in feeds.
const ZONES: &[(&str, i32)] = &[
    ("Z UT UTC GMT WET UCT G.M.T", 0),
    ("EST ET", -300),
    ("EDT", -240),
    ("CST CT", -360),
    ("CDT", -300),
    ("MST MT", -420),
    ("MDT", -360),
    ("PST PT", -480),
    ("PDT", -420),
    ("AST AT", -240),
    ("ADT", -180),
    ("NST", -210),
    ("NDT", -150),
    ("AKST", -540),
    ("AKDT", -480),
    ("HST HAST", -600),
    ("HADT", -540),
    ("BRT ART", -180),
    ("CET MET MEZ BST WEST", 60),
    ("CEST MEST MESZ EET SAST CAT", 120),
    ("EEST MSK EAT TRT", 180),
    ("MSD GST", 240),
    ("PKT", 300),
    ("IST", 330),
    ("ICT WIB", 420),
    ("AWST HKT SGT PHT", 480),
    ("JST KST", 540),
    ("ACST", 570),
    ("AEST", 600),
    ("ACDT", 630),
    ("AEDT", 660),
    ("NZST", 720),
    ("NZDT", 780),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_known_by_name_and_number() {
        for (zone, seconds) in [
            ("GMT", Some(0)),
            ("est", Some(-18_000)),
            ("+0200", Some(7200)),
            ("-07:00", Some(-25_200)),
            ("+02", Some(7200)),
            ("GMT-01:01", Some(-3660)),
            ("Etc/GMT", Some(0)),
            ("+zz:00", None),
            ("-99:99", None),
            ("+429496729500", None),
            ("Nowhere", None),
            ("", None),
        ] {
            assert_eq!(offset(zone), seconds, "{zone}");
        }
    }

    #[test]
    fn a_region_knows_its_summer() {
        let shown = Timestamp::parse_rfc3339("2023-03-31T20:19:00Z").unwrap();
        let region = region("america/Los_Angeles").unwrap();
        let want = Timestamp::parse_rfc3339("2023-04-01T03:19:00Z");
        assert_eq!(in_region(shown, region), want);
        assert_eq!(super::region("Los_Angeles"), None);
    }

    #[test]
    fn zones_by_name_lie_where_their_clocks_stand() {
        for (names, minutes) in [
            ("NST", -210),
            ("ADT BRT ART", -180),
            ("NDT", -150),
            ("AST AT EDT", -240),
            ("EST ET CDT", -300),
            ("CST CT MDT", -360),
            ("MST MT PDT", -420),
            ("PST PT AKDT", -480),
            ("AKST HADT", -540),
            ("HST HAST", -600),
            ("UTC UT WET", 0),
            ("CET BST", 60),
            ("CEST EET SAST", 120),
            ("MSK EAT", 180),
            ("IST", 330),
            ("HKT AWST", 480),
            ("JST KST", 540),
            ("ACST", 570),
            ("AEST", 600),
            ("AEDT", 660),
            ("NZST", 720),
            ("NZDT", 780),
        ] {
            for name in names.split(' ') {
                assert_eq!(offset(name), Some(minutes * 60), "{name}");
            }
        }
    }
}
