//! Files and pictures of an item: every enclosure, every `media:content`, each address once.

use super::item::Draft;
use super::mended::Mend;
use crate::model::{HttpsUrl, ItemType, Media, MediaRole, MimeType, Thumbnail};
use crate::syndication::duration::parse_duration;
use crate::syndication::number::{parse_count, parse_measure};
use crate::syndication::source_feed::{Enclosure, MediaContent, Picture, Reference};

impl Draft<'_, '_> {
    /// The files: enclosures first, then `media:content`, then other forms of the same.
    pub(super) fn media(&mut self) -> Vec<Media> {
        let entry = self.entry;
        let mut files: Vec<Media> = Vec::new();
        let (alternates, mains): (Vec<_>, Vec<_>) =
            entry.enclosures.iter().partition(|file| file.is_alternate);
        for (place, enclosure) in mains.iter().enumerate() {
            let own = entry.own_enclosure.as_ref().filter(|_| place == 0);
            let file = self.of_enclosure(enclosure);
            add(&mut files, file.map(|file| self.at_its_own_address(file, own)));
        }
        for content in &entry.media {
            add(&mut files, self.of_content(content));
        }
        self.mark_variants(&mut files);
        // The first file comes before its other forms, which may name it once more.
        if let (false, Some(first)) = (alternates.is_empty(), files.first_mut()) {
            first.role.get_or_insert(MediaRole::Primary);
        }
        for enclosure in &alternates {
            add(&mut files, self.of_enclosure(enclosure).map(|file| as_alternate(file, enclosure)));
        }
        files.truncate(MAX_FILES);
        files
    }

    fn of_enclosure(&mut self, enclosure: &Enclosure<'_>) -> Option<Media> {
        let name = if enclosure.is_alternate { ALTERNATE } else { "enclosure" };
        let url = self.address(name, &enclosure.url)?;
        let said = enclosure.media_type.as_deref();
        let mut media = Media::new(url.clone(), self.mime_type(said, None, &url));
        media.size_bytes =
            self.number("enclosure@length", enclosure.length.as_deref(), parse_count);
        media.duration = enclosure.duration.as_deref().and_then(parse_duration);
        media.height = positive(enclosure.height.as_deref().and_then(parse_measure));
        media.bitrate_kbps = positive(enclosure.bitrate_bps.as_deref().and_then(parse_measure))
            .map(|bps| bps / 1000);
        Some(media)
    }

    /// Puts the publisher's address in the place of the counting proxy's, which stays in
    /// `original`.
    fn at_its_own_address(&mut self, mut file: Media, own: Option<&Reference<'_>>) -> Media {
        if let Some(url) = own.and_then(|own| self.address("feedburner:origEnclosureLink", own)) {
            let proxied = std::mem::replace(&mut file.url, url);
            self.keep("enclosure", proxied.as_str());
        }
        file
    }

    fn of_content(&mut self, content: &MediaContent<'_>) -> Option<Media> {
        let url = self.address("media:content", &content.url)?;
        let kind = self.mime_type(content.media_type.as_deref(), content.medium.as_deref(), &url);
        let mut media = Media::new(url, kind);
        media.size_bytes =
            self.number("media:content@fileSize", content.size.as_deref(), parse_count);
        media.duration = content.duration.as_deref().and_then(parse_duration);
        media.width = positive(content.width.as_deref().and_then(parse_measure));
        media.height = positive(content.height.as_deref().and_then(parse_measure));
        media.bitrate_kbps = positive(content.bitrate_kbps.as_deref().and_then(parse_measure));
        if content.expression.as_deref() == Some("sample") {
            media.role = Some(MediaRole::Preview);
        }
        Some(media)
    }

