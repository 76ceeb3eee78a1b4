//! Transcripts and captions.

use super::item::Draft;
use super::media::of_file_name;
use crate::model::{Caption, LanguageTag, MimeType, Transcript};
use crate::syndication::source_feed::TimedText;

impl Draft<'_, '_> {
    /// Text and HTML make the transcript, files with times the captions; a podcast that only has
    /// timed ones gets the best of them as its transcript too.
    pub(super) fn transcripts(&mut self) -> (Option<Transcript>, Vec<Caption>) {
        let mut transcript: Option<Transcript> = None;
        let mut timed: Vec<(Caption, Option<LanguageTag>)> = Vec::new();
        for text in self.entry.transcripts.iter().take(MAX_TEXTS) {
            let Some(url) = self.address("podcast:transcript", &text.url) else { continue };
            let mime_type = kind(text, url.as_str());
            let language = text.language.as_deref().and_then(LanguageTag::parse);
            if is_timed(text, &mime_type) {
                let known = language.clone().or_else(|| self.spoken());
                let caption = Caption {
                    url,
                    mime_type,
                    language: known.unwrap_or_else(LanguageTag::undetermined),
                    label: None,
                };
                timed.push((caption, language));
            } else if transcript.is_none() {
                transcript = Some(Transcript { url, mime_type, language });
            }
        }
        let best = timed.iter().min_by_key(|(caption, _)| rank(&caption.mime_type));
        if let (None, true, Some((caption, language))) =
            (&transcript, self.context.is_podcast(), best)
        {
            transcript = Some(Transcript {
                url: caption.url.clone(),
                mime_type: caption.mime_type.clone(),
                language: language.clone(),
            });
        }
        let (captions, others): (Vec<_>, Vec<_>) = timed
            .into_iter()
            .map(|(caption, _)| caption)
            .partition(|caption| is_caption_format(&caption.mime_type));
        let taken = transcript.as_ref().map(|transcript| &transcript.url);
        for other in others.iter().filter(|other| Some(&other.url) != taken) {
            self.keep("podcast:transcript", other.url.as_str());
        }
        (transcript, captions)
    }

    fn spoken(&self) -> Option<LanguageTag> {
        let own = self.entry.language.as_deref().and_then(LanguageTag::parse);
        own.or_else(|| self.context.language.clone())
    }
}

const MAX_TEXTS: usize = 50;

fn kind(text: &TimedText<'_>, url: &str) -> MimeType {
    let said = text.media_type.as_deref().and_then(MimeType::parse);
    said.filter(|kind| !kind.is_generic())
        .or_else(|| of_file_name(url))
        .unwrap_or_else(MimeType::octet_stream)
}

fn is_timed(text: &TimedText<'_>, kind: &MimeType) -> bool {
    text.is_caption || !matches!(kind.as_str(), "text/plain" | "text/html" | "application/pdf")
}

/// JSON transcripts are timed but no captions that a player shows.
fn is_caption_format(kind: &MimeType) -> bool {
    !matches!(kind.as_str(), "application/json" | "application/octet-stream")
}

