//! Bytes to manifest: the one door of the pure core.
//!
//! Three steps, so that the caller can ask its memory between them: [`decode`] makes text of the
//! bytes, [`Decoded::read`] a [`Reading`] of the text, [`Reading::normalize`] items of what is new
//! or changed. What became of it all is told by a [`Report`]. No clock, no socket, no environment; time and memory are bounded by [`Limits`].

mod report;
mod summary;

use std::collections::HashMap;

use sha2::{Digest, Sha256};
use twox_hash::XxHash3_128;

use crate::model::{Feed, HttpsUrl, Item, SourceType, SourceUrl, Timestamp, Uri};
use crate::normalize::{
    self, Context, Mend, Mended, Mends, Origin, Settings, SkipReason, candidate_ids,
    normalize_item, read_channel,
};
use crate::syndication::{self, DecodedText, SourceFeed};

mod hints;

pub use hints::Hints;

pub use crate::normalize::Known;
pub use crate::syndication::{Limits, ReadError as ConvertError};
pub use report::{Placed, Report, ReportSource, Skipped};
pub use summary::{Fate, Remark, Summary};

/// Raised whenever the same bytes give other items than before: stored items of an older revision
/// are read anew with the next poll.
pub const REVISION: u32 = 4;

/// A document and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The bytes, content coding already undone.
    pub body: &'a [u8],
    /// The value of the `Content-Type` field.
    pub content_type: Option<&'a str>,
    /// Whether all bytes that were announced are there.
    pub complete: bool,
    /// The address that the document was really read from.
    pub url: &'a SourceUrl,
    /// The address that the feed was first known by: identifiers that are made up begin with it.
    pub first_url: &'a SourceUrl,
    /// Whether the feed was a podcast when it was last read: once one, always one.
    pub was_podcast: bool,
    /// Which document of the feed it is.
    pub part: Part<'a>,
    /// How much is read at the most.
    pub limits: &'a Limits,
    /// What the operator chose.
    pub settings: &'a Settings,
}

/// Which document of a feed one is.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// The one that is polled.
    Current,
    /// One of those with its history (RFC 5005).
    Older {
        /// The address of the current one, which items name as their feed.
        feed_url: &'a SourceUrl,
        /// Items without a date are older than this.
        below: Timestamp,
    },
}

/// A document as text.
#[derive(Debug)]
pub struct Decoded<'b>(DecodedText<'b>);

/// Makes text of a document's bytes, whatever its labels say.
///
/// # Errors
/// [`ConvertError::Empty`], or [`ConvertError::TooLarge`] if the text is over the limit.
pub fn decode<'b>(input: &Input<'b>) -> Result<Decoded<'b>, ConvertError> {
    if input.body.len() > input.limits.max_bytes {
        return Err(ConvertError::TooLarge);
    }
    let decoded = syndication::decode(input.body, input.content_type);
    if decoded.text.trim().is_empty() {
        return Err(ConvertError::Empty);
    }
    if decoded.text.len() > input.limits.max_bytes.saturating_mul(MAX_GROWTH) {
        return Err(ConvertError::TooLarge);
    }
    Ok(Decoded(decoded))
}

/// The most that a legacy encoding grows by as UTF-8.
const MAX_GROWTH: usize = 3;

impl Decoded<'_> {
    /// Reads the text as a feed.
    ///
    /// # Errors
    /// Says why it is none.
    pub fn read<'d>(&'d self, input: &Input<'d>) -> Result<Reading<'d>, ConvertError> {
        let feed = syndication::read(&self.0.text, input.limits)?;
        let complete = feed.complete && input.complete;
        if feed.entries.is_empty() && !complete {
            let is_bare = feed.channel.title.is_none() && feed.channel.links.is_empty();
            return Err(if is_bare { ConvertError::Malformed } else { ConvertError::Truncated });
        }
        let mut mended = Mended::default();
        mended.add(Mend::BadBytes, self.0.bad_bytes);
        mended.add(Mend::ControlCharacters, self.0.control_characters);
        mended.add(Mend::Markup, feed.faults);
        Ok(Reading { feed, input: *input, encoding: self.0.encoding, complete, mended })
    }
}

