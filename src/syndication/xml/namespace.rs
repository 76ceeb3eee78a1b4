//! The namespaces that feeds use, by URI with the misspellings seen, and by usual prefix.

/// A vocabulary that a feed's elements come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Namespace {
    /// RSS of any version, and names without a namespace.
    Core,
    /// Atom 1.0 and 0.3.
    Atom,
    /// Resource Description Framework.
    Rdf,
    /// XHTML.
    Xhtml,
    /// `xml:base`, `xml:lang`.
    Xml,
    /// Apple's podcast elements.
    Itunes,
    /// Podcasting 2.0.
    Podcast,
    /// Media RSS.
    Media,
    /// `content:encoded`.
    Content,
    /// Dublin Core elements.
    Dc,
    /// Dublin Core terms.
    DcTerms,
    /// RSS syndication hints.
    Syndication,
    /// FeedBurner.
    FeedBurner,
    /// YouTube.
    YouTube,
    /// Google Play podcasts.
    GooglePlay,
    /// Podlove simple chapters.
    Psc,
    /// The old Creative Commons module.
    CreativeCommons,
    /// Creative Commons rights expression.
    Cc,
    /// GeoRSS.
    GeoRss,
    /// W3C geo.
    Geo,
    /// Geography Markup Language.
    Gml,
    /// Atom threading (RFC 4685).
    Thread,
    /// Tombstones (RFC 6721).
    Tombstone,
    /// Feed history (RFC 5005).
    History,
    /// Slash comments counts.
    Slash,
    /// Comment API.
    Wfw,
    /// Anything else.
    Other,
}

impl Namespace {
    /// Finds a namespace by its URI; scheme, case, and what trails do not count.
    pub(crate) fn of_uri(uri: &str) -> Option<Self> {
        let uri = uri.trim().to_ascii_lowercase();
        let bare = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"));
        let bare = bare.unwrap_or(&uri).trim_end_matches(['/', '#']);
        let bare = bare.strip_prefix("www.").unwrap_or(bare);
        BY_URI.iter().find(|(known, _)| *known == bare).map(|(_, namespace)| *namespace)
    }

    /// Finds a namespace by the prefix it usually has: for prefixes that nobody declared.
    pub(crate) fn of_prefix(prefix: &str) -> Option<Self> {
        BY_PREFIX
            .iter()
            .find(|(known, _)| prefix.eq_ignore_ascii_case(known))
            .map(|(_, namespace)| *namespace)
    }

    /// The prefix it usually has; none for names without one.
    pub(crate) fn usual_prefix(self) -> Option<&'static str> {
        BY_PREFIX.iter().find(|(_, namespace)| *namespace == self).map(|(prefix, _)| *prefix)
    }
}

