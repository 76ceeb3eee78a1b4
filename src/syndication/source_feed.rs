//! What a publisher said, in one shape for every format: names and texts as found, nothing judged.

use std::borrow::Cow;
use std::sync::Arc;

use url::Url;

use crate::model::{Kept, MemberName};

/// Text out of the document: borrowed where it stands there in one piece.
pub(crate) type Str<'t> = Cow<'t, str>;

/// A feed as its publisher wrote it.
#[derive(Debug)]
pub(crate) struct SourceFeed<'t> {
    /// The format, by its root element and version.
    pub format: Format,
    /// What the channel says.
    pub channel: Channel<'t>,
    /// Items or entries, in document order.
    pub entries: Vec<SourceEntry<'t>>,
    /// Places of entries in which there is not a single field that we map.
    pub hollow: Vec<usize>,
    /// Ids of entries that are gone (RFC 6721).
    pub deleted: Vec<Str<'t>>,
    /// Entries past the limit, which were not read.
    pub beyond_limit: usize,
    /// Whether the document came to its end.
    pub complete: bool,
    /// How often markup was broken.
    pub faults: usize,
}

/// The formats that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// RSS 0.90.
    Rss090,
    /// RSS 0.91, Netscape's or UserLand's.
    Rss091,
    /// RSS 0.92.
    Rss092,
    /// RSS 0.93.
    Rss093,
    /// RSS 0.94.
    Rss094,
    /// RSS 1.0 (RDF).
    Rss10,
    /// RSS 1.1.
    Rss11,
    /// RSS 2.0 and whatever calls itself RSS without a version of its own.
    Rss20,
    /// Atom 0.3.
    Atom03,
    /// Atom 1.0 (RFC 4287).
    Atom10,
    /// JSON Feed 1.0.
    Json10,
    /// JSON Feed 1.1.
    Json11,
}

impl Format {
    /// The short name used in reports, such as `rss20`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rss090 => "rss090",
            Self::Rss091 => "rss091",
            Self::Rss092 => "rss092",
            Self::Rss093 => "rss093",
            Self::Rss094 => "rss094",
            Self::Rss10 => "rss10",
            Self::Rss11 => "rss11",
            Self::Rss20 => "rss20",
            Self::Atom03 => "atom03",
            Self::Atom10 => "atom10",
            Self::Json10 => "json10",
            Self::Json11 => "json11",
        }
    }

    /// Whether it is one of the two Atoms.
    #[must_use]
    pub fn is_atom(self) -> bool {
        matches!(self, Self::Atom03 | Self::Atom10)
    }

    /// Whether it is JSON Feed.
    #[must_use]
    pub fn is_json(self) -> bool {
        matches!(self, Self::Json10 | Self::Json11)
    }

    /// The media type that documents of this format have.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Atom03 | Self::Atom10 => "application/atom+xml",
            Self::Json10 | Self::Json11 => "application/feed+json",
            Self::Rss10 | Self::Rss090 | Self::Rss11 => "application/rdf+xml",
            _ => "application/rss+xml",
        }
    }
}

/// What is said of the feed as a whole.
#[derive(Debug, Default)]
pub(crate) struct Channel<'t> {
    pub id: Option<Str<'t>>,
    pub title: Option<Text<'t>>,
    /// The title by another vocabulary than the format's own.
    pub borrowed_title: Option<Text<'t>>,
    pub media_title: Option<Text<'t>>,
    pub links: Vec<Link<'t>>,
    pub description: Option<Text<'t>>,
    pub subtitle: Option<Text<'t>>,
    pub language: Option<Str<'t>>,
    pub icon: Option<Reference<'t>>,
    pub image: Option<Reference<'t>>,
    pub itunes_image: Option<Reference<'t>>,
    pub persons: Vec<Person<'t>>,
    pub categories: Vec<Category<'t>>,
    pub contacts: Vec<Str<'t>>,
    pub explicit: Option<Str<'t>>,
    pub rating: Option<MediaRating<'t>>,
    pub podcast_guid: Option<Str<'t>>,
    pub license: Option<Str<'t>>,
    pub ttl_minutes: Option<Str<'t>>,
    /// Hours and days in which nobody is to ask.
    pub quiet_times: Vec<Str<'t>>,
    pub update_period: Option<Str<'t>>,
    pub update_frequency: Option<Str<'t>>,
    pub new_feed_url: Option<Reference<'t>>,
    /// Whether the document is the whole feed (RFC 5005, 2).
    pub is_complete: bool,
    /// Whether it is one of its archives (RFC 5005, 4).
    pub is_archive: bool,
    /// Whether an element (not just a declaration) of the podcast vocabularies was used.
    pub has_podcast_elements: bool,
    /// Where `xml:base` says relative addresses of the feed start.
    pub base: Option<Arc<Url>>,
}

