//! The opaque form of a [`Position`]: what a client hands back to go on (MMSP 5.5).
//!
//! A cursor is the position itself, so it needs no state on the server: it outlives restarts,
//! replicas and the item it was made from. Bytes before base64url without padding: version (1),
//! check (8), published (8, big-endian), id. The check is the head of a SHA-256 over the feed's key
//! and all the rest, so that a cursor fits no other feed and a mangled one is noticed. It is no
//! secret: whoever computes one reaches only a place in a public feed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::Position;
use crate::model::{FeedKey, Timestamp};

/// The two directions between a position and its text.
#[derive(Clone, Copy, Debug)]
pub struct Cursor;

/// Why a text is not a cursor of this feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CursorError {
    /// Not a text that this gateway, in this or an older version, could have made.
    #[error("the cursor cannot be read; begin again without one")]
    Unreadable,
    /// Made for another feed, or changed on its way.
    #[error("the cursor does not belong to this feed; begin again without one")]
    Foreign,
}

impl Cursor {
    /// Longest id that a cursor carries, in bytes. Of a longer one it carries the beginning: items
    /// of the same second whose ids share all of it and sort lower are then passed over.
    pub const MAX_ID_BYTES: usize = 1024;
    /// Longest cursor, in characters.
    pub const MAX_CHARS: usize = (HEAD_BYTES + Self::MAX_ID_BYTES).div_ceil(3) * 4;

    /// Writes a position of that feed as a cursor.
    #[must_use]
    pub fn encode(feed: &FeedKey, position: &Position) -> String {
        let id = beginning(&position.id);
        let published = position.published.seconds().to_be_bytes();
        let check = check(feed, &published, id);
        let mut bytes = Vec::with_capacity(HEAD_BYTES + id.len());
        bytes.push(VERSION);
        bytes.extend(check);
        bytes.extend(published);
        bytes.extend(id.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a cursor that was made for that feed.
    ///
    /// # Errors
    /// Says whether the text is no cursor at all or one of another feed.
    pub fn decode(feed: &FeedKey, text: &str) -> Result<Position, CursorError> {
        if text.len() > Self::MAX_CHARS {
            return Err(CursorError::Unreadable);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| CursorError::Unreadable)?;
        let (found, published, id) = split(&bytes).ok_or(CursorError::Unreadable)?;
        if *found != check(feed, published, id) {
            return Err(CursorError::Foreign);
        }
        let published = Timestamp::from_seconds(i64::from_be_bytes(*published));
        let published = published.ok_or(CursorError::Unreadable)?;
        Ok(Position { published, id: id.to_owned() })
    }
}

const VERSION: u8 = 1;
/// Version, check and published.
const HEAD_BYTES: usize = 17;

fn split(bytes: &[u8]) -> Option<(&[u8; 8], &[u8; 8], &str)> {
    let (&version, rest) = bytes.split_first()?;
    let (check, rest) = rest.split_first_chunk()?;
    let (published, id) = rest.split_first_chunk()?;
    let id = std::str::from_utf8(id).ok()?;
    (version == VERSION).then_some((check, published, id))
}

fn check(feed: &FeedKey, published: &[u8; 8], id: &str) -> [u8; 8] {
    let mut hash = Sha256::new_with_prefix(feed.as_bytes());
    hash.update([VERSION]);
    hash.update(published);
    hash.update(id);
    let digest: [u8; 32] = hash.finalize().into();
    digest.first_chunk().copied().unwrap_or_default()
}

fn beginning(id: &str) -> &str {
    id.get(..id.floor_char_boundary(Cursor::MAX_ID_BYTES)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::SourceUrl;

    fn feed(name: &str) -> FeedKey {
        FeedKey::of(&SourceUrl::parse(name).unwrap())
    }

    proptest! {
        #[test]
        fn a_position_survives_the_round_trip(seconds in 0_i64..=253_402_300_799, id in ".{0,200}") {
            let position = Position { published: Timestamp::saturating(seconds), id };
            let text = Cursor::encode(&feed("a.example"), &position);
            prop_assert!(text.len() <= Cursor::MAX_CHARS);
            prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)));
            prop_assert_eq!(Cursor::decode(&feed("a.example"), &text), Ok(position));
        }

        #[test]
        fn no_text_makes_decoding_fail_badly(text in "[A-Za-z0-9_-]{0,80}|.{0,40}") {
            prop_assert!(Cursor::decode(&feed("a.example"), &text).is_err());
        }
    }

    #[test]
    fn a_cursor_of_another_feed_or_a_mangled_one_is_refused() {
        let position = Position { published: Timestamp::saturating(7), id: "tag:a,1".to_owned() };
        let text = Cursor::encode(&feed("a.example"), &position);
        assert_eq!(Cursor::decode(&feed("b.example"), &text), Err(CursorError::Foreign));
        for at in 0..text.len() {
            let mut mangled = text.clone().into_bytes();
            mangled[at] = if mangled[at] == b'A' { b'B' } else { b'A' };
            let mangled = String::from_utf8(mangled).unwrap();
            assert!(Cursor::decode(&feed("a.example"), &mangled).is_err(), "{at}");
        }
    }

    #[test]
    fn of_a_very_long_id_the_beginning_is_kept_on_a_character_boundary() {
        let id = format!("x:{}", "\u{e9}".repeat(Cursor::MAX_ID_BYTES));
        let position = Position { published: Timestamp::EPOCH, id: id.clone() };
        let text = Cursor::encode(&feed("a.example"), &position);
        assert_eq!(text.len(), Cursor::MAX_CHARS);
        let read = Cursor::decode(&feed("a.example"), &text).unwrap();
        assert!(id.starts_with(&read.id) && read.id.len() >= Cursor::MAX_ID_BYTES - 1);
    }

    #[test]
    fn the_text_of_version_1_stays_readable() {
        let position =
            Position { published: Timestamp::saturating(1_700_000_000), id: "x:1".into() };
        let text = Cursor::encode(&feed("https://a.example/"), &position);
        insta::assert_snapshot!(text, @"AZVlBypsrGwTAAAAAGVT8QB4OjE");
        assert_eq!(Cursor::decode(&feed("https://a.example/"), &text), Ok(position));
    }
}
