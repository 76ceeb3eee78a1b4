//! One entry becomes one item.

use url::Url;

use super::description::beginning_as_plain;
use super::mended::{Mend, Mended};
use super::{Context, address, title};
use crate::model::{
    HttpsUrl, Item, Kept, LanguageTag, LiveStatus, MemberName, Original, Timestamp, Uri,
};
use crate::syndication::source_feed::{Reference, SourceEntry};

/// Why an entry gave no item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SkipReason {
    /// It has not a single field that we map.
    Empty,
    /// It stood behind as many entries as are read of one document.
    BeyondLimit,
}

impl SkipReason {
    /// Every reason, for tables that must be complete.
    pub const ALL: [Self; 2] = [Self::Empty, Self::BeyondLimit];

    /// The word for reports and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::BeyondLimit => "beyond-limit",
        }
    }

    /// What was wrong, as one plain sentence without a full stop.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::Empty => "an entry holds nothing that can be shown; left out",
            Self::BeyondLimit => "an entry stands behind as many as are read; left out",
        }
    }

    /// What the publisher can do about it, as one plain sentence without a full stop.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Empty => "give each entry a title, a link or a text, or take it out",
            Self::BeyondLimit => "keep older entries in pages of their own (RFC 5005)",
        }
    }
}

/// An item in the making.
pub(super) struct Draft<'a, 't> {
    pub(super) context: &'a Context,
    pub(super) entry: &'a SourceEntry<'t>,
    pub(super) original: Vec<(MemberName, Kept)>,
    pub(super) mended: &'a mut Mended,
}