/// Which timed form reads best as a transcript.
fn rank(kind: &MimeType) -> u8 {
    match kind.as_str() {
        "text/vtt" => 0,
        "application/x-subrip" | "application/srt" | "text/srt" => 1,
        "application/json" => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::for_tests::{episode, item, read, rss};
    use super::*;

    fn text(name: &str, more: &str) -> String {
        format!("<podcast:transcript url='https://a.example/{name}' {more}/>")
    }

    const FILE: &str = "<enclosure url='https://a.example/1.mp3'/>";

    fn check(texts: &[String], transcript: &Value, captions: &Value) {
        let item = episode(&format!("{FILE}{}", texts.concat()));
        assert_eq!(&item["transcript"], transcript, "{texts:?}");
        assert_eq!(&item["captions"], captions, "{texts:?}");
    }

    #[test]
    fn text_is_the_transcript_and_what_has_times_the_captions() {
        check(
            &[
                text("1.vtt", "type='text/vtt' language='en'"),
                text("1.html", "type='text/html' language='en'"),
                text("1.txt", "type='text/plain'"),
            ],
            &json!({ "url": "https://a.example/1.html", "mime_type": "text/html", "language": "en" }),
            &json!([{ "url": "https://a.example/1.vtt", "mime_type": "text/vtt", "language": "en" }]),
        );
    }

    #[test]
    fn a_podcast_with_timed_ones_only_gets_the_best_as_transcript_too() {
        let best = |names: &[&str]| {
            let texts: String = names.iter().map(|name| text(name, "")).collect();
            episode(&format!("{FILE}{texts}"))["transcript"]["url"].clone()
        };
        assert_eq!(best(&["1.json", "1.srt", "1.vtt"]), "https://a.example/1.vtt");
        assert_eq!(best(&["1.json", "1.srt"]), "https://a.example/1.srt");
        assert_eq!(best(&["1.json"]), "https://a.example/1.json");
        assert_eq!(best(&["1.xyz", "1.json"]), "https://a.example/1.json");
        let elsewhere = item(&format!(
            "{FILE}<media:subTitle type='text/vtt' lang='en' href='https://a.example/1.vtt'/>"
        ));
        assert_eq!(elsewhere["transcript"], Value::Null);
        assert_eq!(elsewhere["captions"][0]["url"], "https://a.example/1.vtt");
    }

    #[test]
    fn json_is_no_caption() {
        check(
            &[text("1.json", "type='application/json'"), text("1.txt", "type='text/plain'")],
            &json!({ "url": "https://a.example/1.txt", "mime_type": "text/plain" }),
            &Value::Null,
        );
    }

    #[test]
    fn timed_texts_that_no_member_holds_are_kept() {
        let kept = |texts: &[String]| {
            episode(&format!("{FILE}{}", texts.concat()))["original"]["podcast:transcript"].clone()
        };
        let timed = text("1.json", "type='application/json'");
        assert_eq!(
            kept(&[timed.clone(), text("1.txt", "type='text/plain'")]),
            "https://a.example/1.json"
        );
        assert_eq!(kept(&[timed]), Value::Null);
    }

    #[test]
    fn a_name_tells_more_than_a_type_that_says_nothing() {
        let vtt = text("1.vtt", "type='application/octet-stream'");
        let item = episode(&format!("{FILE}{vtt}"));
        assert_eq!(item["captions"][0]["mime_type"], "text/vtt");
    }

    #[test]
    fn captions_that_are_html_are_captions_because_they_say_so() {
        let item = episode(&format!("{FILE}{}", text("1.html", "type='text/html' rel='captions'")));
        assert_eq!(item["captions"][0]["mime_type"], "text/html");
    }

    #[test]
    fn the_language_of_captions_is_their_own_the_items_the_feeds_or_unknown() {
        let captions = |channel: &str, more: &str, inside: &str| {
            let own = text("1.vtt", more);
            let feed = rss(&format!("{channel}<item>{FILE}{own}{inside}</item>"));
            read(&feed).items[0]["captions"][0]["language"].clone()
        };
        let (feed, item) = ("<language>de</language>", "<dc:language>fr</dc:language>");
        assert_eq!(captions(feed, "language='en'", item), "en");
        assert_eq!(captions(feed, "", item), "fr");
        assert_eq!(captions(feed, "", ""), "de");
        assert_eq!(captions(feed, "language='no tag at all'", ""), "de");
        assert_eq!(captions("", "", ""), "und");
    }

    #[test]
    fn more_texts_than_anyone_means_are_cut_off() {
        let many: String = (0..MAX_TEXTS + 5).map(|n| text(&format!("{n}.vtt"), "")).collect();
        let item = episode(&format!("{FILE}{many}"));
        assert_eq!(item["captions"].as_array().unwrap().len(), MAX_TEXTS);
    }
}
