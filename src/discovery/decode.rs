//! Bytes of a page to text, as HTML does it.
//!
//! In order: byte order mark, the `charset` of the media type, what the page's own head declares,
//! UTF-8 if it is that, windows-1252. One thing HTML does not do: a page that is valid UTF-8 beyond
//! ASCII is that, whatever single-byte label its server puts on everything.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use html5gum::{StartTag, Token, Tokenizer};

/// Decodes a page; `content_type` is the header field's value. Never fails.
pub(super) fn decode<'b>(body: &'b [u8], content_type: Option<&str>) -> Cow<'b, str> {
    if let Some((encoding, length)) = Encoding::for_bom(body) {
        let rest = body.get(length..).unwrap_or_default();
        return encoding.decode_without_bom_handling(rest).0;
    }
    let named = content_type.and_then(|field| known(label_after(field, "charset")?));
    let encoding = match named.or_else(|| declared(body)) {
        Some(label) if label.is_single_byte() && is_utf8(body) => UTF_8,
        Some(label) => label,
        None if is_utf8(body) => UTF_8,
        None => WINDOWS_1252,
    };
    encoding.decode_without_bom_handling(body).0
}

/// What a `meta` element or the XML declaration says, near the start.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let head = body.get(..HEAD_BYTES).unwrap_or(body);
    let label = Tokenizer::new(head).find_map(|token| {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) if tag.name.as_slice() == b"meta" => label_of_meta(&tag),
            Token::Comment(text) if text.starts_with(b"?xml") => {
                label_after(&String::from_utf8_lossy(&text), "encoding").map(str::to_owned)
            }
            _ => None,
        }
    })?;
    // A declaration that could be read as ASCII is in none of these (HTML 13.2.3.2).
    known(&label).map(|encoding| match encoding {
        e if e == UTF_16LE || e == UTF_16BE => UTF_8,
        e if e == X_USER_DEFINED => WINDOWS_1252,
        e => e,
    })
}

fn label_of_meta(tag: &StartTag<()>) -> Option<String> {
    let attribute = |name: &[u8]| {
        let value = tag.attributes.get(name)?;
        Some(String::from_utf8_lossy(value).into_owned())
    };
    if let Some(label) = attribute(b"charset") {
        return Some(label);
    }
    let is_content_type = attribute(b"http-equiv")?.trim().eq_ignore_ascii_case("content-type");
    let content = attribute(b"content").filter(|_| is_content_type)?;
    label_after(&content, "charset").map(str::to_owned)
}

/// The value of `word=value` in a text, in quotes or not.
fn label_after<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let at = text.to_ascii_lowercase().find(word)?;
    let value = text.get(at + word.len()..)?.trim_start().strip_prefix('=')?.trim_start();
    let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | ';' | '?');
    value.trim_start_matches(['"', '\'']).split(is_end).next()
}

fn known(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label.trim().as_bytes())
}

/// Whether the bytes are UTF-8; the last character may be cut off where others show what it was.
fn is_utf8(body: &[u8]) -> bool {
    let Err(error) = std::str::from_utf8(body) else { return true };
    let valid = body.get(..error.valid_up_to()).unwrap_or_default();
    error.error_len().is_none() && !valid.is_ascii()
}

/// How far into a page its declaration is looked for. HTML's 1024 bytes are a first guess, which
/// its parser corrects when a declaration comes later.
const HEAD_BYTES: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_believed_in_the_order_of_html() {
        let header = Some("text/html; Charset=\"windows-1251\"");
        for (body, content_type, want) in [
            (&b"\xef\xbb\xbf\xc3\xa9"[..], header, "\u{e9}"),
            (b"\xff\xfe<\0a\0", header, "<a"),
            (b"<meta charset=latin1>\xe9", header, "<meta charset=latin1>\u{439}"),
            (b"<META CHARSET=koi8-r>\xc1", None, "<META CHARSET=koi8-r>\u{430}"),
            (b"<meta charset=utf-16>\xc3\xa9", None, "<meta charset=utf-16>\u{e9}"),
            (b"<link charset=koi8-r>\xc1", None, "<link charset=koi8-r>\u{c1}"),
            (b"<!--encoding=koi8-r-->\xc1", None, "<!--encoding=koi8-r-->\u{c1}"),
            (b"<meta charset=x-user-defined>\xe9", None, "<meta charset=x-user-defined>\u{e9}"),
            (b"<!--<meta charset=koi8-r>-->\xe9", None, "<!--<meta charset=koi8-r>-->\u{e9}"),
            (b"<meta charset=nonsense>\xe9", None, "<meta charset=nonsense>\u{e9}"),
            (b"caf\xc3\xa9", None, "caf\u{e9}"),
            (b"caf\xe9", None, "caf\u{e9}"),
            (b"caf\xc3\xa9", Some("text/html; charset=iso-8859-1"), "caf\u{e9}"),
            (b"caf\xc3\xa9 \xe2\x80", None, "caf\u{e9} \u{fffd}"),
        ] {
            assert_eq!(decode(body, content_type), want, "{}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn declarations_are_read_in_each_of_their_forms() {
        for head in [
            "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>",
            "<meta content='text/html;charset = \"koi8-r\"' http-equiv=\" content-type\">",
            "<?xml version='1.0' encoding='koi8-r'?><html>",
            "<meta name=x content=y><meta charset=' KOI8-R '>",
        ] {
            let body = [head.as_bytes(), b"\xc1"].concat();
            assert!(decode(&body, None).ends_with('\u{430}'), "{head}");
        }
    }
}
