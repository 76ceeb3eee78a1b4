//! When an item was published and when it changed.

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
    /// and another one in the source shows as a change (MMSP 5.5.2): one that is later as it is,
    /// one that is earlier as a change of today, since nothing changes before it is published.
    pub(super) fn moments(&mut self, first: Option<Timestamp>) -> Moments {
        let said = self.best_date(|role| !role.is_change());
        let changed = self.best_date(DateRole::is_change);
        let published = first.or(said).or(changed).unwrap_or_else(|| self.first_seen());
        let moved = match said.filter(|_| first.is_some()) {
            Some(said) if said > published => Some(said),
            Some(said) if said < published => Some(self.context.now),
            _ => None,
        };
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
                _ => self.keep(role.name(), text.as_ref()),
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
    /// the order of the source holds. In an older document it is older than what we had.
    fn first_seen(&mut self) -> Timestamp {
        self.mended.note(Mend::MissingDate);
        let place = i64::try_from(self.entry.position).unwrap_or(i64::MAX);
        self.context.undated.minus_seconds(place)
    }
}

const DAY: i64 = 86_400;

#[cfg(test)]
mod tests {
    use super::super::for_tests::{NOW, item, read, read_after, rss};

    const GUID: &str = "<guid>urn:pier:1</guid>";

    fn check(dates: &str, published: &str, updated: Option<&str>) {
        let item = item(&format!("{GUID}{dates}"));
        assert_eq!(item["published"], published, "{dates}");
        assert_eq!(item.get("updated").and_then(|u| u.as_str()), updated, "{dates}");
    }

    #[test]
    fn the_date_of_publication_comes_before_every_other() {
        let day = |name: &str, day: u8| format!("<{name}>2025-06-0{day}T10:00:00Z</{name}>");
        let want = |day: u8| format!("2025-06-0{day}T10:00:00Z");
        check(&[day("dc:date", 2), day("pubDate", 1)].concat(), &want(1), None);
        check(&[day("atom:published", 2), day("pubDate", 1)].concat(), &want(1), None);
        check(&[day("dcterms:created", 2), day("dcterms:issued", 1)].concat(), &want(1), None);
        check(&[day("atom:updated", 3), day("pubDate", 1)].concat(), &want(1), Some(&want(3)));
        check(&day("atom:updated", 3), &want(3), Some(&want(3)));
        check(&day("dcterms:modified", 3), &want(3), Some(&want(3)));
        check(&day("media:date", 4), &want(4), None);
    }

    #[test]
    fn a_date_that_cannot_be_read_makes_room_for_the_next() {
        let dates = "<pubDate>soon</pubDate><dc:date>2025-06-01</dc:date>";
        check(dates, "2025-06-01T00:00:00Z", None);
        let item = item(dates);
        assert_eq!(item["original"]["pubDate"], "soon");
        assert!(item["original"].get("dc:date").is_none());
    }

    #[test]
    fn a_second_date_is_kept_unless_it_says_the_same() {
        let other = item("<pubDate>2025-06-01</pubDate><dc:date>2025-06-02</dc:date>");
        assert_eq!(other["original"]["dc:date"], "2025-06-02");
        let same = item("<pubDate>1 Jun 2025</pubDate><dc:date>2025-06-01</dc:date>");
        assert!(same.get("original").is_none());
    }

    #[test]
    fn items_without_a_date_keep_the_order_of_the_document() {
        let entry = |n: u8| format!("<item><guid>urn:pier:{n}</guid></item>");
        let outcome = read(&rss(&[entry(1), entry(2), entry(3)].concat()));
        let published: Vec<_> = outcome.items.iter().map(|item| &item["published"]).collect();
        assert_eq!(
            published,
            ["2026-01-01T00:00:00Z", "2025-12-31T23:59:59Z", "2025-12-31T23:59:58Z"]
        );
    }

    #[test]
    fn a_date_counts_from_1970_to_a_day_ahead() {
        check("<pubDate>2026-01-02T00:00:00Z</pubDate>", "2026-01-02T00:00:00Z", None);
        for date in ["2026-01-02T00:00:01Z", "1969-12-31T23:59:59Z"] {
            let inside = format!("{GUID}<pubDate>{date}</pubDate>");
            check(&inside, "2026-01-01T00:00:00Z", None);
            assert_eq!(item(&inside)["original"]["pubDate"], date);
        }
    }

    #[test]
    fn the_first_date_stays_and_another_one_shows_as_a_change() {
        let dated = |date: &str| rss(&format!("<item>{GUID}{date}</item>"));
        let before = read(&dated("<pubDate>2025-06-02</pubDate>"));
        for (date, updated) in [
            ("<pubDate>2025-06-03</pubDate>", Some("2025-06-03T00:00:00Z")),
            ("<pubDate>2025-06-02</pubDate>", None),
            ("<pubDate>2025-06-01</pubDate>", Some(NOW)),
            ("", None),
            (
                "<pubDate>2025-06-03</pubDate><atom:updated>2025-06-04</atom:updated>",
                Some("2025-06-04T00:00:00Z"),
            ),
        ] {
            let after = &read_after(&dated(date), &before.known).items[0];
            assert_eq!(after["published"], "2025-06-02T00:00:00Z", "{date}");
            assert_eq!(after.get("updated").and_then(|u| u.as_str()), updated, "{date}");
        }
    }

    #[test]
    fn an_item_without_a_date_keeps_the_time_it_was_first_seen() {
        let entry = |n: u8| format!("<item><guid>urn:pier:{n}</guid></item>");
        let before = read(&rss(&entry(1)));
        let after = read_after(&rss(&[entry(2), entry(1)].concat()), &before.known);
        assert_eq!(after.items[1]["published"], before.items[0]["published"]);
    }
}
