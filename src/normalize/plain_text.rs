//! HTML to plain text: titles, names, excerpts.

use std::borrow::Cow;

use html5gum::{Token, Tokenizer};
use memchr::{memchr2, memmem};

use crate::syndication::decode_html_entities;
use crate::syndication::source_feed::{Markup, Text};

/// The text of a construct as a person reads it, on one line.
pub(super) fn of_text(text: &Text<'_>) -> String {
    let value = beginning(&text.value, LONGEST_LINE);
    match text.markup {
        Markup::Plain => one_line(value),
        // A tag that never ends is text that somebody wrote a `<` in.
        Markup::Html if !value.contains('>') && !value.contains("<!--") => {
            one_line(&decode_html_entities(value))
        }
        Markup::Html => of_html(value),
        Markup::Unsaid => of_unsaid(value),
    }
}

/// The first so many bytes of a text, cut between characters.
pub(super) fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// Bytes of a title that are looked at: a longer one is none.
const LONGEST_LINE: usize = 16 << 10;

/// The text of HTML, on one line; scripts and styles are no text.
#[must_use]
pub fn of_html(html: &str) -> String {
    if memchr2(b'<', b'&', html.as_bytes()).is_none() {
        return one_line(html);
    }
    let mut out = String::with_capacity(html.len());
    let mut hidden: Option<Vec<u8>> = None;
    for token in Tokenizer::new(html) {
        let Ok(token) = token;
        match token {
            Token::String(text) if hidden.is_none() => {
                out.push_str(&String::from_utf8_lossy(&text));
            }
            Token::StartTag(tag) => {
                if hides(html, &tag.name) {
                    hidden.get_or_insert(tag.name.to_vec());
                } else if !is_inline(&tag.name) {
                    out.push(' ');
                }
            }
            Token::EndTag(tag) => {
                if hidden.as_deref() == Some(tag.name.as_slice()) {
                    hidden = None;
                } else if !is_inline(&tag.name) {
                    out.push(' ');
                }
            }
            _ => {}
        }
    }
    one_line(&out)
}

/// Text that may be HTML or not: tags that are tags go, a lone `<` is text, and entities are
/// decoded once more where the source wrote them twice.
fn of_unsaid(text: &str) -> String {
    let text = without_cdata_marks(text);
    let bare = if text.contains('<') { without_tags(&text) } else { text };
    one_line(&decode_html_entities(&bare))
}

/// A CDATA section that was escaped as text is no text.
pub(super) fn without_cdata_marks(text: &str) -> Cow<'_, str> {
    if memmem::find(text.as_bytes(), b"<![CDATA[").is_some() {
        return Cow::Owned(text.replace("<![CDATA[", "").replace("]]>", ""));
    }
    Cow::Borrowed(text)
}

/// Whether a text has tags of HTML in it: one that stands by itself or one that is closed again.
pub(super) fn has_tags(text: &str) -> bool {
    tags(text).next().is_some()
}

fn without_tags(text: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for tag in tags(text) {
        let Some(before) = text.get(end..tag.start) else { continue };
        out.push_str(before);
        if !is_inline(tag.name.to_ascii_lowercase().as_bytes()) {
            out.push(' ');
        }
        end = tag.end;
    }
    out.push_str(text.get(end..).unwrap_or_default());
    Cow::Owned(out)
}

struct Tag<'t> {
    name: &'t str,
    start: usize,
    end: usize,
}

/// The tags of a text, scripts and styles with all they hold as one.
fn tags(text: &str) -> impl Iterator<Item = Tag<'_>> {
    let (mut from, mut looked) = (0, 0);
    std::iter::from_fn(move || {
        loop {
            let start = from + text.get(from..)?.find('<')?;
            from = start + 1;
            let rest = text.get(from..)?;
            if rest.starts_with("!--") {
                let end = rest.find("-->").map_or(text.len(), |at| from + at + 3);
                from = end;
                return Some(Tag { name: "", start, end });
            }
            let closing = rest.starts_with('/');
            let name_text = rest.strip_prefix('/').unwrap_or(rest);
            let name_end = name_text.find(|c: char| !c.is_ascii_alphanumeric());
            let name = name_text.get(..name_end.unwrap_or(name_text.len()))?;
            let Some(length) = rest.find('>') else { continue };
            let end = from + length + 1;
            if !is_element(name) {
                continue;
            }
            // So many elements and not HTML: nobody writes that.
            looked += 1;
            if looked < MOST_LOOKED_AT && !stands_as_tag(text, name, closing, start, end) {
                continue;
            }
            let hides = HIDDEN.iter().any(|hidden| name.eq_ignore_ascii_case(hidden));
            let end = if hides && !closing { closing_end(text, name, end) } else { end };
            from = end;
            return Some(Tag { name, start, end });
        }
    })
}

/// `<b>` is a tag if `</b>` follows, `</b>` if `<b` came before; `<br>` always is.
fn stands_as_tag(text: &str, name: &str, closing: bool, start: usize, end: usize) -> bool {
    if VOID.iter().any(|void| name.eq_ignore_ascii_case(void)) {
        return true;
    }
    let has_attributes = text.get(start..end).is_some_and(|tag| tag.contains("=\""));
    let (part, mark) = if closing {
        (text.get(..start).unwrap_or_default(), format!("<{name}"))
    } else {
        (text.get(end..).unwrap_or_default(), format!("</{name}"))
    };
    has_attributes || find_ignoring_case(part, &mark).is_some()
}

