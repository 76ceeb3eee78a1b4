//! How many items a caller wants on a page.

use std::fmt;

use thiserror::Error;

/// A number of items from 1 to 500.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Limit(u16);

/// The text is not a whole number from 1 to 500.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the limit must be a whole number from 1 to {}", Limit::MAX)]
pub struct LimitError;

impl Limit {
    /// The largest limit.
    pub const MAX: u16 = 500;
    /// What holds where a caller names none.
    pub const DEFAULT: Self = Self(100);

    /// That many, or the nearest that is a limit.
    #[must_use]
    pub const fn clamped(items: u16) -> Self {
        match items {
            0 => Self(1),
            1..=Self::MAX => Self(items),
            _ => Self(Self::MAX),
        }
    }

    /// Parses a decimal number without sign or leading zero.
    ///
    /// # Errors
    /// Anything else, and what lies outside 1 to 500.
    pub fn parse(text: &str) -> Result<Self, LimitError> {
        let plain = !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
        let number = text.parse().ok().filter(|number| (1..=Self::MAX).contains(number));
        number.filter(|_| plain).map(Self).ok_or(LimitError)
    }

    /// The limit as a count.
    #[must_use]
    pub fn items(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_from_1_to_500_are_taken() {
        for (text, limit) in [("1", Some(1)), ("100", Some(100)), ("500", Some(500))] {
            assert_eq!(Limit::parse(text).ok().map(Limit::items), limit, "{text}");
        }
        for (items, limit) in [(0, 1), (1, 1), (25, 25), (500, 500), (501, 500)] {
            assert_eq!(Limit::clamped(items).items(), limit);
        }
        for text in ["", "0", "501", "-1", "+1", "01", "1.0", "ten", "99999999999999999999"] {
            assert_eq!(Limit::parse(text), Err(LimitError), "{text}");
        }
    }
}
