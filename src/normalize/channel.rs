//! What the channel says becomes the head of the manifest, and what its items need to know.

use std::sync::Arc;

use url::Url;

use super::html::Sanitizer;
use super::mended::{Mend, Mended};
use super::{Context, Settings, address, people, plain_text, rating, title as titles};
use crate::model::{Feed, HttpsUrl, LanguageTag, Source, SourceType, SourceUrl, Timestamp, Uri};
use crate::syndication::SourceFeed;
use crate::syndication::source_feed::{Channel, Link, Person, PersonRole, Reference, Text};

/// Where a feed came from and what is known of it.
pub(crate) struct Origin<'a> {
    /// The address really read.
    pub url: &'a SourceUrl,
    /// The address of the feed that it is a part of.
    pub feed_url: &'a SourceUrl,
    /// The address it was first known by.
    pub first_url: &'a SourceUrl,
    pub was_podcast: bool,
    pub now: Timestamp,
    /// The date of an item without one.
    pub undated: Timestamp,
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
    let document = channel.base.as_deref().unwrap_or(origin.url.url());
    let page = page(channel, document);
    // Atom resolves against the document (RFC 3986, 5.1.3); RSS habitually means the site.
    let site = page.as_ref().and_then(|page| Url::parse(page.as_str()).ok());
    let base = match (&channel.base, feed.format.is_atom(), site) {
        (None, false, Some(site)) => site,
        _ => Url::clone(document),
    };
    let resolve = |reference: &Reference<'_>| address::resolve(reference, &base).map(|a| a.url);
    let sanitizer = Sanitizer::new(base.clone());
    let source_type = source_type(feed, origin.was_podcast);
    let title = title(channel, origin.url);
    let language = language(channel, mended);
    let id = id(channel, origin.first_url);
    let head = Feed {
        id,
        title: title.clone(),
        description: description(channel, &title, &sanitizer),
        icon: icon(channel, source_type == SourceType::Podcast).and_then(&resolve),
        language: language.clone(),
        authors: people::authors(people::named(makers(channel)), &resolve),
        tags: people::tags(&channel.categories),
        contact: contact(channel),
        deprecated: None,
    };
    let context = Context {
        settings: settings.clone(),
        now: origin.now,
        undated: origin.undated,
        source: Arc::new(Source {
            r#type: source_type,
            feed_url: origin.feed_url.to_string(),
            feed_title: Some(title.clone()),
        }),
        first_url: origin.first_url.clone(),
        feed_url: HttpsUrl::upgrade(origin.feed_url.url()),
        base,
        page,
        language,
        rating: rating::of_explicit(channel.explicit.as_deref())
            .or_else(|| channel.rating.as_ref().and_then(rating::of_media_rating)),
        series_id: series_id(channel, origin.first_url),
        title,
        max_text_bytes: origin.max_text_bytes,
        sanitizer,
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
    let said = [&channel.title, &channel.media_title];
    let found = said.into_iter().flatten().map(plain_text::of_text).find(|text| !text.is_empty());
    found
        .or_else(|| said.into_iter().flatten().find_map(titles::of_picture))
        .unwrap_or_else(|| url.host().to_owned())
}

/// What the feed says of itself, as plain text; one that is a picture and nothing else stays one.
fn description(channel: &Channel<'_>, title: &str, sanitizer: &Sanitizer) -> Option<String> {
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
    let pictures = texts.into_iter().flatten().map(|text| {
        let start = plain_text::beginning(&text.value, LONGEST_PICTURE);
        sanitizer.clean(start, text.base.as_deref())
    });
    found.into_iter().next().or_else(|| pictures.into_iter().find(|html| html.contains(" src=")))
}

