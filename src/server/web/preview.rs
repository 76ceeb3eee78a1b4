//! What the page shows of a feed, put together from the manifest that clients get.

use serde::de::Error as _;
use serde_json::Value;

use super::Wish;
use super::asked::href_of;
use super::filter::FilterView;
use super::item::{self, AuthorView, ItemView};
use super::qr::{self, Qr};
use super::standing::{Remarks, StandingView, remarks_link, source_name};
use super::words;
use crate::discovery::{Candidate, FeedType};
use crate::gateway::{FeedView, PageRequest, Standing, Waits};
use crate::model::{Feed, FeedName, LanguageTag, SourceUrl, Timestamp};
use crate::paging::{Address, Limit, PublicUrl};

/// What the page shows of a feed.
#[derive(Debug)]
pub(crate) struct Preview {
    pub(super) typed: String,
    pub(super) feed: FeedHead,
    pub(super) offers: Vec<OfferView>,
    /// Whether the site was not looked at, since the caller asks for too much.
    pub(super) are_offers_unseen: bool,
    pub(super) subscribe: Subscribe,
    pub(super) standing: StandingView,
    pub(super) remarks: Option<Vec<Remarks>>,
    pub(super) remarks_link: String,
    pub(super) filter: FilterView,
    /// How many items were wished for, where it was said.
    pub(super) limit: Option<String>,
    pub(super) count: String,
    pub(super) items: Vec<ItemView>,
    pub(super) older: Option<String>,
    pub(super) newest: Option<String>,
}

/// The feed itself.
#[derive(Debug)]
pub(super) struct FeedHead {
    pub(super) title: String,
    pub(super) description: Option<String>,
    pub(super) icon: Option<String>,
    pub(super) lang: Option<String>,
    pub(super) kind: &'static str,
    pub(super) facts: Vec<String>,
    pub(super) authors: Vec<AuthorView>,
    pub(super) tags: Vec<String>,
    pub(super) page: Option<String>,
    pub(super) source: String,
    /// Why it has ended, if it has.
    pub(super) ended: Option<String>,
}

/// A feed of a site.
#[derive(Debug)]
pub(super) struct OfferView {
    pub(super) href: String,
    pub(super) title: String,
    pub(super) kind: &'static str,
    /// Whether it is the one on the page.
    pub(super) is_shown: bool,
}

/// What to paste into a client.
#[derive(Debug)]
pub(super) struct Subscribe {
    pub(super) manifest: String,
    /// The same manifest, from wherever the page came.
    pub(super) raw: String,
    pub(super) qr: Option<Qr>,
}

/// The page of the manifest that the page shows: so few items that it is quick, or, where some of
/// them may be taken out, more.
pub(crate) fn page_request(wish: &Wish, waits: Waits) -> PageRequest {
    let query = wish.query.clone();
    let usual = if wish.filter.is_empty() { USUAL } else { FILTERED };
    let limit = query.page.limit.or(Some(usual));
    PageRequest { url: query.url, name: None, cursor: query.page.cursor, limit, waits }
}

const USUAL: Limit = Limit::clamped(25);
const FILTERED: Limit = Limit::clamped(100);

impl Preview {
    /// Puts it together. `offers` are the feeds of the site, none where it was not looked at;
    /// `name` is that of the feed in the settings.
    ///
    /// # Errors
    /// The manifest cannot be read, or an item of it, which is a fault of ours.
    pub(crate) fn of(
        wish: &Wish,
        view: &FeedView,
        offers: Option<&[Candidate]>,
        name: Option<&FeedName>,
        public_url: &PublicUrl,
    ) -> Result<Self, serde_json::Error> {
        let FeedView { answer, standing } = view;
        let mut manifest: Value = serde_json::from_slice(&answer.page.body)?;
        let cursor = older_cursor(&manifest);
        let Some(Value::Array(mut items)) = manifest.get_mut("items").map(Value::take) else {
            return Err(serde_json::Error::missing_field("items"));
        };
        let looked_at = items.len();
        let filter = FilterView::apply(&wish.filter, &mut items, &manifest);
        let is_filtered = !wish.filter.is_empty() && filter.fault.is_none();
        let feed: Feed = serde_json::from_value(manifest)?;
        let items = views(items, feed.language.as_ref(), standing.now)?;
        let remarks = Remarks::of(standing);
        Ok(Self {
            typed: wish.typed.clone(),
            offers: offers
                .into_iter()
                .flatten()
                .map(|offer| OfferView::of(offer, standing))
                .collect(),
            are_offers_unseen: offers.is_none(),
            subscribe: Subscribe::to_feed(&wish.query.url, name, public_url),
            standing: StandingView::of(standing, answer),
            remarks_link: remarks_link(remarks.as_deref()),
            remarks,
            filter,
            limit: wish.query.page.limit.map(|limit| limit.to_string()),
            count: count(items.len(), looked_at, is_filtered, wish.query.page.cursor.is_some()),
            items,
            older: cursor.map(|cursor| wish.href(Some(&cursor))),
            newest: wish.query.page.cursor.is_some().then(|| wish.href(None)),
            feed: FeedHead::of(feed, standing),
        })
    }

    /// Whether it answers what was asked: a filter that is none does not.
    pub(crate) fn is_good(&self) -> bool {
        self.filter.fault.is_none()
    }
}

/// All items: one that cannot be read is told, not left out.
fn views(
    items: Vec<Value>,
    feed_language: Option<&LanguageTag>,
    now: Timestamp,
) -> Result<Vec<ItemView>, serde_json::Error> {
    let view = |item| Ok(ItemView::of(&serde_json::from_value(item)?, feed_language, now));
    items.into_iter().map(view).collect()
}

