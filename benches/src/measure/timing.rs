//! How long something took.

use std::time::Instant;

/// What came of some work, and the seconds it took.
pub(crate) async fn timed<T>(work: impl Future<Output = T>) -> (T, f64) {
    let begun = Instant::now();
    let done = work.await;
    (done, begun.elapsed().as_secs_f64())
}

/// Seconds that some work took.
pub(crate) fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let begun = Instant::now();
    let done = work();
    let seconds = begun.elapsed().as_secs_f64();
    drop(done);
    seconds
}

/// The one in the middle.
pub(crate) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
