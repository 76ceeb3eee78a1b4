//! What the headers of a page say, written once for all its answers and kept with it.

use std::sync::Arc;

use actix_web::http::header::HeaderValue;

use super::conditional::Version;
use super::links::Links;
use super::router;
use crate::paging::{Coding, Page, PublicUrl};

/// The headers that change with the page only.
#[derive(Debug)]
pub(crate) struct PageHead {
    /// What it is compared by.
    pub(crate) version: Version,
    /// `Last-Modified`.
    pub(crate) last_modified: HeaderValue,
    /// `Link`.
    pub(crate) links: HeaderValue,
    tag: HeaderValue,
    coded_tags: [HeaderValue; Coding::ALL.len()],
}

impl PageHead {
    /// The headers of a page.
    pub(crate) fn of(page: &Page, public_url: &PublicUrl) -> Arc<Self> {
        page.prepared(|| Self::new(page, public_url))
    }

    fn new(page: &Page, public_url: &PublicUrl) -> Self {
        let version = Version::new(&page.digest, page.last_modified);
        let tag = |coding| text(version.entity_tag(coding));
        Self {
            tag: tag(None),
            coded_tags: Coding::ALL.map(|coding| tag(Some(coding))),
            last_modified: text(version.last_modified()),
            links: text(links(page, public_url)),
            version,
        }
    }

    /// `ETag` of the page in that coding.
    pub(crate) fn entity_tag(&self, coding: Option<Coding>) -> &HeaderValue {
        coding.and_then(|coding| self.coded_tags.get(coding as usize)).unwrap_or(&self.tag)
    }
}

/// A value that we wrote: there is nothing in it that cannot stand in a header.
fn text(value: String) -> HeaderValue {
    HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static(""))
}

fn links(page: &Page, public_url: &PublicUrl) -> String {
    let mut links = Links::default();
    links.add("self", &page.self_url).add("first", &page.feed_url);
    if let Some(next) = &page.next_url {
        links.add("next", next);
    }
    links.add_typed("via", &page.origin.url, &page.origin.media_type);
    if let Some(own) = &page.origin.manifest_url {
        links.add("canonical", own);
    }
    if let Some(page_url) = &page.origin.page_url {
        links.add("alternate", page_url.as_str());
    }
    let description = format!("{}{}", public_url.as_str(), router::DESCRIPTION);
    links.add_typed("describedby", &description, "application/json");
    links.into_string()
}
