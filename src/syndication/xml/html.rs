//! Writes the inside of an element as HTML: XHTML content of Atom, unescaped markup of RSS.

use super::tree::{Content, Element};

/// Writes everything inside an element, prefixes dropped, text escaped.
pub(super) fn write_children(element: Element<'_, '_>, out: &mut String) {
    for content in element.contents() {
        match content {
            Content::Text(text) => escape_into(out, text, &[]),
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
        escape_into(out, value, &['"']);
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

fn escape_into(out: &mut String, text: &str, also: &[char]) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if also.contains(&'"') => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
}

/// Elements that HTML gives no end tag.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];
