//! Where a value stands in a document: `$.items[3].url`.

use std::fmt;

/// A place, as a chain of steps back to the root; costs nothing until it is written.
#[derive(Clone, Copy)]
pub(super) enum Path<'a> {
    Root,
    Member(&'a Path<'a>, &'a str),
    Element(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    pub(super) fn member(&'a self, name: &'a str) -> Self {
        Self::Member(self, name)
    }

    pub(super) fn element(&'a self, at: usize) -> Self {
        Self::Element(self, at)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => f.write_str("$"),
            Self::Member(parent, name) if is_plain(name) => write!(f, "{parent}.{name}"),
            Self::Member(parent, name) => write!(f, "{parent}[{}]", shown(name)),
            Self::Element(parent, at) => write!(f, "{parent}[{at}]"),
        }
    }
}

/// A text of a stranger between quotation marks: short, and without anything that moves a cursor.
pub(super) fn shown(text: &str) -> String {
    let head: String = text.chars().take(LONGEST_SHOWN).collect();
    let rest = if head.len() < text.len() { "\u{2026}" } else { "" };
    format!("{head:?}{rest}")
}

fn is_plain(name: &str) -> bool {
    (1..=LONGEST_SHOWN).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// In characters.
const LONGEST_SHOWN: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_from_the_root_and_strange_names_are_quoted() {
        let items = Path::Root.member("items");
        let item = items.element(3);
        assert_eq!(item.member("url").to_string(), "$.items[3].url");
        assert_eq!(item.member("a b\u{1b}[2J").to_string(), "$.items[3][\"a b\\u{1b}[2J\"]");
        assert_eq!(Path::Root.member("").to_string(), "$[\"\"]");
        assert!(Path::Root.member(&"x".repeat(1_000)).to_string().chars().count() < 80);
    }

    #[test]
    fn what_is_left_out_of_a_long_text_is_marked() {
        let longest = "\u{e4}".repeat(LONGEST_SHOWN);
        assert_eq!(shown(&longest), format!("\"{longest}\""));
        assert_eq!(shown(&format!("{longest}x")), format!("\"{longest}\"\u{2026}"));
    }
}
