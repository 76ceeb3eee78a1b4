//! MMSP read back: whether a document is a native manifest.
//!
//! Floor 1, pure. [`read`] gives the [`Head`] of a manifest, enough to know one and to walk its
//! pages; [`is_native`] says whether there is one. Time and memory are bounded by [`MAX_BYTES`].

mod error;
mod form;
mod head;

pub use error::ManifestError;
pub use head::{Head, is_native, read};

/// The largest document that is looked at, in bytes: 25 MiB, as for any other source.
pub const MAX_BYTES: usize = 25 << 20;
