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
mod itunes;
mod json_feed;
mod limits;
mod media_rss;
mod modules;
pub(crate) mod number;
pub(crate) mod original;
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
pub(crate) use xml::{decode_html_entities, split_attributes};

use source_feed::Channel;
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
    let mut entries = Vec::new();
    let mut deleted = Vec::new();
    let mut seen = 0;
    let (mut cut, mut alone) = (false, false);
    let complete = loop {
        match document.next()? {
            Step::Container(element) => {
                format = format.or_else(|| format_of(element, element.source()));
                channel.base = element.base().or(channel.base);
                let language = element.own_language().map(|tag| tag.to_owned().into());
                channel.language = channel.language.take().or(language);
                channel.links.extend(rss::href_link(element));
            }
            Step::Unit(element) if is_entry(element) => {
                // An entry can be a document of its own (RFC 4287, 2).
                if format.is_none() && element.namespace() == Namespace::Atom {
                    format = Some(Format::Atom10);
                    alone = true;
                }
                if entries.len() < limits.max_entries {
                    entries.push(entry::read(element, seen, format));
                }
                seen += 1;
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
    let beyond_limit = seen - entries.len();
    let faults = document.faults;
    Ok(SourceFeed { format, channel, entries, deleted, beyond_limit, complete, faults })
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
    let name = root.name().to_ascii_lowercase();
    let version = root.attribute("version").unwrap_or_default().trim();
    match name.as_str() {
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
