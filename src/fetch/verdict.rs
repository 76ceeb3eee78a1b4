//! Why a target may not be fetched.
//!
//! One value for the text, the metric label and the log. What a stranger reads tells only the kind
//! of refusal, so that answers of the gateway draw no map of the network it stands in.

use std::fmt;

/// Why an address, a host or a port is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// `0.0.0.0/8`, `::`: "this host on this network".
    Unspecified,
    /// A private network.
    Private,
    /// Address space that carriers share.
    Shared,
    /// This machine.
    Loopback,
    /// The link, and the metadata services of clouds on it.
    LinkLocal,
    /// An agent of the hosting platform that answers on a public address.
    Platform,
    /// Set aside for protocols.
    Protocol,
    /// Set aside for documentation.
    Documentation,
    /// Set aside for benchmarks.
    Benchmark,
    /// Many receivers at once.
    Multicast,
    /// Reserved for the future, broadcast included.
    Reserved,
    /// Private networks of IPv6.
    UniqueLocal,
    /// Private networks of early IPv6.
    SiteLocal,
    /// A retired or local way of carrying IPv4 inside IPv6.
    Tunnel,
    /// IPv6 outside the space that is given out.
    NotGlobal,
    /// A name that stands for this machine, this network or no network.
    ReservedName,
    /// A name without a dot.
    SingleLabel,
    /// A name that no name server can hold.
    MalformedName,
    /// A port that nobody opened.
    Port,
    /// A host that the operator denies.
    DeniedHost,
    /// A host outside the operator's list.
    UnlistedHost,
    /// A path of the gateway itself.
    OwnAddress,
}

/// What a stranger learns of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The address, by whatever way it was named.
    Address,
    /// The host, by the operator's lists.
    Host,
    /// The gateway would ask itself.
    Loop,
}

impl Verdict {
    /// Every verdict, for metrics that show their labels from the start.
    pub const ALL: &'static [Self] = &[
        Self::Unspecified,
        Self::Private,
        Self::Shared,
        Self::Loopback,
        Self::LinkLocal,
        Self::Platform,
        Self::Protocol,
        Self::Documentation,
        Self::Benchmark,
        Self::Multicast,
        Self::Reserved,
        Self::UniqueLocal,
        Self::SiteLocal,
        Self::Tunnel,
        Self::NotGlobal,
        Self::ReservedName,
        Self::SingleLabel,
        Self::MalformedName,
        Self::Port,
        Self::DeniedHost,
        Self::UnlistedHost,
        Self::OwnAddress,
    ];

    /// The verdict in logs and metrics.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Unspecified => "unspecified",
            Self::Private => "private",
            Self::Shared => "shared",
            Self::Loopback => "loopback",
            Self::LinkLocal => "link_local",
            Self::Platform => "platform",
            Self::Protocol => "protocol",
            Self::Documentation => "documentation",
            Self::Benchmark => "benchmark",
            Self::Multicast => "multicast",
            Self::Reserved => "reserved",
            Self::UniqueLocal => "unique_local",
            Self::SiteLocal => "site_local",
            Self::Tunnel => "tunnel",
            Self::NotGlobal => "not_global",
            Self::ReservedName => "reserved_name",
            Self::SingleLabel => "single_label",
            Self::MalformedName => "malformed_name",
            Self::Port => "port",
            Self::DeniedHost => "denied_host",
            Self::UnlistedHost => "unlisted_host",
            Self::OwnAddress => "own_address",
        }
    }

    /// What a stranger learns.
    #[must_use]
    pub const fn kind(self) -> RefusalKind {
        match self {
            Self::DeniedHost | Self::UnlistedHost => RefusalKind::Host,
            Self::OwnAddress => RefusalKind::Loop,
            _ => RefusalKind::Address,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind() {
            RefusalKind::Address => "this address is not open to the gateway",
            RefusalKind::Host => "this host is not open to the gateway",
            RefusalKind::Loop => "this address leads back to the gateway itself",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_verdict_has_a_label_of_its_own() {
        let labels: HashSet<_> = Verdict::ALL.iter().map(|verdict| verdict.label()).collect();
        assert_eq!(labels.len(), Verdict::ALL.len());
    }

    #[test]
    fn a_stranger_cannot_tell_one_refused_address_from_another() {
        let texts: HashSet<_> = Verdict::ALL
            .iter()
            .filter(|verdict| verdict.kind() == RefusalKind::Address)
            .map(ToString::to_string)
            .collect();
        assert_eq!(texts.len(), 1);
    }
}
