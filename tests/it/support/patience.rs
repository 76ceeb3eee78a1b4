//! Waiting for what is bound to happen: asked again and again, and given up late.

use std::thread;
use std::time::{Duration, Instant};

/// Waits until it is so.
pub fn until(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "it does not come");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A busy machine is no fault.
const PATIENCE: Duration = Duration::from_secs(60);
