//! Finds the feeds that a web page offers (MMSP 9.3, RSS and Atom autodiscovery, RFC 8288).
//!
//! Pure: whoever has the page calls [`find`], whoever fetches asks [`well_known()`] where else to
//! look. What comes back is what the page says; whether there really is a feed shows only when it
//! is read.

mod decode;
mod feed_type;
mod html;
mod link;
mod link_header;
mod well_known;

use serde::Serialize;

use crate::model::SourceUrl;

pub use feed_type::FeedType;
pub use well_known::{WELL_KNOWN_PATH, well_known};

/// A web page and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Page<'p> {
    /// The bytes, content coding already undone; what is behind [`MAX_PAGE_BYTES`] is not looked
    /// at.
    pub body: &'p [u8],
    /// The value of the `Content-Type` field.
    pub content_type: Option<&'p str>,
    /// The address that the page was really read from: what relative addresses are relative to.
    pub url: &'p SourceUrl,
    /// The values of the `Link` fields, in their order.
    pub link_fields: &'p [String],
}

/// A feed that a page offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What the page says it is.
    pub r#type: FeedType,
    /// Where it is.
    pub url: SourceUrl,
    /// What the page calls it: one line, at most 300 characters.
    pub title: Option<String>,
}

/// Finds the feeds that a page offers: native MMSP first, then RSS, then Atom, then the rest
/// (MMSP 9.3); among those of a type the header comes before the document, and the document's
/// order is kept. Each address is there once, the page's own is left out, and there are at most
/// [`MAX_CANDIDATES`].
#[must_use]
pub fn find(page: &Page<'_>) -> Vec<Candidate> {
    let mut found = link_header::find(page.link_fields, page.url);
    found.extend(html::find(page));
    found.retain(|candidate| candidate.url != *page.url);
    found.sort_by_key(|candidate| candidate.r#type.rank());
    let mut candidates: Vec<Candidate> = Vec::new();
    for candidate in found {
        match candidates.iter_mut().find(|first| first.url == candidate.url) {
            Some(first) => first.title = first.title.take().or(candidate.title),
            None => candidates.push(candidate),
        }
        if candidates.len() == MAX_CANDIDATES {
            break;
        }
    }
    candidates
}

/// How much of a page is looked at, in bytes.
pub const MAX_PAGE_BYTES: usize = 4 << 20;

/// The most feeds of one page.
pub const MAX_CANDIDATES: usize = 100;

/// The most links of one page, and of its header, that are weighed against one another.
const MAX_LINKS: usize = 1000;

/// A candidate as it is listed, with the address of its manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// The media type, where the page says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<&'static str>,
    /// The address of the feed itself.
    pub url: String,
    /// What the page calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The address of the feed's manifest at the gateway.
    pub manifest_url: String,
}

