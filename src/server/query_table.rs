//! Queries that were read lately: most requests are for a feed that somebody asked for a moment ago,
//! and to read its address takes longer than to find its page.
//!
//! A table of a fixed size, found by a secret hash as callers are: strangers can push one another's
//! queries out of it and nothing more.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::query::{Query, QueryError};

/// The table.
pub(crate) struct QueryTable {
    hasher: RandomState,
    places: Box<[Place]>,
}

type Place = Mutex<Option<(Box<str>, Arc<Query>)>>;

impl QueryTable {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self { hasher: RandomState::new(), places: (0..PLACES).map(|_| Mutex::default()).collect() }
    }

    /// Reads a query as [`Query::parse`] does, or remembers what it said.
    pub(crate) fn read(&self, text: &str) -> Result<Arc<Query>, QueryError> {
        let place = self.place(text);
        if let Some(place) = place
            && let Some((known, query)) = &*lock(place)
            && **known == *text
        {
            return Ok(Arc::clone(query));
        }
        let query = Arc::new(Query::parse(text)?);
        if let Some(place) = place {
            *lock(place) = Some((text.into(), Arc::clone(&query)));
        }
        Ok(query)
    }

    /// Where a query would be; nowhere if it is too long to be kept.
    fn place(&self, text: &str) -> Option<&Place> {
        if text.len() > LONGEST_BYTES {
            return None;
        }
        let hash = self.hasher.hash_one(text);
        self.places.get(usize::try_from(hash % PLACES as u64).ok()?)
    }
}

fn lock(place: &Place) -> MutexGuard<'_, Option<(Box<str>, Arc<Query>)>> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Enough for the feeds that are read all the time: 6 MB, if every query is as long as may be.
const PLACES: usize = 1 << 12;
const LONGEST_BYTES: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read_once_and_means_what_it_says() {
        let table = QueryTable::new();
        let first = table.read("url=a.example&limit=3").unwrap();
        assert_eq!(*first, Query::parse("url=a.example&limit=3").unwrap());
        assert!(Arc::ptr_eq(&first, &table.read("url=a.example&limit=3").unwrap()));
        assert_eq!(
            table.read("url=a.example&limit=4"),
            Query::parse("url=a.example&limit=4").map(Arc::new)
        );
    }

    #[test]
    fn what_cannot_be_read_or_is_long_is_not_kept() {
        let table = QueryTable::new();
        let long = format!("url=a.example/{}", "x".repeat(LONGEST_BYTES));
        assert!(table.read("url=a.example&x=1").is_err());
        assert!(table.read(&long).is_ok());
        assert!(table.places.iter().all(|place| lock(place).is_none()));
    }

    #[test]
    fn however_many_queries_come_the_table_stays_as_large_as_it_is() {
        let table = QueryTable::new();
        for n in 0..2 * PLACES {
            let query = table.read(&format!("url=a.example/{n}")).unwrap();
            assert_eq!(query.url.url().path(), format!("/{n}"));
        }
        assert_eq!(table.places.len(), PLACES);
    }
}
