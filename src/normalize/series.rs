//! Series, chapters.

use super::item::Draft;
use super::mended::Mend;
use super::{address, plain_text};
use crate::model::{Chapter, Series};
use crate::syndication::duration::parse_duration;
use crate::syndication::number::parse_measure;

impl Draft<'_, '_> {
    /// The show, for an item that has a number in it (Appendix D). Season 0 is none.
    pub(super) fn series(&mut self) -> Option<Series> {
        let entry = self.entry;
        let episode = self.ordinal("itunes:episode", entry.episode.as_deref());
        let season = entry.season.as_ref().map(|season| season.number.as_ref());
        let season_number = self.ordinal("itunes:season", season).filter(|number| *number > 0);
        if episode.is_none() && season_number.is_none() {
            return None;
        }
        Some(Series {
            id: self.context.series_id.clone()?,
            title: self.context.title.clone(),
            episode_number: episode,
            season_number,
        })
    }

    fn ordinal(&mut self, name: &'static str, text: Option<&str>) -> Option<u64> {
        let text = text.map(str::trim).filter(|text| !text.is_empty())?;
        let value = parse_measure(text);
        if value.is_none() || text.contains('.') {
            self.mended.note(Mend::BadNumber);
            self.keep(name, text);
        }
        value
    }

    /// Chapters that stand in the feed itself, in the order of time.
    pub(super) fn chapters(&mut self) -> Vec<Chapter> {
        let marks = &self.entry.chapters;
        let mut chapters: Vec<Chapter> = marks
            .iter()
            .take(MAX_CHAPTERS)
            .filter_map(|mark| {
                let title = plain_text::one_line(&mark.title);
                let image = mark.image.as_ref();
                Some(Chapter {
                    title: Some(title).filter(|title| !title.is_empty())?,
                    start_seconds: parse_duration(&mark.start)?,
                    end_seconds: None,
                    image_url: image.and_then(|i| address::resolve(i, self.base())).map(|a| a.url),
                })
            })
            .collect();
        self.mended.add(Mend::BadNumber, marks.len().min(MAX_CHAPTERS) - chapters.len());
        chapters.sort_by_key(|chapter| chapter.start_seconds);
        chapters
    }
}

/// More chapters than this are a mistake.
const MAX_CHAPTERS: usize = 1000;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::for_tests::{episode, read, rss};
    use super::*;

    #[test]
    fn an_episode_with_a_number_is_part_of_the_show() {
        let numbers = |inside: &str| {
            let series = &episode(&format!("<title>x</title>{inside}"))["series"];
            (series["season_number"].clone(), series["episode_number"].clone())
        };
        let (season, number) =
            ("<itunes:season>2</itunes:season>", "<itunes:episode> 7 </itunes:episode>");
        assert_eq!(numbers(&format!("{season}{number}")), (json!(2), json!(7)));
        assert_eq!(numbers(number), (Value::Null, json!(7)));
        assert_eq!(numbers(season), (json!(2), Value::Null));
        let none = "<itunes:season>0</itunes:season>";
        assert_eq!(numbers(&format!("{none}{number}")), (Value::Null, json!(7)));
        assert_eq!(episode(&format!("<title>x</title>{none}"))["series"], Value::Null);
        assert_eq!(episode(&format!("<title>x</title>{number}"))["series"]["title"], "Pier News");
    }

    #[test]
    fn a_number_that_is_not_whole_is_kept_as_it_was() {
        for (said, number) in [("7.5", json!(7)), ("seven", Value::Null)] {
            let inside = format!("<title>x</title><itunes:episode>{said}</itunes:episode>");
            let item = episode(&inside);
            assert_eq!(item["series"]["episode_number"], number);
            assert_eq!(item["original"]["itunes:episode"], said);
        }
        let whole = episode("<title>x</title><itunes:episode>7</itunes:episode>");
        assert_eq!(whole["original"]["itunes:episode"], Value::Null);
    }

    #[test]
    fn chapters_are_in_the_order_of_time_and_bad_ones_are_counted() {
        let mark =
            |start: &str, title: &str| format!("<psc:chapter start='{start}' title='{title}'/>");
        let marks = [mark("1:00", "B"), mark("0:10", "A"), mark("soon", "C"), mark("2:00", " ")];
        let chapters = format!("<psc:chapters>{}</psc:chapters>", marks.concat());
        let outcome = read(&rss(&format!("<item><title>x</title>{chapters}</item>")));
        assert_eq!(
            outcome.items[0]["chapters"],
            json!([{ "title": "A", "start_seconds": 10 }, { "title": "B", "start_seconds": 60 }])
        );
        let tally = outcome.mended.tallies().find(|(what, _)| *what == Mend::BadNumber).unwrap().1;
        assert_eq!(tally.count, 2);
    }
}
