//! What is kept in memory, by weight: least used goes first, nothing grows without end.
//!
//! Plain caches over moka. They hold no truth: everything in them can be had again from the store
//! or the source, and whether an entry is still good is for its reader to judge.

mod settings;

use std::hash::Hash;
use std::sync::Arc;

pub use settings::Settings;

/// A cache whose entries weigh what they take in memory. Clones share their content.
#[derive(Clone, Debug)]
pub struct Cache<K, V>(moka::future::Cache<K, V>)
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static;

/// How much memory an entry takes, about, key included.
pub trait Weight {
    /// The weight in bytes.
    fn weight_bytes(&self) -> usize;
}

impl<K, V> Cache<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Weight + Clone + Send + Sync + 'static,
{
    /// A cache of at most that many bytes.
    #[must_use]
    pub fn with_max_bytes(max_bytes: u64) -> Self {
        let weigh = |_: &K, value: &V| {
            u32::try_from(value.weight_bytes() + ENTRY_BYTES).unwrap_or(u32::MAX)
        };
        let builder = moka::future::Cache::builder().max_capacity(max_bytes).weigher(weigh);
        Self(builder.support_invalidation_closures().build())
    }

    /// Finds an entry.
    pub async fn find(&self, key: &K) -> Option<V> {
        self.0.get(key).await
    }

    /// Finds an entry, or makes it: once for all who want it at the same time, unless the first of
    /// them leaves.
    ///
    /// # Errors
    /// What making it ends in, shared by all of them.
    pub async fn find_or_make<E: Send + Sync + 'static>(
        &self,
        key: K,
        make: impl Future<Output = Result<V, E>>,
    ) -> Result<V, Arc<E>> {
        self.0.try_get_with(key, make).await
    }

    /// Puts an entry, in place of any older one.
    pub async fn put(&self, key: K, value: V) {
        self.0.insert(key, value).await;
    }

    /// Takes out every entry whose key is so. Entries that come later stay.
    pub fn remove_where(&self, is_out: impl Fn(&K) -> bool + Send + Sync + 'static) {
        // Refused only by a cache that was not made for it.
        drop(self.0.invalidate_entries_if(move |key, _| is_out(key)));
    }

    /// What all entries weigh, as far as moka has counted them yet.
    #[must_use]
    pub fn weight_bytes(&self) -> u64 {
        self.0.weighted_size()
    }

    /// Takes an entry out.
    pub async fn remove(&self, key: &K) {
        self.0.invalidate(key).await;
    }
}

/// What moka itself keeps beside an entry, with a usual key.
const ENTRY_BYTES: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone)]
    struct Heavy(usize);

    impl Weight for Heavy {
        fn weight_bytes(&self) -> usize {
            self.0
        }
    }

    #[tokio::test]
    async fn entries_are_found_until_removed() {
        let cache = Cache::with_max_bytes(10_000);
        cache.put(1, Heavy(10)).await;
        assert!(cache.find(&1).await.is_some());
        cache.remove(&1).await;
        assert!(cache.find(&1).await.is_none());
    }

    #[tokio::test]
    async fn entries_go_by_what_their_keys_are() {
        let cache = Cache::with_max_bytes(10_000);
        for key in 0..4 {
            cache.put(key, Heavy(10)).await;
        }
        cache.remove_where(|key| key % 2 == 0);
        cache.put(2, Heavy(10)).await;
        let mut found = Vec::new();
        for key in 0..4 {
            found.extend(cache.find(&key).await.map(|_| key));
        }
        assert_eq!(found, [1, 2, 3]);
    }

    #[tokio::test]
    async fn the_weight_of_all_entries_stays_below_the_maximum() {
        let cache = Cache::with_max_bytes(10_000);
        for key in 0..100 {
            cache.put(key, Heavy(1_000)).await;
        }
        cache.0.run_pending_tasks().await;
        assert!((7_000..=10_000).contains(&cache.weight_bytes()));
    }
}
