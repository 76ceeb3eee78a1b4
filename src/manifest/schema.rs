//! The draft as tables: which members there are, which are required, and what they hold.

use Form::{
    Count, Country, Filled, Flag, Free, HttpsUrl, Language, License, List, Mail, MimeType, Object,
    OneOf, Text, Time, Title, Type, Uri, Version,
};

/// What a member holds.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// Any text.
    Text,
    /// A text that is not empty.
    Title,
    Version,
    Uri,
    HttpsUrl,
    Time,
    Language,
    Mail,
    MimeType,
    Country,
    License,
    /// An item type; an unknown one degrades (6.3).
    Type,
    /// A whole number, that or more.
    Count(u64),
    Flag,
    OneOf(&'static [&'static str]),
    List(&'static Form),
    /// A list that is not empty.
    Filled(&'static Form),
    Object(&'static Kind),
    /// Any object, not looked into.
    Free,
}

/// An object of the draft.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) members: &'static [Member],
}

/// A member of an object.
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) is_required: bool,
    pub(super) clause: &'static str,
}

const fn needs(name: &'static str, form: Form, clause: &'static str) -> Member {
    Member { name, form, is_required: true, clause }
}

const fn may(name: &'static str, form: Form, clause: &'static str) -> Member {
    Member { name, form, is_required: false, clause }
}

/// The manifest; its items are walked one by one.
pub(super) const FEED: Kind = Kind {
    name: "the manifest",
    members: &[
        needs("mmsp", Version, "5.1"),
        needs("id", Uri, "5.1"),
        needs("title", Title, "5.1"),
        needs("feed_url", HttpsUrl, "5.1"),
        may("description", Text, "5.2"),
        may("icon", HttpsUrl, "5.2"),
        may("language", Language, "5.2"),
        may("authors", List(&Object(&AUTHOR)), "5.2"),
        may("tags", List(&Text), "5.2"),
        may("contact", Mail, "5.2"),
        may("poll", Object(&POLL), "5.2"),
        may("capabilities", List(&OneOf(&CAPABILITIES)), "5.4"),
        may("moved_to", HttpsUrl, "8.4"),
        may("deprecated", Object(&DEPRECATION), "8.5"),
        may("bundle_id", Uri, "5.2"),
        may("pagination", Object(&PAGINATION), "5.5"),
        may("next_url", HttpsUrl, "5.2"),
    ],
};

/// An item.
pub(super) const ITEM: Kind = Kind {
    name: "an item",
    members: &[
        needs("id", Uri, "6.1"),
        needs("type", Type, "6.3"),
        needs("title", Title, "6.1"),
        needs("url", HttpsUrl, "6.1"),
        needs("published", Time, "6.1"),
        may("updated", Time, "6.2"),
        may("description", Text, "6.2"),
        may("authors", List(&Object(&AUTHOR)), "6.2"),
        may("tags", List(&Text), "6.2"),
        may("language", Language, "6.2"),
        may("duration", Count(0), "6.2"),
        may("media", List(&Object(&MEDIA)), "6.4"),
        may("thumbnail", List(&Object(&THUMBNAIL)), "6.5"),
        may("chapters", List(&Object(&CHAPTER)), "6.6"),
        may("transcript", Object(&TRANSCRIPT), "6.7"),
        may("captions", List(&Object(&CAPTION)), "6.8"),
        may("series", Object(&SERIES), "6.9"),
        may("content_rating", Object(&CONTENT_RATING), "6.10"),
        may("license", License, "6.2"),
        may("geo_restriction", Object(&GEO_RESTRICTION), "6.11"),
        may("paywall", Object(&PAYWALL), "6.12"),
        may("live_status", OneOf(&["upcoming", "live", "ended", "archived"]), "6.2"),
        may("scheduled_start", Time, "6.2"),
        may("expires", Time, "6.2"),
        may("canonical_url", HttpsUrl, "6.14"),
        may("source", Object(&SOURCE), "6.13"),
        may("original", Free, "6.2"),
        may("preview_url", HttpsUrl, "6.2"),
    ],
};