/// A document read as a feed, its items not yet normalized.
#[derive(Debug)]
pub struct Reading<'d> {
    feed: SourceFeed<'d>,
    input: Input<'d>,
    encoding: &'static str,
    complete: bool,
    mended: Mended,
}

/// What became of a document.
#[derive(Debug)]
pub struct Conversion {
    /// The head of the manifest.
    pub feed: Feed,
    /// The kind of source.
    pub source_type: SourceType,
    /// The feed's web page.
    pub page_url: Option<HttpsUrl>,
    /// The media type that the format has.
    pub media_type: &'static str,
    /// How often the publisher says the feed changes.
    pub hints: Hints,
    /// Where the publisher says that the feed is from now on (`itunes:new-feed-url`).
    pub new_url: Option<SourceUrl>,
    /// Where the feed goes on.
    pub history: History,
    /// Items that are new or changed, in document order.
    pub changed: Vec<ConvertedItem>,
    /// Every item that the document shows, changed or not.
    pub shown: Vec<(Timestamp, Uri)>,
    /// Items that the publisher took back (RFC 6721).
    pub deleted: Vec<Uri>,
    /// Whether the document was cut off: it may add to history and never takes from it.
    pub truncated: bool,
    /// What was read, mended and left out.
    pub report: Report,
}

/// A new or changed item.
#[derive(Debug)]
pub struct ConvertedItem {
    /// What identifies it.
    pub id: Uri,
    /// Its place in the order of the feed.
    pub published: Timestamp,
    /// Digest of the entry it was made from, the feed around it and [`REVISION`].
    pub hash: [u8; 16],
    /// What tells it from another item with the same identifier.
    pub twin: i64,
    /// What was mended of it.
    pub mends: Mends,
    /// The item.
    pub item: Item,
}

/// What a document says of the rest of its feed (RFC 5005).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The next older document: an archive (`prev-archive`) or else a page (`next`).
    pub older: Option<SourceUrl>,
    /// Whether this document is an archive, which never changes (`fh:archive`).
    pub is_archive: bool,
    /// Whether this document is the whole feed (`fh:complete`).
    pub is_complete: bool,
}

