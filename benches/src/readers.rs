//! Our converter and its rivals, each from bytes to whatever it makes of them.

use std::collections::HashMap;
use std::hint::black_box;

use mmsp_gateway::convert::{Conversion, Input, Limits, Part, decode};
use mmsp_gateway::model::{SourceUrl, Timestamp};
use mmsp_gateway::normalize::Settings;
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::feeds::Sample;

/// One that reads feeds. Gives how many entries it found, or nothing where it cannot read the feed.
pub type Read = fn(&Sample) -> Option<usize>;

/// By name, ours first.
pub const READERS: [(&str, Read); 7] = [
    ("mmsp-gateway", ours),
    ("mmsp-gateway-sanitizing", ours_sanitizing),
    ("feed-rs", feed_rs),
    ("feedparser-rs", feedparser_rs),
    ("rss", rss),
    ("atom_syndication", atom),
    ("quick-xml", events),
];

/// Decodes, reads and normalizes without sanitizing, as nobody of the rivals but `feedparser-rs`
/// sanitizes.
#[must_use]
pub fn ours(sample: &Sample) -> Option<usize> {
    convert(sample, false)
}

/// The same with sanitizing.
#[must_use]
pub fn ours_sanitizing(sample: &Sample) -> Option<usize> {
    convert(sample, true)
}

fn convert(sample: &Sample, sanitize: bool) -> Option<usize> {
    let settings = Settings { sanitize };
    let conversion = conversion(sample, &settings)?;
    Some(black_box(conversion).changed.len())
}

/// The whole of our conversion, as a poll of a feed that nobody asked for before does it.
#[must_use]
pub fn conversion(sample: &Sample, settings: &Settings) -> Option<Conversion> {
    let url = SourceUrl::parse("https://source.example/feed").ok()?;
    let limits = Limits::default();
    let input = input(sample, &url, &limits, settings);
    let decoded = decode(&input).ok()?;
    let reading = decoded.read(&input).ok()?;
    Some(reading.normalize(&HashMap::new(), NOW))
}

/// What our converter is given of a sample.
#[must_use]
pub fn input<'a>(
    sample: &'a Sample,
    url: &'a SourceUrl,
    limits: &'a Limits,
    settings: &'a Settings,
) -> Input<'a> {
    Input {
        body: &sample.body,
        content_type: Some(sample.content_type),
        complete: true,
        url,
        first_url: url,
        was_podcast: false,
        part: Part::Current,
        limits,
        settings,
    }
}

/// When undated items are from.
pub const NOW: Timestamp = Timestamp::EPOCH;

fn feed_rs(sample: &Sample) -> Option<usize> {
    let feed = feed_rs::parser::parse(sample.body.as_slice()).ok()?;
    Some(black_box(feed).entries.len())
}

fn feedparser_rs(sample: &Sample) -> Option<usize> {
    let feed = feedparser_rs::parse(&sample.body).ok()?;
    Some(black_box(feed).entries.len())
}

fn rss(sample: &Sample) -> Option<usize> {
    let channel = rss::Channel::read_from(sample.body.as_slice()).ok()?;
    Some(black_box(channel).items.len())
}

fn atom(sample: &Sample) -> Option<usize> {
    let feed = atom_syndication::Feed::read_from(sample.body.as_slice()).ok()?;
    Some(black_box(feed).entries.len())
}

/// A bare loop over the events: the least that any reader on quick-xml can take. Counts events, and
/// reads what is UTF-8 only.
fn events(sample: &Sample) -> Option<usize> {
    let text = std::str::from_utf8(&sample.body).ok()?;
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    let mut count = 0;
    loop {
        match reader.read_event().ok()? {
            Event::Eof => return Some(count),
            event => {
                black_box(event);
                count += 1;
            }
        }
    }
}