const AUTHOR: Kind = Kind {
    name: "an author",
    members: &[
        needs("name", Title, "5.3"),
        may("url", HttpsUrl, "5.3"),
        may("avatar", HttpsUrl, "5.3"),
    ],
};

const POLL: Kind = Kind {
    name: "poll",
    members: &[
        may("min_interval_seconds", Count(LEAST_INTERVAL), "8.1"),
        may("recommended_interval_seconds", Count(LEAST_INTERVAL), "8.1"),
        may("ttl_seconds", Count(0), "8.1"),
    ],
};

const DEPRECATION: Kind = Kind {
    name: "deprecated",
    members: &[may("reason", Text, "8.5"), may("sunset_date", Time, "8.5")],
};

const PAGINATION: Kind = Kind {
    name: "pagination",
    members: &[needs("cursor", Text, "5.5"), needs("has_more", Flag, "5.5")],
};

const MEDIA: Kind = Kind {
    name: "a media object",
    members: &[
        needs("url", HttpsUrl, "6.4"),
        needs("mime_type", MimeType, "6.4"),
        may("size_bytes", Count(0), "6.4"),
        may("duration", Count(0), "6.4"),
        may("width", Count(1), "6.4"),
        may("height", Count(1), "6.4"),
        may("bitrate_kbps", Count(0), "6.4"),
        may("role", OneOf(&["primary", "alternate", "preview"]), "6.4"),
        may("quality_label", Text, "6.4"),
    ],
};

const THUMBNAIL: Kind = Kind {
    name: "a thumbnail",
    members: &[
        needs("url", HttpsUrl, "6.5"),
        may("width", Count(1), "6.5"),
        may("height", Count(1), "6.5"),
    ],
};

const CHAPTER: Kind = Kind {
    name: "a chapter",
    members: &[
        needs("title", Title, "6.6"),
        needs("start_seconds", Count(0), "6.6"),
        may("end_seconds", Count(0), "6.6"),
        may("image_url", HttpsUrl, "6.6"),
    ],
};

const TRANSCRIPT: Kind = Kind {
    name: "a transcript",
    members: &[
        needs("url", HttpsUrl, "6.7"),
        needs("mime_type", Text, "6.7"),
        may("language", Language, "6.7"),
    ],
};

const CAPTION: Kind = Kind {
    name: "a caption",
    members: &[
        needs("url", HttpsUrl, "6.8"),
        needs("mime_type", Text, "6.8"),
        needs("language", Language, "6.8"),
        may("label", Text, "6.8"),
    ],
};

const SERIES: Kind = Kind {
    name: "a series",
    members: &[
        needs("id", Uri, "6.9"),
        needs("title", Title, "6.9"),
        may("episode_number", Count(0), "6.9"),
        may("season_number", Count(1), "6.9"),
        may("total_episodes", Count(1), "6.9"),
    ],
};

const CONTENT_RATING: Kind = Kind {
    name: "a content rating",
    members: &[
        needs("rating", OneOf(&["general", "teen", "mature", "explicit"]), "6.10"),
        may("system", Text, "6.10"),
        may("descriptors", List(&Text), "6.10"),
        may("spoiler", Flag, "6.10"),
    ],
};

const GEO_RESTRICTION: Kind = Kind {
    name: "a geo restriction",
    members: &[
        needs("type", OneOf(&["allowlist", "blocklist"]), "6.11"),
        needs("regions", Filled(&Country), "6.11"),
    ],
};

const PAYWALL: Kind = Kind {
    name: "a paywall",
    members: &[needs("paywalled", Flag, "6.12"), may("preview_available", Flag, "6.12")],
};

const SOURCE: Kind = Kind {
    name: "a source",
    members: &[
        needs("type", OneOf(&["mfeed", "rss", "atom", "podcast", "platform"]), "6.13"),
        needs("feed_url", Text, "6.13"),
        may("feed_title", Text, "6.13"),
    ],
};

/// What a publisher may not go below, in seconds (MMSP 8.1).
pub(super) const LEAST_INTERVAL: u64 = 300;

/// MMSP 5.4.
const CAPABILITIES: [&str; 3] = ["conditional-get", "pagination", "filter-metadata"];
