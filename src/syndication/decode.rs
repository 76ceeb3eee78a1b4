//! Bytes to text, whatever the labels say.
//!
//! In order: byte order mark, the shape of UTF-16 and UTF-32, the `charset` of the media type, the
//! XML declaration, UTF-8 if it is that, a guess. Labels lie: bytes that are valid UTF-8 beyond
//! ASCII are UTF-8, and a label that does not fit gives way to one that does.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, KOI8_R, KOI8_U, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::memmem;

/// A document as text, with what was done to it.
#[derive(Debug)]
pub struct DecodedText<'b> {
    /// The text, without byte order marks and characters that XML forbids.
    pub text: Cow<'b, str>,
    /// The WHATWG name of the encoding it was read in; UTF-32 goes by its own.
    pub encoding: &'static str,
    /// Bytes that were no character in that encoding.
    pub bad_bytes: usize,
    /// Control characters taken out.
    pub control_characters: usize,
}

/// Decodes a document; `content_type` is the header field's value. Never fails.
pub(crate) fn decode<'b>(body: &'b [u8], content_type: Option<&str>) -> DecodedText<'b> {
    let (text, encoding, bad_bytes) = decode_bytes(body, content_type);
    let (text, control_characters) = clean(text);
    DecodedText { text, encoding, bad_bytes, control_characters }
}

/// Whether XML 1.0 allows the character in a document.
pub(crate) fn is_xml_char(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

type Bytes<'b> = (Cow<'b, str>, &'static str, usize);

fn decode_bytes<'b>(body: &'b [u8], content_type: Option<&str>) -> Bytes<'b> {
    if let Some((big_endian, rest)) = utf32(body) {
        return decode_utf32(rest, big_endian);
    }
    if let Some((encoding, length)) = Encoding::for_bom(body) {
        return decode_in(encoding, body.get(length..).unwrap_or_default());
    }
    if let Some(encoding) = utf16_without_mark(body) {
        return decode_in(encoding, body);
    }
    let labels = [content_type.and_then(charset), declared(body)];
    let labels = || labels.iter().flatten().filter_map(|label| known(label));
    if let Ok(text) = std::str::from_utf8(body) {
        let label = labels().next();
        return match label {
            Some(encoding)
                if encoding != UTF_8 && (body.is_ascii() || !encoding.is_single_byte()) =>
            {
                in_label_or_utf8(encoding, body, text)
            }
            _ => (Cow::Borrowed(text), UTF_8.name(), 0),
        };
    }
    let clean_label = labels().filter(|encoding| *encoding != UTF_8).find_map(|encoding| {
        let decoded = encoding.decode_without_bom_handling_and_without_replacement(body)?;
        Some((decoded, encoding.name(), 0))
    });
    if let Some(found) = clean_label {
        return found;
    }
    if is_mostly_utf8(body) {
        return patch_utf8(body);
    }
    match labels().find(|encoding| *encoding != UTF_8) {
        Some(encoding) => decode_in(encoding, body),
        None => decode_in(guess(body), body),
    }
}

/// A multi-byte label holds where the bytes fit it; ASCII is the same in most of them.
fn in_label_or_utf8<'b>(encoding: &'static Encoding, body: &'b [u8], text: &'b str) -> Bytes<'b> {
    if encoding == UTF_16LE || encoding == UTF_16BE {
        return (Cow::Borrowed(text), UTF_8.name(), 0);
    }
    match encoding.decode_without_bom_handling_and_without_replacement(body) {
        Some(decoded) => (decoded, encoding.name(), 0),
        None => (Cow::Borrowed(text), UTF_8.name(), 0),
    }
}

fn decode_in<'b>(encoding: &'static Encoding, body: &'b [u8]) -> Bytes<'b> {
    let (text, had_errors) = encoding.decode_without_bom_handling(body);
    let bad = if had_errors { text.matches('\u{fffd}').count() } else { 0 };
    (text, encoding.name(), bad)
}

fn guess(body: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(body, true);
    match detector.guess(None, Utf8Detection::Deny) {
        // The guess does not tell the two apart; without its own letters it is the older one.
        found if found == KOI8_U && !body.iter().any(|b| UKRAINIAN.contains(b)) => KOI8_R,
        found => found,
    }
}

/// Letters of KOI8-U where KOI8-R has lines (RFC 2319).
const UKRAINIAN: [u8; 8] = [0xa4, 0xa6, 0xa7, 0xad, 0xb4, 0xb6, 0xb7, 0xbd];

/// The `charset` parameter of a media type.
fn charset(content_type: &str) -> Option<String> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
    })
}

/// The `encoding` of the XML declaration, near the start even where something stands before it.
fn declared(body: &[u8]) -> Option<String> {
    let head = body.get(..HEAD_BYTES.min(body.len()))?;
    let start = memmem::find(head, b"<?xml")?;
    let rest = head.get(start..)?;
    let declaration = rest.get(..memmem::find(rest, b"?>").unwrap_or(rest.len()))?;
    let at = memmem::find(declaration, b"encoding")?;
    let text = String::from_utf8_lossy(declaration.get(at + "encoding".len()..)?).into_owned();
    let value = text.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value.get(1..)?.split(quote).next().map(|label| label.trim().to_owned())
}

