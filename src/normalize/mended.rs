//! A count of what was mended, dropped or made up, in words that a publisher can act on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Something about a feed that had to be mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mend {
    /// Markup that is not well-formed XML.
    Markup,
    /// Bytes that are no character in the document's encoding.
    BadBytes,
    /// Control characters that XML forbids.
    ControlCharacters,
    /// An `http:` address written as `https:`.
    UpgradedAddress,
    /// An address that cannot be one.
    BadAddress,
    /// An item without an identifier of its own.
    MissingId,
    /// An identifier that is no URI.
    BadId,
    /// An identifier that two different items share.
    SharedId,
    /// An item without a title.
    MissingTitle,
    /// An item without a link.
    MissingLink,
    /// An item without a date.
    MissingDate,
    /// A date that cannot be read.
    BadDate,
    /// A date more than a day ahead.
    FutureDate,
    /// A length, size or number that is none.
    BadNumber,
    /// A media type that is missing or none.
    BadMediaType,
    /// A language tag that is none.
    BadLanguage,
    /// A text longer than the limit, cut off.
    LongText,
}

impl Mend {
    /// Every kind, for tables that must be complete.
    pub const ALL: [Self; 17] = [
        Self::Markup,
        Self::BadBytes,
        Self::ControlCharacters,
        Self::UpgradedAddress,
        Self::BadAddress,
        Self::MissingId,
        Self::BadId,
        Self::SharedId,
        Self::MissingTitle,
        Self::MissingLink,
        Self::MissingDate,
        Self::BadDate,
        Self::FutureDate,
        Self::BadNumber,
        Self::BadMediaType,
        Self::BadLanguage,
        Self::LongText,
    ];

    /// The word for metrics.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Markup => "markup",
            Self::BadBytes => "bad-bytes",
            Self::ControlCharacters => "control-characters",
            Self::UpgradedAddress => "upgraded-address",
            Self::BadAddress => "bad-address",
            Self::MissingId => "missing-id",
            Self::BadId => "bad-id",
            Self::SharedId => "shared-id",
            Self::MissingTitle => "missing-title",
            Self::MissingLink => "missing-link",
            Self::MissingDate => "missing-date",
            Self::BadDate => "bad-date",
            Self::FutureDate => "future-date",
            Self::BadNumber => "bad-number",
            Self::BadMediaType => "bad-media-type",
            Self::BadLanguage => "bad-language",
            Self::LongText => "long-text",
        }
    }

    /// Whether something the publisher wrote does not arrive, rather than arriving in another
    /// form or being made up where it is missing.
    #[must_use]
    pub fn is_loss(self) -> bool {
        match self {
            Self::BadBytes
            | Self::ControlCharacters
            | Self::BadAddress
            | Self::BadDate
            | Self::FutureDate
            | Self::BadNumber
            | Self::BadLanguage
            | Self::LongText => true,
            Self::Markup
            | Self::UpgradedAddress
            | Self::MissingId
            | Self::BadId
            | Self::SharedId
            | Self::MissingTitle
            | Self::MissingLink
            | Self::MissingDate
            | Self::BadMediaType => false,
        }
    }

    /// What the publisher can do about it, as one plain sentence without a full stop.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Markup => {
                "write the feed with an XML library, or run it through an XML parser and close, \
                 quote and escape what that complains of"
            }
            Self::BadBytes => {
                "save and send the feed in one encoding, best UTF-8, and name that one in the \
                 XML declaration and in Content-Type"
            }
            Self::ControlCharacters => "take control characters out of texts before writing them",
            Self::UpgradedAddress => "serve it over https and write https:// addresses",
            Self::BadAddress => {
                "write whole addresses that begin with https://, percent-encoded where they hold \
                 spaces or other letters than ASCII"
            }
            Self::MissingId => {
                "give each item a guid or id that never changes, such as its first address or a \
                 urn:uuid"
            }
            Self::BadId => {
                "write guids as absolute URIs, and keep the ones that are published already"
            }
            Self::SharedId => "give each item a guid or id of its own",
            Self::MissingTitle => "give each item a title",
            Self::MissingLink => "give each item a link to its page",
            Self::MissingDate => "give each item the date of its publication (pubDate, published)",
            Self::BadDate => {
                "write dates as RSS and Atom have them: Tue, 05 Mar 2024 10:00:00 GMT, or \
                 2024-03-05T10:00:00Z"
            }
            Self::FutureDate => "publish an item when its date has come, and check the time zone",
            Self::BadNumber => "write sizes, lengths and numbers as digits alone",
            Self::BadMediaType => {
                "give each enclosure its media type, such as audio/mpeg, and its file name the \
                 right ending"
            }
            Self::BadLanguage => "write a language tag of BCP 47, such as en or pt-BR",
            Self::LongText => "keep texts under two million bytes, or link to the whole",
        }
    }

    /// What was wrong and what was done, as one plain sentence without a full stop.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Markup => "the markup is not well-formed; read as far as it makes sense",
            Self::BadBytes => "bytes do not fit the encoding; replaced by the nearest character",
            Self::ControlCharacters => {
                "control characters are not allowed in a text; taken out or replaced"
            }
            Self::UpgradedAddress => "an http address; written as https",
            Self::BadAddress => "an address cannot be used; left out",
            Self::MissingId => "an item has no guid or id; made from its link or content",
            Self::BadId => "a guid or id is not a URI; put behind the feed's address",
            Self::SharedId => "different items share one guid or id; told apart by their links",
            Self::MissingTitle => "an item has no title; made from its text, file or date",
            Self::MissingLink => "an item has no link; the nearest address was taken",
            Self::MissingDate => "an item has no date; the time it was first seen was taken",
            Self::BadDate => "a date cannot be read or lies before 1970; left out",
            Self::FutureDate => "a date lies in the future; the time it was first seen was taken",
            Self::BadNumber => "a length, size or number is none; left out",
            Self::BadMediaType => "a media type is missing or wrong; told by the file name",
            Self::BadLanguage => "a language tag is none; left out",
            Self::LongText => "a text is longer than the limit; cut off",
        }
    }
}

