//! One file for each thing that is served.

pub(crate) mod assets;
pub(crate) mod description;
pub(crate) mod discover;
pub(crate) mod feed;
pub(crate) mod health;
pub(crate) mod metrics;
pub(crate) mod named;
pub(crate) mod opml;
pub(crate) mod page;
pub(crate) mod problems;
pub(crate) mod robots;
