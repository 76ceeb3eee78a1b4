//! The closed sets that metric labels come from: never a URL, never what a stranger wrote.

/// A label of which every value is known.
pub(super) trait Label: Copy + 'static {
    /// How Prometheus calls it.
    const NAME: &'static str;

    /// Every value.
    fn values() -> &'static [Self];

    /// Where it stands among them.
    fn place(self) -> usize;

    /// The value as it is shown.
    fn text(self) -> &'static str;

    /// What it means.
    fn meaning(self) -> &'static str;
}

/// Writes an enum whose variants are the values of one label, with the complete table of them.
macro_rules! labels {
    ($(#[$doc:meta])* $name:ident as $label:literal {
        $($(#[doc = $meaning:literal])+ $variant:ident => $text:literal,)+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[doc = $meaning])+ $variant,)+
        }

        impl $name {
            /// Every value, for tables that must be complete.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The value as metrics and logs write it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl Label for $name {
            const NAME: &'static str = $label;

            fn values() -> &'static [Self] {
                Self::ALL
            }

            fn place(self) -> usize {
                self as usize
            }

            fn text(self) -> &'static str {
                self.as_str()
            }

            fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($meaning),+),)+
                }
            }
        }
    };
}

labels! {
    /// What a request asked for.
    Route as "route" {
        /// A manifest, `/mmsp/feed`.
        Feed => "feed",
        /// The manifest of a feed that has a name, `/mmsp/NAME.json`.
        Named => "named",
        /// The manifest of the site, `/.well-known/mmsp.json`.
        WellKnown => "well_known",
        /// The feeds of a page, `/mmsp/discover`.
        Discover => "discover",
        /// The page for people, `/`.
        Page => "page",
        /// A file that the page loads, `/assets/NAME`.
        Asset => "asset",
        /// A subscription list, `/opml`.
        Opml => "opml",
        /// The description of a problem type, `/problems/NAME`.
        Problem => "problem",
        /// `/healthz`.
        Health => "health",
        /// `/readyz`.
        Ready => "ready",
        /// `/robots.txt`.
        Robots => "robots",
        /// `/openapi.json`.
        Description => "description",
        /// A path that is not served.
        Unknown => "unknown",
    }
}

labels! {
    /// Why a caller was turned away.
    CallerRefusal as "reason" {
        /// Without a token that is good.
        Token => "token",
        /// Without a signature that is good.
        Signature => "signature",
        /// More requests than one caller may send.
        Rate => "rate",
        /// More requests at once than one caller may have.
        AtOnce => "at_once",
        /// More feeds that nobody asked for before than one caller may name.
        NewFeeds => "new_feeds",
    }
}

labels! {
    /// Where an answer came from.
    CacheOutcome as "outcome" {
        /// A rendered page that is still fresh.
        Hit => "hit",
        /// The last good page, though its feed is due.
        Stale => "stale",
        /// Read from the store or from the source for this request.
        Miss => "miss",
        /// Waited for a poll that another request had started.
        Collapsed => "collapsed",
    }
}

labels! {
    /// How a poll of a source ended.
    PollOutcome as "outcome" {
        /// The source had news.
        Changed => "changed",
        /// The source answered with the bytes or items that were known.
        Unchanged => "unchanged",
        /// The source answered 304.
        NotModified => "not_modified",
        /// The guard refused the address.
        Refused => "refused",
        /// The source was too slow.
        Timeout => "timeout",
        /// No connection: name, network or TLS.
        Unreachable => "unreachable",
        /// The source answered with an error status.
        Status => "status",
        /// The source broke HTTP, its content coding or our limits.
        Unreadable => "unreadable",
        /// The source is a page that offers feeds.
        Page => "page",
        /// The source is a manifest already.
        Native => "native",
        /// What came is no feed, or none that can be read.
        NotAFeed => "not_a_feed",
        /// The store or the gateway itself failed.
        Internal => "internal",
    }
}

labels! {
    /// What a poll waits for before it begins.
    Queue as "at" {
        /// Another gateway of the same store that is polling the same feed.
        Turn => "turn",
        /// Polls of the same registrable domain, `poll.max_in_flight_per_domain`.
        Domain => "domain",
        /// Polls of all sources, `poll.max_in_flight`.
        Place => "place",
    }
}

labels! {
    /// What became of a request for a lease, the right to poll a feed.
    LeaseOutcome as "outcome" {
        /// Ours for a while.
        Granted => "granted",
        /// Another gateway of the same store has it.
        Refused => "refused",
    }
}

labels! {
    /// How much of a source's document came.
    Form as "form" {
        /// As it came.
        Wire => "wire",
        /// As it was after content decoding.
        Decoded => "decoded",
    }
}

labels! {
    /// What is kept in memory.
    CacheName as "cache" {
        /// Rendered pages.
        Pages => "pages",
        /// Which feed an address leads to.
        Addresses => "addresses",
        /// Feeds without their items.
        Feeds => "feeds",
        /// Failures of addresses of which nothing is stored.
        Failures => "failures",
        /// Addresses that are pages or manifests.
        Elsewhere => "elsewhere",
    }
}

labels! {
    /// A part of the work whose time is measured.
    Stage as "stage" {
        /// Fetching, from the name to the last byte.
        Fetch => "fetch",
        /// Bytes to text.
        Decode => "decode",
        /// Text to entries.
        Read => "read",
        /// Entries to items.
        Normalize => "normalize",
        /// The store to a page.
        Render => "render",
        /// A page to its content coding.
        Compress => "compress",
    }
}

labels! {
    /// What became of an item of a poll.
    ItemOutcome as "outcome" {
        /// Never seen before.
        New => "new",
        /// Known, and different now.
        Changed => "changed",
        /// Known, and the same.
        Unchanged => "unchanged",
        /// Withdrawn by its publisher.
        Deleted => "deleted",
    }
}

labels! {
    /// A question to the store.
    Operation as "operation" {
        /// Finds a feed by the address that was asked for.
        FindFeed => "find_feed",
        /// Looks up what is known of some items.
        FindItems => "find_items",
        /// Reads a page.
        ReadPage => "read_page",
        /// Writes what a poll brought.
        Merge => "merge",
        /// Writes that a poll brought nothing, or failed.
        Touch => "touch",
        /// Takes, renews or gives back the lease of a poll.
        Lease => "lease",
        /// Finds what was read of a feed's older documents, or its oldest item.
        FindOlder => "find_older",
        /// Finds the feeds that are due.
        FindDue => "find_due",
        /// Finds the feeds that were forgotten.
        FindForgotten => "find_forgotten",
        /// Finds what feeds take.
        FindSizes => "find_sizes",
        /// Deletes what is beyond the limits of the memory, or was forgotten.
        Sweep => "sweep",
    }
}

labels! {
    /// What went to keep the memory within its limits.
    Swept as "what" {
        /// The oldest items of feeds that are too large.
        Items => "items",
        /// Feeds that nobody asked for in a long time.
        FeedsUnasked => "feeds_unasked",
        /// Feeds that nobody asked for the longest, where all are too much.
        FeedsForRoom => "feeds_for_room",
    }
}

impl Operation {
    /// Whether it writes in any case, so that it tells whether the store takes anything.
    #[must_use]
    pub fn is_write(self) -> bool {
        matches!(self, Self::Merge | Self::Touch | Self::Lease)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_values_are_distinct() {
        let mut values: Vec<_> = PollOutcome::ALL.iter().map(|value| value.as_str()).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), PollOutcome::ALL.len());
    }
}
