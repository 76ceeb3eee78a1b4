//! Feeds to measure with, our converter and others behind one kind of door.

#![allow(clippy::unwrap_used, reason = "a rival that cannot read a feed has nothing to measure")]

pub mod feeds;
pub mod readers;
