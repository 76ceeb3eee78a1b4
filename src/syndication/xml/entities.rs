//! Character and entity references, decoded leniently.
//!
//! Numeric ones as HTML does it (windows-1252 for 128 to 159), named ones from XML and HTML, and
//! plain-text entities of the document's own DTD, one level deep. What is no reference stays text.

use std::borrow::Cow;
use std::cell::Cell;

use memchr::memchr;

use super::doctype;

/// The entities a document declares for itself: plain text only, bounded in number and size.
#[derive(Debug, Default)]
pub(crate) struct Entities<'t> {
    declared: Vec<(&'t str, Cow<'t, str>)>,
    /// Bytes that references to them may still become.
    room: Cell<usize>,
}

impl<'t> Entities<'t> {
    /// Reads the internal subset of a DOCTYPE. Parameter entities, external ones and those that
    /// hold markup or other references are left out: nesting is how the bombs are built. What stands
    /// for few letters can be written often: in all, references become no more than `room` bytes.
    pub(crate) fn of_doctype(doctype: &'t str, room: usize) -> Self {
        let known = doctype::entities(doctype).filter_map(declaration).take(MAX_ENTITIES);
        let declared = known.map(|(name, value)| (name, decode_html_entities(value))).collect();
        Self { declared, room: Cell::new(room) }
    }

    /// Decodes every reference in a text, such as the value of an attribute.
    pub(crate) fn decode<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.decode_counting(text).0
    }

    /// Decodes every reference in a text, and counts each `&` that begins none.
    pub(super) fn decode_counting<'a>(&self, text: &'a str) -> (Cow<'a, str>, usize) {
        let Some(first) = memchr(b'&', text.as_bytes()) else {
            return (Cow::Borrowed(text), 0);
        };
        let (head, mut rest) = text.split_at(first);
        let mut out = String::with_capacity(text.len());
        out.push_str(head);
        let mut faults = 0;
        while let Some(after) = rest.strip_prefix('&') {
            rest = after;
            match reference_name(after).filter(|name| self.push(name, &mut out)) {
                Some(name) => rest = after.get(name.len() + 1..).unwrap_or_default(),
                None => {
                    faults += 1;
                    out.push('&');
                }
            }
            let next = memchr(b'&', rest.as_bytes()).unwrap_or(rest.len());
            let (plain, tail) = rest.split_at(next);
            out.push_str(plain);
            rest = tail;
        }
        (Cow::Owned(out), faults)
    }

    /// Writes what the name between `&` and `;` stands for; false if nobody knows it.
    fn push(&self, name: &str, out: &mut String) -> bool {
        if let Some(number) = name.strip_prefix('#') {
            let Some(found) = numeric(number) else { return false };
            out.extend(found);
            return true;
        }
        let Some(value) = predefined(name).or_else(|| self.own(name)).or_else(|| named(name))
        else {
            return false;
        };
        out.push_str(value);
        true
    }

    /// What the document declares, as long as there is room for it.
    fn own(&self, name: &str) -> Option<&str> {
        let (_, value) = self.declared.iter().find(|(known, _)| *known == name)?;
        self.room.set(self.room.get().checked_sub(value.len())?);
        Some(value)
    }
}

/// Decodes numeric and HTML references in a text and leaves what is none as it is.
pub(crate) fn decode_html_entities(text: &str) -> Cow<'_, str> {
    Entities::default().decode(text)
}

/// The name of a reference at the start of a text, if a `;` ends it soon enough.
fn reference_name(text: &str) -> Option<&str> {
    let end = text.bytes().take(MAX_NAME + 1).position(|b| b == b';')?;
    text.get(..end).filter(|name| is_reference_name(name))
}

/// Whether a text can be the name of a reference: `amp`, `#38`, `#x26`.
fn is_reference_name(name: &str) -> bool {
    let name = name.strip_prefix('#').unwrap_or(name);
    (1..=MAX_NAME).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
}

/// The names of XML itself, which no document can give another meaning (XML 1.0, 4.6).
fn predefined(name: &str) -> Option<&'static str> {
    match name {
        "lt" => Some("<"),
        "gt" => Some(">"),
        "amp" => Some("&"),
        "quot" => Some("\""),
        "apos" => Some("'"),
        _ => None,
    }
}

/// The names of HTML, which include those of XML. (quick-xml's own table has wrong values.)
fn named(name: &str) -> Option<&'static str> {
    // The table has the names with their marks.
    let mut marked = [b'&'; MAX_NAME + 2];
    marked.get_mut(1..=name.len())?.copy_from_slice(name.as_bytes());
    *marked.get_mut(name.len() + 1)? = b';';
    let text = htmlize::ENTITIES.get(marked.get(..name.len() + 2)?)?;
    std::str::from_utf8(text).ok()
}

