//! What a merge changes of a feed's row. Pure; every database asks it between reading and writing.

use super::row::head;
use super::{FeedRecord, Merge, StoreError};
use crate::model::Timestamp;
use crate::paging::Position;

/// What the items of a merge did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Changes {
    /// Rows that were written, which carry their own times.
    pub(super) written: u64,
    /// Rows that went.
    pub(super) deleted: u64,
    /// How the number of items and their bytes grew, or shrank.
    pub(super) items: i64,
    pub(super) bytes: i64,
}

impl Changes {
    /// Counts rows that went, by the bytes of each.
    pub(super) fn delete(&mut self, sizes: &[i64]) {
        self.deleted += u64::try_from(sizes.len()).unwrap_or(u64::MAX);
        self.items -= i64::try_from(sizes.len()).unwrap_or(i64::MAX);
        self.bytes -= sizes.iter().sum::<i64>();
    }

    /// Counts rows that were written, by the number and bytes of those with their ids before and
    /// after.
    pub(super) fn write(&mut self, rows: u64, before: (i64, i64), after: (i64, i64)) {
        self.written += rows;
        self.items += after.0 - before.0;
        self.bytes += after.1 - before.1;
    }

    /// The feed as it is to be written, from what was stored of it and of its items before.
    pub(super) fn apply(
        self,
        before: Option<FeedRecord>,
        oldest: Option<&Position>,
        merge: &Merge<'_>,
    ) -> Result<FeedRecord, StoreError> {
        let mut after = merge.record.clone();
        let Some(before) = before else {
            let version = merge.now.seconds();
            return Ok(FeedRecord { version, pages_changed_at: merge.now, ..after });
        };
        after.first_url = before.first_url.clone();
        after.asked_at = before.asked_at;
        // An item below the last page gives that page a next one.
        let older = oldest.is_some_and(|at| merge.items.iter().any(|item| item.position < *at));
        let pages = self.deleted > 0 || older || head(&before)? != head(&after)?;
        after.version = before.version + i64::from(pages || self.written > 0);
        after.pages_changed_at = if pages { merge.now } else { before.pages_changed_at };
        Ok(after)
    }
}

/// Whether there are items left of a feed that is read as a new one, by its tombstone: when it was
/// forgotten, and whether its items are swept.
pub(super) fn is_leftover(
    tombstone: Option<(i64, i64)>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    match tombstone {
        // The poll is older than the wish to forget.
        Some((forgotten_at, _)) if forgotten_at > now.seconds() => Err(StoreError::Forgotten),
        Some((_, swept)) => Ok(swept == 0),
        None => Ok(false),
    }
}
