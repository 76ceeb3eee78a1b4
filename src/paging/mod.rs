//! Pages of a feed: where they begin and end, how they are addressed, what they look like.
//!
//! Floor 1, pure. Items are ordered by `published`, then `id`, both descending (MMSP 5.5.2). A
//! [`Position`] is a place in that order and a [`Cursor`] its opaque text; a [`Span`] says how far
//! a page reaches from there and a [`Stretch`] is what it holds; [`render`] writes the manifest; a
//! [`Page`] is the result, ready to send. Nothing here knows where items are kept.

mod address;
mod coding;
mod cursor;
mod limit;
mod manifest;
mod page;
mod poll;
mod position;
mod public_url;
mod signature;
mod span;
mod stretch;

pub use address::Address;
pub use coding::Coding;
pub use cursor::{Cursor, CursorError};
pub use limit::{Limit, LimitError};
pub use manifest::{Manifest, Outline, render};
pub use page::{Origin, Page};
pub use poll::Poll;
pub use position::Position;
pub use public_url::PublicUrl;
pub use signature::{SignerId, SigningKeys};
pub use span::Span;
pub use stretch::{Entry, Stretch};

#[cfg(test)]
pub(crate) mod walk_tests;
