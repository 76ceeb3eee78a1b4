//! Takes the content coding off a body, and never writes more than it was allowed to.
//!
//! The body is whole before this begins: a slow source holds no decoder and none of its window, and
//! a bomb is small until it is opened. One layer only. Output is counted after each small step, so
//! that a limit is never overrun by more than that step.

use std::io::{self, BufRead, Read};

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};

use super::coding::{Coding, GZIP_MAGIC};
use super::error::DecodeError;
use super::settings::Settings;

/// How large a decoded body may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeLimits {
    /// Most decoded bytes.
    pub max_bytes: u64,
    /// Most decoded bytes for one coded byte.
    pub max_expansion: u64,
    /// Decoded bytes that are granted before the expansion counts.
    pub expansion_free_bytes: u64,
}

impl DecodeLimits {
    /// Most bytes that so many coded ones may become.
    pub(super) fn most_bytes(&self, coded: usize) -> u64 {
        let coded = u64::try_from(coded).unwrap_or(u64::MAX);
        let by_expansion = coded.saturating_mul(self.max_expansion);
        self.max_bytes.min(by_expansion.max(self.expansion_free_bytes))
    }
}

/// Decodes a body by its `Content-Encoding`, without any.
///
/// # Errors
/// Says whether the coding is unknown, cut, damaged or too large.
pub fn decode(
    body: Vec<u8>,
    content_encoding: Option<&str>,
    limits: &DecodeLimits,
) -> Result<Vec<u8>, DecodeError> {
    let coding = Coding::find(content_encoding, &body)?;
    if coding == Coding::Identity {
        return if exceeds(body.len(), limits.max_bytes) {
            Err(DecodeError::TooLarge)
        } else {
            Ok(body)
        };
    }
    // Some servers label the empty body of an empty feed.
    if body.is_empty() {
        return Ok(body);
    }
    let mut output = Output::new(body.len(), limits);
    match coding {
        Coding::Identity => {}
        Coding::Gzip => read_gzip(&body, &mut output)?,
        Coding::Deflate if is_zlib(&body) => output.fill(ZlibDecoder::new(body.as_slice()))?,
        Coding::Deflate => output.fill(DeflateDecoder::new(body.as_slice()))?,
        Coding::Brotli => output.fill(brotli::Decompressor::new(body.as_slice(), STEP_BYTES))?,
        Coding::Zstd => read_zstd(&body, &mut output)?,
    }
    Ok(output.bytes)
}

/// Whether [`decode`] has more to do than to look at the length.
pub(super) fn is_coded(body: &[u8], content_encoding: Option<&str>) -> bool {
    !matches!(Coding::find(content_encoding, body), Ok(Coding::Identity))
}

impl Default for DecodeLimits {
    fn default() -> Self {
        Self::from(&Settings::default())
    }
}

impl From<&Settings> for DecodeLimits {
    fn from(settings: &Settings) -> Self {
        Self {
            max_bytes: settings.max_body_bytes,
            max_expansion: settings.max_expansion,
            expansion_free_bytes: Settings::RATIO_FREE_BYTES,
        }
    }
}

/// `deflate` means zlib (RFC 9110, 8.4.1.2), and raw deflate in the wild.
fn is_zlib(body: &[u8]) -> bool {
    match body {
        [first, second, ..] => {
            first & 0x0f == 8 && u16::from_be_bytes([*first, *second]).is_multiple_of(31)
        }
        _ => false,
    }
}

/// Reads members until something else follows: padding and junk after the last one are common.
fn read_gzip(body: &[u8], output: &mut Output) -> Result<(), DecodeError> {
    let mut rest = body;
    for _ in 0..MAX_MEMBERS {
        output.fill(GzDecoder::new(&mut rest))?;
        if !rest.starts_with(GZIP_MAGIC) {
            return Ok(());
        }
    }
    Err(DecodeError::TooLarge)
}

/// Reads frames until something else follows.
fn read_zstd(body: &[u8], output: &mut Output) -> Result<(), DecodeError> {
    let mut rest = body;
    for _ in 0..MAX_MEMBERS {
        output.fill(zstd_frame(&mut rest).map_err(of_io)?)?;
        if !is_zstd_frame(rest) {
            return Ok(());
        }
    }
    Err(DecodeError::TooLarge)
}

fn zstd_frame<R: BufRead>(source: R) -> io::Result<zstd::stream::read::Decoder<'static, R>> {
    let mut frame = zstd::stream::read::Decoder::with_buffer(source)?.single_frame();
    frame.window_log_max(MAX_ZSTD_WINDOW_LOG)?;
    Ok(frame)
}

/// A frame, or one that is to be skipped (RFC 8878, 3.1).
fn is_zstd_frame(bytes: &[u8]) -> bool {
    match bytes.first_chunk().map(|magic| u32::from_le_bytes(*magic)) {
        Some(magic) => magic == 0xfd2f_b528 || magic & 0xffff_fff0 == 0x184d_2a50,
        None => false,
    }
}

struct Output {
    bytes: Vec<u8>,
    max_bytes: u64,
}

impl Output {
    fn new(coded_bytes: usize, limits: &DecodeLimits) -> Self {
        Self { bytes: Vec::new(), max_bytes: limits.most_bytes(coded_bytes) }
    }

    fn fill(&mut self, mut source: impl Read) -> Result<(), DecodeError> {
        let mut step = [0; STEP_BYTES];
        loop {
            let read = match source.read(&mut step) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(of_io(error)),
            };
            if exceeds(self.bytes.len() + read, self.max_bytes) {
                return Err(DecodeError::TooLarge);
            }
            self.bytes.extend_from_slice(step.get(..read).unwrap_or_default());
        }
    }
}

fn exceeds(bytes: usize, max_bytes: u64) -> bool {
    u64::try_from(bytes).unwrap_or(u64::MAX) > max_bytes
}

fn of_io(error: io::Error) -> DecodeError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => DecodeError::Truncated,
        _ => DecodeError::Damaged(error),
    }
}

const STEP_BYTES: usize = 16 << 10;

/// Members of one body. Each costs work even where it is empty; real ones have a handful.
const MAX_MEMBERS: usize = 10_000;

/// 8 MiB, what HTTP allows (RFC 9659, 3).
const MAX_ZSTD_WINDOW_LOG: u32 = 23;

#[cfg(test)]
mod tests;