    /// Files of one `media:group` are forms of one thing: the default one is the primary.
    fn mark_variants(&mut self, files: &mut [Media]) {
        let entry = self.entry;
        let groups =
            entry.media.iter().filter_map(|content| content.group).max().map_or(0, |n| n + 1);
        for group in 0..groups {
            let members: Vec<&MediaContent<'_>> =
                entry.media.iter().filter(|content| content.group == Some(group)).collect();
            if members.len() < 2 {
                continue;
            }
            let default = members.iter().position(|content| content.is_default).unwrap_or(0);
            for (at, content) in members.iter().enumerate() {
                let Some(found) = super::address::resolve(&content.url, self.base()) else {
                    continue;
                };
                let Some(file) = files.iter_mut().find(|file| file.url == found.url) else {
                    continue;
                };
                let role = if at == default { MediaRole::Primary } else { MediaRole::Alternate };
                file.role.get_or_insert(role);
                file.quality_label = file.quality_label.take().or_else(|| quality(file));
            }
        }
    }

    /// A number of the source; what cannot be read is kept as it was. Zero stands for "unknown".
    fn number(
        &mut self,
        name: &'static str,
        text: Option<&str>,
        parse: impl Fn(&str) -> Option<u64>,
    ) -> Option<u64> {
        let text = text.map(str::trim).filter(|text| !text.is_empty())?;
        let value = parse(text);
        if value.is_none() {
            self.mended.note(Mend::BadNumber);
            self.keep(name, text);
        }
        value.filter(|value| *value > 0)
    }

    /// The type as said; where it is missing or says nothing, by medium and file name.
    fn mime_type(&mut self, said: Option<&str>, medium: Option<&str>, url: &HttpsUrl) -> MimeType {
        let parsed = said.and_then(MimeType::parse).filter(|kind| !kind.is_generic());
        if let Some(kind) = parsed {
            return kind;
        }
        if said.is_some_and(|said| !said.trim().is_empty()) || medium.is_none() {
            self.mended.note(Mend::BadMediaType);
        }
        of_file_name(url.as_str())
            .or_else(|| of_medium(medium.or(said).unwrap_or_default()))
            .unwrap_or_else(MimeType::octet_stream)
    }

    /// Pictures: `media:thumbnail`, then the item's own picture, then sized `media:content`.
    pub(super) fn thumbnails(&mut self) -> Vec<Thumbnail> {
        let entry = self.entry;
        let mut pictures: Vec<Thumbnail> = Vec::new();
        for picture in &entry.thumbnails {
            add_picture(&mut pictures, self.picture("media:thumbnail", picture));
        }
        for image in &entry.images {
            let picture = Picture { url: image.clone(), ..Picture::default() };
            add_picture(&mut pictures, self.picture("image", &picture));
        }
        for content in &entry.media {
            let is_image = content.medium.as_deref() == Some("image")
                || content.media_type.as_deref().is_some_and(|kind| kind.starts_with("image/"));
            if is_image && (content.width.is_some() || content.height.is_some()) {
                let picture = Picture {
                    url: Reference {
                        value: content.url.value.clone(),
                        base: content.url.base.clone(),
                    },
                    width: content.width.clone(),
                    height: content.height.clone(),
                };
                add_picture(&mut pictures, self.picture("media:content", &picture));
            }
        }
        pictures.truncate(MAX_FILES);
        pictures
    }

    fn picture(&mut self, name: &'static str, picture: &Picture<'_>) -> Option<Thumbnail> {
        let url = self.address(name, &picture.url)?;
        let size = |text: &Option<_>| {
            let text: Option<&std::borrow::Cow<'_, str>> = text.as_ref();
            positive(text.and_then(|text| parse_measure(text)))
        };
        Some(Thumbnail { url, width: size(&picture.width), height: size(&picture.height) })
    }

    /// The length of the recording; for the types that MMSP 6.2 gives one.
    pub(super) fn duration(&mut self, kind: ItemType, media: &[Media]) -> Option<u64> {
        let said = self.entry.duration.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let parsed = said.and_then(parse_duration);
        if let (Some(said), None) = (said, parsed) {
            self.mended.note(Mend::BadNumber);
            self.keep("itunes:duration", said);
        }
        let found = parsed
            .filter(|seconds| *seconds > 0)
            .or_else(|| media.iter().find_map(|file| file.duration));
        let has_duration = matches!(
            kind,
            ItemType::Video | ItemType::Audio | ItemType::Short | ItemType::Livestream
        );
        if let (false, Some(said)) = (has_duration, said.filter(|_| parsed.is_some())) {
            self.keep("itunes:duration", said);
        }
        found.filter(|_| has_duration)
    }
}

