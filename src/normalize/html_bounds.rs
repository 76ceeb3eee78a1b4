//! Holds HTML within what the sanitizer takes in linear time.
//!
//! html5ever looks through all open elements for some tags, opens all open formatting elements
//! again in each new block, compares each attribute of a tag with those before it, and escapes a text
//! or a value in time that grows with its square. Depth, open formatting, tags and texts are
//! therefore bounded before it sees them.

use memchr::{memchr, memmem};

/// Drops comments, tags that would nest too deeply, and the attributes of tags that are too long;
/// parts long texts by empty comments, which the sanitizer takes out again.
///
/// Where HTML takes what is inside an element for mere text, the tags go: what is inside is worth
/// more as HTML, and scripts and styles go with all they hold.
pub(super) fn bound(html: &str) -> String {
    let is_large = html.len() >= LARGE_BYTES;
    let mut parts = Parts::default();
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        let (text, markup) = rest.split_at(memchr(b'<', rest.as_bytes()).unwrap_or(rest.len()));
        parts.push_text(text);
        let piece = Piece::read(markup);
        rest = markup.get(piece.length()..).unwrap_or_default();
        match piece {
            Piece::Text(text) => parts.push_text(text),
            Piece::Nothing(_) => {}
            Piece::Tag { tag, name, is_end } => {
                if !is_end && among(&HIDDEN, name) {
                    rest = behind_hidden(rest, name);
                } else if !among(&HIDDEN, name)
                    && !among(&RAW, name)
                    && (!is_large || is_kept(tag, &mut open))
                {
                    parts.push_tag(tag, name, is_end);
                }
            }
        }
    }
    parts.out
}

/// HTML smaller than this cannot cost much by its depth, whatever it is.
const LARGE_BYTES: usize = 16 << 10;
/// Elements in one another.
const MAX_DEPTH: usize = 64;
/// Formatting elements open at once.
const MAX_FORMATTING: usize = 6;
/// Longest text in one piece.
const PART_BYTES: usize = 512;
/// Longest tag that keeps its attributes.
const MAX_TAG_BYTES: usize = 4 << 10;
/// Longest reference to a character: `&CounterClockwiseContourIntegral;` and some more.
const REFERENCE_BYTES: usize = 40;

/// What a `<` begins.
enum Piece<'h> {
    /// Text after all.
    Text(&'h str),
    /// So many bytes of a comment, or of a tag that the document ends in.
    Nothing(usize),
    /// `<name …>` or `</name …>`.
    Tag { tag: &'h str, name: &'h str, is_end: bool },
}

impl<'h> Piece<'h> {
    fn read(markup: &'h str) -> Self {
        let Some(inner) = markup.strip_prefix('<') else { return Self::Text(markup) };
        if let Some(comment) = inner.strip_prefix("!--") {
            return Self::Nothing("<!--".len() + comment_length(comment));
        }
        let (is_end, inner) = match inner.strip_prefix('/') {
            Some(inner) => (true, inner),
            None => (false, inner),
        };
        if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
            if is_end || inner.starts_with(['!', '?']) {
                let end = memchr(b'>', markup.as_bytes()).map_or(markup.len(), |end| end + 1);
                return Self::Nothing(end);
            }
            return Self::Text(markup.get(..1).unwrap_or(markup));
        }
        let name_end = inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inner.len());
        let name = inner.get(..name_end).unwrap_or_default();
        match tag_length(markup.as_bytes()).and_then(|length| markup.get(..length)) {
            Some(tag) => Self::Tag { tag, name, is_end },
            None => Self::Nothing(markup.len()),
        }
    }

    fn length(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Nothing(length) => *length,
            Self::Tag { tag, .. } => tag.len(),
        }
    }
}

