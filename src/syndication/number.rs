//! Numbers as feeds write them.

/// Reads a count: digits with white space around them, below 2^63 since JSON readers stop there.
#[must_use]
pub(crate) fn parse_count(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let value = text.parse::<u64>().ok().filter(|_| digits)?;
    i64::try_from(value).is_ok().then_some(value)
}

/// Reads a count that may carry a fraction, which is cut off, or a unit of pixels.
#[must_use]
pub(crate) fn parse_measure(text: &str) -> Option<u64> {
    let text = text.trim();
    let text = text.strip_suffix("px").unwrap_or(text).trim_end();
    match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|b| b.is_ascii_digit()) => {
            parse_count(whole)
        }
        Some(_) => None,
        None => parse_count(text),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_are_digits_and_nothing_else() {
        for (text, value) in [
            (" 12 ", Some(12)),
            ("6442450944", Some(6_442_450_944)),
            ("9223372036854775807", Some(9_223_372_036_854_775_807)),
            ("9223372036854775808", None),
            ("-1", None),
            ("+1", None),
            ("1,024", None),
            ("12 MB", None),
            ("", None),
            ("\u{663}", None),
        ] {
            assert_eq!(parse_count(text), value, "{text}");
        }
    }

    #[test]
    fn measures_lose_their_fraction() {
        assert_eq!(parse_measure("90.7"), Some(90));
        assert_eq!(parse_measure("640px"), Some(640));
        assert_eq!(parse_measure("50%"), None);
        assert_eq!(parse_measure("1.2.3"), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(value in 0..=i64::MAX as u64) {
            prop_assert_eq!(parse_count(&value.to_string()), Some(value));
        }

        #[test]
        fn no_text_makes_it_panic(text in ".*") {
            let _ = (parse_count(&text), parse_measure(&text));
        }
    }
}
