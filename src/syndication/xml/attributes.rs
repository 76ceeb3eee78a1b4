//! Attributes of a start tag, however they are quoted.

use memchr::memchr;

/// Splits what follows the name of a start tag into `(name, raw value)`: `a="1"`, `a='1'`, `a=1`
/// and a bare `a`, which has an empty value.
pub(crate) fn split(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest =
            rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || SEPARATORS.contains(&c));
        if rest.is_empty() {
            return None;
        }
        let name_end = rest.find(|c: char| c == '=' || c.is_ascii_whitespace());
        let (name, after) = rest.split_at(name_end.unwrap_or(rest.len()));
        let Some(value) = after.trim_start().strip_prefix('=') else {
            rest = after;
            return Some((name, ""));
        };
        let (value, after) = split_value(value.trim_start());
        rest = after;
        Some((name, value))
    })
    .filter(|(name, _)| !name.is_empty())
}

/// What stands between attributes without being one.
const SEPARATORS: [char; 4] = ['/', '"', '\'', ','];

fn split_value(text: &str) -> (&str, &str) {
    match text.as_bytes().first() {
        Some(&quote @ (b'"' | b'\'')) => {
            let inner = text.get(1..).unwrap_or_default();
            match memchr(quote, inner.as_bytes()) {
                Some(end) => {
                    (inner.get(..end).unwrap_or_default(), inner.get(end + 1..).unwrap_or_default())
                }
                None => (inner, ""),
            }
        }
        _ => text.split_at(text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_quoting_is_read() {
        let read = |text: &'static str| split(text).collect::<Vec<_>>();
        assert_eq!(read(r#" a="1" b='2'  c = "3""#), [("a", "1"), ("b", "2"), ("c", "3")]);
        assert_eq!(
            read(" url=https://x/y.mp3 length=12 type=\"a/b\" hidden "),
            [("url", "https://x/y.mp3"), ("length", "12"), ("type", "a/b"), ("hidden", ""),]
        );
        assert_eq!(read(r#" a="1"b="2""#), [("a", "1"), ("b", "2")]);
        assert_eq!(read(r#" a="open"#), [("a", "open")]);
        assert_eq!(read(" = = "), [] as [(&str, &str); 0]);
    }
}
