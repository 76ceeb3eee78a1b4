//! quick-xml, kept going: after a syntax error it only says "end of file", so reading starts anew
//! behind the fault. Tokens are slices of the document.

use quick_xml::Reader;
use quick_xml::events::Event;

/// A piece of markup or text, as it stands in the document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// `<name attributes>`; `empty` for `<name/>`.
    Open { name: &'t str, attributes: &'t str, empty: bool },
    /// `</name>`.
    Close { name: &'t str },
    /// Text without references.
    Text(&'t str),
    /// The inside of a CDATA section.
    Cdata(&'t str),
    /// The name between `&` and `;`.
    Reference(&'t str),
    /// The inside of a DOCTYPE.
    Doctype(&'t str),
    /// The end of the document.
    End,
}

/// Reads a document token by token.
pub(super) struct Tokens<'t> {
    text: &'t str,
    reader: Reader<&'t [u8]>,
    /// Where in the document the present reader began.
    origin: usize,
    /// Bytes that may still be read twice: each new start may scan to the end.
    budget: usize,
    /// How often markup was broken and had to be taken for text or skipped.
    pub(super) faults: usize,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let budget = text.len().saturating_mul(RESCANS).saturating_add(MIN_BUDGET);
        Self { text, reader: reader(text), origin: 0, budget, faults: 0 }
    }

    /// Where the next token begins, in bytes from the start of the document.
    pub(super) fn position(&self) -> usize {
        self.origin + usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }

    /// The next token. Comments, processing instructions and declarations are passed over.
    pub(super) fn next(&mut self) -> Token<'t> {
        loop {
            let start = self.position();
            let event = self.reader.read_event();
            let slice = self.text.get(start..self.position()).unwrap_or_default();
            match event {
                Ok(Event::Start(_) | Event::Empty(_)) => return self.open(slice, start),
                Ok(Event::End(_)) => {
                    let name = slice.trim_start_matches("</").trim_end_matches('>').trim();
                    return Token::Close { name };
                }
                Ok(Event::Text(_)) => {
                    self.faults += usize::from(slice.starts_with('&'));
                    return Token::Text(slice);
                }
                Ok(Event::CData(_)) => {
                    let inner = slice.strip_prefix("<![CDATA[").unwrap_or(slice);
                    return Token::Cdata(inner.strip_suffix("]]>").unwrap_or(inner));
                }
                Ok(Event::GeneralRef(_)) => {
                    let name = slice.strip_prefix('&').unwrap_or(slice);
                    return match name.strip_suffix(';') {
                        Some(name) if super::entities::is_reference_name(name) => {
                            Token::Reference(name)
                        }
                        _ => {
                            self.faults += 1;
                            Token::Text(slice)
                        }
                    };
                }
                Ok(Event::DocType(_)) => return Token::Doctype(slice),
                Ok(Event::Comment(_) | Event::PI(_) | Event::Decl(_)) => {}
                Ok(Event::Eof) => return Token::End,
                Err(_) => return self.recover(),
            }
        }
    }

    fn open(&mut self, slice: &'t str, start: usize) -> Token<'t> {
        let inner = slice.strip_prefix('<').unwrap_or(slice);
        if !inner.starts_with(is_name_start) {
            return self.less_than_is_text(start);
        }
        // A quote that nobody closed runs over the tags behind it, up to the next quote.
        if let Some(end) = swallowed_tag_end(inner) {
            self.faults += 1;
            self.restart(start + 1 + end + 1);
            return tag(inner.get(..end).unwrap_or(inner));
        }
        tag(inner.strip_suffix('>').unwrap_or(inner))
    }

    /// Goes on behind the construct that quick-xml could not read.
    fn recover(&mut self) -> Token<'t> {
        let fault =
            self.origin + usize::try_from(self.reader.error_position()).unwrap_or(usize::MAX);
        let rest = self.text.get(fault..).unwrap_or_default();
        if !rest.starts_with('<') {
            return Token::End;
        }
        if let Some(name) = rest.strip_prefix("</") {
            // An end tag that breaks off at the end of the document.
            self.faults += 1;
            self.reader = reader("");
            self.origin = self.text.len();
            return Token::Close { name: name.trim() };
        }
        // An open comment or CDATA section: what it holds is worth more than its mark.
        for mark in ["<![CDATA[", "<!--"] {
            if rest.starts_with(mark) {
                self.faults += 1;
                return if self.restart(fault + mark.len()) { Token::Text("") } else { Token::End };
            }
        }
        if rest.starts_with("<!") || rest.starts_with("<?") {
            self.faults += 1;
            let end = rest.find('>').map_or(rest.len(), |at| at + 1);
            return if self.restart(fault + end) { Token::Text("") } else { Token::End };
        }
        if let Some(inner) = rest.strip_prefix('<').filter(|r| r.starts_with(is_name_start)) {
            if let Some(end) = inner.find('>') {
                self.faults += 1;
                let again = self.restart(fault + 1 + end + 1);
                return if again { tag(inner.get(..end).unwrap_or(inner)) } else { Token::End };
            }
            return Token::End;
        }
        self.less_than_is_text(fault)
    }

    fn less_than_is_text(&mut self, at: usize) -> Token<'t> {
        self.faults += 1;
        if !self.restart(at + 1) {
            return Token::End;
        }
        Token::Text(self.text.get(at..=at).unwrap_or_default())
    }

    /// Reads on from a place in the document, if there is budget left for it.
    fn restart(&mut self, at: usize) -> bool {
        let scanned = self.position().saturating_sub(at);
        let Some(left) = self.budget.checked_sub(scanned + RESTART_COST) else {
            self.reader = reader("");
            self.origin = self.text.len();
            return false;
        };
        self.budget = left;
        self.reader = reader(self.text.get(at..).unwrap_or_default());
        self.origin = at;
        true
    }
}

