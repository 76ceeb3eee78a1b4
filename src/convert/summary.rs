//! A report that is small enough to be remembered: how often, and where first, but no list of items.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Report;
use crate::normalize::{Mend, Mended, SkipReason, Tally};

/// What became of a document. Labels that a later version does not know any more say nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The short name of its format, such as `rss20`.
    pub format: String,
    /// WHATWG name of the encoding it was read in.
    pub encoding: String,
    /// How many items it shows.
    pub items: usize,
    /// Whether it was cut off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Entries that are other entries once more.
    #[serde(default, skip_serializing_if = "is_nothing")]
    duplicates: Tally,
    /// Entries that were left out, by the label of the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    skipped: BTreeMap<String, Tally>,
    /// What was mended, by its label.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    mended: BTreeMap<String, Tally>,
}

/// Something that did not arrive as it was written, in words for the publisher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What happened to it.
    pub fate: Fate,
    /// What was wrong and what was done, without a full stop.
    pub what: &'static str,
    /// What to do about it, without a full stop.
    pub advice: &'static str,
    /// How often.
    pub count: usize,
    /// The places of the first entries that it happened in, from 0; empty for the feed as a whole.
    pub positions: Vec<usize>,
}

impl Remark {
    /// The numbers of those entries as people count them: from 1.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.positions.iter().map(|position| position + 1)
    }

    /// Where it happened, such as "in entry 3" or "first in entry 3"; none for the feed as a whole.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        let first = self.entries().next()?;
        let several = if self.positions.len() > 1 { "first " } else { "" };
        Some(format!("{several}in entry {first}"))
    }
}

/// What became of something that is not as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// An entry was left out.
    Skipped,
    /// A part was left out.
    Dropped,
    /// It arrived in another form, or was made up where it was missing.
    Mended,
}

impl Summary {
    /// Sums up a report.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let mut skipped: BTreeMap<String, Tally> = BTreeMap::new();
        for entry in &report.skipped {
            add(skipped.entry(entry.reason.as_str().to_owned()).or_default(), entry.position);
        }
        let mut duplicates = Tally::default();
        report.duplicates.iter().for_each(|entry| add(&mut duplicates, entry.position));
        let mended = report.mended.tallies();
        Self {
            format: report.source.format.as_str().to_owned(),
            encoding: report.source.encoding.to_owned(),
            items: report.items.len(),
            truncated: report.source.truncated,
            duplicates,
            skipped,
            mended: mended.map(|(what, tally)| (what.label().to_owned(), tally.clone())).collect(),
        }
    }

    /// Everything that was skipped, dropped or mended, the worst first.
    #[must_use]
    pub fn remarks(&self) -> Vec<Remark> {
        let mut remarks = Vec::new();
        for reason in SkipReason::ALL {
            let tally = self.skipped.get(reason.as_str());
            remarks.extend(remark(Fate::Skipped, reason.what(), reason.advice(), tally));
        }
        remarks.extend(remark(
            Fate::Dropped,
            "the document breaks off; what comes behind is missing",
            "send the whole feed, and check its Content-Length",
            self.truncated.then_some(&Tally { count: 1, ..Tally::default() }),
        ));
        remarks.extend(remark(
            Fate::Dropped,
            "an entry is another one once more; the later of the two was taken",
            "give each entry a guid or id of its own, or take the double out",
            Some(&self.duplicates),
        ));
        for what in Mend::ALL {
            let fate = if what.is_loss() { Fate::Dropped } else { Fate::Mended };
            remarks.extend(remark(
                fate,
                what.as_str(),
                what.advice(),
                self.mended.get(what.label()),
            ));
        }
        remarks.sort_by_key(|remark| remark.fate as u8);
        remarks
    }

    /// How much memory it takes, about.
    #[must_use]
    pub fn weight_bytes(&self) -> usize {
        let tallies = self.skipped.values().chain(self.mended.values());
        size_of::<Self>() + tallies.map(|tally| 96 + 8 * tally.positions.len()).sum::<usize>()
    }
}