/// Which things were mended of one item, as they are remembered with it. Good for one revision of
/// the converter only: a place in [`Mend::ALL`] is a bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mends(u32);

impl Mends {
    /// The number that stands for them.
    #[must_use]
    pub fn to_bits(self) -> i64 {
        self.0.into()
    }

    /// Those that a number stands for; what it cannot mean is left out.
    #[must_use]
    pub fn from_bits(bits: i64) -> Self {
        Self(u32::try_from(bits).unwrap_or(0))
    }

    fn insert(&mut self, what: Mend) {
        self.0 |= 1 << (what as u32);
    }

    fn iter(self) -> impl Iterator<Item = Mend> {
        Mend::ALL.into_iter().filter(move |what| self.0 & (1 << (*what as u32)) != 0)
    }
}

/// How often each thing was mended in one document, and where first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mended {
    tallies: BTreeMap<Mend, Tally>,
    entry: Option<usize>,
    /// What was mended since the last turn.
    since_turn: Mends,
}

/// How often, and in which entries first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// How often.
    pub count: usize,
    /// The places of the first [`Mended::MAX_PLACES`] entries in the document, from 0, in their
    /// order; empty where the feed as a whole was mended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<usize>,
    /// How much of it was counted with an earlier document: items that are still the same.
    #[serde(skip)]
    pub remembered: usize,
}

impl Mended {
    /// The most entries that are named for one kind of mending.
    pub const MAX_PLACES: usize = 10;

    /// Counts something once.
    pub fn note(&mut self, what: Mend) {
        self.add(what, 1);
    }

    /// Counts something that happened several times.
    pub fn add(&mut self, what: Mend, times: usize) {
        if times == 0 {
            return;
        }
        self.since_turn.insert(what);
        let tally = self.tallies.entry(what).or_default();
        tally.count += times;
        let Some(entry) = self.entry else { return };
        // Entries are gone through more than once, each time in their order.
        if let Err(at) = tally.positions.binary_search(&entry) {
            tally.positions.insert(at, entry);
            tally.positions.truncate(Self::MAX_PLACES);
        }
    }

    /// From now on it is that entry that is mended; none for the feed as a whole.
    pub(crate) fn turn_to(&mut self, entry: Option<usize>) {
        self.entry = entry;
        self.since_turn = Mends::default();
    }

    /// What was mended since the last turn, to be remembered with the item.
    pub(crate) fn since_turn(&self) -> Mends {
        self.since_turn
    }

    /// Counts what was mended of an item when it was last made, once each.
    pub(crate) fn remember(&mut self, mends: Mends) {
        for what in mends.iter() {
            self.note(what);
            self.tallies.entry(what).or_default().remembered += 1;
        }
    }

    /// Everything that was mended for the first time, in a stable order.
    pub fn fresh(&self) -> impl Iterator<Item = (Mend, usize)> {
        self.tallies
            .iter()
            .map(|(what, tally)| (*what, tally.count.saturating_sub(tally.remembered)))
            .filter(|(_, count)| *count > 0)
    }

    /// Everything that was counted, in a stable order.
    pub fn iter(&self) -> impl Iterator<Item = (Mend, usize)> {
        self.tallies.iter().map(|(what, tally)| (*what, tally.count))
    }

    /// Everything that was counted, and where, in a stable order.
    pub fn tallies(&self) -> impl Iterator<Item = (Mend, &Tally)> {
        self.tallies.iter().map(|(what, tally)| (*what, tally))
    }

    /// Whether nothing was wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tallies.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_entries_are_named_in_their_order_and_once_each() {
        let mut mended = Mended::default();
        mended.note(Mend::Markup);
        for entry in (0..30).rev().chain(0..30) {
            mended.turn_to(Some(entry));
            mended.note(Mend::BadDate);
        }
        mended.turn_to(None);
        mended.add(Mend::BadDate, 2);
        let tallies: Vec<_> = mended.tallies().collect();
        assert_eq!(tallies[0].1, &Tally { count: 1, ..Tally::default() });
        assert_eq!(tallies[1].1.count, 62);
        assert_eq!(tallies[1].1.positions, (0..10).collect::<Vec<_>>());
    }

    #[test]
    fn what_was_mended_of_an_item_is_remembered_by_a_number() {
        let mut mended = Mended::default();
        mended.note(Mend::Markup);
        mended.turn_to(Some(3));
        Mend::ALL.into_iter().for_each(|what| mended.add(what, 2));
        let bits = mended.since_turn().to_bits();
        let mut again = Mended::default();
        again.turn_to(Some(3));
        again.remember(Mends::from_bits(bits));
        let all = Mend::ALL.map(|what| (what, 1));
        assert_eq!(again.iter().collect::<Vec<_>>(), all);
        assert_eq!(again.fresh().count(), 0);
        assert_eq!(again.tallies().next().unwrap().1.positions, [3]);
        for nothing in [0, -1, i64::MAX] {
            assert_eq!(Mends::from_bits(nothing).iter().count(), 0, "{nothing}");
        }
    }

    #[test]
    fn every_kind_says_what_was_done_and_what_to_do() {
        for what in Mend::ALL {
            for words in [what.as_str(), what.advice()] {
                assert!(words.len() > 10 && !words.ends_with('.'), "{words}");
            }
        }
    }
}