const ALTERNATE: &str = "podcast:alternateEnclosure";

/// More files than this are a mistake.
const MAX_FILES: usize = 100;

/// Adds a file; one that is there already learns what the other knows.
fn add(files: &mut Vec<Media>, file: Option<Media>) {
    let Some(file) = file else { return };
    let Some(known) = files.iter_mut().find(|known| known.url == file.url) else {
        files.push(file);
        return;
    };
    if known.mime_type.is_generic() {
        known.mime_type = file.mime_type;
    }
    known.size_bytes = known.size_bytes.or(file.size_bytes);
    known.duration = known.duration.or(file.duration);
    known.width = known.width.or(file.width);
    known.height = known.height.or(file.height);
    known.bitrate_kbps = known.bitrate_kbps.or(file.bitrate_kbps);
    known.role = known.role.or(file.role);
}

fn add_picture(pictures: &mut Vec<Thumbnail>, picture: Option<Thumbnail>) {
    if let Some(picture) = picture.filter(|new| pictures.iter().all(|known| known.url != new.url)) {
        pictures.push(picture);
    }
}

fn as_alternate(mut file: Media, enclosure: &Enclosure<'_>) -> Media {
    file.role = Some(MediaRole::Alternate);
    let title = enclosure.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    file.quality_label = title.map(str::to_owned).or_else(|| quality(&file));
    file
}

/// `1080p` of a video, `128kbps` of a recording.
fn quality(file: &Media) -> Option<String> {
    match (file.height, file.bitrate_kbps) {
        (Some(height), _) => Some(format!("{height}p")),
        (None, Some(rate)) => Some(format!("{rate}kbps")),
        (None, None) => None,
    }
}

fn positive(value: Option<u64>) -> Option<u64> {
    value.filter(|value| *value > 0)
}

fn of_medium(medium: &str) -> Option<MimeType> {
    MimeType::parse(match medium.trim().to_ascii_lowercase().as_str() {
        "video" => "video/mp4",
        "audio" => "audio/mpeg",
        "image" => "image/jpeg",
        _ => return None,
    })
}

/// The type that the ending of a file name stands for.
pub(super) fn of_file_name(url: &str) -> Option<MimeType> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let ending = path.rsplit('/').next()?.rsplit_once('.')?.1.to_ascii_lowercase();
    ENDINGS.iter().find(|(known, _)| *known == ending).and_then(|(_, kind)| MimeType::parse(kind))
}

