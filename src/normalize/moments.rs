//! When an item was published and when it changed.

use serde_json::Value;

use super::item::Draft;
use super::mended::Mend;
use crate::model::Timestamp;
use crate::syndication::date::parse_date;
use crate::syndication::source_feed::DateRole;

/// The dates of an item.
pub(super) struct Moments {
    pub(super) published: Timestamp,
    pub(super) updated: Option<Timestamp>,
}

impl Draft<'_, '_> {
    /// Finds the dates. `first` is the date the item was given when it was first seen: it stays,
    /// and another one in the source shows as a change (MMSP 5.5.2).
    pub(super) fn moments(&mut self, first: Option<Timestamp>) -> Moments {
        let said = self.best_date(|role| !role.is_change());
        let changed = self.best_date(DateRole::is_change);
        let published = first.or(said).or(changed).unwrap_or_else(|| self.first_seen());
        let moved = said.filter(|said| first.is_some() && *said > published);
        Moments { published, updated: changed.or(moved) }
    }

    /// The first date that can be read, in the order of the roles; the rest go to `original`.
    fn best_date(&mut self, wanted: impl Fn(DateRole) -> bool) -> Option<Timestamp> {
        let mut dates: Vec<_> = self.entry.dates.iter().filter(|(role, _)| wanted(*role)).collect();
        dates.sort_by_key(|(role, _)| *role);
        let mut best = None;
        for (role, text) in dates {
            match (best, self.readable_date(text)) {
                (None, Some(moment)) => best = Some(moment),
                (Some(one), Some(other)) if one == other => {}
                _ => self.keep(role.name(), Value::from(text.as_ref())),
            }
        }
        best
    }

    fn readable_date(&mut self, text: &str) -> Option<Timestamp> {
        let Some(moment) = parse_date(text) else {
            self.mended.note(Mend::BadDate);
            return None;
        };
        if moment > self.context.now.plus_seconds(DAY) {
            self.mended.note(Mend::FutureDate);
            return None;
        }
        Some(moment)
    }

    /// For an item without a date: now, less a second for each place down the document, so that
    /// the order of the source holds.
    fn first_seen(&mut self) -> Timestamp {
        self.mended.note(Mend::MissingDate);
        let place = i64::try_from(self.entry.position).unwrap_or(i64::MAX);
        self.context.now.minus_seconds(place)
    }
}

const DAY: i64 = 86_400;