fn older_cursor(manifest: &Value) -> Option<String> {
    let pagination = manifest.get("pagination")?;
    let has_more = pagination.get("has_more")?.as_bool()?;
    let cursor = pagination.get("cursor")?.as_str()?;
    has_more.then(|| cursor.to_owned())
}

fn count(shown: usize, looked_at: usize, is_filtered: bool, is_older: bool) -> String {
    let place = if is_older { "older" } else { "newest" };
    match (is_filtered, looked_at) {
        (_, 0) => "There are no items here.".to_owned(),
        (true, _) if shown == 0 => {
            format!("None of the {looked_at} {place} items passes the filter.")
        }
        (true, _) => format!("Of the {looked_at} {place} items these pass: {shown}."),
        (false, _) if is_older => format!("{} from before.", words::count(shown, "item")),
        (false, _) => format!("The newest {}.", words::count(shown, "item")),
    }
}

impl FeedHead {
    fn of(feed: Feed, standing: &Standing) -> Self {
        let lang = feed.language.as_ref().and_then(item::known_language);
        Self {
            title: words::beginning(&feed.title, item::MAX_TITLE_CHARS),
            description: feed.description.map(|text| words::beginning(&text, DESCRIPTION_CHARS)),
            icon: feed.icon.map(|icon| icon.to_string()),
            kind: source_name(standing.source_type),
            facts: lang.iter().map(|tag| format!("Language {tag}")).collect(),
            lang,
            authors: item::authors(&feed.authors),
            tags: feed.tags.into_iter().take(MOST_FEED_TAGS).collect(),
            page: standing.page_url.as_ref().map(ToString::to_string),
            source: standing.url.to_string(),
            ended: feed.deprecated.map(|notice| notice.reason.unwrap_or_default()),
        }
    }
}

impl OfferView {
    fn of(offer: &Candidate, standing: &Standing) -> Self {
        let url = offer.url.as_str();
        let is_shown =
            offer.url == standing.url || offer.url.upgraded().as_ref() == Some(&standing.url);
        Self {
            href: href_of(url),
            title: offer.title.clone().unwrap_or_else(|| url.to_owned()),
            kind: match offer.r#type {
                FeedType::Mmsp => "MMSP",
                FeedType::Rss => "RSS",
                FeedType::Atom => "Atom",
                FeedType::Rdf => "RDF",
                FeedType::Json => "JSON",
                FeedType::Xml => "XML",
                FeedType::Unsaid => "Feed",
            },
            is_shown,
        }
    }
}

impl Subscribe {
    fn to_feed(source: &SourceUrl, name: Option<&FeedName>, public_url: &PublicUrl) -> Self {
        let address = match name {
            Some(name) => Address::named(public_url, name, None),
            None => Address::of(public_url, source, None),
        };
        let manifest = address.first().to_owned();
        let own = manifest.strip_prefix(public_url.as_str()).unwrap_or(&manifest);
        Self { raw: own.trim_start_matches('/').to_owned(), qr: qr::draw(&manifest), manifest }
    }

    /// A manifest that needs no gateway.
    pub(super) fn to_manifest(manifest: &SourceUrl) -> Self {
        let manifest = manifest.to_string();
        Self { raw: manifest.clone(), qr: qr::draw(&manifest), manifest }
    }
}

const DESCRIPTION_CHARS: usize = 600;
const MOST_FEED_TAGS: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_counted_in_words() {
        for (shown, looked_at, is_filtered, is_older, said) in [
            (25, 25, false, false, "The newest 25 items."),
            (1, 1, false, false, "The newest 1 item."),
            (1, 1, false, true, "1 item from before."),
            (0, 0, false, false, "There are no items here."),
            (0, 0, true, true, "There are no items here."),
            (0, 100, true, false, "None of the 100 newest items passes the filter."),
            (3, 100, true, true, "Of the 100 older items these pass: 3."),
        ] {
            assert_eq!(count(shown, looked_at, is_filtered, is_older), said);
        }
    }

    #[test]
    fn no_item_is_lost_silently() {
        let manifest =
            include_bytes!("../../../fixtures/feeds/podcast/all-itunes-fields.mmsp.json");
        let manifest: Value = serde_json::from_slice(manifest).unwrap();
        let mut items = manifest["items"].as_array().unwrap().clone();
        let shown = views(items.clone(), None, Timestamp::EPOCH).unwrap();
        assert_eq!(shown.len(), items.len());
        items.push(serde_json::json!({"id": "urn:x:1"}));
        assert!(views(items, None, Timestamp::EPOCH).is_err());
    }

    #[test]
    fn the_manifest_is_reached_beside_the_page_wherever_that_is() {
        let source = SourceUrl::parse("a.example").unwrap();
        for base in ["https://gw.example", "https://gw.example/feeds"] {
            let subscribe = Subscribe::to_feed(&source, None, &base.into());
            assert_eq!(subscribe.raw, "mmsp/feed?url=https%3A%2F%2Fa.example%2F");
            assert_eq!(subscribe.manifest, format!("{base}/{}", subscribe.raw));
            assert!(subscribe.qr.is_some());
            let name = FeedName::parse("sea").ok();
            let named = Subscribe::to_feed(&source, name.as_ref(), &base.into());
            assert_eq!(named.manifest, format!("{base}/mmsp/sea.json"));
        }
    }
}