const ENDINGS: &[(&str, &str)] = &[
    ("mp3", "audio/mpeg"),
    ("m4a", "audio/mp4"),
    ("m4b", "audio/mp4"),
    ("aac", "audio/aac"),
    ("ogg", "audio/ogg"),
    ("oga", "audio/ogg"),
    ("opus", "audio/opus"),
    ("flac", "audio/flac"),
    ("wav", "audio/wav"),
    ("mp4", "video/mp4"),
    ("m4v", "video/mp4"),
    ("mov", "video/quicktime"),
    ("webm", "video/webm"),
    ("ogv", "video/ogg"),
    ("avi", "video/x-msvideo"),
    ("mkv", "video/x-matroska"),
    ("m3u8", "application/vnd.apple.mpegurl"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("png", "image/png"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("avif", "image/avif"),
    ("svg", "image/svg+xml"),
    ("pdf", "application/pdf"),
    ("epub", "application/epub+zip"),
    ("zip", "application/zip"),
    ("txt", "text/plain"),
    ("html", "text/html"),
    ("htm", "text/html"),
    ("vtt", "text/vtt"),
    ("srt", "application/x-subrip"),
    ("json", "application/json"),
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::for_tests::{episode, item};
    use super::*;

    fn check(inside: &str, want: &Value) {
        assert_eq!(&item(inside)["media"], want, "{inside}");
    }

    #[test]
    fn an_enclosure_is_a_file_with_type_and_size() {
        check(
            "<enclosure url='https://a.example/1.mp3' type='audio/mpeg' length='12'/>",
            &json!([{ "url": "https://a.example/1.mp3", "mime_type": "audio/mpeg", "size_bytes": 12 }]),
        );
    }

    #[test]
    fn an_enclosure_without_a_usable_address_is_none() {
        for url in ["", "mailto:a@example.com", "javascript:x()", "https://"] {
            check(&format!("<title>x</title><enclosure url='{url}'/>"), &Value::Null);
        }
    }

    #[test]
    fn a_missing_or_useless_type_is_told_by_the_file_name() {
        for (url, said, want) in [
            ("1.mp3", "", "audio/mpeg"),
            ("1.MP3?token=x.pdf", "type='application/octet-stream'", "audio/mpeg"),
            ("1.m4a", "type='audio'", "audio/mp4"),
            ("1", "type='video'", "video/mp4"),
            ("1", "type='binary/octet-stream'", "application/octet-stream"),
            ("1.unheard", "", "application/octet-stream"),
            ("1.mp3", "type='AUDIO/X-MPEG; codecs=1'", "audio/x-mpeg"),
        ] {
            let inside = format!("<enclosure url='https://a.example/{url}' {said}/>");
            assert_eq!(item(&inside)["media"][0]["mime_type"], want, "{inside}");
        }
    }

    #[test]
    fn a_size_that_is_none_is_left_out_and_kept_as_it_was() {
        let length = |said: &str| {
            item(&format!("<enclosure url='https://a.example/1.mp3' length='{said}'/>"))
        };
        for said in ["-1", "1,024", "many", "9223372036854775808"] {
            let item = length(said);
            assert!(item["media"][0].get("size_bytes").is_none(), "{said}");
            assert_eq!(item["original"]["enclosure@length"], said);
        }
        for unknown in ["0", ""] {
            let item = length(unknown);
            assert!(item["media"][0].get("size_bytes").is_none());
            assert!(item.get("original").is_none(), "{unknown:?}");
        }
        assert_eq!(length("9223372036854775807")["media"][0]["size_bytes"], i64::MAX);
    }

    #[test]
    fn one_address_is_one_file_that_knows_what_both_said() {
        check(
            "<media:content url='https://a.example/1' width='640' duration='9' medium='video'/>\
             <enclosure url='https://a.example/1' type='video/webm' length='5'/>",
            &json!([{
                "url": "https://a.example/1",
                "mime_type": "video/webm",
                "size_bytes": 5,
                "duration": 9,
                "width": 640
            }]),
        );
    }

    #[test]
    fn enclosures_come_first_whatever_the_order_of_the_source() {
        let item = item(
            "<media:content url='https://a.example/2.mp4'/><enclosure url='https://a.example/1.mp3'/>",
        );
        assert_eq!(item["media"][0]["url"], "https://a.example/1.mp3");
        assert_eq!(item["media"][1]["url"], "https://a.example/2.mp4");
    }

    #[test]
    fn files_of_one_group_are_forms_of_one_thing() {
        let file = |name: &str, more: &str| {
            format!("<media:content url='https://a.example/{name}.mp4' {more}/>")
        };
        let (small, large) =
            (file("s", "height='480'"), file("l", "height='1080' isDefault='true'"));
        let roles = |inside: &str| -> Vec<(Value, Value)> {
            let item = item(inside);
            let media = item["media"].as_array().unwrap();
            media.iter().map(|m| (m["role"].clone(), m["quality_label"].clone())).collect()
        };
        assert_eq!(
            roles(&format!("<media:group>{small}{large}</media:group>")),
            [(json!("alternate"), json!("480p")), (json!("primary"), json!("1080p"))]
        );
        assert_eq!(roles(&format!("{small}{large}")), vec![(json!(null), json!(null)); 2]);
        assert_eq!(
            roles(&format!("<media:group>{small}</media:group>")),
            [(json!(null), json!(null))]
        );
    }

    #[test]
    fn other_forms_of_an_episode_are_alternates_of_its_file() {
        let item = episode(
            "<enclosure url='https://a.example/1.mp3'/>\
             <podcast:alternateEnclosure type='audio/mpeg' bitrate='128000'>\
             <podcast:source uri='https://a.example/1.mp3'/></podcast:alternateEnclosure>\
             <podcast:alternateEnclosure type='audio/opus' bitrate='32000'>\
             <podcast:source uri='https://a.example/1.opus'/></podcast:alternateEnclosure>",
        );
        let roles: Vec<_> = item["media"].as_array().unwrap().iter().map(|m| &m["role"]).collect();
        assert_eq!(roles, ["primary", "alternate"]);
        assert_eq!(item["media"][1]["quality_label"], "32kbps");
    }

    #[test]
    fn a_sample_is_a_preview() {
        let item = item("<media:content url='https://a.example/1.mp4' expression='sample'/>");
        assert_eq!(item["media"][0]["role"], "preview");
    }

    #[test]
    fn more_files_than_anyone_means_are_cut_off() {
        let many = |element: &str| -> String {
            (0..MAX_FILES + 5)
                .map(|n| format!("<{element} url='https://a.example/{n}.mp3'/>"))
                .collect()
        };
        let item = item(&format!("{}{}", many("enclosure"), many("media:thumbnail")));
        assert_eq!(item["media"].as_array().unwrap().len(), MAX_FILES);
        assert_eq!(item["thumbnail"].as_array().unwrap().len(), MAX_FILES);
    }

    #[test]
    fn pictures_come_in_order_and_once() {
        let item = item(
            "<itunes:image href='https://a.example/2.jpg'/>\
             <media:content url='https://a.example/3.jpg' medium='image' width='80' height='60'/>\
             <media:content url='https://a.example/4.jpg' medium='image'/>\
             <media:thumbnail url='https://a.example/1.jpg' width='0' height='50px'/>\
             <media:thumbnail url='https://a.example/1.jpg'/>",
        );
        assert_eq!(
            item["thumbnail"],
            json!([
                { "url": "https://a.example/1.jpg", "height": 50 },
                { "url": "https://a.example/2.jpg" },
                { "url": "https://a.example/3.jpg", "width": 80, "height": 60 }
            ])
        );
    }

    #[test]
    fn only_what_runs_has_a_duration() {
        let duration = "<itunes:duration>1:02</itunes:duration>";
        let audio = "<enclosure url='https://a.example/1.mp3'/>";
        assert_eq!(item(&format!("{audio}{duration}"))["duration"], 62);
        let article = item(&format!("<title>x</title>{duration}"));
        assert_eq!(article["duration"], Value::Null);
        assert_eq!(article["original"]["itunes:duration"], "1:02");
        let unread = item(&format!("{audio}<itunes:duration>long</itunes:duration>"));
        assert_eq!(unread["duration"], Value::Null);
        assert_eq!(unread["original"]["itunes:duration"], "long");
        let by_file = item("<media:content url='https://a.example/1.mp4' duration='95.7'/>");
        assert_eq!(by_file["duration"], 95);
    }

    #[test]
    fn the_address_behind_a_counting_proxy_is_the_file() {
        let item = item(
            "<enclosure url='https://count.example/1.mp3'/>\
             <feedburner:origEnclosureLink>https://a.example/1.mp3</feedburner:origEnclosureLink>",
        );
        assert_eq!(item["media"][0]["url"], "https://a.example/1.mp3");
        assert_eq!(item["original"]["enclosure"], "https://count.example/1.mp3");
    }

    #[test]
    fn every_ending_stands_for_a_type() {
        for (ending, kind) in ENDINGS {
            let found = of_file_name(&format!("https://a.example/file.{ending}?x#y")).unwrap();
            assert_eq!(found.as_str(), *kind, "{ending}");
        }
        assert!(of_file_name("https://a.example/no-ending").is_none());
        assert!(of_file_name("https://mp3.example/").is_none());
    }
}
