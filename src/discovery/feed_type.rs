//! The kinds of feed that links name by their media type.

use crate::model::MimeType;

/// What a link says that a feed is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FeedType {
    /// A native manifest.
    Mmsp,
    /// RSS.
    Rss,
    /// Atom.
    Atom,
    /// RSS as RDF.
    Rdf,
    /// JSON Feed.
    Json,
    /// XML, and by its name a feed.
    Xml,
    /// A feed of a kind that the link does not say.
    Unsaid,
}

impl FeedType {
    /// The kind that a media type stands for by itself, with the spellings that pages use.
    #[must_use]
    pub fn of_media_type(media_type: &MimeType) -> Option<Self> {
        look_up(&TYPES, media_type)
    }

    /// The kind that a media type stands for where the link's name says that it is a feed.
    #[must_use]
    pub fn of_generic_media_type(media_type: &MimeType) -> Option<Self> {
        look_up(&GENERIC, media_type)
    }

    /// The usual media type.
    #[must_use]
    pub fn media_type(self) -> Option<&'static str> {
        match self {
            Self::Mmsp => Some("application/mmsp+json"),
            Self::Rss => Some("application/rss+xml"),
            Self::Atom => Some("application/atom+xml"),
            Self::Rdf => Some("application/rdf+xml"),
            Self::Json => Some("application/feed+json"),
            Self::Xml => Some("application/xml"),
            Self::Unsaid => None,
        }
    }

    /// The place in the order of MMSP 9.3, from 0.
    #[must_use]
    pub fn rank(self) -> u8 {
        match self {
            Self::Mmsp => 0,
            Self::Rss => 1,
            Self::Atom => 2,
            Self::Rdf | Self::Json | Self::Xml | Self::Unsaid => 3,
        }
    }
}

fn look_up(table: &[(&str, FeedType)], media_type: &MimeType) -> Option<FeedType> {
    let row = table.iter().find(|(name, _)| *name == media_type.as_str());
    row.map(|(_, feed_type)| *feed_type)
}

const TYPES: [(&str, FeedType); 15] = [
    ("application/mmsp+json", FeedType::Mmsp),
    ("application/rss+xml", FeedType::Rss),
    ("application/x-rss+xml", FeedType::Rss),
    ("application/rss", FeedType::Rss),
    ("text/rss+xml", FeedType::Rss),
    ("text/x-rss", FeedType::Rss),
    ("text/rss", FeedType::Rss),
    ("application/atom+xml", FeedType::Atom),
    ("application/x.atom+xml", FeedType::Atom),
    ("application/x-atom+xml", FeedType::Atom),
    ("application/atom", FeedType::Atom),
    ("text/atom+xml", FeedType::Atom),
    ("application/rdf+xml", FeedType::Rdf),
    ("text/rdf+xml", FeedType::Rdf),
    ("application/feed+json", FeedType::Json),
];

/// Types that say nothing of feeds: `text/xml` is what old themes call RSS 0.92, and
/// `application/json` what JSON Feed 1.0 used; but sites offer their programming interface so too.
const GENERIC: [(&str, FeedType); 3] = [
    ("application/json", FeedType::Json),
    ("application/xml", FeedType::Xml),
    ("text/xml", FeedType::Xml),
];
