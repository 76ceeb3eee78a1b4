//! The links of a page: what a browser would find in it, in its head or not.
//!
//! Text of scripts, styles, comments, templates and the like is no markup. An address is relative
//! to the first `base` with an `href`, from where that stands on: autodiscovery tests want a `base`
//! behind a link ignored, and HTML wants it before.

use html5gum::{StartTag, State, Token, Tokenizer, naive_next_state};
use memchr::memmem;

use crate::model::SourceUrl;

use super::decode::decode;
use super::link::Link;
use super::{Candidate, MAX_LINKS, MAX_PAGE_BYTES, Page};

/// Finds the links to feeds, in document order, at most [`MAX_LINKS`].
pub(super) fn find(page: &Page<'_>) -> Vec<Candidate> {
    let body = page.body.get(..MAX_PAGE_BYTES).unwrap_or(page.body);
    let text = decode(body, page.content_type);
    let mut tokens = Tokenizer::new(text.as_ref());
    let mut reader = Reader::new(page);
    while let Some(Ok(token)) = tokens.next() {
        if let Some(state) = reader.read(&token) {
            tokens.set_state(state);
        }
        if reader.found.len() == MAX_LINKS {
            break;
        }
    }
    reader.found
}

struct Reader<'p> {
    page: &'p SourceUrl,
    /// In XHTML an empty-element tag has no end tag, whatever its name.
    is_xhtml: bool,
    base: Option<SourceUrl>,
    /// How many templates are open.
    templates: usize,
    /// How much was found before a CDATA section began that has not ended yet.
    before_cdata: Option<usize>,
    found: Vec<Candidate>,
}

impl<'p> Reader<'p> {
    fn new(page: &Page<'p>) -> Self {
        Self {
            page: page.url,
            is_xhtml: page.content_type.is_some_and(|text| text.contains("xhtml+xml")),
            base: None,
            templates: 0,
            before_cdata: None,
            found: Vec::new(),
        }
    }

    /// Takes a token in; what comes back is how the text behind it is to be read.
    fn read(&mut self, token: &Token) -> Option<State> {
        match token {
            Token::StartTag(tag) => {
                self.open(tag);
                let is_empty = self.is_xhtml && tag.self_closing;
                return state_inside(&tag.name).filter(|_| !is_empty);
            }
            Token::EndTag(tag) if tag.name.as_slice() == b"template" => {
                self.templates = self.templates.saturating_sub(1);
            }
            // In HTML a CDATA section is a comment up to the first `>`.
            Token::Comment(text) if text.starts_with(b"[CDATA[") && !text.ends_with(b"]]") => {
                self.before_cdata.get_or_insert(self.found.len());
            }
            Token::String(text) if memmem::find(text, b"]]>").is_some() => {
                self.found.truncate(self.before_cdata.take().unwrap_or(usize::MAX));
            }
            _ => {}
        }
        None
    }

    fn open(&mut self, tag: &StartTag<()>) {
        match tag.name.as_slice() {
            b"template" if !(self.is_xhtml && tag.self_closing) => self.templates += 1,
            _ if self.templates > 0 => {}
            b"base" if self.base.is_none() => {
                let href = attribute(tag, b"href");
                self.base =
                    href.map(|href| self.page.join(&href).unwrap_or_else(|_| self.page.clone()));
            }
            b"link" | b"a" | b"area" => self.found.extend(self.candidate(tag)),
            _ => {}
        }
    }

    fn candidate(&self, tag: &StartTag<()>) -> Option<Candidate> {
        let (rel, href) = (attribute(tag, b"rel")?, attribute(tag, b"href")?);
        let (media_type, title) = (attribute(tag, b"type"), attribute(tag, b"title"));
        let link = Link {
            rel: &rel,
            media_type: media_type.as_deref(),
            href: &href,
            title: title.as_deref(),
        };
        link.candidate(self.base.as_ref().unwrap_or(self.page))
    }
}

fn attribute(tag: &StartTag<()>, name: &[u8]) -> Option<String> {
    tag.attributes.get(name).map(|value| String::from_utf8_lossy(value).into_owned())
}

