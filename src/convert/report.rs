//! What was read, mended and left out of a document.

use serde::Serialize;
use serde::ser::SerializeMap as _;

use crate::model::{HttpsUrl, SourceType, Uri};
use crate::normalize::{Mend, Mended, SkipReason, Tally};

use super::{Remark, Summary};
use crate::syndication::Format;

/// What was read, mended and left out: one JSON object.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The source as it was read.
    pub source: ReportSource,
    /// Entries that became items.
    pub items: Vec<Placed>,
    /// Entries that are other entries once more.
    pub duplicates: Vec<Placed>,
    /// Entries that were left out (MMSP 6.15).
    pub skipped: Vec<Skipped>,
    /// What was mended, how often, in which entries first, and what to do about it.
    #[serde(serialize_with = "write_mended")]
    pub mended: Mended,
}

/// What a source turned out to be.
#[derive(Clone, Debug, Serialize)]
pub struct ReportSource {
    /// The format of the document.
    #[serde(serialize_with = "write_format")]
    pub format: Format,
    /// The source type of MMSP 7.
    pub r#type: SourceType,
    /// WHATWG name of the encoding it was read in.
    pub encoding: &'static str,
    /// The feed's web page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<HttpsUrl>,
    /// The address it was read from.
    pub url: String,
    /// Whether it was cut off.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// An entry by its place in the document, from 0, with the identifier of its item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Placed {
    /// Its place, from 0.
    pub position: usize,
    /// The item's identifier.
    pub id: Uri,
}

/// An entry that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Its place in the document, from 0.
    pub position: usize,
    /// Why.
    #[serde(serialize_with = "write_reason")]
    pub reason: SkipReason,
}

fn write_format<S: serde::Serializer>(format: &Format, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(format.as_str())
}

fn write_reason<S: serde::Serializer>(
    reason: &SkipReason,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reason.as_str())
}

fn write_mended<S: serde::Serializer>(mended: &Mended, serializer: S) -> Result<S::Ok, S::Error> {
    struct Line<'a>(Mend, &'a Tally);
    impl Serialize for Line<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut line = serializer.serialize_map(None)?;
            line.serialize_entry("what", self.0.as_str())?;
            line.serialize_entry("count", &self.1.count)?;
            if !self.1.positions.is_empty() {
                line.serialize_entry("positions", &self.1.positions)?;
            }
            line.serialize_entry("advice", self.0.advice())?;
            line.end()
        }
    }
    serializer.collect_seq(mended.tallies().map(|(what, tally)| Line(what, tally)))
}

impl Report {
    /// Everything that was skipped, dropped or mended, the worst first.
    #[must_use]
    pub fn remarks(&self) -> Vec<Remark> {
        Summary::of(self).remarks()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_told_where_entries_have_them_and_the_worst_comes_first() {
        let mut mended = Mended::default();
        mended.note(Mend::Markup);
        mended.turn_to(Some(2));
        mended.note(Mend::BadDate);
        let report = Report {
            source: ReportSource {
                format: Format::Rss20,
                r#type: SourceType::Rss,
                encoding: "UTF-8",
                page: None,
                url: "https://a.example/".to_owned(),
                truncated: false,
            },
            items: Vec::new(),
            duplicates: Vec::new(),
            skipped: vec![Skipped { position: 1, reason: SkipReason::Empty }],
            mended,
        };
        let lines = &serde_json::to_value(&report).unwrap()["mended"];
        assert_eq!(lines[0].get("positions"), None);
        assert_eq!(lines[1]["positions"], json!([2]));
        let places: Vec<_> = report.remarks().iter().map(Remark::place).collect();
        assert_eq!(places[0].as_deref(), Some("in entry 2"));
        assert_eq!(places.len(), 3);
    }
}
