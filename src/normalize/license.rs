//! Licences: an SPDX identifier or a URI, nothing else (MMSP 6.2).

use super::item::Draft;
use crate::model::Uri;

impl Draft<'_, '_> {
    /// The licence as the source names it, if it is one of the two.
    pub(super) fn license(&mut self) -> Option<String> {
        let entry = self.entry;
        let link = entry.links.iter().find(|link| link.rel == "license");
        let named = entry.license.as_ref().map(|license| (license.name, license.value.as_ref()));
        let linked = link.map(|link| ("link[rel=license]", link.href.value.as_ref()));
        let (name, said) = named.or(linked)?;
        let found = parse_license(said);
        if found.is_none() {
            self.keep(name, said);
        }
        found
    }
}

fn parse_license(text: &str) -> Option<String> {
    let text = text.trim();
    let spdx = SPDX.iter().find(|known| known.eq_ignore_ascii_case(text));
    // Somebody will make a link of it: no scheme that runs something.
    let is_safe = |start: &&str| {
        text.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
    };
    let web = || Uri::parse_iri(text).filter(|_| SCHEMES.iter().any(&is_safe));
    spdx.map(|known| (*known).to_owned()).or_else(|| web().map(|uri| uri.to_string()))
}

const SCHEMES: [&str; 3] = ["https://", "http://", "urn:"];

/// Identifiers of the SPDX list that feeds of texts, recordings and software carry.
const SPDX: &[&str] = &[
    "CC0-1.0",
    "CC-BY-1.0",
    "CC-BY-2.0",
    "CC-BY-2.5",
    "CC-BY-3.0",
    "CC-BY-4.0",
    "CC-BY-SA-1.0",
    "CC-BY-SA-2.0",
    "CC-BY-SA-2.5",
    "CC-BY-SA-3.0",
    "CC-BY-SA-4.0",
    "CC-BY-NC-1.0",
    "CC-BY-NC-2.0",
    "CC-BY-NC-2.5",
    "CC-BY-NC-3.0",
    "CC-BY-NC-4.0",
    "CC-BY-ND-1.0",
    "CC-BY-ND-2.0",
    "CC-BY-ND-2.5",
    "CC-BY-ND-3.0",
    "CC-BY-ND-4.0",
    "CC-BY-NC-SA-1.0",
    "CC-BY-NC-SA-2.0",
    "CC-BY-NC-SA-2.5",
    "CC-BY-NC-SA-3.0",
    "CC-BY-NC-SA-4.0",
    "CC-BY-NC-ND-1.0",
    "CC-BY-NC-ND-2.0",
    "CC-BY-NC-ND-2.5",
    "CC-BY-NC-ND-3.0",
    "CC-BY-NC-ND-4.0",
    "CC-PDDC",
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "GPL-2.0-only",
    "GPL-2.0-or-later",
    "GPL-3.0-only",
    "GPL-3.0-or-later",
    "LGPL-2.1-only",
    "LGPL-3.0-only",
    "AGPL-3.0-only",
    "MPL-2.0",
    "ISC",
    "Unlicense",
    "GFDL-1.3-only",
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::for_tests::item;
    use super::*;

    #[test]
    fn the_license_of_an_item_is_named_or_linked_and_what_is_none_is_kept() {
        let link = |rel: &str| {
            format!("<atom:link rel='{rel}' href='https://creativecommons.org/licenses/by/4.0/'/>")
        };
        let by = json!("https://creativecommons.org/licenses/by/4.0/");
        let named = "<media:license>All rights reserved</media:license>";
        for (inside, want, kept) in [
            (link("license"), by, Value::Null),
            (link("related"), Value::Null, Value::Null),
            (
                format!("<media:license>MIT</media:license>{}", link("license")),
                json!("MIT"),
                Value::Null,
            ),
            (named.to_owned(), Value::Null, json!("All rights reserved")),
        ] {
            let item = item(&format!("<title>x</title>{inside}"));
            assert_eq!(item["license"], want, "{inside}");
            assert_eq!(item["original"]["media:license"], kept, "{inside}");
        }
    }

    #[test]
    fn only_identifiers_and_addresses_are_licences() {
        for (text, want) in [
            ("cc-by-4.0", Some("CC-BY-4.0")),
            (" MIT ", Some("MIT")),
            (
                "https://creativecommons.org/licenses/by/4.0/",
                Some("https://creativecommons.org/licenses/by/4.0/"),
            ),
            ("javascript://x.example/%0arun()", None),
            ("All rights reserved", None),
            ("copyright: mine", None),
            ("", None),
        ] {
            assert_eq!(parse_license(text).as_deref(), want, "{text}");
        }
    }
}
