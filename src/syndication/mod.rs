//! What a publisher said: bytes to text, text to a [`SourceFeed`].
//!
//! Lenient about everything that real feeds do, strict about everything that could hurt: nothing
//! here fetches, recurses without bound or gives up because of one bad byte.

mod atom;
pub(crate) mod date;
mod decode;
pub(crate) mod duration;
mod entry;
mod error;
#[cfg(test)]
mod for_tests;
mod itunes;
mod json_feed;
mod limits;
mod media_rss;
mod modules;
pub(crate) mod number;
mod original;
pub(crate) mod person;
mod podcast;
mod rss;
pub(crate) mod source_feed;
mod xml;

pub use decode::DecodedText;
pub use error::ReadError;
pub use limits::Limits;
pub use source_feed::Format;

pub(crate) use decode::decode;
pub(crate) use source_feed::SourceFeed;
pub(crate) use xml::{Entities, decode_html_entities, split_attributes};

use source_feed::{Channel, SourceEntry};
use xml::{Document, Element, Namespace, Step};

/// Reads the text of a feed in whatever format it is.
///
/// # Errors
/// [`ReadError`] if it is no feed, or deeper than the limits.
pub(crate) fn read<'t>(text: &'t str, limits: &Limits) -> Result<SourceFeed<'t>, ReadError> {
    let start = text.trim_start();
    if start.is_empty() {
        return Err(ReadError::Empty);
    }
    if start.starts_with(['{', '[']) {
        return json_feed::read(start, limits);
    }
    read_xml(text, limits)
}

fn read_xml<'t>(text: &'t str, limits: &Limits) -> Result<SourceFeed<'t>, ReadError> {
    let mut document = Document::new(text, limits);
    let mut format = None;
    let mut channel = Channel::default();
    let (mut entries, mut live) = (Vec::new(), Vec::new());
    let (mut hollow, mut deleted) = (Vec::new(), Vec::new());
    let (mut items, mut lives) = (0, 0);
    let (mut cut, mut alone) = (false, false);
    let mut outer_language = None;
    let complete = loop {
        match document.next()? {
            Step::Container(element) => {
                format = format.or_else(|| format_of(element, element.source()));
                channel.base = element.base().or(channel.base);
                outer_language = outer_language.or_else(|| element.own_language());
                channel.links.extend(rss::href_link(element));
            }
            Step::Unit(element) if is_entry(element) => {
                // An entry can be a document of its own (RFC 4287, 2).
                if format.is_none() && element.namespace() == Namespace::Atom {
                    format = Some(Format::Atom10);
                    alone = true;
                }
                let has_room = items + lives < limits.max_entries;
                if element.namespace() == Namespace::Podcast {
                    live.extend(has_room.then(|| entry::read(element, lives, format)).flatten());
                    lives += 1;
                    continue;
                }
                match has_room.then(|| entry::read(element, items, format)) {
                    Some(Some(entry)) => entries.push(entry),
                    Some(None) => hollow.push(items),
                    None => {}
                }
                items += 1;
            }
            Step::Unit(element) if element.is(Namespace::Tombstone, "deleted-entry") => {
                deleted.extend(element.attribute("ref").map(|id| id.trim().to_owned().into()));
            }
            Step::Unit(element) => read_channel_field(element, format, &mut channel),
            Step::Cut => cut = true,
            Step::End { complete } => break (complete || alone) && !cut,
        }
    };
    let format = format.ok_or_else(|| no_feed(text))?;
    channel.title = channel.title.filter(|own| !own.value.trim().is_empty());
    channel.title = channel.title.or(channel.borrowed_title.take());
    // `xml:lang` is Atom's way to say it; RSS has an element.
    channel.language = match format.is_atom() {
        true => outer_language.or(channel.language),
        false => channel.language.or(outer_language),
    };
    // What is on the air has no place among the items: it is counted behind them.
    entries.extend(live.into_iter().map(|e| SourceEntry { position: items + e.position, ..e }));
    let beyond_limit = (items + lives).saturating_sub(limits.max_entries);
    let faults = document.faults;
    Ok(SourceFeed { format, channel, entries, hollow, deleted, beyond_limit, complete, faults })
}

