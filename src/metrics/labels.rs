//! The closed sets that metric labels come from: never a URL, never what a stranger wrote.

/// Writes an enum whose variants are the values of one label, with the complete table of them.
macro_rules! labels {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident => $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
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
    };
}

labels! {
    /// What a request asked for.
    Route {
        /// A manifest, `/mmsp/feed`.
        Feed => "feed",
        /// The manifest of a feed that has a name, `/mmsp/NAME.json`.
        Named => "named",
        /// The manifest of the site, `/.well-known/mmsp.json`.
        WellKnown => "well_known",
        /// The feeds of a page, `/mmsp/discover`.
        Discover => "discover",
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
    CallerRefusal {
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
    CacheOutcome {
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
    PollOutcome {
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
    /// A part of the work whose time is measured.
    Stage {
        /// Fetching, from the name to the last byte.
        Fetch => "fetch",
        /// Bytes to text.
        Decode => "decode",
        /// Text to entries.
        Read => "read",
        /// Entries to items.
        Normalize => "normalize",
        /// Items into the store.
        Merge => "merge",
        /// The store to a page.
        Render => "render",
        /// A page to its content coding.
        Compress => "compress",
    }
}

labels! {
    /// What became of an item of a poll.
    ItemOutcome {
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
    Operation {
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
    Swept {
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
