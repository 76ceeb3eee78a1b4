//! Ratings, regions.

use serde_json::json;

use super::item::Draft;
use crate::model::{ContentRating, GeoRestriction, GeoRestrictionType, Rating};
use crate::syndication::source_feed::MediaRating;

impl Draft<'_, '_> {
    /// The item's rating, or the feed's for an item without one.
    pub(super) fn rating(&mut self) -> Option<ContentRating> {
        let entry = self.entry;
        let own = of_explicit(entry.explicit.as_deref())
            .or_else(|| entry.rating.as_ref().and_then(of_media_rating));
        if let (None, Some(said)) = (&own, entry.explicit.as_deref().map(str::trim))
            && !said.is_empty()
        {
            self.keep("itunes:explicit", said);
        }
        let unread = entry.rating.as_ref().filter(|rating| of_media_rating(rating).is_none());
        if let Some(rating) = unread {
            self.keep("media:rating", rating.value.as_ref());
        }
        own.or_else(|| self.context.rating.clone())
    }

    /// Countries by ISO 3166 code; anything else in the list makes it unusable.
    pub(super) fn geo_restriction(&mut self) -> Option<GeoRestriction> {
        let restriction = self.entry.country_restriction.as_ref()?;
        let regions: Vec<String> =
            restriction.countries.split_whitespace().map(str::to_ascii_uppercase).collect();
        let valid = |code: &String| code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase());
        if regions.is_empty() || !regions.iter().all(valid) {
            let relationship = if restriction.is_allowed { "allow" } else { "deny" };
            let kept = json!({
                "@type": "country",
                "@relationship": relationship,
                "#text": restriction.countries,
            });
            self.keep("media:restriction", kept);
            return None;
        }
        let r#type = if restriction.is_allowed {
            GeoRestrictionType::Allowlist
        } else {
            GeoRestrictionType::Blocklist
        };
        Some(GeoRestriction { r#type, regions })
    }
}

/// `itunes:explicit` and its kin (Appendix D).
pub(super) fn of_explicit(said: Option<&str>) -> Option<ContentRating> {
    let rating = match said?.trim().to_ascii_lowercase().as_str() {
        "yes" | "true" | "explicit" | "1" => Rating::Explicit,
        "no" | "false" | "clean" | "notexplicit" | "0" => Rating::General,
        _ => return None,
    };
    Some(ContentRating { rating, system: None })
}

/// `media:rating` by its scheme; simple ones are without a system.
pub(super) fn of_media_rating(said: &MediaRating<'_>) -> Option<ContentRating> {
    let scheme = said.scheme.as_deref().unwrap_or("urn:simple").trim().to_ascii_lowercase();
    let value = said.value.trim().to_ascii_lowercase();
    let system = scheme.strip_prefix("urn:").unwrap_or(&scheme);
    let (_, _, rating) = RATINGS
        .iter()
        .find(|(known, values, _)| *known == system && values.split(' ').any(|v| v == value))?;
    let named = (system != "simple").then(|| system.to_owned());
    Some(ContentRating { rating: *rating, system: named })
}

/// Scheme, values, and the class of MMSP 6.10 they come nearest to.
const RATINGS: &[(&str, &str, Rating)] = &[
    ("simple", "nonadult", Rating::General),
    ("simple", "adult", Rating::Explicit),
    ("mpaa", "g pg", Rating::General),
    ("mpaa", "pg-13", Rating::Teen),
    ("mpaa", "r", Rating::Mature),
    ("mpaa", "nc-17 x", Rating::Explicit),
    ("v-chip", "tv-y tv-y7 tv-g tv-pg", Rating::General),
    ("v-chip", "tv-14", Rating::Teen),
    ("v-chip", "tv-ma", Rating::Mature),
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::for_tests::{item, read, rss};

    #[test]
    fn every_spelling_of_explicit_is_read() {
        for (said, want) in [
            ("yes", json!({ "rating": "explicit" })),
            ("True", json!({ "rating": "explicit" })),
            (" explicit ", json!({ "rating": "explicit" })),
            ("no", json!({ "rating": "general" })),
            ("false", json!({ "rating": "general" })),
            ("clean", json!({ "rating": "general" })),
            ("perhaps", Value::Null),
            ("", Value::Null),
        ] {
            let item = item(&format!("<title>x</title><itunes:explicit>{said}</itunes:explicit>"));
            assert_eq!(item["content_rating"], want, "{said}");
            let kept = if said == "perhaps" { json!(said) } else { Value::Null };
            assert_eq!(item["original"]["itunes:explicit"], kept, "{said}");
        }
    }

    #[test]
    fn media_ratings_are_mapped_by_their_scheme() {
        for (scheme, said, want) in [
            ("", "adult", json!({ "rating": "explicit" })),
            ("scheme='urn:simple'", "nonadult", json!({ "rating": "general" })),
            ("scheme='urn:mpaa'", "PG-13", json!({ "rating": "teen", "system": "mpaa" })),
            ("scheme='URN:V-CHIP'", "tv-ma", json!({ "rating": "mature", "system": "v-chip" })),
            ("scheme='urn:mpaa'", "tv-ma", Value::Null),
            ("scheme='urn:icra'", "r (cz 1)", Value::Null),
        ] {
            let item =
                item(&format!("<title>x</title><media:rating {scheme}>{said}</media:rating>"));
            assert_eq!(item["content_rating"], want, "{scheme} {said}");
            let kept = if want.is_null() { json!(said) } else { Value::Null };
            assert_eq!(item["original"]["media:rating"], kept, "{scheme} {said}");
        }
    }

    #[test]
    fn an_item_without_a_rating_takes_the_feeds() {
        let rating = |inside: &str| {
            let feed = format!("<itunes:explicit>yes</itunes:explicit><item>{inside}</item>");
            read(&rss(&feed)).items[0]["content_rating"]["rating"].clone()
        };
        assert_eq!(rating("<title>x</title>"), "explicit");
        assert_eq!(rating("<title>x</title><itunes:explicit>no</itunes:explicit>"), "general");
        assert_eq!(rating("<title>x</title><itunes:explicit>?</itunes:explicit>"), "explicit");
        assert_eq!(rating("<media:rating scheme='urn:mpaa'>g</media:rating>"), "general");
    }

    #[test]
    fn countries_are_codes_or_nothing() {
        for (attributes, text, want) in [
            (
                "type='country' relationship='allow'",
                " de\n AT ",
                json!({ "type": "allowlist", "regions": ["DE", "AT"] }),
            ),
            (
                "type='country' relationship='deny'",
                "gb",
                json!({ "type": "blocklist", "regions": ["GB"] }),
            ),
            ("type='country' relationship='allow'", "Germany", Value::Null),
            ("type='country' relationship='allow'", "de all", Value::Null),
            ("type='country' relationship='allow'", "", Value::Null),
            ("type='uri' relationship='deny'", "gb", Value::Null),
            ("relationship='deny'", "gb", Value::Null),
        ] {
            let element = format!("<media:restriction {attributes}>{text}</media:restriction>");
            let item = item(&format!("<title>x</title>{element}"));
            assert_eq!(item["geo_restriction"], want, "{element}");
            assert_eq!(
                item["original"]["media:restriction"].is_null(),
                !want.is_null(),
                "{element}"
            );
        }
    }
}
