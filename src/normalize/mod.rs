//! What we make of a source feed: MMSP 10 and its appendices, and the decisions where they are
//! silent.
//!
//! Pure: "now" and what the store remembers are arguments. One file for each thing an item has.

mod address;
mod channel;
mod chapter_file;
mod context;
mod description;
#[cfg(test)]
mod for_tests;
mod html;
mod html_bounds;
mod identity;
mod item;
mod item_type;
mod license;
mod media;
mod mended;
mod moments;
mod people;
mod plain_text;
mod rating;
mod series;
mod settings;
mod title;
mod transcripts;

pub use chapter_file::read_chapter_file;
pub use mended::{Mend, Mended, Mends, Tally};
pub use plain_text::of_html as text_of_html;
pub use settings::Settings;

pub(crate) use channel::{Origin, read_channel};
pub(crate) use context::Context;
pub use identity::Known;
pub use item::SkipReason;

pub(crate) use identity::{candidate_ids, resolve};
pub(crate) use item::normalize_item;
