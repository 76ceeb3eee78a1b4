//! Writes `Link` headers (RFC 8288).

use std::fmt::Write;

/// A list of links, in the order they were added.
#[derive(Debug, Default)]
pub(crate) struct Links(String);

impl Links {
    /// Adds a link of that relation.
    pub(crate) fn add(&mut self, relation: &'static str, target: &str) -> &mut Self {
        self.target(target);
        self.parameter("rel", relation);
        self
    }

    /// Adds a link of that relation to a document of that media type.
    pub(crate) fn add_typed(
        &mut self,
        relation: &'static str,
        target: &str,
        media_type: &str,
    ) -> &mut Self {
        self.add(relation, target).parameter("type", media_type);
        self
    }

    /// The value of the header.
    pub(crate) fn into_string(self) -> String {
        self.0
    }

    /// Targets are URLs that were cleaned before; what could end the brackets or the header is
    /// percent-encoded all the same, since some of it began as a stranger's words.
    fn target(&mut self, target: &str) {
        self.0.push_str(if self.0.is_empty() { "<" } else { ", <" });
        for byte in target.bytes() {
            if byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>' | b'"') {
                self.0.push(char::from(byte));
            } else {
                let _ = write!(self.0, "%{byte:02X}");
            }
        }
        self.0.push('>');
    }

    /// Values are relations of ours or media types that a source gave: of those, only what can
    /// stand in one is kept.
    fn parameter(&mut self, name: &str, value: &str) {
        let is_kept =
            |letter: &char| letter.is_ascii_alphanumeric() || "!#$&^_.+-/".contains(*letter);
        let value: String = value.chars().filter(is_kept).collect();
        let _ = write!(self.0, "; {name}=\"{value}\"");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_listed_with_relation_and_type() {
        let mut links = Links::default();
        links.add("self", "https://g.example/mmsp/feed?url=a&limit=3").add_typed(
            "via",
            "https://x.example/feed",
            "application/rss+xml",
        );
        assert_eq!(
            links.into_string(),
            "<https://g.example/mmsp/feed?url=a&limit=3>; rel=\"self\", \
             <https://x.example/feed>; rel=\"via\"; type=\"application/rss+xml\""
        );
    }

    #[test]
    fn a_target_cannot_leave_its_brackets_nor_the_header() {
        let mut links = Links::default();
        links.add("via", "https://x/>; rel=\"next\"\r\nSet-Cookie: a=b é");
        assert_eq!(
            links.into_string(),
            "<https://x/%3E;%20rel=%22next%22%0D%0ASet-Cookie:%20a=b%20%C3%A9>; rel=\"via\""
        );
    }
}