/// Whether what follows a start tag is not to be read; one that nobody closes hides nothing.
fn hides(html: &str, name: &[u8]) -> bool {
    let closing = HIDDEN.iter().find(|hidden| hidden.as_bytes() == name).map(|n| format!("</{n}"));
    closing.is_some_and(|closing| find_ignoring_case(html, &closing).is_some())
}

fn closing_end(text: &str, name: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let Some(at) = find_ignoring_case(rest, &format!("</{name}")) else { return from };
    rest.get(at..).and_then(|tail| tail.find('>')).map_or(text.len(), |end| from + at + end + 1)
}

/// Looks no further than a title is long.
fn find_ignoring_case(text: &str, mark: &str) -> Option<usize> {
    let window = text.as_bytes().get(..LOOKAHEAD.min(text.len()))?;
    window.windows(mark.len()).position(|part| part.eq_ignore_ascii_case(mark.as_bytes()))
}

/// Bytes that are searched for the other half of a pair of tags.
const LOOKAHEAD: usize = 4096;

/// Tags of one text whose other half is looked for.
const MOST_LOOKED_AT: usize = 64;

/// Folds white space into single spaces.
pub(super) fn one_line(text: &str) -> String {
    let text = text.trim();
    if is_one_line(text.as_bytes()) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Whether there is nothing to fold, as far as that can be told by looking at bytes: white space
/// beyond ASCII begins with one of four.
fn is_one_line(text: &[u8]) -> bool {
    let is_plain = |b: u8| b >= b' ' && !matches!(b, 0xc2 | 0xe1 | 0xe2 | 0xe3);
    // Without a way out, many bytes are looked at at once.
    let all_plain = text.iter().fold(true, |all, b| all & is_plain(*b));
    all_plain && !text.windows(2).any(|pair| pair == b"  ")
}

/// Cuts a text at a word, with an ellipsis, if it is longer than so many characters.
pub(super) fn excerpt(text: &str, max_chars: usize) -> String {
    let Some((limit, _)) = text.char_indices().nth(max_chars) else {
        return text.to_owned();
    };
    let room = text.char_indices().nth(max_chars - 1).map_or(limit, |(at, _)| at);
    let head = text.get(..room).unwrap_or_default();
    let at_word = head.rfind(char::is_whitespace).filter(|at| *at > room / 2);
    let cut = at_word.and_then(|at| head.get(..at)).unwrap_or(head);
    format!("{}\u{2026}", cut.trim_end_matches([' ', ',', ';', ':', '-']))
}

/// Whether an element leaves the words on its sides together.
fn is_inline(name: &[u8]) -> bool {
    INLINE.iter().chain(&HIDDEN).any(|inline| inline.as_bytes() == name)
}

fn is_element(name: &str) -> bool {
    INLINE.iter().chain(&VOID).chain(&HIDDEN).chain(&BLOCKS).any(|e| name.eq_ignore_ascii_case(e))
}

/// Elements whose content nobody reads.
const HIDDEN: [&str; 3] = ["script", "style", "template"];

const VOID: [&str; 6] = ["br", "hr", "img", "wbr", "input", "embed"];

/// Elements that do not part words.
const INLINE: [&str; 33] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "blink", "cite", "code", "del", "dfn", "em",
    "font", "i", "iframe", "ins", "kbd", "mark", "nobr", "q", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr",
];

const BLOCKS: [&str; 39] = [
    "address",
    "article",
    "aside",
    "audio",
    "blockquote",
    "body",
    "button",
    "center",
    "div",
    "dl",
    "dd",
    "dt",
    "fieldset",
    "figure",
    "figcaption",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "html",
    "li",
    "noscript",
    "object",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "td",
    "th",
    "tr",
    "ul",
    "video",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsaid_text_loses_its_tags_and_keeps_what_is_none() {
        for (text, want) in [
            ("Tide & Time", "Tide & Time"),
            ("<b>Tide</b> &amp; Time", "Tide & Time"),
            ("A <b> & C end", "A <b> & C end"),
            ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
            ("Don&#x27;t &quot;panic&quot;", "Don't \"panic\""),
            ("one<br>two<br/>three", "one two three"),
            ("x<script>alert(1)</script>y", "xy"),
            ("The <meta> tag", "The <meta> tag"),
            ("<![CDATA[words]]>", "words"),
            ("a <!-- b --> c", "a c"),
            (" a\n\tb ", "a b"),
        ] {
            assert_eq!(of_unsaid(text), want, "{text}");
        }
    }

    #[test]
    fn html_becomes_text() {
        assert_eq!(
            of_html("<p>Low water <b>at</b> 6.</p><p>Fog &lt; 1 km</p>"),
            "Low water at 6. Fog < 1 km"
        );
        assert_eq!(of_html("a<style>b{}</style><script>c()</script>d"), "ad");
        assert_eq!(of_html("Less: <em> &lt; </em>"), "Less: <");
        assert_eq!(of_html("safe <iframe src=\"x\"> description</iframe>"), "safe description");
    }

    #[test]
    fn an_excerpt_ends_at_a_word() {
        assert_eq!(excerpt("short", 80), "short");
        assert_eq!(excerpt("one two three four", 12), "one two\u{2026}");
        assert_eq!(excerpt(&"x".repeat(100), 10).chars().count(), 10);
        assert_eq!(
            excerpt("\u{e4}\u{f6}\u{fc}\u{df} \u{e4}\u{f6}\u{fc}\u{df}", 9),
            "\u{e4}\u{f6}\u{fc}\u{df} \u{e4}\u{f6}\u{fc}\u{df}"
        );
    }
}
