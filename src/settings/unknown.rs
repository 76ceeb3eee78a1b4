//! Finds keys that do not exist, and the ones that were probably meant.

use std::collections::BTreeSet;

use config::ValueKind;

use super::layers::Table;

/// A key that is not among the known ones: what is to be said of it, and which was meant.
pub(super) struct Unknown {
    pub(super) key: String,
    pub(super) sentence: String,
    pub(super) meant: Vec<String>,
}

/// Every key that is not among the known ones, with a sentence each.
pub(super) fn find(known: &Table, given: &Table) -> Vec<Unknown> {
    let sections: BTreeSet<&str> = known.sections().collect();
    let is_known = |key: &str| known.is_value(key) || is_of_a_named_feed(key);
    let unknown = given.values.iter().filter(|(key, _)| !is_known(key));
    unknown
        .filter_map(|(key, value)| match (&value.kind, sections.contains(key.as_str())) {
            // `[server]` without anything in it says nothing and harms nothing.
            (ValueKind::Table(_), true) => None,
            // A named feed without anything lacks its address, as the gateway will say.
            (ValueKind::Table(_), false) if key.starts_with(FEEDS) => None,
            (ValueKind::Table(_), false) => Some(no_section(key, &sections)),
            (_, true) => Some(Unknown {
                key: key.clone(),
                sentence: format!("{key} must be a section, [{key}]"),
                meant: Vec::new(),
            }),
            (_, false) => Some(no_setting(key, known)),
        })
        .collect()
}

/// Whether it is `feeds.NAME.url`; the name is anybody's choice.
fn is_of_a_named_feed(key: &str) -> bool {
    key.strip_prefix(FEEDS).is_some_and(|rest| rest.ends_with(".url"))
}

const FEEDS: &str = "feeds.";

fn no_section(name: &str, sections: &BTreeSet<&str>) -> Unknown {
    let meant = nearest(sections.iter().copied(), name);
    let hint = meant.map(|meant| format!("; did you mean [{meant}]?")).unwrap_or_default();
    Unknown {
        key: name.to_owned(),
        sentence: format!("[{name}] is not a section{hint}"),
        meant: Vec::new(),
    }
}

fn no_setting(key: &str, known: &Table) -> Unknown {
    let keys = || known.values.keys().map(String::as_str);
    let is_of_that_name = |known: &&str| {
        let name = key.rsplit('.').next();
        known.split_once('.').map(|(_, name)| name) == name
    };
    let named = key.strip_prefix(FEEDS).map(|rest| {
        let (name, _) = rest.rsplit_once('.').unwrap_or((rest, ""));
        format!("{FEEDS}{name}.url")
    });
    let meant: Vec<String> = match named.or_else(|| nearest(keys(), key).map(str::to_owned)) {
        Some(meant) => vec![meant],
        // The name of a key in the wrong section, or in none.
        None => keys().filter(is_of_that_name).map(str::to_owned).collect(),
    };
    let hint = if meant.is_empty() {
        "; config/default.toml lists all of them".to_owned()
    } else {
        format!("; did you mean {}?", meant.join(" or "))
    };
    Unknown { key: key.to_owned(), sentence: format!("{key} is not a setting{hint}"), meant }
}

/// The known name with the fewest changes, unless it is another word altogether.
fn nearest<'a>(known: impl Iterator<Item = &'a str>, name: &str) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    known
        .map(|candidate| (changes(candidate, &name), candidate))
        .min()
        .filter(|(changes, _)| *changes <= name.len() / 3)
        .map(|(_, candidate)| candidate)
}

/// Letters to change; none where the same words stand in another order.
fn changes(known: &str, name: &str) -> usize {
    fn words(name: &str) -> Vec<&str> {
        let mut words: Vec<&str> = name.split(['.', '_']).collect();
        words.sort_unstable();
        words
    }
    if words(known) == words(name) { 0 } else { strsim::osa_distance(known, name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_key_is_found_and_a_far_one_is_not_guessed() {
        let known = ["fetch.allow_ports", "fetch.allow_hosts", "poll.keep_fresh_days"];
        for (name, meant) in [
            ("fetch.alow_port", Some("fetch.allow_ports")),
            ("fecth.allow_ports", Some("fetch.allow_ports")),
            ("Poll.Keep_Fresh_Days", Some("poll.keep_fresh_days")),
            ("fetch.ports_allow", Some("fetch.allow_ports")),
            ("fetch.colour", None),
            ("x", None),
        ] {
            assert_eq!(nearest(known.into_iter(), name), meant, "{name}");
        }
    }
}
