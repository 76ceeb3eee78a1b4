//! What a check found, and what it costs.

use serde::Serialize;

/// What a finding costs a publisher, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Clients reject the whole document (MMSP 5.6, 5.7).
    Reject,
    /// Clients skip the item (MMSP 6.15).
    Skip,
    /// Clients ignore the member, or what it stands in (MMSP 6.15).
    Drop,
    /// The draft forbids it; what a client makes of it is not said.
    Breach,
    /// Nothing is lost by the letter of the draft; it could be better.
    Advice,
}

impl Severity {
    /// Every severity, worst first.
    pub const ALL: [Self; 5] = [Self::Reject, Self::Skip, Self::Drop, Self::Breach, Self::Advice];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reject => "reject",
            Self::Skip => "skip",
            Self::Drop => "drop",
            Self::Breach => "breach",
            Self::Advice => "advice",
        }
    }
}

/// One thing that is not as the draft has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it costs.
    pub severity: Severity,
    /// The section of the draft, or of the RFC that it stands on.
    pub clause: &'static str,
    /// Where it is: a path into the document such as `$.items[3].url`, or an address.
    pub at: String,
    /// What is wrong and what to do, in words for the publisher.
    pub what: String,
}

/// Findings in the order in which they were made, bounded; what is over the bound is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    list: Vec<Finding>,
    counts: [usize; Severity::ALL.len()],
}

impl Findings {
    /// The most findings that are kept one by one.
    pub const MAX_LISTED: usize = 1_000;

    /// Adds a finding.
    pub fn add(
        &mut self,
        severity: Severity,
        clause: &'static str,
        at: impl ToString,
        what: impl Into<String>,
    ) {
        if let Some(count) = self.counts.get_mut(severity as usize) {
            *count += 1;
        }
        if self.list.len() < Self::MAX_LISTED {
            let (at, what) = (at.to_string(), what.into());
            self.list.push(Finding { severity, clause, at, what });
        }
    }

    /// The findings that were kept.
    #[must_use]
    pub fn list(&self) -> &[Finding] {
        &self.list
    }

    /// How many there are of a severity, kept or not.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.counts.get(severity as usize).copied().unwrap_or(0)
    }

    /// How many were made, kept or not.
    #[must_use]
    pub fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Whether all of them are mere advice.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.total() == self.count(Severity::Advice)
    }

    /// The same findings, each with that in front of its place.
    #[must_use]
    pub fn placed(mut self, prefix: &str) -> Self {
        self.list.iter_mut().for_each(|finding| finding.at.insert_str(0, prefix));
        self
    }

    /// Takes over the findings of another check.
    pub fn append(&mut self, other: Self) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        let room = Self::MAX_LISTED.saturating_sub(self.list.len());
        self.list.extend(other.list.into_iter().take(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_bounded_and_counted_beyond() {
        let mut findings = Findings::default();
        for _ in 0..Findings::MAX_LISTED + 5 {
            findings.add(Severity::Advice, "6", "$", "x");
        }
        assert!(findings.is_valid());
        findings.add(Severity::Drop, "6", "$", "x");
        assert_eq!(findings.list().len(), Findings::MAX_LISTED);
        assert_eq!(findings.total(), Findings::MAX_LISTED + 6);
        assert!(!findings.is_valid());
        let mut all = Findings::default();
        all.append(findings.clone());
        assert_eq!(all, findings);
    }
}