/// One item or entry.
#[derive(Debug, Default)]
pub(crate) struct SourceEntry<'t> {
    /// Its place among the items of the document, from 0; what is on the air follows behind them.
    pub position: usize,
    /// The entry as it stands in the document: what a change is told by.
    pub source: Str<'t>,
    /// Where `xml:base` says its relative addresses start.
    pub base: Option<Arc<Url>>,
    pub language: Option<Str<'t>>,
    pub guid: Option<Guid<'t>>,
    /// The identifier by another vocabulary than the format's own.
    pub borrowed_guid: Option<Guid<'t>>,
    pub title: Option<Text<'t>>,
    /// The title by another vocabulary, and its name there.
    pub borrowed_title: Option<(&'static str, Text<'t>)>,
    pub itunes_title: Option<Text<'t>>,
    pub media_title: Option<Text<'t>>,
    pub links: Vec<Link<'t>>,
    pub permalink: Option<Reference<'t>>,
    pub canonical: Option<Reference<'t>>,
    /// Texts from the fullest to the shortest kind.
    pub texts: Vec<(TextRole, Text<'t>)>,
    pub dates: Vec<(DateRole, Str<'t>)>,
    pub persons: Vec<Person<'t>>,
    pub categories: Vec<Category<'t>>,
    pub enclosures: Vec<Enclosure<'t>>,
    /// Where the first enclosure really is, behind a counting proxy.
    pub own_enclosure: Option<Reference<'t>>,
    pub media: Vec<MediaContent<'t>>,
    pub thumbnails: Vec<Picture<'t>>,
    pub images: Vec<Reference<'t>>,
    pub duration: Option<Str<'t>>,
    pub explicit: Option<Str<'t>>,
    pub rating: Option<MediaRating<'t>>,
    pub episode: Option<Str<'t>>,
    pub season: Option<Season<'t>>,
    pub transcripts: Vec<TimedText<'t>>,
    pub chapters: Vec<ChapterMark<'t>>,
    pub chapters_url: Option<Reference<'t>>,
    pub live: Option<Live<'t>>,
    pub license: Option<License<'t>>,
    pub country_restriction: Option<Restriction<'t>>,
    pub expires: Option<Str<'t>>,
    pub youtube_id: Option<Str<'t>>,
    pub source_feed: Option<Text<'t>>,
    /// Who made the feed that the entry was taken from.
    pub source_persons: Vec<Person<'t>>,
    pub has_podcast_elements: bool,
    /// Everything else, by qualified name with the usual prefix.
    pub rest: Vec<(MemberName, Kept)>,
}

impl<'t> SourceEntry<'t> {
    /// Adds a date, if there is one.
    pub(crate) fn push_date(&mut self, role: DateRole, text: Option<Str<'t>>) {
        self.dates.extend(text.map(|text| (role, text)));
    }
}

/// An address with the base it is relative to, where `xml:base` gives it one of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reference<'t> {
    pub value: Str<'t>,
    pub base: Option<Arc<Url>>,
}

/// An identifier of an entry.
#[derive(Debug)]
pub(crate) struct Guid<'t> {
    pub value: Str<'t>,
    /// The name of the element it came from, for `original`.
    pub name: &'static str,
    /// Whether it is said to be the entry's address; RSS assumes so where nobody says.
    pub is_permalink: Option<bool>,
}

/// A text construct.
#[derive(Clone, Debug)]
pub(crate) struct Text<'t> {
    pub value: Str<'t>,
    pub markup: Markup,
    pub base: Option<Arc<Url>>,
}

impl<'t> Text<'t> {
    /// Text of RSS and its modules, which never say what it is.
    pub(crate) fn unsaid(value: Str<'t>) -> Self {
        Self { value, markup: Markup::Unsaid, base: None }
    }
}

/// What kind of text a text construct says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    /// Plain text: every character means itself.
    Plain,
    /// HTML.
    Html,
    /// Nobody says: HTML if it looks like it.
    Unsaid,
}

/// What a text is to its entry; the first that has something to read becomes `description`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextRole {
    ContentEncoded,
    Content,
    BodyXhtml,
    Description,
    Summary,
    DcDescription,
    Abstract,
    MediaDescription,
    ItunesSummary,
    GooglePlayDescription,
    ItunesSubtitle,
}

impl TextRole {
    /// The qualified name it goes by in `original`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ContentEncoded => "content:encoded",
            Self::Content => "content",
            Self::BodyXhtml => "xhtml:body",
            Self::Description => "description",
            Self::Summary => "summary",
            Self::DcDescription => "dc:description",
            Self::Abstract => "dcterms:abstract",
            Self::MediaDescription => "media:description",
            Self::ItunesSummary => "itunes:summary",
            Self::GooglePlayDescription => "googleplay:description",
            Self::ItunesSubtitle => "itunes:subtitle",
        }
    }
}

/// Which moment a date names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DateRole {
    PubDate,
    Published,
    Issued,
    DcDate,
    Created,
    MediaDate,
    JsonPublished,
    Updated,
    Modified,
    JsonModified,
}

