//! Reads any RSS, Atom or podcast feed as a native MMSP manifest.
//!
//! The floors are drawn in `ARCHITECTURE.md`; a module imports from lower floors only. Start
//! reading at [`gateway`] for what a request does, at [`convert`] for what becomes of a feed.

mod bounds;
pub mod cache;
pub mod cli;
pub mod clock;
pub mod convert;
pub mod current;
pub mod discovery;
pub mod fault;
pub mod fetch;
pub mod filter;
pub mod gateway;
pub mod manifest;
pub mod metrics;
pub mod model;
pub mod normalize;
pub mod opml;
pub mod paging;
pub mod server;
pub mod settings;
pub mod store;
pub mod syndication;
pub mod telemetry;
