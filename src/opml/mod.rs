//! OPML subscription lists: every feed's address replaced, everything else as it was.
//!
//! The list is walked tag by tag and never taken apart: nesting, order, attributes, comments and
//! what no reader knows stay. Nothing is fetched and nothing kept (MMSP 13.3).

mod declared;
mod outline;

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesDecl, BytesStart, Event};
use quick_xml::writer::Writer;
use thiserror::Error;

use declared::Declared;
pub use outline::Outline;

use crate::model::SourceUrl;
use crate::paging::{Address, PublicUrl};

/// Why a text is no subscription list.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum OpmlError {
    /// Its outermost element is not `opml`.
    #[error("the document is not an OPML list")]
    NotOpml,
    /// It is not well-formed enough to be walked.
    #[error("the list is not well-formed XML")]
    Malformed,
    /// It has more outlines than [`MAX_OUTLINES`].
    #[error("the list has too many entries")]
    TooLong,
}

/// Most outlines of a list.
pub const MAX_OUTLINES: usize = 50_000;

/// A list that was walked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// The list with its new addresses.
    pub text: String,
    /// How many feeds have one.
    pub feeds: usize,
    /// The addresses that could not be replaced, as they were.
    pub left: Vec<String>,
}

/// The text of a list, whatever encoding it is in.
#[must_use]
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    crate::syndication::decode(bytes, None).text
}

/// What [`rewrite`] makes of an address under a gateway: the manifest there; one that is there
/// already stays.
pub fn to_manifests(gateway: &PublicUrl) -> impl Fn(&str) -> Option<String> {
    move |url: &str| {
        let own = format!("{}/mmsp/", gateway.as_str());
        if url.starts_with(&own) {
            return Some(url.to_owned());
        }
        let source = SourceUrl::parse(url).ok()?;
        Some(Address::of(gateway, &source, None).first().to_owned())
    }
}

/// Lists the feeds of a list, in its order.
///
/// # Errors
/// Says why it is no list.
pub fn read(text: &str) -> Result<Vec<Outline>, OpmlError> {
    let mut feeds = Vec::new();
    let declared = Declared::find(text);
    walk(text, |tag| {
        feeds.extend(Outline::of(tag, &declared));
        None
    })?;
    Ok(feeds)
}

/// Replaces the address of every feed by what `translate` makes of it; where it makes nothing, the
/// address stays. An outline with a page only (`htmlUrl`) gets the address of that.
///
/// # Errors
/// Says why it is no list.
pub fn rewrite(
    text: &str,
    translate: impl Fn(&str) -> Option<String>,
) -> Result<Rewritten, OpmlError> {
    let (mut feeds, mut left) = (0, Vec::new());
    let declared = Declared::find(text);
    let text = walk(text, |tag| {
        let outline = Outline::of(tag, &declared)?;
        let Some(url) = translate(&outline.url) else {
            left.push(outline.url);
            return None;
        };
        feeds += 1;
        Some(outline::with_feed(tag, &url))
    })?;
    Ok(Rewritten { text, feeds, left })
}

/// Copies a list, each outline as `change` wants it, else as it is.
fn walk(
    text: &str,
    mut change: impl FnMut(&BytesStart<'_>) -> Option<BytesStart<'static>>,
) -> Result<String, OpmlError> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    reader.config_mut().check_end_names = false;
    let mut writer = Writer::new(Vec::with_capacity(text.len() + text.len() / 2));
    let (mut outlines, mut has_root) = (0, false);
    loop {
        let event = reader.read_event().map_err(|_| OpmlError::Malformed)?;
        let event = match event {
            Event::Eof => break,
            Event::Start(tag) | Event::Empty(tag) if !has_root && !is_named(&tag, "opml") => {
                return Err(OpmlError::NotOpml);
            }
            Event::Start(tag) if is_outline(&tag) => {
                outlines += 1;
                Event::Start(change(&tag).unwrap_or(tag))
            }
            Event::Empty(tag) if is_outline(&tag) => {
                outlines += 1;
                Event::Empty(change(&tag).unwrap_or(tag))
            }
            // What is written is UTF-8, whatever it was.
            Event::Decl(declaration) if declaration.encoding().is_some() => {
                Event::Decl(in_utf8(&declaration))
            }
            event => event,
        };
        has_root |= matches!(event, Event::Start(_) | Event::Empty(_));
        if outlines > MAX_OUTLINES {
            return Err(OpmlError::TooLong);
        }
        writer.write_event(event).map_err(|_| OpmlError::Malformed)?;
    }
    if !has_root {
        return Err(OpmlError::NotOpml);
    }
    String::from_utf8(writer.into_inner()).map_err(|_| OpmlError::Malformed)
}

