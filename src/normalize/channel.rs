//! What the channel says becomes the head of the manifest, and what its items need to know.

use url::Url;

use super::mended::{Mend, Mended};
use super::{Context, Settings, address, people, plain_text, rating};
use crate::model::{Feed, HttpsUrl, LanguageTag, Source, SourceType, SourceUrl, Timestamp, Uri};
use crate::syndication::SourceFeed;
use crate::syndication::source_feed::{Channel, Link, Person, PersonRole, Reference, Text};

/// Where a feed came from and what is known of it.
pub(crate) struct Origin<'a> {
    /// The address really read.
    pub url: &'a SourceUrl,
    /// The address it was first known by.
    pub first_url: &'a SourceUrl,
    pub was_podcast: bool,
    pub now: Timestamp,
    pub max_text_bytes: usize,
}

/// Makes the head of the manifest and the context of the items.
pub(crate) fn read_channel(
    feed: &SourceFeed<'_>,
    origin: &Origin<'_>,
    settings: &Settings,
    mended: &mut Mended,
) -> (Feed, Context) {
    let channel = &feed.channel;
    let document = channel.base.as_ref().unwrap_or(origin.url.url());
    let page = page(channel, document);
    // Atom resolves against the document (RFC 3986, 5.1.3); RSS habitually means the site.
    let site = page.as_ref().and_then(|page| Url::parse(page.as_str()).ok());
    let base = match (&channel.base, feed.format.is_atom(), site) {
        (None, false, Some(site)) => site,
        _ => document.clone(),
    };
    let resolve = |reference: &Reference<'_>| address::resolve(reference, &base).map(|a| a.url);
    let source_type = source_type(feed, origin.was_podcast);
    let title = title(channel, origin.url);
    let language = language(channel, mended);
    let id = id(channel, origin.first_url);
    let head = Feed {
        id,
        title: title.clone(),
        description: description(channel, &title),
        icon: icon(channel, source_type == SourceType::Podcast).and_then(&resolve),
        language: language.clone(),
        authors: people::authors(&makers(channel), &resolve),
        tags: people::tags(&channel.categories),
        contact: contact(channel),
        deprecated: None,
    };
    let context = Context {
        settings: settings.clone(),
        now: origin.now,
        source: Source {
            r#type: source_type,
            feed_url: origin.url.to_string(),
            feed_title: Some(title.clone()),
        },
        first_url: origin.first_url.clone(),
        feed_url: HttpsUrl::upgrade(origin.url.url()),
        base,
        page,
        language,
        rating: rating::of_explicit(channel.explicit.as_deref())
            .or_else(|| channel.rating.as_ref().and_then(rating::of_media_rating)),
        series_id: series_id(channel, origin.first_url),
        title,
        max_text_bytes: origin.max_text_bytes,
    };
    (head, context)
}

/// The feed's own identifier where it is a URI, else its address.
fn id(channel: &Channel<'_>, first_url: &SourceUrl) -> Uri {
    let own = channel.id.as_deref().and_then(Uri::parse_iri);
    let guid = channel.podcast_guid.as_deref().and_then(uuid_urn);
    let address = || Uri::parse(first_url.as_str());
    #[expect(clippy::expect_used, reason = "a source URL is escaped as RFC 3986 wants")]
    own.or(guid).or_else(address).expect("a URI")
}

fn series_id(channel: &Channel<'_>, first_url: &SourceUrl) -> Option<Uri> {
    let guid = channel.podcast_guid.as_deref().and_then(uuid_urn);
    guid.or_else(|| Uri::parse(&format!("{first_url}#series")))
}

fn uuid_urn(text: &str) -> Option<Uri> {
    let text = text.trim().to_ascii_lowercase();
    let groups: Vec<usize> = text.split('-').map(str::len).collect();
    let is_uuid =
        groups == [8, 4, 4, 4, 12] && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    is_uuid.then(|| Uri::parse(&format!("urn:uuid:{text}"))).flatten()
}

