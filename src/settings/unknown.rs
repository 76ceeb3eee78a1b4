//! Finds keys that do not exist, and the ones that were probably meant.

use std::borrow::Cow;

use config::Value;

/// One sentence for each key that is not among the known ones.
pub(super) fn find(known: &[String], given: &[(String, Value)]) -> Vec<String> {
    given
        .iter()
        .filter(|(key, value)| {
            !known.contains(key)
                && named(key).as_deref() != Some(key)
                && !is_empty_section(known, key, value)
        })
        .map(|(key, value)| {
            let origin = value.origin().map(|origin| format!(" (in {origin})")).unwrap_or_default();
            let meant = named(key)
                .or_else(|| nearest(known, key).map(Cow::Borrowed))
                .map(|meant| format!("; did you mean {meant}?"))
                .unwrap_or_default();
            format!("{key} is not a setting{meant}{origin}")
        })
        .collect()
}

/// The key of a named feed that this one is, or was meant to be; the name is anybody's choice.
fn named(key: &str) -> Option<Cow<'_, str>> {
    let rest = key.strip_prefix("feeds.")?;
    let (name, _) = rest.rsplit_once('.').unwrap_or((rest, ""));
    Some(format!("feeds.{name}.url").into())
}

/// `[server]` without anything in it says nothing and harms nothing.
fn is_empty_section(known: &[String], key: &str, value: &Value) -> bool {
    matches!(value.kind, config::ValueKind::Nil)
        && known.iter().any(|known| known.split_once('.').is_some_and(|(name, _)| name == key))
}

/// The known key with the fewest changes, unless it is another word altogether.
fn nearest<'a>(known: &'a [String], key: &str) -> Option<&'a str> {
    known
        .iter()
        .map(|candidate| (distance(candidate, key), candidate.as_str()))
        .min()
        .filter(|(changes, _)| *changes <= key.len() / 2)
        .map(|(_, candidate)| candidate)
}

/// Letters to add, drop or replace to turn one text into the other (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (place, letter) in from.chars().enumerate() {
        let mut next = vec![place + 1];
        for ((other, above), diagonal) in to.chars().zip(row.iter().skip(1)).zip(&row) {
            let left = next.last().copied().unwrap_or_default();
            let replaced = diagonal + usize::from(letter != other);
            next.push(replaced.min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted_in_single_changes() {
        for (from, to, changes) in
            [("listen", "listn", 1), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(from, to), changes, "{from} {to}");
        }
    }

    #[test]
    fn the_nearest_key_is_found_and_a_far_one_is_not_guessed() {
        let known =
            ["fetch.allow_ports", "fetch.allow_hosts", "poll.keep_fresh_days"].map(str::to_owned);
        assert_eq!(nearest(&known, "fetch.alow_port"), Some("fetch.allow_ports"));
        assert_eq!(nearest(&known, "x"), None);
    }
}
