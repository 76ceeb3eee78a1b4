//! A trouble that lasts is told when it begins and when it is over, not at each try.

use std::mem;

/// Whether something goes wrong at present.
#[derive(Debug, Default)]
pub(super) struct Trouble {
    lasts: bool,
}

impl Trouble {
    /// Notes a failure; true if it is the first in a row.
    pub(super) fn begins(&mut self) -> bool {
        !mem::replace(&mut self.lasts, true)
    }

    /// Notes a success; true if the last try had failed.
    pub(super) fn ends(&mut self) -> bool {
        mem::take(&mut self.lasts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lasts_is_told_at_its_beginning_and_its_end() {
        let mut trouble = Trouble::default();
        assert!(!trouble.ends());
        assert!(trouble.begins());
        assert!(!trouble.begins());
        assert!(trouble.ends());
        assert!(!trouble.ends());
        assert!(trouble.begins());
    }
}