fn remark(
    fate: Fate,
    what: &'static str,
    advice: &'static str,
    tally: Option<&Tally>,
) -> Option<Remark> {
    let Tally { count, positions, .. } = tally.filter(|tally| tally.count > 0)?.clone();
    Some(Remark { fate, what, advice, count, positions })
}

/// Entries come in the order of the document.
fn add(tally: &mut Tally, position: usize) {
    tally.count += 1;
    if tally.positions.len() < Mended::MAX_PLACES {
        tally.positions.push(position);
    }
}

fn is_nothing(tally: &Tally) -> bool {
    tally.count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(count: usize) -> Tally {
        Tally { count, positions: (0..count.min(10)).collect(), remembered: 0 }
    }

    #[test]
    fn it_says_the_same_when_it_was_written_down() {
        let mut summary = Summary {
            format: "rss20".to_owned(),
            encoding: "UTF-8".to_owned(),
            items: 3,
            truncated: true,
            duplicates: tally(1),
            skipped: SkipReason::ALL.map(|reason| (reason.as_str().to_owned(), tally(2))).into(),
            mended: Mend::ALL.map(|what| (what.label().to_owned(), tally(100))).into(),
        };
        let json = serde_json::to_string(&summary).unwrap();
        assert!(json.len() < 2_000, "{} bytes", json.len());
        assert_eq!(serde_json::from_str::<Summary>(&json).unwrap(), summary);
        let remarks = summary.remarks();
        assert_eq!(remarks.len(), 2 + 2 + Mend::ALL.len());
        assert!(remarks.is_sorted_by_key(|remark| remark.fate as u8));

        // Of a version that knew more, and of one that knew less.
        summary.mended.insert("sideways-text".to_owned(), tally(1));
        assert_eq!(summary.remarks(), remarks);
        let bare = r#"{"format":"atom10","encoding":"UTF-8","items":0}"#;
        assert_eq!(serde_json::from_str::<Summary>(bare).unwrap().remarks(), []);
    }

    #[test]
    fn what_did_not_happen_is_not_written() {
        let bare = r#"{"format":"atom10","encoding":"UTF-8","items":0}"#;
        let summary: Summary = serde_json::from_str(bare).unwrap();
        assert_eq!(serde_json::to_string(&summary).unwrap(), bare);
    }

    #[test]
    fn entries_are_counted_from_1_and_the_first_is_named() {
        let place = |positions: &[usize]| {
            let (fate, what, advice) = (Fate::Mended, "", "");
            let count = positions.len();
            let remark = Remark { fate, what, advice, count, positions: positions.to_vec() };
            (remark.entries().collect::<Vec<_>>(), remark.place())
        };
        assert_eq!(place(&[]), (vec![], None));
        assert_eq!(place(&[0]), (vec![1], Some("in entry 1".to_owned())));
        assert_eq!(place(&[2, 4]), (vec![3, 5], Some("first in entry 3".to_owned())));
    }

    #[test]
    fn all_are_counted_and_the_first_are_told_by_their_place() {
        let mut tally = Tally::default();
        (0..Mended::MAX_PLACES + 2).for_each(|position| add(&mut tally, 2 * position));
        assert_eq!(tally.count, Mended::MAX_PLACES + 2);
        assert_eq!(tally.positions, (0..Mended::MAX_PLACES).map(|n| 2 * n).collect::<Vec<_>>());
    }

    #[test]
    fn its_weight_grows_with_what_it_remembers() {
        let bare = r#"{"format":"atom10","encoding":"UTF-8","items":0}"#;
        let mut summary: Summary = serde_json::from_str(bare).unwrap();
        let empty = summary.weight_bytes();
        assert!(empty >= size_of::<Summary>());
        summary.skipped.insert("empty".to_owned(), tally(10));
        summary.mended.insert("date".to_owned(), tally(10));
        let least = 2 * (size_of::<Tally>() + 10 * size_of::<usize>());
        let grown = summary.weight_bytes() - empty;
        assert!((least..3 * least).contains(&grown), "{grown}");
    }
}
