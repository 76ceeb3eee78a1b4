//! A count of what was mended, dropped or made up, in words that a publisher can act on.

use std::collections::BTreeMap;

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

/// How often each thing was mended in one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mended(BTreeMap<Mend, usize>);

impl Mended {
    /// Counts something once.
    pub fn note(&mut self, what: Mend) {
        self.add(what, 1);
    }

    /// Counts something that happened several times.
    pub fn add(&mut self, what: Mend, times: usize) {
        if times > 0 {
            *self.0.entry(what).or_default() += times;
        }
    }

    /// Everything that was counted, in a stable order.
    pub fn iter(&self) -> impl Iterator<Item = (Mend, usize)> {
        self.0.iter().map(|(what, count)| (*what, *count))
    }

    /// Whether nothing was wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
