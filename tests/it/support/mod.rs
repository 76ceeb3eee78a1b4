//! What the tests of the whole stand on: an origin, the program, a client, a judge of manifests.

pub mod client;
pub mod feed;
pub mod inside;
pub mod manifest;
#[path = "../../../src/fetch/tests/name_server.rs"]
pub mod name_server;
pub mod origin;
pub mod patience;
#[path = "../../../src/store/postgres/server.rs"]
pub mod postgres;
pub mod program;

pub use client::Response;
pub use inside::Inside;
pub use origin::{Answer, Origin};
pub use patience::until;
pub use program::Program;
