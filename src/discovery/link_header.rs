//! The links of a response header, read as appendix B of RFC 8288 does.

use std::borrow::Cow;

use encoding_rs::Encoding;
use percent_encoding::percent_decode_str;

use crate::model::SourceUrl;

use super::link::Link;
use super::{Candidate, MAX_LINKS};

/// Finds the links to feeds in `Link` fields, in their order, at most [`MAX_LINKS`].
pub(super) fn find(fields: &[String], page: &SourceUrl) -> Vec<Candidate> {
    let values = fields.iter().flat_map(|field| Values { rest: field });
    values.take(MAX_LINKS).filter_map(|value| value.candidate(page)).collect()
}

/// One link: its target and its parameters, names in lower case.
struct Value<'f> {
    target: &'f str,
    parameters: Vec<(String, Cow<'f, str>)>,
}

impl Value<'_> {
    fn candidate(&self, page: &SourceUrl) -> Option<Candidate> {
        if self.parameter("anchor").is_some_and(|anchor| !is_page(anchor, page)) {
            return None;
        }
        let international = self.parameter("title*").and_then(decode_extended);
        let link = Link {
            rel: self.parameter("rel")?,
            media_type: self.parameter("type"),
            href: self.target,
            title: international.as_deref().or_else(|| self.parameter("title")),
        };
        link.candidate(page)
    }

    /// The first of a name: others MUST be ignored (RFC 8288, 3.3 and 3.4.1).
    fn parameter(&self, wanted: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_ref())
    }
}

/// Whether a link's context is the page, and not another resource or a part of the page.
fn is_page(anchor: &str, page: &SourceUrl) -> bool {
    let has_fragment = anchor.split_once('#').is_some_and(|(_, fragment)| !fragment.is_empty());
    !has_fragment && page.join(anchor).is_ok_and(|context| context == *page)
}

/// Walks over the values of a field; the first that is none ends it.
struct Values<'f> {
    rest: &'f str,
}

impl<'f> Iterator for Values<'f> {
    type Item = Value<'f>;

    fn next(&mut self) -> Option<Value<'f>> {
        let inside = self.rest.trim_start_matches([' ', '\t', ',']).strip_prefix('<')?;
        let (target, rest) = inside.split_once('>')?;
        let (parameters, rest) = split_parameters(rest);
        self.rest = rest;
        Some(Value { target, parameters })
    }
}

type Parameters<'f> = Vec<(String, Cow<'f, str>)>;

/// Takes the parameters off the start of a text.
fn split_parameters(text: &str) -> (Parameters<'_>, &str) {
    let mut parameters = Vec::new();
    let mut rest = text.trim_start_matches(BLANKS);
    while let Some(parameter) = rest.strip_prefix(';') {
        let parameter = parameter.trim_start_matches(BLANKS);
        let (name, after) = split_before(parameter, [' ', '\t', '=', ';', ',']);
        let after = after.trim_start_matches(BLANKS);
        let (value, after) = match after.strip_prefix('=') {
            Some(value) => split_value(value.trim_start_matches(BLANKS)),
            None => (Cow::Borrowed(""), after),
        };
        if !name.is_empty() && parameters.len() < MAX_PARAMETERS {
            parameters.push((name.to_ascii_lowercase(), value));
        }
        rest = after.trim_start_matches(BLANKS);
    }
    (parameters, rest)
}

fn split_value(text: &str) -> (Cow<'_, str>, &str) {
    match text.strip_prefix('"') {
        Some(inside) => {
            let (value, rest) = split_quoted(inside);
            (Cow::Owned(value), rest)
        }
        None => {
            let (value, rest) = split_before(text, [';', ',']);
            (Cow::Borrowed(value.trim_end_matches(BLANKS)), rest)
        }
    }
}

/// Reads a quoted string from behind its first quote. One that is not closed goes to the end.
fn split_quoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => break,
            '\\' => value.extend(letters.next()),
            other => value.push(other),
        }
    }
    (value, letters.as_str())
}

fn split_before<const N: usize>(text: &str, ends: [char; N]) -> (&str, &str) {
    text.split_at(text.find(ends).unwrap_or(text.len()))
}

/// Decodes an extended value: `UTF-8'en'%E2%82%AC` (RFC 8187, 3.2).
fn decode_extended(text: &str) -> Option<String> {
    let (charset, rest) = text.split_once('\'')?;
    let (_, coded) = rest.split_once('\'')?;
    let encoding = Encoding::for_label_no_replacement(charset.as_bytes())?;
    let bytes: Vec<u8> = percent_decode_str(coded).collect();
    encoding.decode_without_bom_handling_and_without_replacement(&bytes).map(Cow::into_owned)
}

