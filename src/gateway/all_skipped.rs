//! Notices a feed of which nothing could be shown (MMSP 6.15).

use std::collections::BTreeMap;

use crate::convert::Conversion;

/// How often each reason left an entry out, as `empty: 2`, where none of the entries became an
/// item.
#[must_use]
pub fn all_skipped(conversion: &Conversion) -> Option<String> {
    if !conversion.shown.is_empty() || conversion.report.skipped.is_empty() {
        return None;
    }
    let mut counts = BTreeMap::new();
    for skipped in &conversion.report.skipped {
        *counts.entry(skipped.reason.as_str()).or_insert(0_usize) += 1;
    }
    let counts: Vec<String> =
        counts.iter().map(|(reason, count)| format!("{reason}: {count}")).collect();
    Some(counts.join(", "))
}
