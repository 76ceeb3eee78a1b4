//! The files of an item: which of them plays, and all of them to be followed or saved.

use super::words;
use crate::model::{Caption, Item, ItemType, LanguageTag, Media, MediaRole, Transcript};

/// What plays it.
#[derive(Debug)]
pub(super) enum Player {
    Nothing,
    Audio { url: String, mime: String },
    Video { url: String, mime: String },
    Picture { url: String },
}

/// A file to be followed or saved.
#[derive(Debug)]
pub(super) struct FileView {
    pub(super) url: String,
    pub(super) name: String,
    pub(super) note: Option<String>,
}

/// The first file that browsers play, or the picture that the item is.
pub(super) fn player(item: &Item) -> Player {
    for media in item.media.iter().filter(|media| media.role != Some(MediaRole::Preview)) {
        let (url, mime) = (media.url.to_string(), media.mime_type.as_str().to_owned());
        match top(media) {
            "audio" if !is_list(media) => return Player::Audio { url, mime },
            "video" if !is_list(media) => return Player::Video { url, mime },
            "image" if item.r#type == ItemType::Image => return Player::Picture { url },
            _ => {}
        }
    }
    Player::Nothing
}

fn top(media: &Media) -> &str {
    media.mime_type.as_str().split('/').next().unwrap_or_default()
}

/// Whether it is a list of files, which not every browser plays.
fn is_list(media: &Media) -> bool {
    media.mime_type.as_str().contains("mpegurl")
}

/// All of them, as far as a page goes.
pub(super) fn files(item: &Item) -> Vec<FileView> {
    let media = item.media.iter().map(file);
    let transcript = item.transcript.as_ref().map(transcript);
    let captions = item.captions.iter().map(caption);
    let preview = item.preview_url.as_ref().map(|url| FileView {
        url: url.to_string(),
        name: "Preview".to_owned(),
        note: None,
    });
    media.chain(transcript).chain(captions).chain(preview).take(MOST_FILES).collect()
}

fn file(media: &Media) -> FileView {
    let name = match (media.role, top(media)) {
        (Some(MediaRole::Preview), _) => "Preview",
        (_, "audio") => "Audio",
        (_, "video") => "Video",
        (_, "image") => "Picture",
        _ => "File",
    };
    let notes = [
        Some(media.mime_type.as_str().to_owned()),
        media.quality_label.clone(),
        media.width.zip(media.height).map(|(width, height)| format!("{width} × {height}")),
        media.bitrate_kbps.map(|rate| format!("{rate} kbit/s")),
        media.size_bytes.map(words::size),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    FileView { url: media.url.to_string(), name: name.to_owned(), note: Some(notes.join(", ")) }
}

fn transcript(transcript: &Transcript) -> FileView {
    let parts = [
        Some(transcript.mime_type.as_str()),
        transcript.language.as_ref().map(LanguageTag::as_str),
    ];
    let note = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    FileView { url: transcript.url.to_string(), name: "Transcript".to_owned(), note: Some(note) }
}

fn caption(caption: &Caption) -> FileView {
    let (mime, language) = (caption.mime_type.as_str(), caption.language.as_str());
    let parts = [Some(mime), Some(language), caption.label.as_deref()];
    let note = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    FileView { url: caption.url.to_string(), name: "Captions".to_owned(), note: Some(note) }
}

const MOST_FILES: usize = 24;
