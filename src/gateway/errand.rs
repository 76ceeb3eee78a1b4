//! What pollers are sent for, and which flight that is.

use super::desk::flight_key;
use super::poll::Place;
use crate::model::{FeedKey, SourceUrl};

/// What to poll.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// A feed of the store; one that has become a page is looked for again.
    Known(FeedKey),
    /// A URL of which nothing is known; a page is followed to what it offers.
    New(SourceUrl),
    /// One document, without following it anywhere.
    Document(Sought),
    /// The next older document of a feed of the store.
    Older(FeedKey),
}

/// A document to be read.
#[derive(Clone, Debug)]
pub(super) enum Sought {
    /// That of a feed of the store.
    Known(FeedKey),
    /// What is at a URL of which nothing is known.
    New(SourceUrl),
    /// What is at a URL by itself, though it leads to a feed.
    Page(SourceUrl),
    /// That of a feed of the store, at an address that is new to it.
    At(FeedKey, SourceUrl, Place),
}

impl Target {
    pub(super) fn flight(&self) -> FlightKey {
        match self {
            Self::Known(key) => (*key, Errand::Search),
            Self::New(url) => (flight_key(url), Errand::Search),
            Self::Document(sought) => sought.flight(),
            // What writes one feed flies one after the other.
            Self::Older(key) => (*key, Errand::Read),
        }
    }
}

impl Sought {
    pub(super) fn flight(&self) -> FlightKey {
        match self {
            Self::Known(key) | Self::At(key, ..) => (*key, Errand::Read),
            Self::New(url) => (flight_key(url), Errand::Read),
            Self::Page(url) => (flight_key(url), Errand::Look),
        }
    }
}

/// Whose flight it is, and how far it goes. A search waits for reads and a read for nobody, so
/// that pages which offer one another do not wait for one another either.
pub(super) type FlightKey = (FeedKey, Errand);

/// How far a flight goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Errand {
    /// To one document.
    Read,
    /// To one document, which is known not to be a feed's own.
    Look,
    /// To a feed, over a page if need be.
    Search,
}
