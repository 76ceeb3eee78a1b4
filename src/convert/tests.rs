//! The promises of the door: what is read again, what is kept, what is reported.

use super::*;
use crate::model::QuietTimes;

const NOW: &str = "2026-01-01T00:00:00Z";

struct Feed<'a> {
    body: &'a [u8],
    known: HashMap<Uri, Known>,
    now: &'a str,
    limits: Limits,
    complete: bool,
    was_podcast: bool,
    url: &'a str,
    settings: Settings,
}

impl<'a> Feed<'a> {
    fn of(body: &'a str) -> Self {
        Self {
            body: body.as_bytes(),
            known: HashMap::new(),
            now: NOW,
            limits: Limits::default(),
            complete: true,
            was_podcast: false,
            url: "https://feeds.example.com/pier",
            settings: Settings::default(),
        }
    }

    fn convert(&self) -> Result<Conversion, ConvertError> {
        let (first_url, url) = (SourceUrl::parse(Self::of("").url), SourceUrl::parse(self.url));
        let input = Input {
            body: self.body,
            content_type: None,
            complete: self.complete,
            url: &url.unwrap(),
            first_url: &first_url.unwrap(),
            was_podcast: self.was_podcast,
            part: Part::Current,
            limits: &self.limits,
            settings: &self.settings,
        };
        let text = decode(&input)?;
        let reading = text.read(&input)?;
        let asked = reading.candidate_ids();
        let known = self.known.iter().filter(|(id, _)| asked.contains(id));
        let known = known.map(|(id, known)| (id.clone(), *known)).collect();
        Ok(reading.normalize(&known, Timestamp::parse_rfc3339(self.now).unwrap()))
    }

    fn items(&self) -> Vec<Item> {
        self.convert().unwrap().changed.into_iter().map(|changed| changed.item).collect()
    }
}

fn rss(inside: &str) -> String {
    let link = "<link>https://www.example.com/news/</link>";
    format!("<rss version='2.0'><channel><title>Pier</title>{link}{inside}</channel></rss>")
}

fn items(count: usize) -> String {
    (0..count).map(|n| format!("<item><guid>urn:pier:{n}</guid></item>")).collect()
}

fn remember(conversion: &Conversion) -> HashMap<Uri, Known> {
    let changed = conversion.changed.iter();
    changed
        .map(|c| {
            let ConvertedItem { hash, published, twin, mends, .. } = *c;
            (c.id.clone(), Known { hash, published, twin, mends })
        })
        .collect()
}

#[test]
fn the_report_of_a_later_document_tells_of_items_that_are_the_same_too() {
    let bad = "<item><guid>urn:pier:bad</guid><title>A</title><link>http://a.example/</link>\
               <pubDate>yesterday</pubDate></item>";
    let first = rss(bad);
    let known = remember(&Feed::of(&first).convert().unwrap());
    let text = rss(&format!("{}{bad}", items(1)));
    let feed = Feed { known, ..Feed::of(&text) };
    let later = feed.convert().unwrap();
    assert_eq!(later.changed.len(), 1);
    let tally = |what| later.report.mended.tallies().find(|(w, _)| *w == what).unwrap().1.clone();
    assert_eq!(tally(Mend::BadDate).positions, [1]);
    assert_eq!((tally(Mend::BadDate).count, tally(Mend::BadDate).remembered), (1, 1));
    assert!(later.report.mended.fresh().all(|(what, _)| what != Mend::BadDate));
}

#[test]
fn the_same_bytes_twice_are_the_same_bytes_out() {
    let text = rss(&format!(
        "<item><title>&lt;b&gt;A</title><description>&lt;p&gt;x</description></item>{}",
        items(5)
    ));
    let out = || {
        let conversion = Feed::of(&text).convert().unwrap();
        let items: Vec<_> = conversion.changed.iter().map(|changed| &changed.item).collect();
        serde_json::to_string(&(&conversion.feed, items, &conversion.report)).unwrap()
    };
    assert_eq!(out(), out());
}

#[test]
fn an_item_that_is_known_and_the_same_is_not_made_again() {
    let before = rss(&items(2));
    let first = Feed::of(&before).convert().unwrap();
    assert_eq!((first.changed.len(), first.shown.len()), (2, 2));
    let later = "2026-02-01T00:00:00Z";
    let again = Feed { known: remember(&first), now: later, ..Feed::of(&before) };
    let again = again.convert().unwrap();
    assert!(again.changed.is_empty());
    assert_eq!(again.shown, first.shown);
    assert_eq!(again.report.items, first.report.items);

    let after =
        before.replace("<guid>urn:pier:1</guid>", "<guid>urn:pier:1</guid><title>x</title>");
    let changed = Feed { known: remember(&first), now: later, ..Feed::of(&after) };
    let changed = changed.convert().unwrap();
    let ids: Vec<_> = changed.changed.iter().map(|changed| changed.id.as_str()).collect();
    assert_eq!(ids, ["urn:pier:1"]);
    assert_eq!(changed.shown, first.shown);
}

