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
        let captions = timed.into_iter().map(|(caption, _)| caption);
        (transcript, captions.filter(|caption| is_caption_format(&caption.mime_type)).collect())
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