fn read_channel_field<'t>(
    element: Element<'_, 't>,
    format: Option<Format>,
    channel: &mut Channel<'t>,
) {
    match element.namespace() {
        Namespace::Core if format.is_some_and(Format::is_atom) => {
            atom::read_feed_field(element, channel);
        }
        Namespace::Core => rss::read_channel_field(element, channel),
        Namespace::Atom if format.is_some_and(|format| !format.is_atom()) => {
            atom::read_channel_field(element, channel);
        }
        Namespace::Atom => atom::read_feed_field(element, channel),
        _ => modules::read_channel_field(element, channel),
    }
}

fn is_entry(element: Element<'_, '_>) -> bool {
    match element.namespace() {
        Namespace::Core | Namespace::Atom => {
            ["item", "entry"].iter().any(|name| element.name().eq_ignore_ascii_case(name))
        }
        Namespace::Podcast => element.name().eq_ignore_ascii_case("liveItem"),
        _ => false,
    }
}

/// Tells the format by the root element; `tag` is its start tag as written.
fn format_of(root: Element<'_, '_>, tag: &str) -> Option<Format> {
    let name = root.lower_name();
    let version = root.attribute("version").unwrap_or_default().trim();
    match &*name {
        "rss" => Some(match version {
            "0.90" | "0.9" => Format::Rss090,
            "0.91" => Format::Rss091,
            "0.92" => Format::Rss092,
            "0.93" => Format::Rss093,
            "0.94" => Format::Rss094,
            _ => Format::Rss20,
        }),
        "rdf" if tag.contains("rdf/simple/0.9") => Some(Format::Rss090),
        "rdf" => Some(Format::Rss10),
        "channel" if tag.contains("rss1.1") => Some(Format::Rss11),
        "channel" => Some(Format::Rss20),
        "feed" if version == "0.3" || tag.contains("purl.org/atom") => Some(Format::Atom03),
        "feed" => Some(Format::Atom10),
        _ => None,
    }
}

/// Tells a web page from any other text that is no feed.
fn no_feed(text: &str) -> ReadError {
    let head: String = text.chars().take(HEAD_CHARS).collect::<String>().to_ascii_lowercase();
    let is_page =
        ["<html", "<!doctype html", "<head", "<body"].iter().any(|tag| head.contains(tag));
    if is_page { ReadError::WebPage } else { ReadError::NotAFeed }
}

