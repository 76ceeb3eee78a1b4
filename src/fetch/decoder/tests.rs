//! Every coding, whole, cut, joined and as a bomb.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use super::*;

const LIMITS: DecodeLimits =
    DecodeLimits { max_bytes: 2 << 20, max_expansion: 20, expansion_free_bytes: 64 << 10 };

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut coded = Vec::new();
    brotli::CompressorWriter::new(&mut coded, 4096, 5, 22).write_all(bytes).unwrap();
    coded
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

type Encode = fn(&[u8]) -> Vec<u8>;
const ENCODERS: &[(&str, Encode)] = &[
    ("gzip", gzip),
    ("x-gzip", gzip),
    ("GZIP", gzip),
    ("deflate", zlib),
    ("deflate", deflate),
    ("br", brotli),
    ("zstd", zstd),
];

/// Text that compresses only a little, so that a cut always takes something away.
fn feed() -> Vec<u8> {
    let mut state = 7u32;
    let mut text = b"<rss>".to_vec();
    text.extend(
        std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b'a' + (state >> 24) as u8 % 26
        })
        .take(40_000),
    );
    text
}

#[test]
fn every_coding_gives_back_what_went_in() {
    for (label, encode) in ENCODERS {
        let decoded = decode(encode(&feed()), Some(label), &LIMITS).unwrap();
        assert!(decoded == feed(), "{label}");
    }
}

#[test]
fn a_bomb_ends_at_the_limit() {
    let zeros = vec![0; 8 << 20];
    for (label, encode) in ENCODERS {
        let bomb = encode(&zeros);
        let by_size = DecodeLimits { max_expansion: u64::MAX, ..LIMITS };
        for limits in [LIMITS, by_size] {
            let result = decode(bomb.clone(), Some(label), &limits);
            assert!(matches!(result, Err(DecodeError::TooLarge)), "{label}: {result:?}");
        }
    }
}

#[test]
fn the_expansion_counts_only_beyond_what_is_free() {
    let small = gzip(&vec![0; 64 << 10]);
    assert_eq!(decode(small, Some("gzip"), &LIMITS).unwrap().len(), 64 << 10);
    let larger = gzip(&vec![0; (64 << 10) + 1]);
    assert!(matches!(decode(larger, Some("gzip"), &LIMITS), Err(DecodeError::TooLarge)));
}

#[test]
fn a_plain_body_has_the_same_limit() {
    let limits = DecodeLimits { max_bytes: 4, ..LIMITS };
    assert_eq!(decode(b"<a/>".to_vec(), None, &limits).unwrap(), b"<a/>");
    assert!(matches!(decode(b"<a/> ".to_vec(), None, &limits), Err(DecodeError::TooLarge)));
}

#[test]
fn a_cut_body_is_an_error_wherever_it_is_cut() {
    for (label, encode) in ENCODERS {
        let whole = encode(&feed());
        for keep in [3, 20, whole.len() / 2, whole.len() - 1] {
            let result = decode(whole[..keep].to_vec(), Some(label), &LIMITS);
            assert!(
                matches!(result, Err(DecodeError::Truncated | DecodeError::Damaged(_))),
                "{label} at {keep}"
            );
        }
    }
}

#[test]
fn members_and_frames_are_joined_and_junk_after_the_last_is_ignored() {
    for (label, encode) in [("gzip", gzip as Encode), ("zstd", zstd)] {
        let joined = [encode(b"<rss>"), encode(b""), encode(b"</rss>")].concat();
        for junk in [&b""[..], &[0; 512], b"\n", b"<!-- served by -->"] {
            let body = [joined.clone(), junk.to_vec()].concat();
            assert_eq!(decode(body, Some(label), &LIMITS).unwrap(), b"<rss></rss>", "{label}");
        }
    }
    let body = [brotli(b"<rss/>"), b"junk".to_vec()].concat();
    assert_eq!(decode(body, Some("br"), &LIMITS).unwrap(), b"<rss/>");
}

#[test]
fn a_swarm_of_empty_members_is_refused() {
    let swarm = gzip(b"").repeat(MAX_MEMBERS + 1);
    assert!(matches!(decode(swarm, Some("gzip"), &LIMITS), Err(DecodeError::TooLarge)));
}

#[test]
fn a_zstd_window_over_eight_mebibytes_is_refused() {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(27).unwrap();
    encoder.write_all(&feed().repeat(40)).unwrap();
    let result = decode(encoder.finish().unwrap(), Some("zstd"), &LIMITS);
    assert!(matches!(result, Err(DecodeError::Damaged(_))), "{result:?}");
}

#[test]
fn an_empty_body_is_empty_under_any_label() {
    for label in ["gzip", "deflate", "br", "zstd", "identity"] {
        assert_eq!(decode(Vec::new(), Some(label), &LIMITS).unwrap(), b"");
    }
}

#[test]
fn labels_that_lie_are_seen_through() {
    for label in ["gzip", "zstd", "utf-8", "none", "identity", "", "identity, gzip"] {
        assert_eq!(decode(b" <rss/>".to_vec(), Some(label), &LIMITS).unwrap(), b" <rss/>");
    }
    assert_eq!(decode(gzip(b"<rss/>"), None, &LIMITS).unwrap(), b"<rss/>");
    assert_eq!(decode(gzip(b"<rss/>"), Some("identity"), &LIMITS).unwrap(), b"<rss/>");
}

#[test]
fn unknown_codings_and_several_layers_are_refused() {
    for label in ["compress", "gzip, br", "gzip, gzip", "aws-chunked"] {
        let result = decode(gzip(b"<rss/>"), Some(label), &LIMITS);
        assert!(matches!(result, Err(DecodeError::Unsupported)), "{label}");
    }
    let twice = decode(gzip(&gzip(b"<rss/>")), Some("gzip"), &LIMITS).unwrap();
    assert!(twice.starts_with(GZIP_MAGIC));
}
