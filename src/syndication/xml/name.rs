//! The name of an element, parted once.

/// A name as it is written, with its prefix if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name<'t> {
    pub(super) written: &'t str,
    /// Where the local part begins.
    local: usize,
}

impl<'t> Name<'t> {
    /// Takes the name from the front of a tag's inside, up to what cannot be in a name.
    pub(super) fn at_front(inner: &'t str) -> Self {
        let mut local = 0;
        for (at, byte) in inner.bytes().enumerate() {
            match byte {
                b':' if local == 0 => local = at + 1,
                b'/' | b'=' => return Self::cut(inner, at, local),
                byte if byte.is_ascii_whitespace() => return Self::cut(inner, at, local),
                _ => {}
            }
        }
        Self { written: inner, local }
    }

    fn cut(inner: &'t str, end: usize, local: usize) -> Self {
        Self { written: inner.get(..end).unwrap_or(inner), local }
    }

    /// The name behind the prefix.
    pub(super) fn local(self) -> &'t str {
        self.written.get(self.local..).unwrap_or_default()
    }

    /// The prefix, if there is one.
    pub(super) fn prefix(self) -> Option<&'t str> {
        self.written.get(..self.local.checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_where_a_tag_says_so_and_is_parted_at_its_first_colon() {
        for (inner, written, prefix, local) in [
            ("item", "item", None, "item"),
            ("media:content url='a:b'", "media:content", Some("media"), "content"),
            ("a:b:c", "a:b:c", Some("a"), "b:c"),
            ("br/", "br", None, "br"),
            ("x=y", "x", None, "x"),
            (":x", ":x", Some(""), "x"),
        ] {
            let name = Name::at_front(inner);
            assert_eq!((name.written, name.prefix(), name.local()), (written, prefix, local));
        }
    }
}