/// The character of a numeric reference: no character for a code point that XML does not allow.
fn numeric(number: &str) -> Option<Option<char>> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse::<u32>().ok()?,
    };
    let code = match code {
        0x80..=0x9f => WINDOWS_1252.get(code as usize - 0x80).copied().unwrap_or(code),
        _ => code,
    };
    Some(char::from_u32(code).filter(|c| super::super::decode::is_xml_char(*c)))
}

/// `<!ENTITY name "value">`, from behind the keyword. Looks no further than the longest name and value.
fn declaration(text: &str) -> Option<(&str, &str)> {
    let text = text.get(..text.floor_char_boundary(MAX_DECLARATION))?.trim_start();
    let (name, rest) = text.split_once(|c: char| c.is_ascii_whitespace())?;
    let rest = rest.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let value = rest.get(1..)?;
    let value = value.get(..value.find(quote)?)?;
    let plain = value.len() <= MAX_VALUE && !value.contains('<') && only_harmless_references(value);
    (is_reference_name(name) && plain).then_some((name, value))
}

/// Numbers and the five names of XML itself (XML 1.0, 4.6) hold no other reference.
fn only_harmless_references(value: &str) -> bool {
    let is_harmless = |rest: &str| {
        rest.starts_with('#')
            || ["amp;", "lt;", "gt;", "quot;", "apos;"].iter().any(|name| rest.starts_with(name))
    };
    value.split('&').skip(1).all(is_harmless) && !value.contains('%')
}

const MAX_ENTITIES: usize = 512;
const MAX_VALUE: usize = 256;
const MAX_NAME: usize = 32;
/// With white space between name and value.
const MAX_DECLARATION: usize = MAX_NAME + MAX_VALUE + 64;

/// What windows-1252 has at 128 to 159, as HTML reads such references.
const WINDOWS_1252: [u32; 32] = [
    0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8d, 0x017d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_xml_mean_what_xml_says() {
        let doctype = r#"<!DOCTYPE r [<!ENTITY lt "&#38;#60;"><!ENTITY amp "&#38;#38;">]>"#;
        assert_eq!(Entities::of_doctype(doctype, 1000).decode("a&lt;b&amp;c"), "a<b&c");
    }

    #[test]
    fn a_document_grows_by_its_own_entities_no_further_than_there_is_room() {
        let entities = Entities::of_doctype("<!DOCTYPE r [<!ENTITY a 'xxxxxxxxxx'>]>", 25);
        assert_eq!(entities.decode("&a;&a;&a;&amp;"), "xxxxxxxxxxxxxxxxxxxx&a;&");
    }

    #[test]
    fn declarations_without_number_end() {
        let doctype = format!("<!DOCTYPE[{}]>", "<!ENTITY>".repeat(300_000));
        assert_eq!(Entities::of_doctype(&doctype, 1000).decode("&a;"), "&a;");
    }

    #[test]
    fn references_are_decoded_and_the_rest_stays() {
        for (text, want) in [
            ("plain", "plain"),
            ("a &amp; b", "a & b"),
            ("R&D, D&D; &", "R&D, D&D; &"),
            ("&eacute;&nbsp;&#8212;&#x2014;", "\u{e9}\u{a0}\u{2014}\u{2014}"),
            ("It&#146;s", "It\u{2019}s"),
            ("Ping&#8;pong&#0;&#xFFFF;", "Pingpong"),
            ("&#xzz; &nosuch; &&amp;", "&#xzz; &nosuch; &&"),
            ("&alpha;&Omega;&oelig;&apos;&lang;", "\u{3b1}\u{3a9}\u{153}'\u{27e8}"),
        ] {
            assert_eq!(decode_html_entities(text), want, "{text}");
        }
    }

    #[test]
    fn plain_entities_of_the_dtd_are_known_and_nested_or_external_ones_are_not() {
        let entities = Entities::of_doctype(
            r#"rss [<!ENTITY shop "Caf&#233;"> <!ENTITY lol2 "&lol;&lol;">
                <!ENTITY x SYSTEM "file:///etc/passwd"> <!ENTITY % p "y"> <!ENTITY m "<b>">
                <!ENTITY firm "Crab &amp; Co">]"#,
            1000,
        );
        assert_eq!(entities.decode("&firm;"), "Crab & Co");
        assert_eq!(entities.decode("&shop;"), "Caf\u{e9}");
        for reference in ["&lol2;", "&x;", "&p;", "&m;"] {
            assert_eq!(entities.decode_counting(reference), (reference.into(), 1));
        }
    }
}
