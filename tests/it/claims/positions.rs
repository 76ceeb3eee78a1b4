//! Cursors: what is written is read back, and nothing else is read.

use mmsp_gateway::model::{FeedKey, SourceUrl, Timestamp};
use mmsp_gateway::paging::{Cursor, Position};

/// A text that is a cursor of a feed says one position, is the only text that says it, and is one
/// of no other feed; any position reads back the same.
pub fn cursors_read_back_the_same(bytes: &[u8]) {
    let (ours, other) = (key("https://a.example/"), key("https://b.example/"));
    let text = String::from_utf8_lossy(bytes);
    if let Ok(position) = Cursor::decode(&ours, &text) {
        assert_eq!(Cursor::encode(&ours, &position), text);
    }
    let (head, id) = bytes.split_at(bytes.len().min(8));
    let seconds = head.iter().fold(0_i64, |sum, byte| sum << 8 | i64::from(*byte));
    let id = String::from_utf8_lossy(id);
    let id = id.get(..id.floor_char_boundary(Cursor::MAX_ID_BYTES)).unwrap().to_owned();
    let position = Position { published: Timestamp::saturating(seconds), id };
    let cursor = Cursor::encode(&ours, &position);
    assert!(cursor.len() <= Cursor::MAX_CHARS);
    assert_eq!(Cursor::decode(&ours, &cursor), Ok(position));
    assert!(Cursor::decode(&other, &cursor).is_err());
}

fn key(url: &str) -> FeedKey {
    FeedKey::of(&SourceUrl::parse(url).unwrap())
}
