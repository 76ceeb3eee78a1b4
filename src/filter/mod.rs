//! Filters over items (MMSP Appendix A): an expression is parsed once and asked about each item.
//!
//! The grammar is the draft's, to the letter: one space where it has one, `NOT` before a single
//! condition only. Its words may be written in any case (RFC 5234, 2.3). It does not say which of
//! `AND` and `OR` binds closer; here `AND` does, as nearly everywhere.

mod error;
mod expression;
mod item;
mod moment;
#[cfg(test)]
mod naive;
mod parser;

pub use error::{Expected, FilterError};
pub use expression::Filter;
