//! Language tags of BCP 47, in the shape that the protocol's schema accepts.

use serde::{Deserialize, Deserializer, Serialize};

/// A language tag: subtags of two to eight characters, the first of letters only.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct LanguageTag(String);

impl LanguageTag {
    /// The tag for "not known" (ISO 639-2).
    #[must_use]
    pub fn undetermined() -> Self {
        Self("und".to_owned())
    }

    /// Parses a tag as found in the wild: `en_US` counts as `en-US`, and what follows a subtag of
    /// one character (extensions, private use) is cut off, since the schema has no room for it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        // The first of a list, without the encoding of a POSIX locale.
        let first = text.split([',', ';', '.', '@', '/']).next().unwrap_or_default();
        let longest = if first.len() < text.len() { ISO_639_LETTERS } else { 8 };
        let spelled = first.trim().replace('_', "-");
        let kept: Vec<&str> =
            spelled.trim_end_matches('-').split('-').take_while(|part| part.len() != 1).collect();
        let (first, rest) = kept.split_first()?;
        let first_ok = is_subtag(first)
            && first.len() <= longest
            && first.bytes().all(|b| b.is_ascii_alphabetic());
        (first_ok && rest.iter().all(|part| is_subtag(part)) && kept.len() <= MAX_SUBTAGS)
            .then(|| Self(kept.join("-")))
    }

    /// The tag as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for LanguageTag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a language tag"))
    }
}

/// Letters of a language's code; a longer word in a list is a word.
const ISO_639_LETTERS: usize = 3;

/// More subtags than this are noise, not a language.
const MAX_SUBTAGS: usize = 8;

fn is_subtag(part: &str) -> bool {
    (2..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tags_in_the_wild_are_read() {
        for (text, tag) in [
            ("en", Some("en")),
            (" en_US ", Some("en-US")),
            ("zh-Hans-CN", Some("zh-Hans-CN")),
            ("de-x-private", Some("de")),
            ("de-AT, en", Some("de-AT")),
            ("en-us;q=0.9", Some("en-us")),
            ("ru_RU.UTF-8", Some("ru-RU")),
            ("de-", Some("de")),
            (", en", None),
            ("english, mostly", None),
            ("english language", None),
            ("x-none", None),
            ("e", None),
            ("", None),
            ("12", None),
        ] {
            assert_eq!(LanguageTag::parse(text).as_ref().map(LanguageTag::as_str), tag, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            tag in "[a-zA-Z]{2,8}([-_][a-zA-Z0-9]{2,8}){0,7}(-x-[a-z]{1,8})?",
        ) {
            let read = LanguageTag::parse(&tag).unwrap();
            prop_assert_eq!(LanguageTag::parse(read.as_str()), Some(read.clone()));
            let json = serde_json::to_string(&read).unwrap();
            prop_assert_eq!(serde_json::from_str::<LanguageTag>(&json).unwrap(), read);
        }

        #[test]
        fn no_text_makes_it_panic_and_nothing_else_gets_through(text in ".{0,40}|[a-zA-Z0-9_ -]{0,40}") {
            let Some(tag) = LanguageTag::parse(&text) else { return Ok(()) };
            let subtags: Vec<&str> = tag.as_str().split('-').collect();
            prop_assert!(subtags.len() <= MAX_SUBTAGS && subtags.iter().all(|part| is_subtag(part)));
            prop_assert_eq!(LanguageTag::parse(tag.as_str()), Some(tag.clone()));
        }
    }
}