#[test]
fn a_change_around_the_items_that_shows_in_them_makes_them_anew() {
    let before = rss(&items(1));
    let first = Feed::of(&before).convert().unwrap();
    let changed = |feed: &Feed<'_>| feed.convert().unwrap().changed.len();
    for (text, count) in [
        (before.replace("Pier", "Quay"), 1),
        (before.replace("<item>", "<language>de</language><item>"), 1),
        (before.replace("<item>", "<itunes:explicit>yes</itunes:explicit><item>"), 1),
        (before.replace("<item>", "<generator>new</generator><item>"), 0),
        (before.replace("<item>", "\n\n<item>"), 0),
    ] {
        assert_eq!(changed(&Feed { known: remember(&first), ..Feed::of(&text) }), count, "{text}");
    }
    let raw = Settings { sanitize: false };
    assert_eq!(changed(&Feed { known: remember(&first), settings: raw, ..Feed::of(&before) }), 1);
}

#[test]
fn items_without_a_date_keep_id_and_date_from_poll_to_poll() {
    let entry = |title: &str| format!("<item><title>{title}</title></item>");
    let before = rss(&[entry("A"), entry("B")].concat());
    let first = Feed::of(&before).convert().unwrap();
    let after = rss(&[entry("C"), entry("A"), entry("B")].concat());
    let later = "2026-03-01T00:00:00Z";
    let second = Feed { known: remember(&first), now: later, ..Feed::of(&after) };
    let second = second.convert().unwrap();
    assert_eq!(second.shown[1..], first.shown[..]);
    assert_eq!(second.changed.len(), 1);
    assert_eq!(second.changed[0].published.to_string(), later);
}

#[test]
fn a_feed_that_moved_keeps_the_ids_it_made_up() {
    let text = rss("<item><guid>1</guid></item>");
    let moved = Feed { url: "https://elsewhere.example.net/feed", ..Feed::of(&text) };
    let item = moved.items().remove(0);
    assert_eq!(item.id.as_str(), "https://feeds.example.com/pier#1");
    assert_eq!(item.source.feed_url, "https://elsewhere.example.net/feed");
}

#[test]
fn once_a_podcast_always_a_podcast() {
    let text = rss("<item><title>No file today</title></item>");
    let kind = |was_podcast| Feed { was_podcast, ..Feed::of(&text) }.convert().unwrap().source_type;
    assert_eq!(kind(false), SourceType::Rss);
    assert_eq!(kind(true), SourceType::Podcast);
}

#[test]
fn a_document_that_was_cut_off_gives_its_whole_items() {
    let whole = rss(&items(2));
    let cut = &whole[..whole.rfind("</guid>").unwrap()];
    let conversion = Feed::of(cut).convert().unwrap();
    assert!(conversion.truncated && conversion.report.source.truncated);
    assert_eq!(conversion.changed.len(), 1);
    let fewer_bytes = Feed { complete: false, ..Feed::of(&whole) }.convert().unwrap();
    assert!(fewer_bytes.truncated);
    assert!(!Feed::of(&whole).convert().unwrap().truncated);
}

#[test]
fn a_document_without_anything_to_give_says_why() {
    let failure = |text: &str| Feed::of(text).convert().map(|_| ()).unwrap_err();
    assert_eq!(failure(""), ConvertError::Empty);
    assert_eq!(failure(" \n"), ConvertError::Empty);
    assert_eq!(failure("<html></html>"), ConvertError::WebPage);
    assert_eq!(failure("words"), ConvertError::NotAFeed);
    assert_eq!(failure("<rss><channel>"), ConvertError::Malformed);
    assert_eq!(failure("<rss><channel><title>x</title><item>"), ConvertError::Truncated);
    assert!(Feed::of(&rss("")).convert().unwrap().changed.is_empty());
}

#[test]
fn a_document_over_the_limit_is_refused() {
    let text = rss(&items(1));
    let limits = |max_bytes| Limits { max_bytes, ..Limits::default() };
    let failure = Feed { limits: limits(text.len() - 1), ..Feed::of(&text) }.convert();
    assert_eq!(failure.map(|_| ()).unwrap_err(), ConvertError::TooLarge);
    assert!(Feed { limits: limits(text.len()), ..Feed::of(&text) }.convert().is_ok());
}

#[test]
fn a_text_over_the_limit_is_cut_off_and_counted() {
    let text = rss(&format!("<item><description>{}</description></item>", "ä".repeat(100)));
    let limits = Limits { max_text_bytes: 51, ..Limits::default() };
    let feed = Feed { limits, ..Feed::of(&text) };
    let conversion = feed.convert().unwrap();
    assert_eq!(conversion.changed[0].item.description, Some("ä".repeat(25)));
    let mended: Vec<_> = conversion.report.mended.iter().collect();
    assert!(mended.contains(&(Mend::LongText, 1)), "{mended:?}");
}

