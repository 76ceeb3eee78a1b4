//! MMSP read back: manifests that others wrote.

mod native;

pub use native::is_native;