/// Bytes of a description without words that are looked at for a picture.
const LONGEST_PICTURE: usize = 16 << 10;

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
    // In RSS its own link, which has no relation, comes before one that is borrowed from Atom.
    links.sort_by_key(|link| {
        let is_page = link.media_type.as_deref().unwrap_or("text/html").contains("html");
        (!is_page, !link.rel.is_empty())
    });
    let spelled = |link: &Link<'_>| {
        let full = address::with_scheme(&link.href.value)?;
        address::resolve(&Reference { value: full.into(), base: None }, document)
    };
    let resolved =
        |link: &&Link<'_>| spelled(link).or_else(|| address::resolve(&link.href, document));
    links.iter().find_map(resolved).map(|found| found.url)
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::for_tests::{FEED, Outcome, read, rss};
    use super::*;

    /// The head of an RSS feed with that in its channel and no link.
    fn head(inside: &str) -> Value {
        let feed = format!("<rss version='2.0'><channel>{inside}</channel></rss>");
        serde_json::to_value(read(&feed).head).unwrap()
    }

    fn atom(inside: &str) -> Outcome {
        read(&format!("<feed xmlns='http://www.w3.org/2005/Atom'>{inside}</feed>"))
    }

    #[test]
    fn the_id_is_the_feeds_own_uri_else_its_address() {
        let of_atom =
            |id: &str| atom(&format!("<id>{id}</id><title>x</title>")).head.id.to_string();
        assert_eq!(of_atom("tag:example.com,2025:x"), "tag:example.com,2025:x");
        assert_eq!(of_atom("not a uri"), FEED);
        let guid = "917393e3-1b1e-5cef-ace4-edaa54e1f810";
        let of_guid =
            |guid: &str| head(&format!("<podcast:guid>{guid}</podcast:guid>"))["id"].clone();
        assert_eq!(of_guid(guid), format!("urn:uuid:{guid}"));
        assert_eq!(of_guid(&guid.to_uppercase()), format!("urn:uuid:{guid}"));
        assert_eq!(of_guid("917393e3"), FEED);
        assert_eq!(of_guid("zzzzzzzz-1b1e-5cef-ace4-edaa54e1f810"), FEED);
        assert_eq!(head("<title>x</title>")["id"], FEED);
    }

    #[test]
    fn a_feed_without_a_title_is_called_by_its_host() {
        for (inside, want) in [
            ("<title>Pier &amp;amp; &lt;b&gt;News&lt;/b&gt;</title>", "Pier & News"),
            ("<title> </title><media:title>Films</media:title>", "Films"),
            ("<itunes:title>Show</itunes:title>", "Show"),
            ("<title></title>", "feeds.example.com"),
            ("<title>Pier <c:x xmlns:c='urn:c'>&amp; <i>News</i></c:x></title>", "Pier & News"),
            ("<title>&lt;img src='1.png' alt='The &amp;amp; Pier'></title>", "The & Pier"),
            ("<title>&lt;img src='1.png'></title>", "feeds.example.com"),
            ("", "feeds.example.com"),
        ] {
            assert_eq!(head(inside)["title"], want, "{inside}");
        }
    }

    #[test]
    fn the_description_is_plain_and_says_more_than_the_title() {
        for (inside, want) in [
            (
                "<description>&lt;p&gt;All &amp;amp; more&lt;/p&gt;</description>",
                json!("All & more"),
            ),
            ("<itunes:summary>Long</itunes:summary>", json!("Long")),
            (
                "<title>Pier</title><description>Pier</description><itunes:subtitle>Fog</itunes:subtitle>",
                json!("Fog"),
            ),
            ("<title>Pier</title><description>Pier</description>", json!("Pier")),
            ("<description> </description>", Value::Null),
            (
                "<description>&lt;img onload='x()' src='http://a.example/1.png'></description>",
                json!("<img src=\"http://a.example/1.png\">"),
            ),
            ("<description>&lt;img onload='x()'></description>", Value::Null),
        ] {
            assert_eq!(head(inside)["description"], want, "{inside}");
        }
    }

    #[test]
    fn what_rss_says_of_its_own_comes_before_what_it_borrows_wherever_it_stands() {
        let own = [
            "<title>Own</title>",
            "<description>Own text</description>",
            "<link>https://own.example/</link>",
            "<language>de</language>",
        ];
        let borrowed = "<atom:title>Atom</atom:title><dc:title>Dublin</dc:title>\
                        <itunes:title>Apple</itunes:title><atom:subtitle>Atom text</atom:subtitle>\
                        <atom:link href='https://borrowed.example/'/>";
        let of = |inside: &str| {
            let feed =
                format!("<rss version='2.0' xml:lang='en'><channel>{inside}</channel></rss>");
            let outcome = read(&feed);
            let page = outcome.context.page.map(|page| page.to_string());
            (serde_json::to_value(outcome.head).unwrap(), page)
        };
        for inside in [format!("{borrowed}{}", own.concat()), format!("{}{borrowed}", own.concat())]
        {
            let (head, page) = of(&inside);
            assert_eq!((&head["title"], &head["description"]), (&json!("Own"), &json!("Own text")));
            assert_eq!(
                (&head["language"], page.as_deref()),
                (&json!("de"), Some("https://own.example/"))
            );
        }
        let (head, page) = of(borrowed);
        assert_eq!((&head["title"], &head["description"]), (&json!("Atom"), &json!("Atom text")));
        assert_eq!(
            (&head["language"], page.as_deref()),
            (&json!("en"), Some("https://borrowed.example/"))
        );
    }

    #[test]
    fn the_icon_of_a_podcast_is_its_cover() {
        let pictures = "<image><url>https://a.example/logo.png</url></image>\
                        <itunes:image href='http://a.example/cover.png'/>";
        let recording = "<item><enclosure url='https://a.example/1.mp3'/></item>";
        assert_eq!(head(pictures)["icon"], "https://a.example/logo.png");
        assert_eq!(head(&format!("{pictures}{recording}"))["icon"], "https://a.example/cover.png");
        let pointed = "<image rdf:resource=''/><image><url>https://a.example/1.png</url></image>";
        assert_eq!(head(pointed)["icon"], "https://a.example/1.png");
        let of_atom = atom("<logo>/logo.png</logo><icon>/icon.png</icon>").head.icon.unwrap();
        assert_eq!(of_atom.as_str(), "https://feeds.example.com/icon.png");
        assert_eq!(head("<image><url>data:image/png;base64,AA</url></image>")["icon"], Value::Null);
    }

    #[test]
    fn the_page_is_a_web_page_and_never_the_feed() {
        let page = |outcome: Outcome| outcome.context.page.map(|page| page.to_string());
        assert_eq!(page(read(&rss(""))).as_deref(), Some("https://www.example.com/news/"));
        let links = "<link rel='alternate' type='application/json' href='/feed.json'/>\
                     <link rel='self' href='/self'/><link rel='alternate' href='http://a.example/'/>";
        assert_eq!(page(atom(links)).as_deref(), Some("https://a.example/"));
        assert_eq!(page(atom("<link rel='self' href='/self'/>")), None);
        let own = "<rss version='2.0'><channel><atom:link rel='self' href='/x'/></channel></rss>";
        assert_eq!(page(read(own)), None);
    }

    #[test]
    fn the_source_is_the_feed_itself_and_not_its_page_or_id() {
        let source = read(&rss("<item><title>x</title></item>")).items[0]["source"].clone();
        assert_eq!(source, json!({ "type": "rss", "feed_url": FEED, "feed_title": "Pier News" }));
        let entry = "<id>urn:x</id><title>T</title><entry><id>urn:y</id><title>y</title></entry>";
        let source = atom(entry).items[0]["source"].clone();
        assert_eq!(source, json!({ "type": "atom", "feed_url": FEED, "feed_title": "T" }));
    }

    #[test]
    fn a_podcast_uses_its_elements_and_has_something_to_hear_or_see() {
        let kind = |inside: &str| read(&rss(inside)).context.source.r#type;
        let audio = "<item><enclosure url='https://a.example/1' type='audio/mpeg'/></item>";
        let by_name = "<item><enclosure url='https://a.example/1.mp4'/></item>";
        let picture = "<item><enclosure url='https://a.example/1.png'/></item>";
        let author = "<itunes:author>Ines</itunes:author>";
        let guid = "<podcast:guid>x</podcast:guid>";
        for (inside, want) in [
            (format!("{author}{audio}"), SourceType::Podcast),
            (format!("{guid}{by_name}"), SourceType::Podcast),
            (audio.replace("</item>", &format!("{author}</item>")), SourceType::Podcast),
            (format!("{author}{picture}"), SourceType::Rss),
            (author.to_owned(), SourceType::Rss),
            (audio.to_owned(), SourceType::Rss),
        ] {
            assert_eq!(kind(&inside), want, "{inside}");
        }
        let atom = atom(&format!("{author}<entry><link rel='enclosure' href='/1.mp3'/></entry>"));
        assert_eq!(atom.context.source.r#type, SourceType::Atom);
    }

    #[test]
    fn the_owner_makes_a_feed_only_where_nobody_else_is_named() {
        let owner = "<itunes:owner><itunes:name>Radio</itunes:name>\
                     <itunes:email>radio@example.com</itunes:email></itunes:owner>";
        assert_eq!(head(owner)["authors"], json!([{ "name": "Radio" }]));
        assert_eq!(head(owner)["contact"], "radio@example.com");
        let nameless =
            "<itunes:owner><itunes:email>radio@example.com</itunes:email></itunes:owner>";
        assert_eq!(head(nameless)["authors"], json!([{ "name": "radio@example.com" }]));
        let both = format!("{owner}<itunes:author>Ines</itunes:author>");
        assert_eq!(head(&both)["authors"], json!([{ "name": "Ines" }]));
    }

    #[test]
    fn a_contact_is_a_mail_address_wherever_one_is() {
        for (inside, want) in [
            ("<webMaster>web@example.com (Web)</webMaster>", json!("web@example.com")),
            ("<managingEditor>Ines &lt;i@example.com&gt;</managingEditor>", json!("i@example.com")),
            ("<managingEditor>Ines</managingEditor>", Value::Null),
            ("<webMaster>web@localhost</webMaster>", Value::Null),
            ("<dc:publisher>p@example.com</dc:publisher>", json!("p@example.com")),
        ] {
            assert_eq!(head(inside)["contact"], want, "{inside}");
        }
    }

    #[test]
    fn a_language_that_is_no_tag_is_left_out_and_counted() {
        assert_eq!(head("<language>pt-BR</language>")["language"], "pt-BR");
        let outcome = read(&rss("<language>english, mostly</language>"));
        assert_eq!(outcome.head.language, None);
        assert!(outcome.mended.iter().any(|(what, _)| what == Mend::BadLanguage));
        let of_atom =
            read("<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='de'><title>x</title></feed>");
        assert_eq!(of_atom.head.language.unwrap().as_str(), "de");
    }

    #[test]
    fn a_series_is_known_by_the_shows_guid_or_the_feeds_address() {
        let series = |inside: &str| {
            let feed = format!("{inside}<item><itunes:episode>1</itunes:episode></item>");
            read(&rss(&feed)).items[0]["series"]["id"].clone()
        };
        let guid = "917393e3-1b1e-5cef-ace4-edaa54e1f810";
        let element = format!("<podcast:guid>{guid}</podcast:guid>");
        assert_eq!(series(&element), format!("urn:uuid:{guid}"));
        assert_eq!(series(""), format!("{FEED}#series"));
    }
}