impl Candidate {
    /// Lists the candidate under the address that its manifest has.
    #[must_use]
    pub fn offer(self, manifest_url: impl Into<String>) -> Offer {
        Offer {
            r#type: self.r#type.media_type(),
            url: self.url.to_string(),
            title: self.title,
            manifest_url: manifest_url.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str, fields: &[&str]) -> Vec<Candidate> {
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        find(&Page {
            body: body.as_bytes(),
            content_type: Some("text/html"),
            url: &SourceUrl::parse("https://a.example/blog/").unwrap(),
            link_fields: &fields,
        })
    }

    fn urls(candidates: &[Candidate]) -> Vec<&str> {
        candidates.iter().map(|candidate| candidate.url.as_str()).collect()
    }

    #[test]
    fn native_feeds_come_first_then_rss_then_atom_then_the_rest() {
        let candidates = found(
            "<link rel=alternate type=application/feed+json href=1>
             <link rel=alternate type=application/atom+xml href=2>
             <link rel=alternate type=application/rss+xml href=3>
             <link rel=alternate type=application/rdf+xml href=4>
             <link rel=alternate type=application/rss+xml href=5>
             <link rel=alternate type=application/mmsp+json href=6>",
            &["<7>; rel=alternate; type=\"application/rss+xml\""],
        );
        let expected =
            ["6", "7", "3", "5", "2", "1", "4"].map(|n| format!("https://a.example/blog/{n}"));
        assert_eq!(urls(&candidates), expected);
    }

    #[test]
    fn an_address_is_there_once_and_takes_the_first_title() {
        let candidates = found(
            "<link rel=alternate type=application/rss+xml href=/f>
             <link rel=alternate type=application/rss+xml href=/f title=Posts>
             <link rel=alternate type=application/atom+xml href=/f title=Other>",
            &[],
        );
        assert_eq!(urls(&candidates), ["https://a.example/f"]);
        assert_eq!(candidates[0].title.as_deref(), Some("Posts"));
        assert_eq!(candidates[0].r#type, FeedType::Rss);
    }

    #[test]
    fn the_page_itself_is_no_candidate() {
        for reference in ["", "#feed", "/blog/", "https://a.example:443/blog/", " "] {
            let link = format!("<link rel=alternate type=application/rss+xml href='{reference}'>");
            assert_eq!(found(&link, &[]), [], "{reference}");
        }
    }

    #[test]
    fn a_page_full_of_links_gives_a_bounded_list() {
        let links: String = (0..3000)
            .map(|n| format!("<link rel=alternate type=application/rss+xml href={n}>"))
            .collect();
        assert_eq!(found(&links, &[]).len(), MAX_CANDIDATES);
    }

    #[test]
    fn what_is_behind_the_limit_is_not_looked_at() {
        let link = "<link rel=alternate type=application/rss+xml href=/f>";
        let padding = " ".repeat(MAX_PAGE_BYTES - link.len());
        assert_eq!(found(&format!("{padding}{link}"), &[]).len(), 1);
        assert_eq!(found(&format!("{padding} {link}"), &[]).len(), 0);
    }

    #[test]
    fn an_offer_leaves_out_what_nobody_said() {
        let mut candidates = found(
            "<a rel=feed href=/f>x</a><link rel=alternate title=T type=application/rss+xml href=/g>",
            &[],
        );
        let json =
            |candidate: Candidate| serde_json::to_string(&candidate.offer("https://m/")).unwrap();
        assert_eq!(
            json(candidates.remove(0)),
            r#"{"type":"application/rss+xml","url":"https://a.example/g","title":"T","manifest_url":"https://m/"}"#
        );
        assert_eq!(
            json(candidates.remove(0)),
            r#"{"url":"https://a.example/f","manifest_url":"https://m/"}"#
        );
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic_or_give_too_much(body: Vec<u8>, field: String, label in ".{0,20}") {
            let candidates = find(&Page {
                body: &body,
                content_type: Some(&label),
                url: &SourceUrl::parse("https://a.example/").unwrap(),
                link_fields: &[field],
            });
            proptest::prop_assert!(candidates.len() <= MAX_CANDIDATES);
        }

        #[test]
        fn no_markup_makes_it_panic_or_give_too_much(
            parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..60),
        ) {
            let text = parts.concat();
            let candidates = found(&text, &[&text]);
            proptest::prop_assert!(candidates.len() <= MAX_CANDIDATES);
            for candidate in candidates {
                proptest::prop_assert!(candidate.title.is_none_or(|title| !title.is_empty()));
            }
        }
    }

    /// What pages and `Link` fields are made of.
    const PARTS: &[&str] = &[
        "<link ",
        "<a ",
        "<base ",
        "<meta ",
        "rel=",
        "href=",
        "type=",
        "title=",
        "title*=UTF-8''%",
        "alternate",
        "feed",
        "application/rss+xml",
        "/f",
        "//b.example/",
        "&#0;",
        "&amp",
        ">",
        "<",
        "/>",
        "\"",
        "'",
        "\\",
        ";",
        ",",
        " ",
        "\n",
        "=",
        "<script>",
        "</script>",
        "<template>",
        "</template>",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "\u{e9}",
        "\0",
        "charset=utf-16",
        "anchor=",
        "<?xml ",
    ];
}
