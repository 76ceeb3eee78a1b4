//! Lengths of recordings: `1:02:03`, `62:03`, `3723`, `3723.5`, `PT1H2M3S`.

/// Reads a length in whole seconds; fractions are cut off, nothing negative or over 30 days counts.
#[must_use]
pub(crate) fn parse_duration(text: &str) -> Option<u64> {
    let text = text.trim();
    let seconds = if text.starts_with(['P', 'p']) {
        parse_iso8601(text)?
    } else if text.contains(':') {
        parse_clock(text)?
    } else {
        whole_part(text)?
    };
    (seconds <= LONGEST).then_some(seconds)
}

/// Seconds in thirty days: a longer recording is a mistake.
const LONGEST: u64 = 30 * 86_400;

/// `H:MM:SS` or `MM:SS`; the first part may be any number, an empty one is zero.
fn parse_clock(text: &str) -> Option<u64> {
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let last = parts.len().checked_sub(1).filter(|count| (1..=3).contains(count))?;
    let mut seconds: u64 = 0;
    for (at, part) in parts.iter().enumerate() {
        let value = match (part.is_empty(), at == last) {
            (true, _) => 0,
            (false, true) => whole_part(part)?,
            (false, false) => part.parse::<u32>().ok()?.into(),
        };
        // Four parts are days, hours, minutes, seconds.
        let scale = if last == 3 && at == 1 { 24 } else { 60 };
        seconds = seconds.checked_mul(scale)?.checked_add(value)?;
    }
    (!parts.iter().all(|part| part.is_empty())).then_some(seconds)
}

/// `PnDTnHnMnS`, as ISO 8601 has it.
fn parse_iso8601(text: &str) -> Option<u64> {
    let (mut seconds, mut in_time, mut number, mut any) = (0_u64, false, String::new(), false);
    for c in text.chars().skip(1) {
        match c.to_ascii_uppercase() {
            'T' if number.is_empty() => in_time = true,
            '0'..='9' | '.' => number.push(c),
            ',' => number.push('.'),
            unit => {
                let scale = match (unit, in_time) {
                    ('W', false) => 604_800,
                    ('D', false) => 86_400,
                    ('H', true) => 3600,
                    ('M', true) => 60,
                    ('S', true) => 1,
                    _ => return None,
                };
                let value = whole_part(&std::mem::take(&mut number))?;
                seconds = seconds.checked_add(value.checked_mul(scale)?)?;
                any = true;
            }
        }
    }
    (any && number.is_empty()).then_some(seconds)
}

/// Digits, and a fraction that is cut off.
fn whole_part(text: &str) -> Option<u64> {
    super::number::parse_measure(&text.replace(',', ".")).filter(|_| !text.ends_with("px"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_form_is_read() {
        for (text, seconds) in [
            ("1:02:03", Some(3723)),
            ("01:02:03", Some(3723)),
            ("62:03", Some(3723)),
            ("3723", Some(3723)),
            (" 3723.9 ", Some(3723)),
            ("1:02:03.5", Some(3723)),
            ("PT1H2M3S", Some(3723)),
            ("PT3723.4S", Some(3723)),
            ("P1DT1S", Some(86_401)),
            ("P1W", Some(604_800)),
            ("PT1T2S", None),
            ("1:00:00:01", Some(86_401)),
            (":30", Some(30)),
            ("0:00", Some(0)),
            ("0", Some(0)),
            ("-5", None),
            ("-1:00", None),
            ("", None),
            (":", None),
            ("1:2:3:4:5", None),
            ("an hour", None),
            ("PT", None),
            ("P1M", None),
            ("99999999999999999999", None),
            ("720:00:01", None),
        ] {
            assert_eq!(parse_duration(text), seconds, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_clock_reads_back_the_same(seconds in 0..LONGEST) {
            let text = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
            prop_assert_eq!(parse_duration(&text), Some(seconds));
            prop_assert_eq!(parse_duration(&seconds.to_string()), Some(seconds));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[0-9:.,PTHMSDW+ -]{0,24}") {
            let _ = parse_duration(&text);
        }
    }
}