/// The length of a comment behind its `<!--`, its end included (HTML 13.2.5.43).
fn comment_length(comment: &str) -> usize {
    if comment.starts_with('>') {
        return 1;
    }
    if comment.starts_with("->") {
        return 2;
    }
    let ends = memmem::find_iter(comment.as_bytes(), "--").find_map(|at| {
        let behind = comment.get(at + 2..)?;
        let mark = if behind.starts_with('!') { 2 } else { 1 };
        behind.get(..mark)?.ends_with('>').then_some(at + 2 + mark)
    });
    ends.unwrap_or(comment.len())
}

/// The length of a tag, a `>` in a quoted value left aside; none where the document ends in it.
fn tag_length(markup: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'>', b'=', markup.get(at..)?)?;
        if markup.get(at) == Some(&b'>') {
            return Some(at + 1);
        }
        at += 1;
        at += markup.get(at..)?.iter().position(|byte| !byte.is_ascii_whitespace())?;
        if let Some(quote @ (b'"' | b'\'')) = markup.get(at).copied() {
            at += 1;
            at += memchr(quote, markup.get(at..)?)? + 1;
        }
    }
}

/// What follows the end tag of an element that shows nothing; nothing where nobody closes it.
fn behind_hidden<'h>(rest: &'h str, name: &str) -> &'h str {
    let ends = memmem::find_iter(rest.as_bytes(), "</").find(|at| {
        let found = rest.get(at + 2..).and_then(|behind| behind.get(..name.len()));
        found.is_some_and(|found| found.eq_ignore_ascii_case(name))
    });
    ends.and_then(|at| rest.get(at..)).unwrap_or_default()
}

/// What is written, and how much of its end is text in one piece.
#[derive(Default)]
struct Parts {
    out: String,
    run: usize,
}

impl Parts {
    fn push_tag(&mut self, tag: &str, name: &str, is_end: bool) {
        self.run = 0;
        if tag.len() <= MAX_TAG_BYTES {
            self.out.push_str(tag);
            return;
        }
        self.out.push_str(if is_end { "</" } else { "<" });
        self.out.push_str(name);
        self.out.push('>');
    }

    fn push_text(&mut self, text: &str) {
        let mut rest = text;
        while self.run + rest.len() > PART_BYTES {
            let (part, after) = rest.split_at(safe_cut(rest, PART_BYTES - self.run));
            self.out.push_str(part);
            self.out.push_str("<!---->");
            self.run = 0;
            rest = after;
        }
        self.out.push_str(rest);
        self.run += rest.len();
    }
}

/// Where a text can be cut, at so many bytes or a little before: no character and no reference to
/// one is cut in two.
fn safe_cut(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    let near = text.floor_char_boundary(at.saturating_sub(REFERENCE_BYTES));
    let window = text.get(near..at).unwrap_or_default();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '#';
    match window.rfind('&') {
        Some(amp) if window.get(amp + 1..).is_some_and(|behind| behind.chars().all(is_part)) => {
            near + amp
        }
        _ => at,
    }
}

/// Follows what is open, about as a browser does, and says whether a tag still fits.
fn is_kept<'h>(tag: &'h str, open: &mut Vec<&'h str>) -> bool {
    let Some(inner) = tag.strip_prefix('<') else { return true };
    let (closing, inner) = match inner.strip_prefix('/') {
        Some(inner) => (true, inner),
        None => (false, inner),
    };
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inner.len());
    let name = inner.get(..end).unwrap_or_default();
    if name.is_empty() || among(&VOID, name) {
        return true;
    }
    let same = |one: &&str| one.eq_ignore_ascii_case(name);
    if closing {
        let Some(at) = open.iter().rposition(same) else { return false };
        open.truncate(at);
        return true;
    }
    if among(&CLOSED_BY_THE_NEXT, name) && open.last().is_some_and(same) {
        open.pop();
    }
    let formatting = open.iter().filter(|name| among(&FORMATTING, name)).count();
    let fits = open.len() < MAX_DEPTH && (formatting < MAX_FORMATTING || !among(&FORMATTING, name));
    if fits {
        open.push(name);
    }
    fits
}

