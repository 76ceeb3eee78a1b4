//! Files of chapters beside a feed: the JSON chapters format 1.x of the podcast namespace.

use serde_json::Value;
use url::Url;

use super::plain_text;
use crate::model::{Chapter, HttpsUrl};

/// Reads a file of chapters, in the order of time; none where it is no such file. Chapters without
/// a name or a time, and those that a table of contents is not to show, are left out.
#[must_use]
pub fn read_chapter_file(body: &[u8]) -> Option<Vec<Chapter>> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let file: Value = serde_json::from_slice(body).ok()?;
    let marks = file.get("chapters")?.as_array()?;
    let mut chapters: Vec<Chapter> =
        marks.iter().take(MAX_CHAPTERS).filter_map(read_chapter).collect();
    chapters.sort_by_key(|chapter| chapter.start_seconds);
    Some(chapters)
}

fn read_chapter(mark: &Value) -> Option<Chapter> {
    if mark.get("toc") == Some(&Value::Bool(false)) {
        return None;
    }
    let title = plain_text::one_line(mark.get("title")?.as_str()?);
    let start_seconds = seconds(mark.get("startTime")?)?;
    let end_seconds = mark.get("endTime").and_then(seconds);
    let image = mark.get("img").and_then(Value::as_str).and_then(|text| Url::parse(text).ok());
    Some(Chapter {
        title: Some(plain_text::excerpt(&title, MAX_TITLE_CHARS))
            .filter(|title| !title.is_empty())?,
        start_seconds,
        end_seconds: end_seconds.filter(|end| *end > start_seconds),
        image_url: image.and_then(|image| HttpsUrl::upgrade(&image)),
    })
}

/// Whole seconds, as a number or as the text of one; what no recording lasts is none.
fn seconds(value: &Value) -> Option<u64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded")]
    (0.0..MAX_SECONDS).contains(&number).then_some(number as u64)
}

/// More chapters than this are a mistake.
const MAX_CHAPTERS: usize = 1000;
const MAX_TITLE_CHARS: usize = 300;
/// A year.
const MAX_SECONDS: f64 = 31_536_000.0;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(chapters: Value) -> Value {
        let file = json!({"version": "1.2.0", "chapters": chapters}).to_string();
        serde_json::to_value(read_chapter_file(file.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn chapters_are_read_in_the_order_of_time() {
        let chapters = read(json!([
            {"startTime": 90.9, "title": " The \n harbour ", "endTime": 120, "url": "https://x/"},
            {"startTime": 0, "title": "Start", "img": "http://a.example/1.png"},
            {"startTime": "130.5", "title": "End", "endTime": 130, "img": "no address"},
        ]));
        let expected = json!([
            {"title": "Start", "start_seconds": 0, "image_url": "https://a.example/1.png"},
            {"title": "The harbour", "start_seconds": 90, "end_seconds": 120},
            {"title": "End", "start_seconds": 130},
        ]);
        assert_eq!(chapters, expected);
    }

    #[test]
    fn marks_that_are_no_chapters_are_left_out() {
        for mark in [
            json!({"startTime": 1}),
            json!({"title": "T"}),
            json!({"startTime": 1, "title": " "}),
            json!({"startTime": 1, "title": 7}),
            json!({"startTime": -1, "title": "T"}),
            json!({"startTime": 1e300, "title": "T"}),
            json!({"startTime": "soon", "title": "T"}),
            json!({"startTime": 1, "title": "T", "toc": false}),
            json!("T"),
            json!(null),
        ] {
            assert_eq!(read(json!([mark])), json!([]), "{mark}");
        }
    }

    #[test]
    fn what_is_no_file_of_chapters_gives_none() {
        for body in ["", "[]", "{}", "{\"chapters\":{}}", "<html>", "{\"chapters\":[", "WEBVTT"] {
            assert_eq!(read_chapter_file(body.as_bytes()), None, "{body}");
        }
        let deep = format!("{{\"chapters\":{}", "[".repeat(100_000));
        assert_eq!(read_chapter_file(deep.as_bytes()), None);
    }

    #[test]
    fn chapters_and_their_titles_have_an_end() {
        let long = json!({"startTime": 1, "title": "x".repeat(10_000)});
        let chapters = read(Value::Array(vec![long; MAX_CHAPTERS + 5]));
        assert_eq!(chapters.as_array().unwrap().len(), MAX_CHAPTERS);
        let title = chapters[0]["title"].as_str().unwrap();
        assert!(title.chars().count() <= MAX_TITLE_CHARS + 1);
    }
}
