//! Room in memory for bodies: however many polls are under way, large documents take turns.
//!
//! The first MiB of a body is free. A larger one reserves what it may become before it grows, in
//! one go, so that no two wait for each other, and gives back what it did not need. Room on the
//! wire and room for decoded bytes are apart: what was decoded is always let go of in the end, so
//! whoever waits for that with its wire bytes in hand gets its turn.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The room that the fetches of one thread share.
#[derive(Clone, Debug)]
pub(super) struct Rooms {
    wire: Arc<Semaphore>,
    decoded: Arc<Semaphore>,
    most: u32,
}

/// Room that is taken for as long as this lives; clones hold the same.
#[derive(Clone, Debug, Default)]
pub struct Room {
    _held: Option<Arc<OwnedSemaphorePermit>>,
}

/// All rooms are alike: what is in them differs.
impl PartialEq for Room {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Room {}

/// Room that may still be given back.
#[derive(Debug, Default)]
pub(super) struct Reserved(Option<OwnedSemaphorePermit>);

impl Rooms {
    /// Room for one of the largest bodies on the wire, and for one decoded: with two threads that
    /// is what two processors can work at.
    pub(super) fn new(max_body_bytes: u64) -> Self {
        let most = units(max_body_bytes).max(1);
        let semaphore = |units| Arc::new(Semaphore::new(units as usize));
        Self { wire: semaphore(most), decoded: semaphore(most), most }
    }

    /// Waits for room for a body on the wire that may have so many bytes.
    pub(super) async fn on_the_wire(&self, bytes: u64) -> Reserved {
        self.reserve(&self.wire, bytes).await
    }

    /// Waits for room for what decoding may give.
    pub(super) async fn decoded(&self, bytes: u64) -> Reserved {
        self.reserve(&self.decoded, bytes).await
    }

    async fn reserve(&self, semaphore: &Arc<Semaphore>, bytes: u64) -> Reserved {
        let units = units(bytes).min(self.most);
        if units == 0 {
            return Reserved::default();
        }
        // It is never closed.
        Reserved(Arc::clone(semaphore).acquire_many_owned(units).await.ok())
    }
}

impl Reserved {
    /// Gives back what was not needed.
    pub(super) fn keeping(self, bytes: u64) -> Room {
        let Some(mut permit) = self.0 else { return Room::default() };
        let surplus = permit.num_permits().saturating_sub(units(bytes) as usize);
        drop(permit.split(surplus));
        Room { _held: Some(Arc::new(permit)) }
    }
}

/// Bytes that are free, and that a unit of room has.
pub(super) const FREE_BYTES: u64 = 1 << 20;

/// Room by the MiB; the first is free.
fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(FREE_BYTES).saturating_sub(1)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn small_bodies_need_no_room_and_large_ones_take_turns() {
        let rooms = Rooms::new(25 * MIB);
        let reserve = |bytes| rooms.on_the_wire(bytes).now_or_never();
        let small: Vec<_> = (0..1000).map(|_| reserve(MIB)).collect();
        assert!(small.iter().all(Option::is_some));
        let first = reserve(25 * MIB);
        assert!(first.is_some());
        assert!(reserve(2 * MIB).is_none());
        let decoded = rooms.decoded(25 * MIB).now_or_never();
        assert!(decoded.is_some());
        assert!(rooms.decoded(2 * MIB).now_or_never().is_none());
        let kept = first.unwrap().keeping(3 * MIB);
        let second = reserve(23 * MIB);
        assert!(second.is_some());
        assert!(reserve(2 * MIB).is_none());
        drop((kept, second));
        assert!(reserve(25 * MIB).is_some());
    }

    #[test]
    fn a_body_larger_than_any_may_be_takes_no_more_than_the_largest() {
        let rooms = Rooms::new(2 * MIB);
        assert!(rooms.decoded(u64::MAX).now_or_never().is_some());
        assert!(Rooms::new(1000).decoded(u64::MAX).now_or_never().is_some());
    }
}