/// How far into a document its nature is looked for.
const HEAD_CHARS: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: Result<Format, ReadError>) {
        let found = read(text, &Limits::default()).map(|feed| feed.format);
        assert_eq!(found, want, "{text}");
    }

    #[test]
    fn a_format_is_told_by_its_root_and_version() {
        const RDF: &str = "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'";
        for (text, format) in [
            ("<rss version='2.0'/>".to_owned(), Format::Rss20),
            ("<rss/>".to_owned(), Format::Rss20),
            ("<rss version='2.0.1'/>".to_owned(), Format::Rss20),
            ("<rss version=' 0.91 '/>".to_owned(), Format::Rss091),
            ("<rss version='0.92'/>".to_owned(), Format::Rss092),
            ("<rss version='0.93'/>".to_owned(), Format::Rss093),
            ("<rss version='0.94'/>".to_owned(), Format::Rss094),
            ("<RSS VERSION='0.92'/>".to_owned(), Format::Rss092),
            ("<channel><title>x</title></channel>".to_owned(), Format::Rss20),
            (format!("<rdf:RDF {RDF} xmlns='http://purl.org/rss/1.0/'/>"), Format::Rss10),
            (
                format!("<rdf:RDF {RDF} xmlns='http://my.netscape.com/rdf/simple/0.9/'/>"),
                Format::Rss090,
            ),
            ("<Channel xmlns='http://purl.org/net/rss1.1#'/>".to_owned(), Format::Rss11),
            ("<feed xmlns='http://www.w3.org/2005/Atom'/>".to_owned(), Format::Atom10),
            ("<feed/>".to_owned(), Format::Atom10),
            ("<feed version='0.3'/>".to_owned(), Format::Atom03),
            ("<feed xmlns='http://purl.org/atom/ns#'/>".to_owned(), Format::Atom03),
            ("<entry xmlns='http://www.w3.org/2005/Atom'/>".to_owned(), Format::Atom10),
            (r#"{"version":"https://jsonfeed.org/version/1"}"#.to_owned(), Format::Json10),
            (r#"{"version":"https://jsonfeed.org/version/1.1"}"#.to_owned(), Format::Json11),
        ] {
            check(&text, Ok(format));
        }
    }

    #[test]
    fn what_is_no_feed_is_told_apart() {
        check("", Err(ReadError::Empty));
        check(" \n\t", Err(ReadError::Empty));
        check("<!DOCTYPE html><title>x</title>", Err(ReadError::WebPage));
        check("<HTML><body>", Err(ReadError::WebPage));
        check("<opml version='2.0'/>", Err(ReadError::NotAFeed));
        check("plain words", Err(ReadError::NotAFeed));
        check("[1, 2]", Err(ReadError::NotAFeed));
        check(r#"{"version": "1.0"}"#, Err(ReadError::NotAFeed));
        check("{\"version\": \"https://jsonfeed.org/version/1\", ", Err(ReadError::Malformed));
    }

    #[test]
    fn entries_behind_the_limit_are_counted_and_left_out() {
        let limits = Limits { max_entries: 3, ..Limits::default() };
        let xml =
            format!("<rss><channel>{}</channel></rss>", "<item><title>x</title></item>".repeat(5));
        let items = ["{\"id\":\"x\"}"; 5].join(",");
        let json = format!(r#"{{"version":"https://jsonfeed.org/version/1","items":[{items}]}}"#);
        for text in [xml, json] {
            let feed = read(&text, &limits).unwrap();
            assert_eq!((feed.entries.len(), feed.beyond_limit), (3, 2), "{text}");
            assert_eq!(read(&text, &Limits::default()).unwrap().beyond_limit, 0);
        }
    }

    #[test]
    fn a_feed_that_nests_too_deeply_is_refused() {
        let limits = Limits { max_depth: 20, ..Limits::default() };
        let nested = format!("<rss><channel><item>{}", "<b>".repeat(30));
        assert_eq!(read(&nested, &limits).map(|_| ()), Err(ReadError::TooDeep));
        let json =
            format!(r#"{{"version":"https://jsonfeed.org/version/1","x":{}"#, "[".repeat(100_000));
        assert!(read(&json, &Limits::default()).is_err());
    }

    #[test]
    fn entries_know_their_place_and_the_feed_whether_it_came_to_its_end() {
        let feed = "<rss><channel><item><title>a</title></item><item><title>b</title></item>";
        let places = |text: &str| {
            let feed = read(text, &Limits::default()).unwrap();
            let places: Vec<_> = feed.entries.iter().map(|entry| entry.position).collect();
            (places, feed.complete)
        };
        assert_eq!(places(&format!("{feed}</channel></rss>")), (vec![0, 1], true));
        assert_eq!(places(feed), (vec![0, 1], false));
        assert_eq!(places(&format!("{feed}<item><title>c")), (vec![0, 1], false));
    }

    #[test]
    fn an_item_ends_a_field_of_the_channel_that_was_not_closed() {
        let text = "<rss><channel><itunes:category text='a'><itunes:category text='b'/>\
                    <item><title>x</title></item></channel></rss>";
        let feed = read(text, &Limits::default()).unwrap();
        assert_eq!((feed.entries.len(), feed.complete, feed.faults > 0), (1, true, true));
    }

    #[test]
    fn live_items_are_entries_and_deleted_ones_are_not() {
        let text = "<rss><channel><podcast:liveItem status='live'><title>x</title></podcast:liveItem>\
                    <item><title>y</title></item>\
                    <at:deleted-entry xmlns:at='http://purl.org/atompub/tombstones/1.0' ref=' urn:x '/>\
                    </channel></rss>";
        let feed = read(text, &Limits::default()).unwrap();
        let places = feed.entries.iter().map(|entry| (entry.position, entry.live.is_some()));
        assert_eq!(places.collect::<Vec<_>>(), [(0, false), (1, true)]);
        assert_eq!(feed.deleted, ["urn:x"]);
    }
}
