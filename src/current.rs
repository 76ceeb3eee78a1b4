//! A value that is exchanged as a whole while others read it: what a reload puts in force.

use std::sync::{Arc, PoisonError, RwLock};

/// The one in force. Whoever has taken it goes on with it; the next one takes the new one.
#[derive(Debug)]
pub struct Current<T>(RwLock<Arc<T>>);

impl<T> Current<T> {
    /// Begins with this one.
    pub fn new(value: T) -> Self {
        Self(RwLock::new(Arc::new(value)))
    }

    /// The one in force at this moment.
    #[must_use]
    pub fn now(&self) -> Arc<T> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts another one in force.
    pub fn put(&self, value: T) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_taken_a_value_keeps_it_and_the_next_one_has_the_new_one() {
        let current = Current::new(1);
        let taken = current.now();
        current.put(2);
        assert_eq!((*taken, *current.now()), (1, 2));
    }
}