const BLANKS: [char; 2] = [' ', '\t'];

/// The parameters of one link that are looked at.
const MAX_PARAMETERS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(field: &str) -> Vec<(String, String)> {
        let page = SourceUrl::parse("https://a.example/blog/").unwrap();
        let found = find(&[field.to_owned()], &page);
        found.into_iter().map(|c| (c.url.to_string(), c.title.unwrap_or_default())).collect()
    }

    fn check(field: &str, want: &[(&str, &str)]) {
        let found = read(field);
        let found: Vec<(&str, &str)> =
            found.iter().map(|(u, t)| (u.as_str(), t.as_str())).collect();
        assert_eq!(found, want, "{field}");
    }

    const F: &str = "https://a.example/f";

    #[test]
    fn quoting_keeps_what_would_end_a_link() {
        const RSS: &str = "</f>; rel=alternate; type=\"application/rss+xml\"";
        check(&format!("{RSS}; title=\"a, b; c\""), &[(F, "a, b; c")]);
        check(&format!("{RSS}; title=\"say \\\"x\\\" \\\\ \\y\""), &[(F, "say \"x\" \\ y")]);
        check(
            &format!("{RSS}; title=\"<g>; rel=alternate\", <h>; rel=next"),
            &[(F, "<g>; rel=alternate")],
        );
        check(&format!("{RSS}; title=\"open, <g>"), &[(F, "open, <g>")]);
        check(&format!("{RSS}; title=plain words ; x"), &[(F, "plain words")]);
        check(&format!("{RSS};title = \"a\""), &[(F, "a")]);
    }

    #[test]
    fn links_are_told_apart_by_commas() {
        let field = ", </f>;rel=alternate;type=application/rss+xml , ,<g,h;i>; type=application/atom+xml; rel=alternate,<n>; rel=next";
        check(field, &[(F, ""), ("https://a.example/blog/g,h;i", "")]);
    }

    #[test]
    fn the_first_relation_wins() {
        check("</f>; rel=\"x ALTERNATE\"; rel=next; type=application/rss+xml", &[(F, "")]);
        check("</f>; rel=next; rel=alternate; type=application/rss+xml", &[]);
        check("</f>; rel; rel=alternate; type=application/rss+xml", &[]);
        check("</f>; rev=alternate; type=application/rss+xml", &[]);
        check("</f>; REL=alternate; Type=Application/RSS+xml", &[(F, "")]);
    }

    #[test]
    fn links_of_another_page_are_left_out() {
        for (anchor, is_ours) in [
            ("", true),
            ("/blog/", true),
            ("https://A.example/blog/#", true),
            ("#part", false),
            ("/other", false),
            ("https://b.example/blog/", false),
            ("urn:x", false),
        ] {
            let field =
                format!("</f>; anchor=\"{anchor}\"; rel=alternate; type=application/rss+xml");
            assert_eq!(!read(&field).is_empty(), is_ours, "{anchor}");
        }
    }

    #[test]
    fn an_international_title_comes_first_where_it_can_be_read() {
        for (titles, want) in [
            ("title=a; title*=UTF-8'de'n%c3%a4chstes%20Kapitel", "n\u{e4}chstes Kapitel"),
            ("title*=iso-8859-1''%E4; title=a", "\u{e4}"),
            ("title*=\"UTF-8''%e2%82%ac\"", "\u{20ac}"),
            ("title=a; title*=UTF-8''%ff", "a"),
            ("title=a; title*=nonsense", "a"),
            ("title=a; title=b", "a"),
        ] {
            let field = format!("</f>; rel=alternate; type=application/rss+xml; {titles}");
            check(&field, &[(F, want)]);
        }
    }

    #[test]
    fn what_is_no_link_ends_a_field() {
        for field in
            ["", ",", "f; rel=alternate", "</f; rel=alternate", "</f> rel=alternate", "\u{e9}"]
        {
            check(field, &[]);
        }
        check("</f>; rel=alternate; type=application/rss+xml junk \"", &[]);
    }

    #[test]
    fn parameters_are_counted() {
        let field = |others: usize| {
            let others = "; x=1".repeat(others);
            format!("</f>; type=application/rss+xml{others}; rel=alternate")
        };
        check(&field(MAX_PARAMETERS - 2), &[(F, "")]);
        check(&field(MAX_PARAMETERS - 1), &[]);
    }

    #[test]
    fn links_are_counted() {
        let field = "<f>; rel=alternate; type=application/rss+xml,".repeat(MAX_LINKS + 1);
        assert_eq!(read(&field).len(), MAX_LINKS);
    }
}