impl DateRole {
    /// Whether it names the last change rather than the publication.
    pub(crate) fn is_change(self) -> bool {
        matches!(self, Self::Updated | Self::Modified | Self::JsonModified)
    }

    /// The qualified name it goes by in `original`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::PubDate => "pubDate",
            Self::Issued => "issued",
            Self::DcDate => "dc:date",
            Self::Created => "created",
            Self::MediaDate => "media:date",
            Self::Updated => "updated",
            Self::Modified => "modified",
            Self::JsonPublished => "date_published",
            Self::JsonModified => "date_modified",
        }
    }
}

/// A link with its relation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Link<'t> {
    pub href: Reference<'t>,
    /// Empty means `alternate`.
    pub rel: Str<'t>,
    pub media_type: Option<Str<'t>>,
    pub title: Option<Str<'t>>,
    pub length: Option<Str<'t>>,
}

impl PersonRole {
    /// The qualified name it goes by in `original`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Host | Self::Guest => "podcast:person",
            Self::Author => "author",
            Self::Creator => "dc:creator",
            Self::ItunesAuthor => "itunes:author",
            Self::Editor => "managingEditor",
            Self::Owner => "itunes:owner",
        }
    }
}

/// Somebody who made something.
#[derive(Clone, Debug, Default)]
pub(crate) struct Person<'t> {
    pub role: PersonRole,
    /// A name, a mail address, or both in one.
    pub text: Str<'t>,
    pub email: Option<Str<'t>>,
    pub page: Option<Reference<'t>>,
    pub picture: Option<Reference<'t>>,
}

/// What a person is to the work, in the order in which they are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PersonRole {
    Host,
    #[default]
    Author,
    Creator,
    ItunesAuthor,
    Guest,
    Editor,
    Owner,
}

/// Something an entry is filed under.
#[derive(Clone, Debug, Default)]
pub(crate) struct Category<'t> {
    pub term: Str<'t>,
}

/// A file that belongs to an entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Enclosure<'t> {
    pub url: Reference<'t>,
    pub media_type: Option<Str<'t>>,
    pub length: Option<Str<'t>>,
    pub duration: Option<Str<'t>>,
    pub title: Option<Str<'t>>,
    pub bitrate_bps: Option<Str<'t>>,
    pub height: Option<Str<'t>>,
    /// Whether it is another form of the entry's first file.
    pub is_alternate: bool,
}

/// A `media:content`.
#[derive(Clone, Debug, Default)]
pub(crate) struct MediaContent<'t> {
    pub url: Reference<'t>,
    pub media_type: Option<Str<'t>>,
    pub medium: Option<Str<'t>>,
    pub size: Option<Str<'t>>,
    pub duration: Option<Str<'t>>,
    pub width: Option<Str<'t>>,
    pub height: Option<Str<'t>>,
    pub bitrate_kbps: Option<Str<'t>>,
    pub expression: Option<Str<'t>>,
    pub is_default: bool,
    /// Number of the `media:group` it is a variant in.
    pub group: Option<usize>,
}

/// A picture with its size.
#[derive(Clone, Debug, Default)]
pub(crate) struct Picture<'t> {
    pub url: Reference<'t>,
    pub width: Option<Str<'t>>,
    pub height: Option<Str<'t>>,
}

/// A `media:rating`.
#[derive(Clone, Debug)]
pub(crate) struct MediaRating<'t> {
    pub value: Str<'t>,
    pub scheme: Option<Str<'t>>,
}

/// A `media:restriction` of countries.
#[derive(Clone, Debug)]
pub(crate) struct Restriction<'t> {
    pub countries: Str<'t>,
    pub is_allowed: bool,
}

/// What a source says of its licence.
#[derive(Clone, Debug)]
pub(crate) struct License<'t> {
    /// The qualified name it goes by in `original`.
    pub name: &'static str,
    pub value: Str<'t>,
}

/// A season with its number and name.
#[derive(Clone, Debug)]
pub(crate) struct Season<'t> {
    pub number: Str<'t>,
    pub name: Option<Str<'t>>,
}

/// A transcript or a subtitle file.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimedText<'t> {
    pub url: Reference<'t>,
    pub media_type: Option<Str<'t>>,
    pub language: Option<Str<'t>>,
    /// Whether it is meant as captions whatever its type.
    pub is_caption: bool,
}

/// A chapter given in the feed itself.
#[derive(Clone, Debug)]
pub(crate) struct ChapterMark<'t> {
    pub start: Str<'t>,
    pub title: Str<'t>,
    pub image: Option<Reference<'t>>,
}

/// What a `podcast:liveItem` says beside the item.
#[derive(Clone, Debug)]
pub(crate) struct Live<'t> {
    pub status: Option<Str<'t>>,
    pub start: Option<Str<'t>>,
}