/// UTF-7 is none of the standard's and never read; `replacement` would drop the document.
fn known(label: &str) -> Option<&'static Encoding> {
    let found = Encoding::for_label_no_replacement(label.as_bytes());
    found.or_else(|| {
        let label = label.to_ascii_lowercase();
        ALIASES
            .iter()
            .find(|(alias, _)| *alias == label)
            .and_then(|(_, name)| Encoding::for_label_no_replacement(name.as_bytes()))
    })
}

/// Labels that XML software uses and the WHATWG list lacks.
const ALIASES: [(&str, &str); 16] = [
    ("cp1250", "windows-1250"),
    ("latin-1", "iso-8859-1"),
    ("iso8859_1", "iso-8859-1"),
    ("iso-latin-1", "iso-8859-1"),
    ("cp-1251", "windows-1251"),
    ("win-1251", "windows-1251"),
    ("cp936", "gbk"),
    ("cp949", "euc-kr"),
    ("cp950", "big5"),
    ("cp932", "shift_jis"),
    ("ms949", "euc-kr"),
    ("ks_c_5601", "euc-kr"),
    ("eucjp", "euc-jp"),
    ("euckr", "euc-kr"),
    ("utf8mb4", "utf-8"),
    ("ucs-2", "utf-16"),
];

/// The order of the bytes of a UTF-32 document, and the bytes behind its mark.
fn utf32(body: &[u8]) -> Option<(bool, &[u8])> {
    match body {
        [0xff, 0xfe, 0, 0, rest @ ..] if rest.len() % 4 == 0 => Some((false, rest)),
        [0, 0, 0xfe, 0xff, rest @ ..] => Some((true, rest)),
        [b'<', 0, 0, 0, ..] => Some((false, body)),
        [0, 0, 0, b'<', ..] => Some((true, body)),
        _ => None,
    }
}

fn decode_utf32<'b>(body: &[u8], big_endian: bool) -> Bytes<'b> {
    let mut bad = 0;
    let text = body
        .chunks(4)
        .map(|chunk| {
            let code = <[u8; 4]>::try_from(chunk).map(|bytes| {
                if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
            });
            code.ok().and_then(char::from_u32).unwrap_or_else(|| {
                bad += 1;
                char::REPLACEMENT_CHARACTER
            })
        })
        .collect::<String>();
    (Cow::Owned(text), if big_endian { "UTF-32BE" } else { "UTF-32LE" }, bad)
}

/// `<?` or `<r` in two bytes a character.
fn utf16_without_mark(body: &[u8]) -> Option<&'static Encoding> {
    match body {
        [b'<', 0, second, 0, ..] if *second != 0 => Some(UTF_16LE),
        [0, b'<', 0, second, ..] if *second != 0 => Some(UTF_16BE),
        _ => None,
    }
}

/// Whether there is more sense than nonsense in the bytes as UTF-8.
fn is_mostly_utf8(body: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in body.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += chunk.invalid().len();
    }
    good > bad
}

/// Reads UTF-8 and takes each byte that does not fit for windows-1252: it was pasted from there.
fn patch_utf8<'b>(body: &[u8]) -> Bytes<'b> {
    let mut text = String::with_capacity(body.len());
    let mut bad = 0;
    for chunk in body.utf8_chunks() {
        text.push_str(chunk.valid());
        bad += chunk.invalid().len();
        text.push_str(&WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0);
    }
    (Cow::Owned(text), UTF_8.name(), bad)
}

/// Takes out byte order marks at the start and characters that XML forbids.
fn clean(text: Cow<'_, str>) -> (Cow<'_, str>, usize) {
    if has_forbidden(text.as_bytes()) {
        let forbidden = text.chars().filter(|c| !is_xml_char(*c) || is_c1(*c)).count();
        let kept: String = text
            .chars()
            // What moves a printer on parts words.
            .map(|c| if matches!(c, '\u{b}' | '\u{c}') { ' ' } else { c })
            .filter(|c| is_xml_char(*c))
            .map(of_windows_1252)
            .collect();
        return (Cow::Owned(kept.trim_start_matches('\u{feff}').to_owned()), forbidden);
    }
    match text {
        Cow::Borrowed(text) => (Cow::Borrowed(text.trim_start_matches('\u{feff}')), 0),
        Cow::Owned(text) if text.starts_with('\u{feff}') => {
            (Cow::Owned(text.trim_start_matches('\u{feff}').to_owned()), 0)
        }
        owned => (owned, 0),
    }
}

/// A look at the bytes: nearly every document passes it, and then no character is looked at.
fn has_forbidden(bytes: &[u8]) -> bool {
    let is_control = |b: u8| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r');
    // What C1 controls, U+FFFE and U+FFFF begin with.
    let may_begin = |b: u8| matches!(b, 0xc2 | 0xef);
    let mut begins = false;
    for block in bytes.chunks(BLOCK_BYTES) {
        if holds(block, is_control) {
            return true;
        }
        begins = begins || holds(block, may_begin);
    }
    begins && memchr::memchr2_iter(0xc2, 0xef, bytes).any(|at| is_forbidden_at(bytes, at))
}

