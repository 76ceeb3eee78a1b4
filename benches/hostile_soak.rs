//! A gateway under attack for as long as one likes: bombs, drips, loops, garbage and made-up
//! addresses from many clients, while others read good feeds.
//!
//! `cargo bench --bench hostile_soak -- MINUTES` (30 without a number). Says at the end, as one JSON
//! object, how the readers fared and what became of the memory; fails where a good feed was
//! refused, the program ended, or its memory went on growing.

#![allow(
    unreachable_pub,
    dead_code,
    unused_imports,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program for one person to watch, on parts of the tests"
)]

#[path = "../tests/it/hostile/documents.rs"]
mod documents;
#[path = "../tests/it/hostile/soak.rs"]
mod soak;
#[path = "../tests/it/support/mod.rs"]
mod support;

use std::time::Duration;

/// Longer than a poll may take.
const REST: Duration = Duration::from_secs(75);
const ATTACKERS: u64 = 24;

fn main() {
    let minutes = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(30.0);
    let told = soak::run(ATTACKERS, Duration::from_secs_f64(minutes * 60.0), REST);
    println!("{told:#}");
    assert!(told["good_refused"] == 0, "good feeds were refused");
    let memory = |when: &str| told["memory_mib"][when].as_u64().unwrap();
    let (early, late) = (memory("mean_of_second_quarter"), memory("mean_of_last_quarter"));
    assert!(late < early + early / 4 + 32, "memory grows: {early} MiB, then {late} MiB");
}
