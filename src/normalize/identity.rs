//! What identifies an item, for life, and who keeps an identifier that two items share.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::mended::{Mend, Mended, Mends};
use super::{Context, address};
use crate::model::{HttpsUrl, Timestamp, Uri, is_escape, percent_encode};
use crate::syndication::date::parse_date;
use crate::syndication::source_feed::{DateRole, SourceEntry};

/// What the store remembers of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Digest of the entry that it was made from.
    pub hash: [u8; 16],
    /// The date it was given when it was first seen.
    pub published: Timestamp,
    /// What tells it from another item with the same identifier.
    pub twin: i64,
    /// What was mended of it.
    pub mends: Mends,
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
            let id = own_id(entry, context);
            let twins = [Some(twin(entry, context)), issue(entry, context)];
            let others: Vec<Uri> =
                twins.into_iter().flatten().map(|twin| twin_id(&id, twin)).collect();
            others.into_iter().chain([id])
        })
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Gives each entry its identifier. One identifier twice with the same link is one item, the later
/// change wins, unless title and date say that they are two issues of one page; otherwise the item
/// that the store knows by it keeps it, new to both the first.
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
        mended.turn_to(Some(entry.position));
        note_repairs(entry, mended);
        let id = own_id(entry, context);
        // Where nothing is known no issue is, and none has to be told.
        let known_issue = if known.is_empty() { None } else { issue(entry, context) }
            .filter(|issue| known.contains_key(&twin_id(&id, *issue)));
        let twin = known_issue.unwrap_or_else(|| twin(entry, context));
        let place = *places.entry((id.clone(), twin)).or_insert(kept.len());
        let Some(earlier) = kept.get_mut(place) else {
            kept.push(Resolved { index, id, twin });
            continue;
        };
        if let Some(other) = entries.get(earlier.index).filter(|e| are_two_issues(entry, e)) {
            // The one that the store knows by the identifier goes on as it was.
            let is_remembered = known.get(&id).is_some_and(|k| Some(k.published) == date(entry));
            let (mover, moved) = if is_remembered {
                (other, std::mem::replace(&mut earlier.index, index))
            } else {
                (entry, index)
            };
            let twin = issue(mover, context).unwrap_or(twin);
            let place = *places.entry((id.clone(), twin)).or_insert(kept.len());
            if place == kept.len() {
                kept.push(Resolved { index: moved, id, twin });
            } else {
                merged.push((moved, place));
            }
            continue;
        }
        let is_later = entries.get(earlier.index).is_some_and(|e| changed(entry) > changed(e));
        let loser = if is_later { std::mem::replace(&mut earlier.index, index) } else { index };
        merged.push((loser, place));
    }
    mended.turn_to(None);
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
        let keeps = keepers.get(&resolved.id) == Some(&resolved.twin);
        if keeps && (known.is_empty() || is_known_as(known, resolved)) {
            continue;
        }
        let other = twin_id(&resolved.id, resolved.twin);
        // Alone in the document, it may still be the one that had to give way earlier.
        if !keeps || known.contains_key(&other) {
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
    found.map(Uri::from).filter(is_short).unwrap_or_else(|| of_content(entry, context))
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
    let whole = [context.first_url.as_str(), "#", fragment].concat();
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

/// What tells an entry from another with the same identifier: its link, else its title, else, where
/// it has no guid either, its text.
fn twin(entry: &SourceEntry<'_>, context: &Context) -> i64 {
    let title = entry.title.as_ref().map_or("", |title| title.value.as_ref());
    let text = entry.texts.first().filter(|_| title.is_empty() && entry.guid.is_none());
    let words = text.map_or(title, |(_, text)| text.value.as_ref());
    let link = entry.guid.as_ref().and_then(|_| own_link(entry, context));
    let digest = Sha256::digest(link.as_ref().map_or(words, HttpsUrl::as_str));
    let bytes = digest.first_chunk::<8>().copied().unwrap_or_default();
    i64::from_be_bytes(bytes)
}

/// What tells issues of one page apart that share guid and link: title and date together.
fn issue(entry: &SourceEntry<'_>, context: &Context) -> Option<i64> {
    let (_, title, date) = (entry.guid.as_ref()?, entry.title.as_ref()?, date(entry)?);
    let link = own_link(entry, context)?;
    let words = format!("{link} {date} {}", title.value);
    let digest = Sha256::digest(words.as_bytes());
    digest.first_chunk::<8>().copied().map(i64::from_be_bytes)
}

/// Whether two entries with one guid and link are two things: they differ in title and date of
/// publication, and neither is called a change of the other.
fn are_two_issues(one: &SourceEntry<'_>, other: &SourceEntry<'_>) -> bool {
    if one.guid.is_none() || changed(one).or(changed(other)).is_some() {
        return false;
    }
    let titles = one.title.as_ref().zip(other.title.as_ref());
    let dates = date(one).zip(date(other));
    titles.is_some_and(|(a, b)| a.value.trim() != b.value.trim())
        && dates.is_some_and(|(a, b)| a != b)
}

/// When the entry says it was published.
fn date(entry: &SourceEntry<'_>) -> Option<Timestamp> {
    entry.dates.iter().filter(|(role, _)| !role.is_change()).find_map(|(_, date)| parse_date(date))
}

/// The entry's own link, not one that stands in for it.
fn own_link(entry: &SourceEntry<'_>, context: &Context) -> Option<HttpsUrl> {
    let links = entry.links.iter().filter(|l| matches!(l.rel.as_ref(), "" | "alternate"));
    let references = entry.permalink.iter().chain(links.map(|link| &link.href));
    let base = entry.base.as_deref().unwrap_or(&context.base);
    let mut found = references.filter_map(|reference| address::resolve(reference, base));
    found.next().map(|address| address.url)
}

fn own_file(entry: &SourceEntry<'_>, context: &Context) -> Option<HttpsUrl> {
    let files = entry.enclosures.iter().filter(|file| !file.is_alternate).map(|file| &file.url);
    let base = entry.base.as_deref().unwrap_or(&context.base);
    let mut found = files.filter_map(|reference| address::resolve(reference, base));
    found.next().map(|address| address.url)
}

fn changed(entry: &SourceEntry<'_>) -> Option<Timestamp> {
    let roles = [DateRole::Updated, DateRole::Modified];
    entry.dates.iter().filter(|(role, _)| roles.contains(role)).find_map(|(_, d)| parse_date(d))
}

fn note_repairs(entry: &SourceEntry<'_>, mended: &mut Mended) {
    match &entry.guid {
        None => mended.note(Mend::MissingId),
        Some(guid) if !Uri::is_iri(&guid.value) => mended.note(Mend::BadId),
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
    let mut at = 0;
    percent_encode(text, |byte| {
        let here = at;
        at += 1;
        match byte {
            b'%' => is_escape(bytes, here),
            _ => byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte),
        }
    })
}

/// Longest identifier that is kept as it is, in bytes: cursors carry identifiers.
const MAX_ID: usize = 1024;
const MAX_FRAGMENT: usize = 512;

#[cfg(test)]
mod tests {
    use super::super::for_tests::{FEED, Outcome, episode, item, moment, read, read_after, rss};
    use super::*;

    fn check(inside: &str, want: &str) {
        let want = want.replace("FEED", FEED);
        assert_eq!(item(inside)["id"], want, "{inside}");
    }

    #[test]
    fn a_guid_that_is_a_uri_stays_as_it_is() {
        check("<guid>http://www.example.com/?p=1</guid>", "http://www.example.com/?p=1");
        check("<guid isPermaLink='false'>urn:pier:1</guid><link>/1</link>", "urn:pier:1");
        check("<guid>\n tag:example.com,2025:1 </guid>", "tag:example.com,2025:1");
        check("<guid>https://www.example.com/föhn</guid>", "https://www.example.com/f%C3%B6hn");
    }

    #[test]
    fn a_guid_that_is_no_uri_is_put_behind_the_address_of_the_feed() {
        check("<guid>42</guid>", "FEED#42");
        check("<guid>/news/42?a=b</guid>", "FEED#/news/42?a=b");
        check("<guid>a b#c</guid>", "FEED#a%20b%23c");
        check("<guid>ключ</guid>", "FEED#%D0%BA%D0%BB%D1%8E%D1%87");
        check("<guid>100%</guid>", "FEED#100%25");
        check("<guid>a%2Fb</guid>", "FEED#a%2Fb");
        check("<guid>[1]|^</guid>", "FEED#%5B1%5D%7C%5E");
    }

    #[test]
    fn a_guid_too_long_for_a_cursor_becomes_its_digest() {
        let id_of = |guid: String| {
            let id = item(&format!("<guid>{guid}</guid>"))["id"].as_str().unwrap().to_owned();
            assert!(id.len() <= MAX_ID, "{id}");
            id
        };
        let just_fits = "x".repeat(MAX_FRAGMENT);
        assert_eq!(id_of(just_fits.clone()), format!("{FEED}#{just_fits}"));
        let digest = format!("{FEED}#sha256-");
        for guid in [
            format!("{just_fits}x"),
            "ж".repeat(MAX_FRAGMENT / 6 + 1),
            format!("https://a.example/{}", "x".repeat(MAX_ID)),
        ] {
            assert!(id_of(guid.clone()).starts_with(&digest), "{guid}");
        }
        assert_ne!(id_of("y".repeat(600)), id_of("z".repeat(600)));
    }

    #[test]
    fn without_a_guid_the_link_comes_before_the_file_save_in_a_podcast() {
        let file = "<enclosure url='https://cdn.example.net/1.mp3' type='audio/mpeg'/>";
        let link = "<title>One</title><link>1.html</link>";
        check(link, "https://www.example.com/news/1.html");
        check(&format!("{link}{file}"), "https://www.example.com/news/1.html");
        check(&format!("<guid> </guid>{link}"), "https://www.example.com/news/1.html");
        check(file, "https://cdn.example.net/1.mp3");
        let in_podcast = episode(&format!("{link}{file}"));
        assert_eq!(in_podcast["id"], "https://cdn.example.net/1.mp3");
        assert_eq!(episode(link)["id"], "https://www.example.com/news/1.html");
    }

    #[test]
    fn without_anything_to_point_at_title_and_date_are_the_item() {
        let id = |inside: &str| item(inside)["id"].clone();
        let one = id("<title>Fog</title><pubDate>2 Jun 2025</pubDate>");
        assert!(one.as_str().unwrap().starts_with(&format!("{FEED}#sha256-")));
        let reworded =
            "<description>x</description><title>Fog</title><pubDate>2 Jun 2025</pubDate>";
        assert_eq!(one, id(reworded));
        assert_ne!(one, id("<title>Fog</title><pubDate>3 Jun 2025</pubDate>"));
        assert_ne!(id("<description>a</description>"), id("<description>b</description>"));
    }

    fn entry(title: &str, link: &str) -> String {
        format!(
            "<item><guid>n</guid><title>{title}</title><link>https://a.example/{link}</link></item>"
        )
    }

    #[test]
    fn one_id_twice_with_one_link_is_one_item_and_the_later_change_wins() {
        let changed = |title: &str, when: &str| {
            let dated = format!("<atom:updated>{when}</atom:updated></item>");
            entry(title, "x").replace("</item>", &dated)
        };
        let (early, late) = ("2025-06-01T00:00:00Z", "2025-06-02T00:00:00Z");
        for (one, other, want) in [
            (changed("A", early), changed("B", late), "B"),
            (changed("A", late), changed("B", early), "A"),
            (entry("A", "x"), changed("B", early), "B"),
            (entry("A", "x"), entry("B", "x"), "A"),
        ] {
            let outcome = read(&rss(&format!("{one}{other}")));
            assert_eq!(outcome.items.len(), 1);
            assert_eq!(outcome.duplicates, 1);
            assert_eq!(outcome.items[0]["title"], want, "{one}{other}");
        }
    }

    #[test]
    fn issues_of_one_page_are_items_and_keep_their_ids() {
        let issue = |title: &str, day: u8| {
            let date = format!("<pubDate>{day} Jun 2025</pubDate></item>");
            entry(title, "log").replace("</item>", &date)
        };
        let (one, two, three) = (issue("1.0", 1), issue("1.1", 2), issue("1.2", 3));
        let first = read(&rss(&[two.clone(), one.clone()].concat()));
        let own = format!("{FEED}#n");
        assert_eq!(titles(&first)[0], ("1.1", own.as_str()));
        let next = read_after(&rss(&[three, two, one.clone()].concat()), &first.known);
        assert_eq!(next.items.len(), 3);
        for old in titles(&first) {
            assert!(titles(&next).contains(&old), "{old:?}");
        }
        let alone = read_after(&rss(&one), &next.known);
        assert_eq!(titles(&alone)[0], titles(&first)[1]);
    }

    #[test]
    fn without_guids_one_link_is_one_item_only_with_one_title() {
        let bare = |title: &str| format!("<item><title>{title}</title><link>/board</link></item>");
        let outcome = read(&rss(&[bare("A"), bare("A"), bare("B")].concat()));
        assert_eq!((outcome.items.len(), outcome.duplicates), (2, 1));
        assert_eq!(outcome.ids()[0], "https://www.example.com/board");
        assert!(outcome.ids()[1].starts_with("https://www.example.com/board#"));
    }

    #[test]
    fn two_texts_of_one_day_without_anything_else_are_two_items() {
        let note = |text: &str| {
            format!("<item><pubDate>2 Jun 2025</pubDate><description>{text}</description></item>")
        };
        let outcome = read(&rss(&[note("A"), note("B"), note("A")].concat()));
        assert_eq!((outcome.items.len(), outcome.duplicates), (2, 1));
        let edited = read_after(&rss(&note("A, edited")), &read(&rss(&note("A"))).known);
        assert_eq!(edited.ids()[0], outcome.ids()[0]);
    }

    fn titles(outcome: &Outcome) -> Vec<(&str, &str)> {
        let items = outcome.items.iter();
        items.map(|i| (i["title"].as_str().unwrap(), i["id"].as_str().unwrap())).collect()
    }

    #[test]
    fn of_two_items_with_one_id_the_first_keeps_it_when_both_are_new() {
        let outcome = read(&rss(&[entry("A", "a"), entry("B", "b")].concat()));
        let own = format!("{FEED}#n");
        let other = outcome.ids()[1].to_owned();
        assert_eq!(outcome.ids()[0], own);
        assert_eq!(other.strip_prefix(&own).map(str::len), Some("-0123456789abcdef".len()));
        assert_eq!(outcome.mended.iter().find(|(m, _)| *m == Mend::SharedId).unwrap().1, 1);
        for id in [own, other] {
            assert!(
                outcome.candidates.contains(&Uri::parse(&id).unwrap()),
                "{id} is not asked for"
            );
        }
    }

    #[test]
    fn the_item_that_the_store_knows_keeps_the_id_wherever_it_stands() {
        let before = read(&rss(&entry("A", "a")));
        let after = read_after(&rss(&[entry("B", "b"), entry("A", "a")].concat()), &before.known);
        let own = format!("{FEED}#n");
        assert_eq!(titles(&after)[1], ("A", own.as_str()));
        assert_ne!(after.ids()[0], own);
    }

    #[test]
    fn ids_do_not_depend_on_which_siblings_are_left() {
        let both = read(&rss(&[entry("A", "a"), entry("B", "b")].concat()));
        let (own, other) = (both.ids()[0].to_owned(), both.ids()[1].to_owned());
        for (left, title, id) in [(entry("B", "b"), "B", &other), (entry("A", "a"), "A", &own)] {
            let alone = read_after(&rss(&left), &both.known);
            assert_eq!(titles(&alone), [(title, id.as_str())]);
        }
        let turned = read_after(&rss(&[entry("B", "b"), entry("A", "a")].concat()), &both.known);
        assert_eq!(titles(&turned), [("B", other.as_str()), ("A", own.as_str())]);
    }

    #[test]
    fn an_item_alone_whose_link_changes_is_the_same_item() {
        // Nothing tells it from another item with the same guid; a guid is for life, links are not.
        let before = read(&rss(&entry("A", "a")));
        let after = read_after(&rss(&entry("A", "moved")), &before.known);
        assert_eq!(before.ids(), after.ids());
    }

    #[test]
    fn an_id_of_the_store_is_asked_for_once() {
        let outcome = read(&rss(&[entry("A", "a"), entry("A", "a")].concat()));
        let mut once = outcome.candidates.clone();
        once.dedup();
        assert_eq!(outcome.candidates, once);
        assert_eq!(outcome.candidates.len(), 2);
    }

    #[test]
    fn a_feed_address_that_leaves_no_room_still_gives_a_uri() {
        let long = format!("https://a.example/{}", "x".repeat(Uri::MAX_BYTES));
        assert!(urn(&long).as_str().starts_with("urn:sha256:"));
        assert_eq!(urn(&long), urn(&long));
    }

    #[test]
    fn what_the_store_remembers_is_what_was_given() {
        let outcome =
            read(&rss(&entry("A", "a").replace("<title>", "<pubDate>2 Jun 2025</pubDate><title>")));
        let known = outcome.known.values().next().unwrap();
        assert_eq!(known.published, moment("2025-06-02T00:00:00Z"));
    }
}