/// Whether a byte of a block is such a one. Looks at all of them without a way out: that is what the
/// processor can do for many bytes at once.
fn holds(block: &[u8], is_such: impl Fn(u8) -> bool) -> bool {
    block.iter().fold(false, |any, byte| any | is_such(*byte))
}

/// Whether a character of two or three bytes at that place is forbidden.
fn is_forbidden_at(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at..) {
        Some([0xc2, second, ..]) => (0x80..0xa0).contains(second),
        Some([0xef, 0xbf, third, ..]) => matches!(third, 0xbe | 0xbf),
        _ => false,
    }
}

/// Bytes that are looked at before it is asked whether one of them was found.
const BLOCK_BYTES: usize = 4096;

/// Control characters that nobody means.
fn is_c1(c: char) -> bool {
    ('\u{80}'..='\u{9f}').contains(&c)
}

/// C1 controls are windows-1252 that somebody took for ISO 8859-1.
fn of_windows_1252(c: char) -> char {
    match u8::try_from(u32::from(c)) {
        Ok(byte) if is_c1(c) => {
            WINDOWS_1252.decode_without_bom_handling(&[byte]).0.chars().next().unwrap_or(c)
        }
        _ => c,
    }
}

/// How far into a document its declaration is looked for.
const HEAD_BYTES: usize = 1024;

#[cfg(test)]
mod tests {
    use encoding_rs::ISO_2022_JP;

    use super::*;

    fn check(body: &[u8], content_type: Option<&str>, text: &str, encoding: &str) {
        let decoded = decode(body, content_type);
        assert_eq!((decoded.text.as_ref(), decoded.encoding), (text, encoding));
    }

    #[test]
    fn marks_and_shapes_come_before_labels() {
        check(b"\xef\xbb\xbf\xc3\xa9", Some("text/xml; charset=latin1"), "\u{e9}", "UTF-8");
        check(b"\xff\xfe<\0a\0", None, "<a", "UTF-16LE");
        check(b"\0<\0a", None, "<a", "UTF-16BE");
        check(b"<\0\0\0a\0\0\0", None, "<a", "UTF-32LE");
        check(b"\0\0\xfe\xff\0\0\0<", None, "<", "UTF-32BE");
    }

    #[test]
    fn the_header_comes_before_the_declaration() {
        let body = b"<?xml version='1.0' encoding='windows-1251'?>\xe9";
        check(
            body,
            Some("a/b; charset=\"windows-1252\""),
            "<?xml version='1.0' encoding='windows-1251'?>\u{e9}",
            "windows-1252",
        );
        check(body, None, "<?xml version='1.0' encoding='windows-1251'?>\u{439}", "windows-1251");
    }

    #[test]
    fn labels_that_lie_give_way() {
        check(
            "Gr\u{fc}\u{df}e".as_bytes(),
            Some("a/b; charset=ISO-8859-1"),
            "Gr\u{fc}\u{df}e",
            "UTF-8",
        );
        check("\u{c9}vora".as_bytes(), Some("a/b; charset=utf-16"), "\u{c9}vora", "UTF-8");
        check(b"caf\xe9", Some("a/b; charset=utf-8"), "caf\u{e9}", "windows-1252");
    }

    #[test]
    fn the_two_forms_of_koi8_are_told_apart_by_their_letters() {
        let russian = "<title>\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442}, \u{43c}\u{438}\u{440}! \
                       \u{42d}\u{442}\u{43e} \u{43d}\u{43e}\u{432}\u{43e}\u{441}\u{442}\u{438}</title>";
        check(&KOI8_R.encode(russian).0, None, russian, "KOI8-R");
    }

    #[test]
    fn one_bad_byte_costs_one_character() {
        let decoded = decode(b"\xc5\x81\xc3\xb3d\xc5\xba and it\x92s", None);
        assert_eq!(decoded.text, "\u{141}\u{f3}d\u{17a} and it\u{2019}s");
        assert_eq!(decoded.bad_bytes, 1);
    }

    #[test]
    fn control_characters_are_taken_out() {
        let decoded = decode("\u{feff}a\u{8}b\u{ffff}\tc\n".as_bytes(), None);
        assert_eq!((decoded.text.as_ref(), decoded.control_characters), ("ab\tc\n", 2));
    }

    #[test]
    fn japanese_in_seven_bits_is_told_by_its_label() {
        let (bytes, _, _) = ISO_2022_JP.encode("\u{81ea}");
        check(&bytes, Some("a/b; charset=iso-2022-jp"), "\u{81ea}", "ISO-2022-JP");
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(body: Vec<u8>, label in "[a-z0-9-]{0,12}") {
            let decoded = decode(&body, Some(&format!("text/xml; charset={label}")));
            proptest::prop_assert!(decoded.text.chars().all(is_xml_char));
        }
    }
}
