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