fn in_utf8(declaration: &BytesDecl<'_>) -> BytesDecl<'static> {
    let version = declaration.version().unwrap_or(Cow::Borrowed("1.0"));
    let standalone = declaration.standalone().and_then(Result::ok);
    BytesDecl::new(&version, Some("UTF-8"), standalone.as_deref())
}

fn is_outline(tag: &BytesStart<'_>) -> bool {
    is_named(tag, "outline")
}

fn is_named(tag: &BytesStart<'_>, name: &str) -> bool {
    tag.local_name().as_ref().eq_ignore_ascii_case(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- mine -->
<opml version="2.0" xmlns:x="urn:x">
  <head><title>A &amp; B</title></head>
  <body>
    <outline text="News" x:colour='red'>
      <outline text="Quay" title="Q" type="rss" xmlUrl="http://a.example/feed?a=1&amp;b=2" htmlUrl="http://a.example/"/>
      <outline htmlUrl="https://page.example/" text="&lt;b&gt;"></outline>
    </outline>
    <outline text="Odd" xmlUrl="ftp://a.example/"/>
  </body>
</opml>
"#;

    fn manifest(url: &str) -> Option<String> {
        url.starts_with("http").then(|| format!("https://gw.example/mmsp/feed?url={url}&\"x\""))
    }

    #[test]
    fn addresses_are_replaced_and_everything_else_stays() {
        let rewritten = rewrite(LIST, manifest).unwrap();
        let want = LIST
            .replace(
                "xmlUrl=\"http://a.example/feed?a=1&amp;b=2\"",
                "xmlUrl=\"https://gw.example/mmsp/feed?url=http://a.example/feed?a=1&amp;b=2&amp;&quot;x&quot;\"",
            )
            .replace(
                "<outline htmlUrl=\"https://page.example/\" text=\"&lt;b&gt;\">",
                "<outline htmlUrl=\"https://page.example/\" text=\"&lt;b&gt;\" \
                 xmlUrl=\"https://gw.example/mmsp/feed?url=https://page.example/&amp;&quot;x&quot;\">",
            );
        assert_eq!(rewritten.text, want);
        assert_eq!((rewritten.feeds, rewritten.left), (2, vec!["ftp://a.example/".to_owned()]));
    }

    #[test]
    fn a_list_in_another_encoding_comes_out_in_utf_8() {
        let list = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><opml><outline text=\"Caf\xe9\" xmlUrl=\"http://a.example/caf\xe9\"/></opml>";
        let rewritten = rewrite(&decode(list), |url| Some(url.to_owned())).unwrap();
        assert_eq!(
            rewritten.text,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><opml><outline text=\"Caf\u{e9}\" \
             xmlUrl=\"http://a.example/caf\u{e9}\"/></opml>"
        );
    }

    #[test]
    fn entities_of_the_lists_own_count_where_they_are_plain() {
        let list = "<!DOCTYPE opml [<!ENTITY host \"a.example\"><!ENTITY x SYSTEM \"file:///etc/passwd\">\
                    ]><opml><outline text=\"&host;\" xmlUrl=\"https://&host;/feed?a=&amp;b=&x;\"/></opml>";
        let feeds = read(list).unwrap();
        assert_eq!(feeds[0].url, "https://a.example/feed?a=&b=&x;");
        assert_eq!(feeds[0].title, "a.example");
        let rewritten = rewrite(list, |url| Some(url.replace("&x;", "x"))).unwrap().text;
        let want =
            list.replace("https://&host;/feed?a=&amp;b=&x;", "https://a.example/feed?a=&amp;b=x");
        assert_eq!(rewritten, want);
    }

    #[test]
    fn manifests_stay_manifests() {
        let gateway = PublicUrl::new("https://gw.example");
        let translate = to_manifests(&gateway);
        let once = translate("a.example/feed").unwrap();
        assert_eq!(once, "https://gw.example/mmsp/feed?url=https%3A%2F%2Fa.example%2Ffeed");
        assert_eq!(translate(&once), Some(once.clone()));
        assert_eq!(translate("ftp://a.example/"), None);
    }

    #[test]
    fn feeds_are_listed_in_their_order() {
        let feeds = read(LIST).unwrap();
        let shown: Vec<_> = feeds.iter().map(|f| (f.title.as_str(), f.url.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("Q", "http://a.example/feed?a=1&b=2"),
                ("<b>", "https://page.example/"),
                ("Odd", "ftp://a.example/"),
            ]
        );
    }

    #[test]
    fn a_list_that_nothing_translates_is_copied() {
        assert_eq!(rewrite(LIST, |_| None).unwrap().text, LIST);
        let sloppy = "<OPML><Body><OUTLINE text=\"a & b\"></body></OPML>";
        assert_eq!(rewrite(sloppy, manifest).unwrap().text, sloppy);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for (text, error) in [
            ("", OpmlError::NotOpml),
            ("words", OpmlError::NotOpml),
            ("<rss><channel/></rss>", OpmlError::NotOpml),
            ("<outline xmlUrl='http://a.example/'/>", OpmlError::NotOpml),
            ("<opml><body><outline", OpmlError::Malformed),
            ("<opml><!-- ", OpmlError::Malformed),
        ] {
            assert_eq!(read(text), Err(error), "{text}");
        }
    }

    #[test]
    fn outlines_are_counted_with_and_without_an_end_tag() {
        for outline in ["<outline/>", "<outline></outline>"] {
            let list = |count: usize| format!("<opml>{}<x/></opml>", outline.repeat(count));
            assert_eq!(read(&list(MAX_OUTLINES)), Ok(Vec::new()), "{outline}");
            assert_eq!(read(&list(MAX_OUTLINES + 1)), Err(OpmlError::TooLong), "{outline}");
        }
    }

    #[test]
    fn other_elements_are_no_feeds_whatever_they_carry() {
        let list = "<opml><body xmlUrl='http://a.example/'><x xmlUrl='http://b.example/'/>\
                    <outline xmlUrl='http://c.example/'/></body></opml>";
        let urls: Vec<String> = read(list).unwrap().into_iter().map(|feed| feed.url).collect();
        assert_eq!(urls, ["http://c.example/"]);
    }

    #[test]
    fn a_declaration_without_an_encoding_stays_as_it_is() {
        let list = "<?xml version='1.0'?><opml/>";
        assert_eq!(rewrite(list, manifest).unwrap().text, list);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(<opml>|<outline |xmlUrl=|['\"&;<>/]|[a-z]|<!\\[CDATA\\[|-->){0,30}") {
            let _ = rewrite(&text, manifest);
        }
    }
}
