//! Ratings, regions.

use serde_json::Value;

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
            self.keep("itunes:explicit", Value::from(said));
        }
        let unread = entry.rating.as_ref().filter(|rating| of_media_rating(rating).is_none());
        if let Some(rating) = unread {
            self.keep("media:rating", Value::from(rating.value.as_ref()));
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
            self.keep("media:restriction", Value::from(restriction.countries.as_ref()));
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
