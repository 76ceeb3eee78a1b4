//! What keeps a text from being a filter.

use thiserror::Error;

/// Where a text stops being a filter, and what could stand there.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("at character {}: {expected}", position + 1)]
pub struct FilterError {
    /// How many characters stand before the place.
    pub position: usize,
    /// What could stand there.
    pub expected: Expected,
}

/// What a filter could have at some place.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Expected {
    /// A condition, perhaps in parentheses or behind `NOT`.
    #[error(
        "expected a condition: type:, tag:, author:, lang:, duration:, published:, keyword: or \
         rating:, with NOT before it or parentheses around it"
    )]
    Condition,
    /// One condition.
    #[error("expected one condition; NOT takes no parentheses and no second NOT")]
    OneCondition,
    /// The end, or another term.
    #[error("expected the end, or AND or OR with one space on each side")]
    Operator,
    /// The end of a group, or another term.
    #[error("expected `)`, or AND or OR with one space on each side")]
    Closing,
    /// A type of items (6.3).
    #[error(
        "expected a type: video, audio, article, image, short, document, gallery, event, release, \
         newsletter, course or livestream"
    )]
    Type,
    /// A rating (6.9).
    #[error("expected a rating: general, teen, mature or explicit")]
    Rating,
    /// A string.
    #[error("expected printable ASCII characters between two `\"`, with no `\"` among them")]
    Text,
    /// A language tag.
    #[error("expected a language such as en or pt-BR")]
    Language,
    /// A range of seconds.
    #[error("expected >=SECONDS, <=SECONDS or [SECONDS,SECONDS]")]
    Seconds,
    /// A range of dates.
    #[error(
        "expected >=DATE, <=DATE or [DATE,DATE], such as >=2026-01-01T00:00:00Z or >=2026-01-01"
    )]
    Date,
    /// Less.
    #[error("expected fewer parentheses in one another")]
    LessDepth,
    /// A shorter filter.
    #[error("expected a filter of 4096 bytes at the most")]
    LessText,
}
