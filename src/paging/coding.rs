//! The content codings that a page can be sent in (RFC 9110, 8.4.1).

use std::io::{self, Write as _};

use bytes::Bytes;

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coding {
    /// Brotli (RFC 7932).
    Brotli,
    /// Zstandard (RFC 8878).
    Zstd,
    /// gzip (RFC 1952).
    Gzip,
}

impl Coding {
    /// Every coding, the one we prefer first.
    pub const ALL: [Self; 3] = [Self::Brotli, Self::Zstd, Self::Gzip];

    /// The word for it in HTTP.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
        }
    }

    /// Codes a body; none if that fails or does not make it smaller.
    #[must_use]
    pub fn encode(self, body: &[u8]) -> Option<Bytes> {
        let coded = match self {
            Self::Brotli => brotli(body),
            Self::Zstd => zstd::bulk::compress(body, ZSTD_LEVEL),
            Self::Gzip => gzip(body),
        };
        coded.ok().filter(|coded| coded.len() < body.len()).map(Bytes::from)
    }
}

/// Levels at which a mebibyte of JSON takes milliseconds, since a reader waits for the first one.
const BROTLI_QUALITY: u32 = 5;
const ZSTD_LEVEL: i32 = 6;
const GZIP_LEVEL: u32 = 6;
/// 4 MiB, the largest page.
const BROTLI_WINDOW: u32 = 22;

fn brotli(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut coded = Vec::with_capacity(body.len() / 4);
    let mut writer = brotli::CompressorWriter::new(&mut coded, 4096, BROTLI_QUALITY, BROTLI_WINDOW);
    writer.write_all(body)?;
    drop(writer);
    Ok(coded)
}

fn gzip(body: &[u8]) -> io::Result<Vec<u8>> {
    let level = flate2::Compression::new(GZIP_LEVEL);
    let mut writer = flate2::write::GzEncoder::new(Vec::with_capacity(body.len() / 4), level);
    writer.write_all(body)?;
    writer.finish()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn every_coding_gives_the_body_back() {
        let body = br#"{"title":"A feed"},"#.repeat(1000);
        for coding in Coding::ALL {
            let coded = coding.encode(&body).unwrap();
            let mut plain = Vec::new();
            match coding {
                Coding::Brotli => {
                    brotli::Decompressor::new(&*coded, 4096).read_to_end(&mut plain).unwrap();
                }
                Coding::Zstd => plain = zstd::bulk::decompress(&coded, body.len()).unwrap(),
                Coding::Gzip => {
                    flate2::read::GzDecoder::new(&*coded).read_to_end(&mut plain).unwrap();
                }
            }
            assert_eq!(plain, body, "{}", coding.as_str());
        }
    }

    #[test]
    fn what_would_grow_is_left_alone() {
        assert_eq!(Coding::Gzip.encode(b"{}"), None);
    }

    #[test]
    fn codings_have_their_registered_names() {
        assert_eq!(Coding::ALL.map(Coding::as_str), ["br", "zstd", "gzip"]);
    }

    #[test]
    fn what_stays_as_long_is_left_alone() {
        let mut bodies = (1..100).map(|length| b"a".repeat(length));
        let body = bodies.find(|body| gzip(body).unwrap().len() == body.len()).unwrap();
        assert_eq!(Coding::Gzip.encode(&body), None);
    }
}
