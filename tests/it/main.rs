//! Promises of the whole: the real binary, real sockets, a real (if ill-behaved) origin.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test that cannot go on has failed, it may reach what it started, and nobody imports it"
)]

mod architecture;
mod check;
mod claims;
mod cli;
mod dependencies;
mod deploy;
mod documents;
mod fixtures;
mod fuzzed;
mod help;
mod hostile;
mod http;
mod lists;
mod manifest;
mod page;
mod settings;
mod store;
mod support;
