//! Titles: the publisher's, or the nearest thing there is to one.

use html5gum::{Token, Tokenizer};

use super::plain_text::{beginning, excerpt, of_html, of_text};
use crate::model::{Media, Timestamp};
use crate::syndication::source_feed::{Markup, SourceEntry, Text};

/// The title of an entry as plain text; in a podcast `itunes:title` comes first (Appendix D).
pub(super) fn find(entry: &SourceEntry<'_>, is_podcast: bool) -> Option<String> {
    let (first, second) = if is_podcast {
        (&entry.itunes_title, &entry.title)
    } else {
        (&entry.title, &entry.itunes_title)
    };
    let titles = [first, second, &entry.media_title];
    let said = || titles.into_iter().flatten();
    said().map(of_text).find(|title| !title.is_empty()).or_else(|| said().find_map(of_picture))
}

/// What stands in for a picture (its `alt`) that is all there is of a title.
pub(super) fn of_picture(title: &Text<'_>) -> Option<String> {
    if title.markup == Markup::Plain || !title.value.contains('<') {
        return None;
    }
    Tokenizer::new(beginning(&title.value, LONGEST_PICTURE)).find_map(|token| {
        let Ok(Token::StartTag(tag)) = token else { return None };
        let alt =
            tag.attributes.get(b"alt".as_slice()).filter(|_| tag.name.as_slice() == b"img")?;
        let alt = of_html(&String::from_utf8_lossy(alt));
        (!alt.is_empty()).then_some(alt)
    })
}

/// Bytes of a title that are looked at for a picture.
const LONGEST_PICTURE: usize = 4 << 10;

/// A title for an entry without one: the first sentence of its text, the name of its file, its day.
pub(super) fn invent(plain: &str, media: &[Media], when: Timestamp) -> String {
    let sentence = first_sentence(plain);
    if !sentence.is_empty() {
        return excerpt(sentence, MAX_CHARS);
    }
    let file = media.first().and_then(|media| file_name(media.url.as_str()));
    file.unwrap_or_else(|| when.to_string().chars().take("YYYY-MM-DD".len()).collect())
}

/// Longest title that is made up, in characters.
const MAX_CHARS: usize = 80;

/// Up to the first mark that ends a sentence and has a space behind it.
fn first_sentence(text: &str) -> &str {
    let ends = text.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?' | '\u{3002}'));
    for (at, mark) in ends {
        let behind = at + mark.len_utf8();
        let rest = text.get(behind..).unwrap_or_default();
        if rest.starts_with(char::is_whitespace) || mark == '\u{3002}' {
            return text.get(..behind).unwrap_or(text);
        }
    }
    text
}

/// The last part of the path, percent-decoded.
fn file_name(url: &str) -> Option<String> {
    let url = url::Url::parse(url).ok()?;
    let last = url.path_segments()?.next_back().filter(|name| !name.is_empty())?;
    let name = percent_encoding::percent_decode_str(last).decode_utf8_lossy().into_owned();
    let name = super::plain_text::one_line(&name);
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{HttpsUrl, MimeType};

    #[test]
    fn a_picture_for_a_title_gives_its_alternative_text() {
        let picture =
            |value: &str, markup| of_picture(&Text { markup, ..Text::unsaid(value.into()) });
        let img = "<a href='x'><img src='1.png' alt=' Low &amp; high '></a>";
        assert_eq!(picture(img, Markup::Unsaid).as_deref(), Some("Low & high"));
        assert_eq!(picture(img, Markup::Html).as_deref(), Some("Low & high"));
        assert_eq!(picture(img, Markup::Plain), None);
        assert_eq!(picture("<img src='1.png' alt=''>", Markup::Html), None);
        assert_eq!(picture("<img src='1.png'><input alt='x'>", Markup::Html), None);
    }

    #[test]
    fn a_title_is_made_of_text_file_or_day() {
        let when = Timestamp::parse_rfc3339("2024-03-05T10:00:00Z").unwrap();
        let url = HttpsUrl::parse("https://cdn.example.net/My%20Show%201.mp3").unwrap();
        let media = [Media::new(url, MimeType::octet_stream())];
        assert_eq!(invent("Low water at 6. Fog later.", &[], when), "Low water at 6.");
        assert_eq!(invent("Version 1.2 is out", &[], when), "Version 1.2 is out");
        assert_eq!(invent("", &media, when), "My Show 1.mp3");
        assert_eq!(invent("", &[], when), "2024-03-05");
    }
}