fn title(channel: &Channel<'_>, url: &SourceUrl) -> String {
    let titles = [&channel.title, &channel.media_title];
    let found = titles.into_iter().flatten().map(plain_text::of_text).find(|text| !text.is_empty());
    found.unwrap_or_else(|| url.host().to_owned())
}

fn description(channel: &Channel<'_>, title: &str) -> Option<String> {
    let texts = [&channel.description, &channel.subtitle];
    let plain = |text: &Text<'_>| match text.markup {
        crate::syndication::source_feed::Markup::Plain => plain_text::of_text(text),
        _ => plain_text::of_html(&plain_text::of_text(text)),
    };
    let mut found: Vec<String> =
        texts.into_iter().flatten().map(plain).filter(|text| !text.is_empty()).collect();
    // A description that only says the title again gives way to a subtitle that says more.
    if found.len() > 1 && found.first().is_some_and(|first| first == title) {
        found.remove(0);
    }
    found.into_iter().next()
}

fn icon<'c, 't>(channel: &'c Channel<'t>, is_podcast: bool) -> Option<&'c Reference<'t>> {
    let pictures = if is_podcast {
        [&channel.itunes_image, &channel.icon, &channel.image]
    } else {
        [&channel.icon, &channel.image, &channel.itunes_image]
    };
    pictures.into_iter().flatten().next()
}

fn language(channel: &Channel<'_>, mended: &mut Mended) -> Option<LanguageTag> {
    let said = channel.language.as_deref().filter(|said| !said.trim().is_empty())?;
    let tag = LanguageTag::parse(said);
    if tag.is_none() {
        mended.note(Mend::BadLanguage);
    }
    tag
}

/// Who makes the feed: its owner only where nobody else is named.
fn makers<'c, 't>(channel: &'c Channel<'t>) -> Vec<&'c Person<'t>> {
    let (others, owners): (Vec<_>, Vec<_>) =
        channel.persons.iter().partition(|person| person.role != PersonRole::Owner);
    if others.is_empty() { owners } else { others }
}

fn contact(channel: &Channel<'_>) -> Option<String> {
    let said = channel.contacts.iter().map(|text| text.as_ref());
    let persons = channel
        .persons
        .iter()
        .flat_map(|p| p.email.as_deref().into_iter().chain([p.text.as_ref()]));
    said.chain(persons).find_map(people::mail)
}

/// The feed's web page: the link of the channel, or Atom's `alternate` that is HTML.
fn page(channel: &Channel<'_>, document: &Url) -> Option<HttpsUrl> {
    let mut links: Vec<&Link<'_>> =
        channel.links.iter().filter(|l| matches!(l.rel.as_ref(), "" | "alternate")).collect();
    links.sort_by_key(|link| !link.media_type.as_deref().unwrap_or("text/html").contains("html"));
    links.iter().find_map(|link| address::resolve(&link.href, document)).map(|found| found.url)
}

/// Podcast is what uses the podcast elements and has something to hear or see (MMSP 7.4).
fn source_type(feed: &SourceFeed<'_>, was_podcast: bool) -> SourceType {
    if feed.format.is_atom() {
        return SourceType::Atom;
    }
    if feed.format.is_json() {
        return SourceType::Platform;
    }
    let speaks = feed.channel.has_podcast_elements
        || feed.entries.iter().any(|entry| entry.has_podcast_elements);
    if was_podcast || (speaks && feed.entries.iter().any(has_recording)) {
        return SourceType::Podcast;
    }
    SourceType::Rss
}

fn has_recording(entry: &crate::syndication::source_feed::SourceEntry<'_>) -> bool {
    let playable = |kind: &str| {
        let kind = kind.trim().to_ascii_lowercase();
        kind.starts_with("audio") || kind.starts_with("video")
    };
    let by_name =
        |url: &str| super::media::of_file_name(url).is_some_and(|kind| playable(kind.as_str()));
    entry
        .enclosures
        .iter()
        .any(|file| file.media_type.as_deref().is_some_and(playable) || by_name(&file.url.value))
        || entry.media.iter().any(|file| {
            file.media_type.as_deref().or(file.medium.as_deref()).is_some_and(playable)
                || by_name(&file.url.value)
        })
}