/// URIs without scheme, `www.` and trailing `/` or `#`, in lower case.
const BY_URI: &[(&str, Namespace)] = &[
    ("", Namespace::Core),
    ("w3.org/2005/atom", Namespace::Atom),
    ("purl.org/atom/ns", Namespace::Atom),
    ("purl.org/atom", Namespace::Atom),
    ("example.com/newformat", Namespace::Atom),
    ("example.com/necho", Namespace::Atom),
    ("purl.org/echo", Namespace::Atom),
    ("uri/of/echo/namespace", Namespace::Atom),
    ("purl.org/pie", Namespace::Atom),
    ("intertwingly.net/blog/atom", Namespace::Atom),
    ("purl.org/rss/1.0", Namespace::Core),
    ("purl.org/rss/1.1", Namespace::Core),
    ("purl.org/net/rss1.1", Namespace::Core),
    ("my.netscape.com/rdf/simple/0.9", Namespace::Core),
    ("my.netscape.com/publish/formats/rss-0.91.dtd", Namespace::Core),
    ("channel.netscape.com/rdf/simple/0.9", Namespace::Core),
    ("backend.userland.com/rss", Namespace::Core),
    ("backend.userland.com/rss1", Namespace::Core),
    ("backend.userland.com/rss2", Namespace::Core),
    ("backend.userland.com/rss091", Namespace::Core),
    ("backend.userland.com/rss092", Namespace::Core),
    ("backend.userland.com/rss191", Namespace::Core),
    ("blogs.law.harvard.edu/tech/rss", Namespace::Core),
    ("cyber.law.harvard.edu/rss", Namespace::Core),
    ("cyber.law.harvard.edu/rss/rss.html", Namespace::Core),
    ("rssboard.org/rss-specification", Namespace::Core),
    ("purl.org/rss/2.0", Namespace::Core),
    ("w3.org/1999/02/22-rdf-syntax-ns", Namespace::Rdf),
    ("w3.org/1999/xhtml", Namespace::Xhtml),
    ("w3.org/xml/1998/namespace", Namespace::Xml),
    ("itunes.com/dtds/podcast-1.0.dtd", Namespace::Itunes),
    ("itunes.com/dtds/podcast", Namespace::Itunes),
    ("example.com/dtds/podcast-1.0.dtd", Namespace::Itunes),
    ("podcastindex.org/namespace/1.0", Namespace::Podcast),
    ("github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md", Namespace::Podcast),
    ("podcastindex.org", Namespace::Podcast),
    ("search.yahoo.com/mrss", Namespace::Media),
    ("search.yahoo.com/mrss/rss", Namespace::Media),
    ("search.yahoo.com/rss", Namespace::Media),
    ("search.yahoo.com/mrss/mediarss", Namespace::Media),
    ("tools.search.yahoo.com/mrss", Namespace::Media),
    ("video.search.yahoo.com/mrss", Namespace::Media),
    ("rssboard.org/media-rss", Namespace::Media),
    ("purl.org/rss/1.0/modules/content", Namespace::Content),
    ("purl.org/dc/elements/1.1", Namespace::Dc),
    ("purl.org/dc/elements/1.0", Namespace::Dc),
    ("purl.org/dc", Namespace::Dc),
    ("purl.org/rss/1.0/modules/dc", Namespace::Dc),
    ("purl.org/dc/terms", Namespace::DcTerms),
    ("purl.org/rss/1.0/modules/dcterms", Namespace::DcTerms),
    ("purl.org/rss/1.0/modules/syndication", Namespace::Syndication),
    ("rssnamespace.org/feedburner/ext/1.0", Namespace::FeedBurner),
    ("feedburner.google.com", Namespace::FeedBurner),
    ("youtube.com/xml/schemas/2015", Namespace::YouTube),
    ("google.com/schemas/play-podcasts/1.0", Namespace::GooglePlay),
    ("google.com/schemas/play-podcasts/1.0/play-podcasts.xsd", Namespace::GooglePlay),
    ("podlove.org/simple-chapters", Namespace::Psc),
    ("backend.userland.com/creativecommonsrssmodule", Namespace::CreativeCommons),
    ("cyber.law.harvard.edu/rss/creativecommonsrssmodule.html", Namespace::CreativeCommons),
    ("web.resource.org/cc", Namespace::Cc),
    ("creativecommons.org/ns", Namespace::Cc),
    ("georss.org/georss", Namespace::GeoRss),
    ("georss.org/georss/10", Namespace::GeoRss),
    ("georss.org/georss/11", Namespace::GeoRss),
    ("w3.org/2003/01/geo/wgs84_pos", Namespace::Geo),
    ("opengis.net/gml", Namespace::Gml),
    ("purl.org/syndication/thread/1.0", Namespace::Thread),
    ("purl.org/atompub/tombstones/1.0", Namespace::Tombstone),
    ("purl.org/syndication/history/1.0", Namespace::History),
    ("purl.org/rss/1.0/modules/slash", Namespace::Slash),
    ("wellformedweb.org/commentapi", Namespace::Wfw),
];

/// The first prefix of a namespace is the usual one.
const BY_PREFIX: &[(&str, Namespace)] = &[
    ("atom", Namespace::Atom),
    ("atom10", Namespace::Atom),
    ("atom03", Namespace::Atom),
    ("a10", Namespace::Atom),
    ("rdf", Namespace::Rdf),
    ("xhtml", Namespace::Xhtml),
    ("xml", Namespace::Xml),
    ("itunes", Namespace::Itunes),
    ("podcast", Namespace::Podcast),
    ("media", Namespace::Media),
    ("content", Namespace::Content),
    ("dc", Namespace::Dc),
    ("dcterms", Namespace::DcTerms),
    ("sy", Namespace::Syndication),
    ("syn", Namespace::Syndication),
    ("feedburner", Namespace::FeedBurner),
    ("yt", Namespace::YouTube),
    ("googleplay", Namespace::GooglePlay),
    ("psc", Namespace::Psc),
    ("creativeCommons", Namespace::CreativeCommons),
    ("cc", Namespace::Cc),
    ("georss", Namespace::GeoRss),
    ("geo", Namespace::Geo),
    ("gml", Namespace::Gml),
    ("thr", Namespace::Thread),
    ("at", Namespace::Tombstone),
    ("fh", Namespace::History),
    ("slash", Namespace::Slash),
    ("wfw", Namespace::Wfw),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scheme_case_and_trailing_slash_do_not_count() {
        for uri in [
            "http://www.itunes.com/dtds/podcast-1.0.dtd",
            "https://www.itunes.com/dtds/podcast-1.0.dtd",
            "http://www.itunes.com/DTDs/Podcast-1.0.dtd",
            " http://itunes.com/dtds/podcast-1.0.dtd/ ",
        ] {
            assert_eq!(Namespace::of_uri(uri), Some(Namespace::Itunes), "{uri}");
        }
        assert_eq!(Namespace::of_uri("http://search.yahoo.com/mrss"), Some(Namespace::Media));
        assert_eq!(Namespace::of_uri("http://example.org/mine"), None);
    }

    #[test]
    fn every_uri_of_the_table_is_found_by_it() {
        for (uri, namespace) in BY_URI {
            assert_eq!(Namespace::of_uri(&format!("http://{uri}#")), Some(*namespace), "{uri}");
        }
    }
}
