//! What this process takes of memory, as Linux tells it.

use std::fs;

/// Mebibytes of memory in use.
#[must_use]
pub fn resident_mib() -> f64 {
    status("VmRSS:")
}

/// The most mebibytes of memory that were in use since [`forget_peak`].
#[must_use]
pub fn peak_mib() -> f64 {
    status("VmHWM:")
}

/// Begins to look for the peak anew.
pub fn forget_peak() {
    // Where this is not allowed, the peak is the one since the start.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn status(field: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    kib / 1024.0
}
