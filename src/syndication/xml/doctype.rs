//! Finds the end of a DOCTYPE, and the entities that it declares, in one pass each.

use memchr::{memchr, memmem};

/// The length of the DOCTYPE that a text begins with; none if it does not end.
///
/// Comments, instructions and quoted values may hold any mark. A quote that nobody closes is no quote:
/// outside the brackets none reaches over a `>`, inside none over the next declaration.
pub(super) fn length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut open, mut in_brackets) = (0, 0_usize, false);
    loop {
        at += bytes.get(at..)?.iter().position(|b| b"<>[]\"'".contains(b))?;
        let rest = bytes.get(at..)?;
        at += match rest {
            [b'<', b'!', b'-', b'-', ..] => memmem::find(rest, b"-->")? + 3,
            [b'<', b'?', ..] => memmem::find(rest, b"?>")? + 2,
            [b'<', ..] => {
                open += 1;
                1
            }
            [b'>', ..] if open == 1 => return Some(at + 1),
            [b'>', ..] => {
                open -= 1;
                1
            }
            [b'[', ..] => {
                in_brackets = true;
                1
            }
            [b']', ..] => {
                in_brackets = false;
                1
            }
            _ => literal(rest, in_brackets).unwrap_or(1),
        };
    }
}

/// The length of a quoted value together with its quotes.
fn literal(text: &[u8], in_brackets: bool) -> Option<usize> {
    let inner = text.get(1..)?;
    let end = memchr(*text.first()?, inner)?;
    let value = inner.get(..end)?;
    let runs_over = if in_brackets {
        memmem::find(value, b"<!").is_some()
    } else {
        memchr(b'>', value).is_some()
    };
    (!runs_over).then_some(end + 2)
}

/// What stands behind each `<!ENTITY` of a DOCTYPE that is no part of a comment or an instruction.
pub(super) fn entities(doctype: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = doctype.get(at..)?;
            let start = memchr(b'<', rest.as_bytes())?;
            let rest = rest.get(start..)?;
            at += start + 1;
            if rest.starts_with("<!--") {
                at += memmem::find(rest.as_bytes(), b"-->")?;
            } else if rest.starts_with("<?") {
                at += memmem::find(rest.as_bytes(), b"?>")?;
            } else if let Some(declaration) = rest.strip_prefix("<!ENTITY") {
                return Some(declaration);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doctype_ends_behind_all_that_it_holds() {
        for doctype in [
            "<!DOCTYPE rss>",
            "<!DOCTYPE rss SYSTEM \"http://x/a<b\">",
            "<!DOCTYPE rss [<!ENTITY b \"a>b\"><!ENTITY c 'd'>]>",
            "<!DOCTYPE rss [<!-- a < b > c --><?x a<b ?>]>",
            "<!DOCTYPE rss [<!ELEMENT a (b)>\n] >",
            "<!DOCTYPE rss PUBLIC \"-//x>",
            "<!DOCTYPE rss [<!ENTITY a \"b><!ENTITY c 'd'>]>",
        ] {
            assert_eq!(length(&format!("{doctype}<rss title=\"1 > 0\">")), Some(doctype.len()));
        }
        assert_eq!(length("<!DOCTYPE rss [<!ENTITY a 'b'>"), None);
    }

    #[test]
    fn what_a_comment_declares_is_not_declared() {
        let doctype = "<!DOCTYPE r [<!-- <!ENTITY a '1'> --><!ENTITY b '2'><?x <!ENTITY c '3'>?>]>";
        assert_eq!(entities(doctype).count(), 1);
    }
}