fn among(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Elements that go with all they hold.
const HIDDEN: [&str; 2] = ["script", "style"];

/// Elements whose inside HTML takes for text.
const RAW: [&str; 8] =
    ["iframe", "noembed", "noframes", "noscript", "plaintext", "textarea", "title", "xmp"];

const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Elements that end where the next of their kind begins.
const CLOSED_BY_THE_NEXT: [&str; 9] = ["p", "li", "dt", "dd", "tr", "td", "th", "option", "tbody"];

/// Elements that HTML opens again in the next block (its "active formatting elements").
const FORMATTING: [&str; 15] = [
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt",
    "u", "span",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn bounded(html: &str) -> String {
        assert!(html.len() >= LARGE_BYTES);
        bound(html)
    }

    #[test]
    fn depth_is_bounded_and_the_text_stays() {
        let html = format!("{}deep{}", "<div>".repeat(5000), "</div>".repeat(5000));
        let got = bounded(&html);
        assert_eq!(got.matches("<div>").count(), MAX_DEPTH);
        assert_eq!(got.matches("</div>").count(), MAX_DEPTH);
        assert!(got.contains("deep"));
    }

    #[test]
    fn paragraphs_that_nobody_closed_are_no_depth() {
        let html = "<p>some words<br>".repeat(2000);
        assert_eq!(bounded(&html), html);
    }

    #[test]
    fn open_formatting_is_bounded() {
        let got = bounded(&"<b><p>x".repeat(4000));
        assert_eq!(got.matches("<b>").count(), MAX_FORMATTING);
    }

    #[test]
    fn long_texts_are_parted_and_no_reference_is_cut() {
        for piece in ["x &amp; ", "&", "&notit", "&#8217;x", "x", "\u{a0}", "\u{1f600}", "< "] {
            let html = piece.repeat(20_000 / piece.len());
            let got = bounded(&html);
            assert_eq!(got.replace("<!---->", ""), html);
            let longest = got.split("<!---->").map(str::len).max();
            assert!(longest <= Some(PART_BYTES), "{piece}");
            for part in got.split("<!---->") {
                let last = part.rfind('&').map_or("", |at| &part[at..]);
                assert!(piece.starts_with('x') || last.len() <= piece.len(), "{last}");
            }
        }
    }

    #[test]
    fn a_text_that_is_parted_reads_as_it_was() {
        let text = "One &amp; two, &copy; three &#8212; &notit; four & five. ".repeat(400);
        let doc = ammonia::Builder::empty();
        let want = doc.clean(&text).to_string();
        assert_eq!(doc.clean(&bound(&text)).to_string(), want);
    }

    #[test]
    fn a_tag_too_long_loses_its_attributes() {
        let value = "&".repeat(5000);
        assert_eq!(bound(&format!("<p title=\"{value}>\">x</p>")), "<p>x</p>");
        let many: String = (0..2000).map(|n| format!(" a{n}=1")).collect();
        assert_eq!(bound(&format!("<p{many}>x</p{many}>")), "<p>x</p>");
        let short = "<p title=\"a > b\" class='x'>x</p>";
        assert_eq!(bound(short), short);
    }

    #[test]
    fn what_html_takes_for_text_is_html_and_what_it_hides_goes() {
        for (html, want) in [
            ("a<noscript><img src=x></noscript>b", "a<img src=x>b"),
            ("a<TEXTAREA><b>c</b></textarea>", "a<b>c</b>"),
            ("a<script>if (1 < 2) \"</b>\"</script>b", "ab"),
            ("a<style>p {}</style >b", "ab"),
            ("a<script>b", "a"),
            ("a<!-- <b> -->c<!-->d<!--->e<!-- x --!>f<!DOCTYPE html>g</>h<?php ?>i", "acdefghi"),
            ("a<!-- b", "a"),
            ("a<b title=\"", "a"),
            ("1 < 2 <3", "1 < 2 <3"),
        ] {
            assert_eq!(bound(html), want, "{html}");
        }
    }
}
