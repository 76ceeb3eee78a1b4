//! What identifies an item, for life, and who keeps an identifier that two items share.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::mended::{Mend, Mended};
use super::{Context, address};
use crate::model::percent_encode;
use crate::model::{Timestamp, Uri};
use crate::syndication::date::parse_date;
use crate::syndication::source_feed::{DateRole, SourceEntry};

/// What the store remembers of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Digest of the entry that it was made from.
    pub hash: [u8; 32],
    /// The date it was given when it was first seen.
    pub published: Timestamp,
    /// What tells it from another item with the same identifier.
    pub twin: i64,
}

/// An entry with the identifier that it has or shares.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// Place in the list of entries.
    pub index: usize,
    pub id: Uri,
    pub twin: i64,
}

/// Entries that are other entries once more: `(index, id of the item they are)`.
pub(crate) type Duplicates = Vec<(usize, Uri)>;

/// The identifiers under which the store may know these entries.
pub(crate) fn candidate_ids(entries: &[SourceEntry<'_>], context: &Context) -> Vec<Uri> {
    let mut ids: Vec<Uri> = entries
        .iter()
        .flat_map(|entry| {
            let (id, twin) = (own_id(entry, context), twin(entry, context));
            [twin_id(&id, twin), id]
        })
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Gives each entry its identifier. One identifier twice with the same link is one item, the later
/// change wins; otherwise the item that the store knows by it keeps it, new to both the first.
pub(crate) fn resolve(
    entries: &[SourceEntry<'_>],
    context: &Context,
    known: &HashMap<Uri, Known>,
    mended: &mut Mended,
) -> (Vec<Resolved>, Duplicates) {
    let mut kept: Vec<Resolved> = Vec::with_capacity(entries.len());
    let mut merged: Vec<(usize, usize)> = Vec::new();
    let mut places: HashMap<(Uri, i64), usize> = HashMap::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        note_repairs(entry, mended);
        let (id, twin) = (own_id(entry, context), twin(entry, context));
        let place = *places.entry((id.clone(), twin)).or_insert(kept.len());
        let Some(earlier) = kept.get_mut(place) else {
            kept.push(Resolved { index, id, twin });
            continue;
        };
        let is_later = entries.get(earlier.index).is_some_and(|e| changed(entry) > changed(e));
        let loser = if is_later { std::mem::replace(&mut earlier.index, index) } else { index };
        merged.push((loser, place));
    }
    mended.add(Mend::SharedId, share_out(&mut kept, known));
    let id_at = |place: usize| kept.get(place).map(|resolved| resolved.id.clone());
    let duplicates =
        merged.into_iter().filter_map(|(index, place)| Some((index, id_at(place)?))).collect();
    (kept, duplicates)
}

/// Lets one entry keep each shared identifier and gives the others one of their own.
fn share_out(kept: &mut [Resolved], known: &HashMap<Uri, Known>) -> usize {
    let mut keepers: HashMap<Uri, i64> = HashMap::with_capacity(kept.len());
    for resolved in kept.iter() {
        let is_remembered = known.get(&resolved.id).is_some_and(|k| k.twin == resolved.twin);
        let owner = keepers.entry(resolved.id.clone()).or_insert(resolved.twin);
        if is_remembered {
            *owner = resolved.twin;
        }
    }
    let mut renamed = 0;
    for resolved in kept {
        let other = twin_id(&resolved.id, resolved.twin);
        let keeps = keepers.get(&resolved.id) == Some(&resolved.twin);
        // Alone in the document, it may still be the one that had to give way earlier.
        if !keeps || (known.contains_key(&other) && !is_known_as(known, resolved)) {
            resolved.id = other;
            renamed += 1;
        }
    }
    renamed
}

fn is_known_as(known: &HashMap<Uri, Known>, resolved: &Resolved) -> bool {
    known.get(&resolved.id).is_some_and(|k| k.twin == resolved.twin)
}

/// The identifier by the entry alone: its guid, else its file (in a podcast), link or file, else a
/// digest of title and date.
fn own_id(entry: &SourceEntry<'_>, context: &Context) -> Uri {
    if let Some(guid) = &entry.guid {
        return of_guid(&guid.value, context);
    }
    let file = || own_file(entry, context);
    let link = || own_link(entry, context);
    let found = if context.is_podcast() { file().or_else(link) } else { link().or_else(file) };
    found
        .and_then(|url| Uri::parse(&url).filter(is_short))
        .unwrap_or_else(|| of_content(entry, context))
}

/// A guid as it is where it is a URI, else as a fragment of the feed's address.
fn of_guid(value: &str, context: &Context) -> Uri {
    if let Some(uri) = Uri::parse_iri(value).filter(is_short) {
        return uri;
    }
    let fragment = escape_fragment(value);
    let fits = fragment.len() <= MAX_FRAGMENT;
    in_feed(context, &if fits { fragment } else { digest_name(&[value]) })
}

fn of_content(entry: &SourceEntry<'_>, context: &Context) -> Uri {
    let title = entry.title.as_ref().map_or("", |title| title.value.as_ref());
    let date = entry.dates.iter().find(|(role, _)| !role.is_change());
    let date = date.map_or("", |(_, text)| text.as_ref());
    let text = entry.texts.first().map_or("", |(_, text)| text.value.as_ref());
    // Without title and date the text is all there is to know it by.
    let text = if title.is_empty() && date.is_empty() { text } else { "" };
    in_feed(context, &digest_name(&[title, date, text]))
}

/// `FEED_URL#fragment`; the feed's address has no fragment of its own and is always a URI.
fn in_feed(context: &Context, fragment: &str) -> Uri {
    let whole = format!("{}#{fragment}", context.first_url);
    Uri::parse(&whole).unwrap_or_else(|| urn(&whole))
}

/// For a feed address so long that nothing fits behind it.
fn urn(text: &str) -> Uri {
    let name = format!("urn:{}", digest_name(&[text]).replacen('-', ":", 1));
    Uri::parse(&name).unwrap_or_else(unreachable_uri)
}

fn unreachable_uri() -> Uri {
    #[expect(clippy::expect_used, reason = "a constant that is a URI")]
    Uri::parse("urn:mmsp:none").expect("a URI")
}

/// Another identifier for an item that has to give way: the shared one and a short digest.
fn twin_id(id: &Uri, twin: i64) -> Uri {
    let mark = if id.as_str().contains('#') { '-' } else { '#' };
    let text = format!("{id}{mark}{twin:016x}");
    Uri::parse(&text).unwrap_or_else(|| id.clone())
}

/// What tells an entry from another with the same identifier: its link, else its title.
fn twin(entry: &SourceEntry<'_>, context: &Context) -> i64 {
    let title = entry.title.as_ref().map_or("", |title| title.value.as_ref());
    let link = entry.guid.as_ref().and_then(|_| own_link(entry, context));
    let digest = Sha256::digest(link.as_deref().unwrap_or(title).as_bytes());
    let bytes = digest.first_chunk::<8>().copied().unwrap_or_default();
    i64::from_be_bytes(bytes)
}

/// The entry's own link, not one that stands in for it.
fn own_link(entry: &SourceEntry<'_>, context: &Context) -> Option<String> {
    let links = entry.links.iter().filter(|l| matches!(l.rel.as_ref(), "" | "alternate"));
    let references = entry.permalink.iter().chain(links.map(|link| &link.href));
    let base = entry.base.as_ref().unwrap_or(&context.base);
    let mut found = references.filter_map(|reference| address::resolve(reference, base));
    found.next().map(|address| address.url.to_string())
}

fn own_file(entry: &SourceEntry<'_>, context: &Context) -> Option<String> {
    let files = entry.enclosures.iter().filter(|file| !file.is_alternate).map(|file| &file.url);
    let base = entry.base.as_ref().unwrap_or(&context.base);
    let mut found = files.filter_map(|reference| address::resolve(reference, base));
    found.next().map(|address| address.url.to_string())
}

fn changed(entry: &SourceEntry<'_>) -> Option<Timestamp> {
    let roles = [DateRole::Updated, DateRole::Modified];
    entry.dates.iter().filter(|(role, _)| roles.contains(role)).find_map(|(_, d)| parse_date(d))
}

fn note_repairs(entry: &SourceEntry<'_>, mended: &mut Mended) {
    match &entry.guid {
        None => mended.note(Mend::MissingId),
        Some(guid) if Uri::parse_iri(&guid.value).is_none() => mended.note(Mend::BadId),
        Some(_) => {}
    }
}

fn is_short(uri: &Uri) -> bool {
    uri.as_str().len() <= MAX_ID
}

fn digest_name(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    let digest = hasher.finalize();
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256-{hex}")
}

/// Percent-encodes what RFC 3986, 3.5 does not allow in a fragment.
fn escape_fragment(text: &str) -> String {
    let bytes = text.as_bytes();
    let is_escape = |at: usize| {
        let hex = |offset: usize| bytes.get(at + offset).is_some_and(u8::is_ascii_hexdigit);
        hex(1) && hex(2)
    };
    let mut at = 0;
    percent_encode(text, |byte| {
        let here = at;
        at += 1;
        match byte {
            b'%' => is_escape(here),
            _ => byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte),
        }
    })
}

/// Longest identifier that is kept as it is, in bytes: cursors carry identifiers.
const MAX_ID: usize = 1024;
const MAX_FRAGMENT: usize = 512;