/// Makes an item of an entry; `first` is the date it was given when it was first seen. What the
/// entry has beside the fields that are mapped is taken out of it.
pub(crate) fn normalize_item(
    entry: &mut SourceEntry<'_>,
    id: Uri,
    first: Option<Timestamp>,
    context: &Context,
    mended: &mut Mended,
) -> Item {
    let rest = std::mem::take(&mut entry.rest);
    let mut draft = Draft { context, entry, original: Vec::new(), mended };
    draft.keep_guid(&id);
    let media = draft.media();
    let thumbnail = draft.thumbnails();
    let description = draft.description();
    let moments = draft.moments(first);
    let title = draft.title(description.as_ref(), &media, moments.published);
    let r#type = draft.item_type(&media, description.as_ref());
    let url = draft.url(&media);
    let (transcript, captions) = draft.transcripts();
    Item {
        id,
        r#type,
        title,
        published: moments.published,
        updated: moments.updated,
        description,
        authors: draft.authors(),
        tags: draft.tags(),
        language: draft.language(),
        duration: draft.duration(r#type, &media),
        chapters: draft.chapters(),
        transcript,
        captions,
        series: draft.series(),
        content_rating: draft.rating(),
        license: draft.license(),
        geo_restriction: draft.geo_restriction(),
        paywall: None,
        live_status: draft.live_status(),
        scheduled_start: draft.scheduled_start(),
        expires: draft.expires(),
        canonical_url: draft.canonical_url(),
        preview_url: None,
        source: context.source.clone(),
        media,
        thumbnail,
        url,
        original: draft.original(rest),
    }
}

impl Draft<'_, '_> {
    /// Keeps a value of the source in `original`.
    pub(super) fn keep(&mut self, name: &'static str, value: impl Into<Kept>) {
        self.original.push((name.into(), value.into()));
    }

    /// Where relative addresses of the entry start.
    pub(super) fn base(&self) -> &Url {
        self.entry.base.as_deref().unwrap_or(&self.context.base)
    }

    /// Resolves an address of the source; what was changed or dropped stays in `original`.
    pub(super) fn address(
        &mut self,
        name: &'static str,
        reference: &Reference<'_>,
    ) -> Option<HttpsUrl> {
        let found = address::resolve(reference, self.base());
        match found {
            Some(found) => {
                if found.was_http {
                    self.mended.note(Mend::UpgradedAddress);
                    self.keep(name, reference.value.as_ref());
                }
                Some(found.url)
            }
            None => {
                if !reference.value.trim().is_empty() {
                    self.mended.note(Mend::BadAddress);
                    self.keep(name, reference.value.as_ref());
                }
                None
            }
        }
    }

    fn keep_guid(&mut self, id: &Uri) {
        if let Some(guid) = self.entry.guid.as_ref().filter(|guid| guid.value != id.as_str()) {
            self.keep(guid.name, guid.value.as_ref());
        }
    }

    fn title(
        &mut self,
        description: Option<&String>,
        media: &[crate::model::Media],
        when: Timestamp,
    ) -> String {
        let found = title::find(self.entry, self.context.is_podcast());
        if let Some(found) = found {
            self.keep_other_titles(&found);
            return found;
        }
        self.mended.note(Mend::MissingTitle);
        title::invent(&beginning_as_plain(description), media, when)
    }

    fn keep_other_titles(&mut self, chosen: &str) {
        let entry = self.entry;
        let titles = [
            ("title", &entry.title),
            ("itunes:title", &entry.itunes_title),
            ("media:title", &entry.media_title),
        ];
        for (name, title) in titles {
            if let Some(title) = title.as_ref().filter(|title| title.value.trim() != chosen) {
                self.keep(name, title.value.trim());
            }
        }
    }

    /// The item's page, or the nearest thing there is to one.
    fn url(&mut self, media: &[crate::model::Media]) -> HttpsUrl {
        if let Some(url) = self.own_url() {
            return url;
        }
        self.mended.note(Mend::MissingLink);
        let file = media.first().map(|media| media.url.clone());
        let context = self.context;
        file.or_else(|| context.page.clone())
            .or_else(|| context.feed_url.clone())
            .unwrap_or_else(placeholder)
    }

    fn own_url(&mut self) -> Option<HttpsUrl> {
        let entry = self.entry;
        if let Some(url) = entry.permalink.as_ref().and_then(|link| self.address("link", link)) {
            return Some(url);
        }
        let mut alternates: Vec<_> =
            entry.links.iter().filter(|l| matches!(l.rel.as_ref(), "" | "alternate")).collect();
        // A page is what people open; a feed or JSON form of the entry is not.
        alternates.sort_by_key(|link| match link.media_type.as_deref() {
            Some(kind) if kind.contains("html") => 0,
            None => 1,
            Some(_) => 2,
        });
        for link in alternates {
            if let Some(url) = self.address("link", &link.href) {
                return Some(url);
            }
        }
        let guid = entry.guid.as_ref()?;
        let scheme = guid.value.split(':').next().unwrap_or_default();
        let is_address = ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
        let usable = match guid.is_permalink {
            Some(said) => said || (matches!(guid.name, "id" | "atom:id") && is_address),
            None => is_address,
        };
        let reference = Reference { value: guid.value.clone(), base: None };
        let resolved = usable.then(|| address::resolve(&reference, self.base())).flatten();
        resolved.map(|address| address.url).or_else(|| {
            let other = entry
                .links
                .iter()
                .find(|l| matches!(l.rel.as_ref(), "content-src" | "related" | "via"));
            other.and_then(|link| self.address("link", &link.href))
        })
    }

    fn canonical_url(&mut self) -> Option<HttpsUrl> {
        let entry = self.entry;
        let said = entry.links.iter().find(|link| link.rel == "canonical").map(|link| &link.href);
        if let Some(reference) = entry.canonical.as_ref().or(said) {
            return self.address("canonical", reference);
        }
        let id = entry.youtube_id.as_ref()?;
        HttpsUrl::parse(&format!("https://www.youtube.com/watch?v={}", id.trim()))
    }

    fn language(&mut self) -> Option<LanguageTag> {
        let said = self.entry.language.as_ref()?;
        let tag = LanguageTag::parse(said);
        if tag.is_none() && !said.trim().is_empty() {
            self.mended.note(Mend::BadLanguage);
            self.keep("language", said.as_ref());
        }
        // Only what differs from the feed's is worth saying (MMSP 6.2: it overrides).
        tag
    }

    fn live_status(&self) -> Option<LiveStatus> {
        let live = self.entry.live.as_ref()?;
        Some(match live.status.as_deref().unwrap_or_default().to_ascii_lowercase().as_str() {
            "live" => LiveStatus::Live,
            "ended" => LiveStatus::Ended,
            _ => LiveStatus::Upcoming,
        })
    }

    fn scheduled_start(&self) -> Option<Timestamp> {
        let start = self.entry.live.as_ref()?.start.as_ref()?;
        crate::syndication::date::parse_date(start)
    }

    fn expires(&mut self) -> Option<Timestamp> {
        let said = self.entry.expires.as_ref()?;
        let parsed = crate::syndication::date::parse_date(said);
        if parsed.is_none() {
            self.mended.note(Mend::BadDate);
            self.keep("expires", said.as_ref());
        }
        parsed
    }

    /// Everything that has no place in an item, with what was kept on the way.
    fn original(mut self, rest: Vec<(MemberName, Kept)>) -> Original {
        let entry = self.entry;
        self.original.extend(rest);
        for link in entry.links.iter().filter(|link| !is_mapped(&link.rel)) {
            let name = format!("link[rel={}]", link.rel);
            self.original.push((name.into(), link.href.value.as_ref().into()));
        }
        if let Some(url) = &entry.chapters_url {
            self.keep("podcast:chapters", url.value.as_ref());
        }
        if let Some(name) = entry.season.as_ref().and_then(|season| season.name.as_ref()) {
            self.keep("podcast:season@name", name.as_ref());
        }
        Original::of(self.original)
    }
}

fn is_mapped(rel: &str) -> bool {
    matches!(rel, "" | "alternate" | "canonical" | "license" | "enclosure")
}

/// A feed that has no address at all is read from a file without a name.
fn placeholder() -> HttpsUrl {
    #[expect(clippy::expect_used, reason = "a constant that is an https URL")]
    HttpsUrl::parse("https://feed.invalid/").expect("an https URL")
}