impl Reading<'_> {
    /// The address that the document says is its own (`rel=self`).
    #[must_use]
    pub fn self_url(&self) -> Option<SourceUrl> {
        let links = &self.feed.channel.links;
        let link = links.iter().find(|link| link.rel == "self")?;
        SourceUrl::parse(&link.href.value).ok()
    }

    fn new_url(&self) -> Option<SourceUrl> {
        let said = self.feed.channel.new_feed_url.as_ref()?;
        self.input.url.join(&said.value).ok()
    }

    /// The identifiers to look up in the memory before [`Reading::normalize`].
    #[must_use]
    pub fn candidate_ids(&self) -> Vec<Uri> {
        let (_, context) = self.channel(Timestamp::EPOCH, &mut Mended::default());
        candidate_ids(&self.feed.entries, &context)
    }

    /// Makes items of the entries that `known` does not already hold as they are. `now` dates
    /// items without a date.
    #[must_use]
    pub fn normalize(mut self, known: &HashMap<Uri, Known>, now: Timestamp) -> Conversion {
        let mut mended = std::mem::take(&mut self.mended);
        let (feed, context) = self.channel(now, &mut mended);
        let mut report = self.report(&context);
        let mut entries = std::mem::take(&mut self.feed.entries);
        let seed = seed(&context);
        let (resolved, duplicates) = normalize::resolve(&entries, &context, known, &mut mended);
        let mut changed = Vec::with_capacity(if known.is_empty() { resolved.len() } else { 0 });
        let mut shown = Vec::with_capacity(resolved.len());
        for resolved in resolved {
            let Some(entry) = entries.get_mut(resolved.index) else { continue };
            let hash = hash(seed, &entry.source);
            let remembered = known.get(&resolved.id);
            if let Some(same) = remembered.filter(|known| known.hash == hash) {
                report.items.push(Placed { position: entry.position, id: resolved.id.clone() });
                shown.push((same.published, resolved.id));
                mended.turn_to(Some(entry.position));
                mended.remember(same.mends);
                continue;
            }
            let first = remembered.map(|known| known.published);
            mended.turn_to(Some(entry.position));
            // It goes when its item is made, so that not all of both are in memory at once.
            let mut entry = std::mem::take(entry);
            let item =
                normalize_item(&mut entry, resolved.id.clone(), first, &context, &mut mended);
            report.items.push(Placed { position: entry.position, id: item.id.clone() });
            shown.push((item.published, item.id.clone()));
            changed.push(ConvertedItem {
                id: resolved.id,
                published: item.published,
                hash,
                twin: resolved.twin,
                mends: mended.since_turn(),
                item,
            });
        }
        report.duplicates.extend(
            duplicates.into_iter().filter_map(|(index, id)| {
                Some(Placed { position: entries.get(index)?.position, id })
            }),
        );
        mended.turn_to(None);
        report.mended = mended;
        Conversion {
            feed,
            source_type: context.source.r#type,
            page_url: context.page,
            media_type: self.feed.format.media_type(),
            hints: Hints::of(&self.feed.channel),
            new_url: self.new_url(),
            history: self.history(),
            changed,
            shown,
            deleted: self.feed.deleted.iter().filter_map(|id| Uri::parse_iri(id)).collect(),
            truncated: !self.complete,
            report,
        }
    }

    fn channel(&self, now: Timestamp, mended: &mut Mended) -> (Feed, Context) {
        let (feed_url, undated) = match self.input.part {
            Part::Current => (self.input.url, now),
            Part::Older { feed_url, below } => (feed_url, below.minus_seconds(1)),
        };
        let origin = Origin {
            url: self.input.url,
            feed_url,
            first_url: self.input.first_url,
            was_podcast: self.input.was_podcast,
            now,
            undated,
            max_text_bytes: self.input.limits.max_text_bytes,
        };
        read_channel(&self.feed, &origin, self.input.settings, mended)
    }

    fn report(&self, context: &Context) -> Report {
        let first_left_out = self.input.limits.max_entries;
        let left_out = first_left_out..first_left_out.saturating_add(self.feed.beyond_limit);
        let hollow =
            self.feed.hollow.iter().map(|at| Skipped { position: *at, reason: SkipReason::Empty });
        let beyond = |position| Skipped { position, reason: SkipReason::BeyondLimit };
        Report {
            source: ReportSource {
                format: self.feed.format,
                r#type: context.source.r#type,
                encoding: self.encoding,
                page: context.page.clone(),
                url: context.source.feed_url.clone(),
                truncated: !self.complete,
            },
            items: Vec::with_capacity(self.feed.entries.len()),
            duplicates: Vec::new(),
            skipped: hollow.chain(left_out.take(MAX_LISTED).map(beyond)).collect(),
            mended: Mended::default(),
        }
    }

    fn history(&self) -> History {
        let channel = &self.feed.channel;
        let document = channel.base.as_deref().unwrap_or(self.input.url.url());
        let find = |rel: &str| {
            let link = channel.links.iter().find(|link| link.rel == rel)?;
            let base = link.href.base.as_deref().unwrap_or(document);
            SourceUrl::parse(base.join(link.href.value.trim()).ok()?.as_str()).ok()
        };
        History {
            older: find("prev-archive").or_else(|| find("next")),
            is_archive: channel.is_archive,
            is_complete: channel.is_complete,
        }
    }
}

/// Entries past the limit that the report lists one by one.
const MAX_LISTED: usize = 100_000;

/// What the hashes of entries begin with: the revision and the feed around the entries.
fn seed(context: &Context) -> u64 {
    let digest = Sha256::new().chain_update(REVISION.to_be_bytes()).chain_update(context.digest());
    u64::from_be_bytes(digest.finalize().first_chunk().copied().unwrap_or_default())
}

/// Tells one state of an entry from the next. Who could make two entries with one hash is their
/// publisher, and would hide a change of their own: it need not be cryptographic (ADR 72).
fn hash(seed: u64, source: &str) -> [u8; 16] {
    XxHash3_128::oneshot_with_seed(seed, source.as_bytes()).to_be_bytes()
}

#[cfg(test)]
mod tests;
