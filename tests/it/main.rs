//! Promises of the whole: the real binary, real sockets, a real (if ill-behaved) origin.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test that cannot go on has failed, and it may reach what it started itself"
)]

mod architecture;
mod cli;
mod http;
mod support;
