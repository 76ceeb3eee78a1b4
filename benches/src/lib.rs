//! Feeds to measure with, our converter and others behind one kind of door, and a gateway whose
//! clock can be moved.

#![allow(clippy::unwrap_used, reason = "what cannot be set up cannot be measured")]

pub mod feeds;
pub mod origin;
pub mod process;
pub mod readers;
pub mod world;
