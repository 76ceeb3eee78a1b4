//! Parts a document into markup and text, kept going over every fault. Tokens are slices of it.
//!
//! Not an XML parser: those end at the first syntax error, and feeds have them everywhere (ADR 71).
//! What is broken is read as browsers do where that makes sense, and is text where it does not.

use memchr::{memchr, memchr3, memmem};

use super::doctype;
use super::name::Name;

/// A piece of markup or text, as it stands in the document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// `<name attributes>`; `empty` for `<name/>`.
    Open { name: Name<'t>, attributes: &'t str, empty: bool },
    /// `</name>`.
    Close { name: &'t str },
    /// Text with its references as they are written.
    Text(&'t str),
    /// The inside of a CDATA section, or a `<` that begins no markup.
    Cdata(&'t str),
    /// A DOCTYPE.
    Doctype(&'t str),
    /// The end of the document.
    End,
}

/// Reads a document token by token.
pub(super) struct Tokens<'t> {
    text: &'t str,
    position: usize,
    /// Bytes that may still be looked at in vain: an open quote may scan to the end.
    budget: usize,
    /// What was looked for and is nowhere behind.
    absent: [bool; 3],
    /// How often markup was broken and had to be taken for text or skipped.
    pub(super) faults: usize,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let budget = text.len().saturating_mul(RESCANS).saturating_add(MIN_BUDGET);
        Self { text, position: 0, budget, absent: [false; 3], faults: 0 }
    }

    /// Where the next token begins, in bytes from the start of the document.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The next token. Comments, processing instructions and declarations are passed over.
    pub(super) fn next(&mut self) -> Token<'t> {
        loop {
            let rest = self.text.get(self.position..).unwrap_or_default();
            if !rest.starts_with('<') && !rest.is_empty() {
                let markup = memchr(b'<', rest.as_bytes());
                return Token::Text(self.take(markup.unwrap_or(rest.len())));
            }
            let token = match rest.as_bytes().get(1) {
                None if rest.is_empty() => return Token::End,
                Some(b'/') => self.close(rest),
                Some(b'!') if rest.starts_with(CDATA) => self.cdata(rest),
                Some(b'!') if rest.starts_with(COMMENT) => self.comment(rest),
                Some(b'!') => self.declaration(rest),
                Some(b'?') => self.instruction(rest),
                Some(&first) if is_name_start(first) => self.open(rest),
                _ => Some(self.less_than()),
            };
            if let Some(token) = token {
                return token;
            }
        }
    }

    fn close(&mut self, rest: &'t str) -> Option<Token<'t>> {
        // A name is too short to be worth a search by blocks.
        let end = rest.bytes().position(|b| b == b'>');
        let name = rest.get(2..end.unwrap_or(rest.len())).unwrap_or_default().trim();
        self.faults += usize::from(end.is_none());
        self.take(end.map_or(rest.len(), |end| end + 1));
        Some(Token::Close { name })
    }

    fn cdata(&mut self, rest: &'t str) -> Option<Token<'t>> {
        let Some(end) = self.find(Mark::Cdata, rest) else {
            return self.never_ends(CDATA.len());
        };
        self.take(end + "]]>".len());
        rest.get(CDATA.len()..end).map(Token::Cdata)
    }

    fn comment(&mut self, rest: &'t str) -> Option<Token<'t>> {
        let Some(end) = self.find(Mark::Comment, rest) else {
            return self.never_ends(COMMENT.len());
        };
        self.take(end + "-->".len());
        None
    }

    /// A DOCTYPE, with the declarations inside it; any other declaration is none of a feed's.
    fn declaration(&mut self, rest: &'t str) -> Option<Token<'t>> {
        let is_doctype = rest.get(2..9).is_some_and(|word| word.eq_ignore_ascii_case("doctype"));
        if is_doctype
            && self.pay(rest.len())
            && let Some(length) = doctype::length(rest)
        {
            self.budget += rest.len();
            return Some(Token::Doctype(self.take(length)));
        }
        self.broken(rest)
    }

    fn instruction(&mut self, rest: &'t str) -> Option<Token<'t>> {
        // An XML declaration without its second `?` would reach to the next instruction.
        let end = if rest.starts_with("<?xml ") {
            memchr(b'>', rest.as_bytes())
                .and_then(|end| rest.get(..end)?.ends_with('?').then_some(end - 1))
        } else {
            self.find(Mark::Instruction, rest)
        };
        match end {
            Some(end) => {
                self.take(end + "?>".len());
                None
            }
            None => self.broken(rest),
        }
    }

    /// Where a mark is that ends something. Looks in vain once only.
    fn find(&mut self, mark: Mark, rest: &str) -> Option<usize> {
        let (begins, ends) = match mark {
            Mark::Cdata => (CDATA.len(), "]]>"),
            Mark::Comment => (COMMENT.len(), "-->"),
            Mark::Instruction => (2, "?>"),
        };
        let absent = self.absent.get_mut(mark as usize)?;
        if *absent {
            return None;
        }
        let inner = rest.as_bytes().get(begins..).unwrap_or_default();
        let found = memmem::find(inner, ends.as_bytes()).map(|at| begins + at);
        *absent = found.is_none();
        found
    }

    fn open(&mut self, rest: &'t str) -> Option<Token<'t>> {
        let end = tag_end(rest);
        // A quote that nobody closed runs over the tags behind it, up to the next quote or the end.
        let unquoted_end = match end {
            Some(end) => swallowed_tag_end(rest.get(..end)?),
            None => memchr(b'>', rest.as_bytes()),
        };
        if let Some(shorter) = unquoted_end
            && self.pay(end.unwrap_or(rest.len()))
        {
            self.faults += 1;
            self.take(shorter + 1);
            return rest.get(1..shorter).map(tag);
        }
        match end.filter(|_| unquoted_end.is_none()) {
            Some(end) => {
                self.take(end + 1);
                rest.get(1..end).map(tag)
            }
            None => {
                self.take(rest.len());
                Some(Token::End)
            }
        }
    }

    /// An open comment or CDATA section: what it holds is worth more than its mark.
    fn never_ends(&mut self, mark: usize) -> Option<Token<'t>> {
        self.faults += 1;
        self.take(mark);
        None
    }

    /// Passes over markup that is none of XML's, to the nearest `>`.
    fn broken(&mut self, rest: &'t str) -> Option<Token<'t>> {
        self.faults += 1;
        let end = memchr(b'>', rest.as_bytes());
        self.take(end.map_or(rest.len(), |end| end + 1));
        None
    }

    fn less_than(&mut self) -> Token<'t> {
        self.faults += 1;
        Token::Cdata(self.take(1))
    }

    /// Goes on by so many bytes, which are handed out.
    fn take(&mut self, bytes: usize) -> &'t str {
        let start = self.position;
        self.position += bytes;
        self.text.get(start..self.position).unwrap_or_default()
    }

    /// Pays for bytes that were looked at and will be looked at again; false if that is too many.
    fn pay(&mut self, bytes: usize) -> bool {
        match self.budget.checked_sub(bytes) {
            Some(left) => {
                self.budget = left;
                true
            }
            None => false,
        }
    }
}

/// Scans over the whole document that faults may cost.
const RESCANS: usize = 4;
const MIN_BUDGET: usize = 1 << 20;

/// What can be open to the end of the document.
#[derive(Clone, Copy)]
enum Mark {
    Cdata,
    Comment,
    Instruction,
}

const CDATA: &str = "<![CDATA[";
const COMMENT: &str = "<!--";

/// Where the `>` of a start tag is: behind its quoted values.
fn tag_end(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut at = 1;
    loop {
        at += memchr3(b'>', b'"', b'\'', bytes.get(at..)?)?;
        let quote = *bytes.get(at)?;
        if quote == b'>' {
            return Some(at);
        }
        at += 1 + memchr(quote, bytes.get(at + 1..)?)? + 1;
    }
}

/// Splits the inside of a start tag.
fn tag(inner: &str) -> Token<'_> {
    let (inner, empty) = match inner.strip_suffix('/') {
        // `<a href=http://x/>`: the slash belongs to an unquoted value.
        Some(shorter) if !ends_in_unquoted_value(shorter) => (shorter, true),
        _ => (inner, false),
    };
    let name = Name::at_front(inner);
    let attributes = inner.get(name.written.len()..).unwrap_or_default();
    Token::Open { name, attributes, empty }
}

fn ends_in_unquoted_value(inner: &str) -> bool {
    let last = inner.rsplit(|c: char| c.is_ascii_whitespace()).next().unwrap_or_default();
    last.split_once('=').is_some_and(|(_, value)| !value.is_empty() && !value.contains(['"', '\'']))
}

/// Where a tag should have ended if a quoted value of it holds `>` and then another tag.
fn swallowed_tag_end(tag: &str) -> Option<usize> {
    let end = memchr(b'>', tag.as_bytes())?;
    let behind = tag.get(end + 1..)?;
    let looks_like_tags =
        behind.contains("</") || behind.contains("<!") || behind.matches('<').count() > 1;
    looks_like_tags.then_some(end)
}

fn is_name_start(first: u8) -> bool {
    first.is_ascii_alphabetic() || matches!(first, b'_' | b':') || !first.is_ascii()
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
                    format!("<{}{}>", name.written, if empty { "/" } else { "" })
                }
                Token::Close { name } => format!("</{name}>"),
                Token::Text(text) | Token::Cdata(text) => text.to_owned(),
                Token::Doctype(_) => "<!>".to_owned(),
                Token::End => return out,
            });
        }
    }

    #[test]
    fn well_formed_xml_is_read_as_it_is() {
        assert_eq!(
            read("<?xml version='1.0'?><a b='1'>x &amp; y<!-- c --><d/><![CDATA[<e>]]></a>"),
            ["<a>", "x &amp; y", "<d/>", "<e>", "</a>"]
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
        let declared = "<?xml version='1.0'><a><![CDATA[<?php x ?>]]></a>";
        assert_eq!(read(declared).join(""), "<a><?php x ?></a>");
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
        // Markup of a word processor, unescaped, in every item.
        let word = "<i><![if !supportLists]>1.<![endif]>x</i>".repeat(20_000);
        assert_eq!(read(&word).len(), 4 * 20_000);
        for begun in ["<!DOCTYPE [", "<!--", "<![CDATA[", "<?php ", "<!DOCTYPE a '", "<!DOCTYPE["] {
            let text = begun.repeat(50_000);
            let mut tokens = Tokens::new(&text);
            while tokens.next() != Token::End {}
        }
        let text = "<?xml a>".repeat(100_000) + "?>";
        let mut tokens = Tokens::new(&text);
        while tokens.next() != Token::End {}
        let text = "<a b=\"".repeat(50_000);
        let mut tokens = Tokens::new(&text);
        while tokens.next() != Token::End {}
    }
}
