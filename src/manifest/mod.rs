//! MMSP read back: whether a document is a native manifest, and what is wrong with one.
//!
//! Floor 1, pure. [`read`] gives the [`Head`] of a manifest, enough to know one and to walk its
//! pages; [`is_native`] says whether there is one. [`check()`] holds a whole manifest against the
//! draft: `tree` reads it, `schema` is the draft as tables, `walk` goes through them, `rules` are
//! what no table can say. Time and memory are bounded by [`MAX_BYTES`] and [`MAX_VALUES`].

mod check;
mod error;
mod finding;
mod form;
mod head;
mod json_schema;
mod path;
mod rules;
mod schema;
mod trail;
mod tree;
mod walk;

pub use check::{Check, check};
pub use error::ManifestError;
pub use finding::{Finding, Findings, Severity};
pub use head::{Head, is_native, read};
pub use json_schema::json_schemas;
pub use trail::{Next, Trail};

/// The largest document that is looked at, in bytes: 25 MiB, as for any other source.
pub const MAX_BYTES: usize = 25 << 20;

/// The most values, members and elements of every level, that [`check()`] looks at.
pub const MAX_VALUES: usize = 2_000_000;
