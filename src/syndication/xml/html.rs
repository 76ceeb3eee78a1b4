//! Writes the inside of an element as HTML: XHTML content of Atom, unescaped markup of RSS.

use super::tree::{Content, Element};

/// Writes everything inside an element, prefixes dropped, text escaped.
pub(super) fn write_children(element: Element<'_, '_>, out: &mut String) {
    for content in element.contents() {
        match content {
            Content::Text(text) => escape_into(out, text, Quote::AsIs),
            Content::Element(child) => write_element(child, out),
        }
    }
}

fn write_element(element: Element<'_, '_>, out: &mut String) {
    let name = element.name();
    out.push('<');
    out.push_str(name);
    for (attribute, value) in element.named_attributes() {
        out.push(' ');
        out.push_str(attribute);
        out.push_str("=\"");
        escape_into(out, value, Quote::Escaped);
        out.push('"');
    }
    out.push('>');
    // A void element has no end tag, but a publisher who forgot the slash left the text inside.
    write_children(element, out);
    if !VOID.iter().any(|void| name.eq_ignore_ascii_case(void)) {
        out.push_str("</");
        out.push_str(name);
        out.push('>');
    }
}

fn escape_into(out: &mut String, text: &str, quote: Quote) {
    let mut rest = text;
    loop {
        let bytes = rest.as_bytes();
        let next = bytes.iter().position(|b| match b {
            b'&' | b'<' | b'>' => true,
            b'"' => quote == Quote::Escaped,
            _ => false,
        });
        let (plain, tail) = rest.split_at(next.unwrap_or(rest.len()));
        out.push_str(plain);
        let mut tail = tail.chars();
        match tail.next() {
            Some('&') => out.push_str("&amp;"),
            Some('<') => out.push_str("&lt;"),
            Some('>') => out.push_str("&gt;"),
            Some(_) => out.push_str("&quot;"),
            None => return,
        }
        rest = tail.as_str();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    AsIs,
    Escaped,
}

/// Elements that HTML gives no end tag.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];