#[test]
fn entries_behind_the_limit_are_reported_one_by_one() {
    let text = rss(&items(5));
    let limits = Limits { max_entries: 3, ..Limits::default() };
    let conversion = Feed { limits, ..Feed::of(&text) }.convert().unwrap();
    assert_eq!(conversion.changed.len(), 3);
    let skip = |position| Skipped { position, reason: SkipReason::BeyondLimit };
    assert_eq!(conversion.report.skipped, [skip(3), skip(4)]);
}

#[test]
fn hints_say_how_often_a_feed_changes() {
    for (inside, ttl_seconds, update_period_seconds) in [
        ("<ttl>90</ttl>", Some(5400), None),
        ("<ttl>soon</ttl>", None, None),
        ("<ttl>9223372036854775807</ttl>", None, None),
        ("<sy:updatePeriod>hourly</sy:updatePeriod>", None, Some(3600)),
        (
            "<sy:updatePeriod> Daily </sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>",
            None,
            Some(21_600),
        ),
        (
            "<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>0</sy:updateFrequency>",
            None,
            Some(86_400),
        ),
        ("<sy:updatePeriod>often</sy:updatePeriod>", None, None),
        ("", None, None),
    ] {
        let hints = Feed::of(&rss(inside)).convert().unwrap().hints;
        let expected = Hints { ttl_seconds, update_period_seconds, ..Hints::default() };
        assert_eq!(hints, expected, "{inside}");
    }
}

#[test]
fn hints_say_when_a_source_is_to_be_left_alone() {
    let inside = "<skipHours><hour>0</hour><hour> 23 </hour><hour>x</hour></skipHours>\
                  <skipDays><day>Sunday</day></skipDays>";
    let hints = Feed::of(&rss(inside)).convert().unwrap().hints;
    assert_eq!(hints.quiet_times, QuietTimes::of([0, 23], ["Sunday"]));
}

#[test]
fn the_address_that_a_podcast_moves_to_is_told() {
    let of = |inside: &str| Feed::of(&rss(inside)).convert().unwrap().new_url;
    let tag = |url: &str| format!("<itunes:new-feed-url> {url} </itunes:new-feed-url>");
    let new = of(&tag("https://new.example/feed#x")).unwrap();
    assert_eq!(new.as_str(), "https://new.example/feed");
    assert_eq!(of(&tag("ftp://new.example/feed")), None);
    assert_eq!(of(""), None);
}

#[test]
fn what_the_publisher_took_back_is_named() {
    let at = "xmlns:at='http://purl.org/atompub/tombstones/1.0'";
    let text = rss(&format!(
        "<at:deleted-entry {at} ref='urn:pier:1'/><at:deleted-entry {at} ref='no uri'/>"
    ));
    let deleted = Feed::of(&text).convert().unwrap().deleted;
    assert_eq!(deleted.iter().map(Uri::as_str).collect::<Vec<_>>(), ["urn:pier:1"]);
}

#[test]
fn the_report_names_every_entry_once() {
    let text = rss(
        "<item><guid>urn:a</guid></item><item/><item><guid>urn:a</guid></item><item><guid>urn:b</guid></item>",
    );
    let report = Feed::of(&text).convert().unwrap().report;
    let place = |position, id| Placed { position, id: Uri::parse(id).unwrap() };
    assert_eq!(report.items, [place(0, "urn:a"), place(3, "urn:b")]);
    assert_eq!(report.duplicates, [place(2, "urn:a")]);
    assert_eq!(report.skipped, [Skipped { position: 1, reason: SkipReason::Empty }]);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["skipped"][0]["reason"], "empty");
    assert_eq!(json["source"]["format"], "rss20");
}

#[test]
fn the_address_that_a_feed_gives_itself_can_be_asked_for() {
    let url = SourceUrl::parse("https://feeds.example.com/pier").unwrap();
    let own = |inside: &str| {
        let text = rss(inside);
        let input = Input {
            body: text.as_bytes(),
            content_type: None,
            complete: true,
            url: &url,
            first_url: &url,
            was_podcast: false,
            part: Part::Current,
            limits: &Limits::default(),
            settings: &Settings::default(),
        };
        let decoded = decode(&input).unwrap();
        decoded.read(&input).unwrap().self_url().map(|url| url.to_string())
    };
    let link = |href: &str| format!("<atom:link rel='self' href='{href}'/>");
    assert_eq!(own(&link("https://a.example/f")).as_deref(), Some("https://a.example/f"));
    assert_eq!(own(&link("mailto:x@example.com")), None);
    assert_eq!(own(""), None);
}