/// Scans over the whole document that faults may cost.
const RESCANS: usize = 4;
const MIN_BUDGET: usize = 1 << 20;
/// What a new start costs beside its scanning, so that their number is bounded too.
const RESTART_COST: usize = 8;

fn reader(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.check_comments = false;
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    reader
}

/// Splits the inside of a start tag.
fn tag(inner: &str) -> Token<'_> {
    let (inner, empty) = match inner.strip_suffix('/') {
        // `<a href=http://x/>`: the slash belongs to an unquoted value.
        Some(shorter) if !ends_in_unquoted_value(shorter) => (shorter, true),
        _ => (inner, false),
    };
    let end = inner.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '=');
    let (name, attributes) = inner.split_at(end.unwrap_or(inner.len()));
    Token::Open { name, attributes, empty }
}

fn ends_in_unquoted_value(inner: &str) -> bool {
    let last = inner.rsplit(|c: char| c.is_ascii_whitespace()).next().unwrap_or_default();
    last.split_once('=').is_some_and(|(_, value)| !value.is_empty() && !value.contains(['"', '\'']))
}

/// Where a tag should have ended if a quoted value of it holds `>` and then another tag.
fn swallowed_tag_end(inner: &str) -> Option<usize> {
    let end = inner.find('>')?;
    let behind = inner.get(end + 1..)?;
    let looks_like_tags =
        behind.contains("</") || behind.contains("<!") || behind.matches('<').count() > 1;
    looks_like_tags.then_some(end)
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == ':' || !c.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let mut tokens = Tokens::new(text);
        let mut out = Vec::new();
        loop {
            out.push(match tokens.next() {
                Token::Open { name, empty, .. } => {
                    format!("<{name}{}>", if empty { "/" } else { "" })
                }
                Token::Close { name } => format!("</{name}>"),
                Token::Text(text) | Token::Cdata(text) => text.to_owned(),
                Token::Reference(name) => format!("&{name};"),
                Token::Doctype(_) => "<!>".to_owned(),
                Token::End => return out,
            });
        }
    }

    #[test]
    fn well_formed_xml_is_read_as_it_is() {
        assert_eq!(
            read("<?xml version='1.0'?><a b='1'>x &amp; y<!-- c --><d/><![CDATA[<e>]]></a>"),
            ["<a>", "x ", "&amp;", " y", "<d/>", "<e>", "</a>"]
        );
    }

    #[test]
    fn after_a_fault_reading_goes_on() {
        assert_eq!(read("<a>1 < 2 <3</a><b/>").join(""), "<a>1 < 2 <3</a><b/>");
        assert_eq!(read("<a><!foo><b/></a>").join(""), "<a><b/></a>");
        assert_eq!(read("<a><![CDATA[x</a><b/>").join(""), "<a>x</a><b/>");
        assert_eq!(read("<a><!-- x</a><b/>").join(""), "<a> x</a><b/>");
        assert_eq!(read("<a href=\"x>y</a><b c=\"d\"/><e/>").join(""), "<a>y</a><b/><e/>");
        assert_eq!(read("R&D and D&D; done").join(""), "R&D and D&D; done");
        assert_eq!(read("<a>x</a\n").join(""), "<a>x</a>");
    }

    #[test]
    fn a_slash_in_an_unquoted_value_does_not_close_the_tag() {
        assert_eq!(read("<a href=http://x/>t</a><b c=\"d\"/>").join(""), "<a>t</a><b/>");
    }

    #[test]
    fn faults_without_number_end() {
        let text = "<".repeat(300_000);
        let mut tokens = Tokens::new(&text);
        while tokens.next() != Token::End {}
        let text = "<a b=\"".repeat(50_000);
        let mut tokens = Tokens::new(&text);
        while tokens.next() != Token::End {}
    }
}