fn state_inside(name: &[u8]) -> Option<State> {
    if name == b"noframes" { Some(State::RawText) } else { naive_next_state(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(body: &str, content_type: &str) -> Vec<String> {
        let candidates = find(&Page {
            body: body.as_bytes(),
            content_type: Some(content_type),
            url: &SourceUrl::parse("https://a.example/blog/").unwrap(),
            link_fields: &[],
        });
        candidates.iter().map(|candidate| candidate.url.to_string()).collect()
    }

    fn check(body: &str, want: &[&str]) {
        assert_eq!(urls(body, "text/html"), want, "{body}");
    }

    const LINK: &str = "<link rel=alternate type=application/rss+xml href=/f>";
    const FEED: &str = "https://a.example/f";

    #[test]
    fn tags_are_read_however_they_are_written() {
        for tag in [
            "<LINK REL='ALTERNATE' TYPE=\"Application/RSS+XML\" HREF = /f />",
            "<link\rhref=/f\rtype=application/rss+xml\rrel=alternate\r>",
            "<link rel='&#65;lternate' type='application/rss&#43;xml' href='&#x2F;f'>",
            "<link rel=alternate rel=next type=application/rss+xml href=/f href=/g>",
            "<a rel=alternate type=application/rss+xml href=/f>RSS</a>",
            "<body><p><link rel=alternate type=application/rss+xml href=' /f '",
        ] {
            check(&format!("{tag}>"), &[FEED]);
        }
        check(
            "<link rel=alternate type=application/rss+xml href=/f?a=1&amp;b=2&c=3>",
            &["https://a.example/f?a=1&b=2&c=3"],
        );
    }

    #[test]
    fn what_is_no_markup_offers_nothing() {
        for (start, end) in [
            ("<!--", "-->"),
            ("<script>", "</script>"),
            ("<script type=text/template><!--", "--></script>"),
            ("<style>", "</style>"),
            ("<noscript>", "</noscript>"),
            ("<template><b>", "</b></template>"),
            ("<template><template></template>", "</template>"),
            ("<template><b></b>", "</template>"),
            ("<title>", "</title>"),
            ("<textarea>", "</textarea>"),
            ("<iframe>", "</iframe>"),
            ("<noframes>", "</noframes>"),
            ("<![CDATA[ <p> ", " ]]>"),
            ("<p title='", "'>"),
        ] {
            check(&format!("{start}{LINK}{end}"), &[]);
            check(&format!("{start}{LINK}{end}{LINK}"), &[FEED]);
        }
    }

    #[test]
    fn a_section_without_an_end_hides_nothing() {
        check(&format!("<![CDATA[ > {LINK}"), &[FEED]);
    }

    #[test]
    fn what_only_looks_like_the_end_of_a_section_hides_nothing() {
        check(&format!("<!-- a --> {LINK} ]]>"), &[FEED]);
        check(&format!("<![CDATA[a]]> {LINK} ]]>"), &[FEED]);
    }

    #[test]
    fn the_first_base_counts_from_where_it_stands() {
        let link = "<link rel=alternate type=application/rss+xml href=f>";
        for (base, want) in [
            ("<base href=//b.example/x/>", "https://b.example/x/f"),
            ("<BASE HREF=' ../c/ '>", "https://a.example/c/f"),
            ("<base target=_top><base href=/c/><base href=/d/>", "https://a.example/c/f"),
            ("<base href=javascript:1><base href=/d/>", "https://a.example/blog/f"),
            ("<!--<base href=/c/>-->", "https://a.example/blog/f"),
            ("<template><base href=/c/></template>", "https://a.example/blog/f"),
        ] {
            check(&format!("{base}{link}"), &[want]);
        }
        check(
            &format!("{link}<base href=/c/>{link}"),
            &["https://a.example/blog/f", "https://a.example/c/f"],
        );
    }

    #[test]
    fn an_empty_script_ends_in_xhtml_only() {
        let page = format!("<script src='x'/><title/>{LINK}");
        assert_eq!(urls(&page, "application/xhtml+xml; charset=utf-8"), [FEED]);
        assert_eq!(urls(&page, "text/html"), [""; 0]);
    }

    #[test]
    fn an_empty_template_ends_in_xhtml_only() {
        let empty = format!("<template/>{LINK}");
        assert_eq!(urls(&empty, "application/xhtml+xml"), [FEED]);
        assert_eq!(urls(&empty, "text/html"), [""; 0]);
        let filled = format!("<template>{LINK}</template>");
        assert_eq!(urls(&filled, "application/xhtml+xml"), [""; 0]);
    }

    #[test]
    fn links_are_counted() {
        assert_eq!(urls(&LINK.repeat(MAX_LINKS + 1), "text/html").len(), MAX_LINKS);
    }
}
