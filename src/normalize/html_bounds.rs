//! Holds large HTML within what the sanitizer takes in linear time.
//!
//! html5ever looks through all open elements for some tags, opens all open formatting elements
//! again in each new block, and escapes a text in time that grows with its square. Depth, open
//! formatting and the length of a text are therefore bounded before it sees anything large.

use std::borrow::Cow;

use memchr::memchr;

/// Drops tags that would nest too deeply and parts very long texts by empty comments, which the
/// sanitizer takes out again.
pub(super) fn bound(html: &str) -> Cow<'_, str> {
    if html.len() < LARGE_BYTES {
        return Cow::Borrowed(html);
    }
    let mut out = String::with_capacity(html.len());
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        let (text, tag_on) = rest.split_at(memchr(b'<', rest.as_bytes()).unwrap_or(rest.len()));
        push_in_parts(&mut out, text);
        let end = memchr(b'>', tag_on.as_bytes()).map_or(tag_on.len(), |end| end + 1);
        let (tag, after) = tag_on.split_at(end);
        if is_kept(tag, &mut open) {
            out.push_str(tag);
        }
        rest = after;
    }
    Cow::Owned(out)
}

/// HTML smaller than this cannot cost much, whatever it is.
const LARGE_BYTES: usize = 16 << 10;
/// Elements in one another.
const MAX_DEPTH: usize = 64;
/// Formatting elements open at once.
const MAX_FORMATTING: usize = 6;
/// Longest text in one piece.
const PART_BYTES: usize = 4 << 10;

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

fn push_in_parts(out: &mut String, text: &str) {
    let mut rest = text;
    while rest.len() > 2 * PART_BYTES {
        // Behind a space no character reference is cut in two.
        let window = rest.get(..rest.floor_char_boundary(2 * PART_BYTES)).unwrap_or(rest);
        let Some(cut) = window.rfind([' ', '\n', ';']).map(|at| at + 1) else { break };
        let (part, after) = rest.split_at(cut);
        out.push_str(part);
        out.push_str("<!---->");
        rest = after;
    }
    out.push_str(rest);
}

fn among(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

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
        bound(html).into_owned()
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
    fn long_texts_are_parted_between_words() {
        let got = bounded(&"x &amp; ".repeat(4000));
        assert!(got.contains("<!---->"));
        assert_eq!(got.replace("<!---->", ""), "x &amp; ".repeat(4000));
        let one_word = "x".repeat(40_000);
        assert_eq!(bounded(&one_word), one_word);
    }
}
