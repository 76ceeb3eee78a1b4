//! How the body of a response ends, and whether it did (RFC 9112, 6 and 7).

use std::io;

use super::response_head::invalid;

/// How a body ends, and how much of it is still owed.
pub(super) enum Framing {
    /// There is none.
    Empty,
    /// After so many more bytes.
    Length(u64),
    /// After the last chunk.
    Chunked(Chunks),
    /// With the connection.
    UntilClose,
}

impl Framing {
    /// What the head says of the body (RFC 9112, 6.3).
    pub(super) fn read(status: u16, headers: &[httparse::Header<'_>]) -> io::Result<Self> {
        if matches!(status, 204 | 304) {
            return Ok(Self::Empty);
        }
        let mut length = None;
        let mut is_chunked = false;
        for (name, value) in headers.iter().flat_map(values) {
            if name.eq_ignore_ascii_case("transfer-encoding") {
                match value.to_ascii_lowercase().as_slice() {
                    b"chunked" => is_chunked = true,
                    b"identity" => {}
                    _ => return Err(invalid("unasked transfer coding")),
                }
            } else {
                let bytes = parse_length(value)?;
                if length.replace(bytes).is_some_and(|earlier| earlier != bytes) {
                    return Err(invalid("two lengths"));
                }
            }
        }
        Ok(match length {
            _ if is_chunked => Self::Chunked(Chunks::Size { digits: 0, bytes: 0 }),
            Some(length) => Self::Length(length),
            None => Self::UntilClose,
        })
    }

    /// Takes note of body bytes on their way to the client.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Empty | Self::UntilClose => {}
            Self::Length(owed) => {
                *owed = owed.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            }
            Self::Chunked(chunks) => chunks.advance(bytes)?,
        }
        Ok(())
    }

    /// Takes note that the stream ended.
    ///
    /// # Errors
    /// `UnexpectedEof` where some of the body is still owed.
    pub(super) fn end(&self) -> io::Result<()> {
        match self {
            Self::Empty | Self::UntilClose | Self::Length(0) | Self::Chunked(Chunks::Done) => {
                Ok(())
            }
            Self::Length(_) | Self::Chunked(_) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// Where in a chunked body the stream stands (RFC 9112, 7.1).
#[derive(Clone, Copy)]
pub(super) enum Chunks {
    Size { digits: u8, bytes: u64 },
    Extension { bytes: u64 },
    Data { owed: u64 },
    DataEnd,
    Trailer { is_line_empty: bool },
    Done,
}

impl Chunks {
    fn advance(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while let Some((&byte, rest)) = bytes.split_first() {
            if let Self::Data { owed } = *self {
                let owed_here = usize::try_from(owed).unwrap_or(usize::MAX);
                let (data, rest) = bytes.split_at(owed_here.min(bytes.len()));
                let owed = owed - u64::try_from(data.len()).unwrap_or(owed);
                *self = if owed == 0 { Self::DataEnd } else { Self::Data { owed } };
                bytes = rest;
                continue;
            }
            *self = self.after(byte)?;
            bytes = rest;
        }
        Ok(())
    }

    fn after(self, byte: u8) -> io::Result<Self> {
        let first_of = |bytes| match bytes {
            0 => Self::Trailer { is_line_empty: true },
            owed => Self::Data { owed },
        };
        Ok(match (self, byte) {
            (Self::Size { digits, bytes }, b'\n') if digits > 0 => first_of(bytes),
            (Self::Size { digits, bytes }, b';' | b' ' | b'\t' | b'\r') if digits > 0 => {
                Self::Extension { bytes }
            }
            (Self::Size { digits, bytes }, digit) => match char::from(digit).to_digit(16) {
                Some(digit) if digits < MAX_SIZE_DIGITS => {
                    Self::Size { digits: digits + 1, bytes: bytes << 4 | u64::from(digit) }
                }
                _ => return Err(invalid("not a chunk size")),
            },
            (Self::Extension { bytes }, b'\n') => first_of(bytes),
            (Self::DataEnd, b'\n') => Self::Size { digits: 0, bytes: 0 },
            (Self::DataEnd, b'\r') => Self::DataEnd,
            (Self::DataEnd, _) => return Err(invalid("a chunk without an end")),
            (Self::Trailer { is_line_empty: true }, b'\n') => Self::Done,
            (Self::Trailer { .. }, b'\n') => Self::Trailer { is_line_empty: true },
            (Self::Trailer { is_line_empty }, b'\r') => Self::Trailer { is_line_empty },
            (Self::Trailer { .. }, _) => Self::Trailer { is_line_empty: false },
            (state @ (Self::Extension { .. } | Self::Data { .. } | Self::Done), _) => state,
        })
    }
}

/// Whether a field says how the body ends.
pub(super) fn is_framing(name: &str) -> bool {
    ["content-length", "transfer-encoding"].iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The values of a field that says how the body ends.
fn values<'a>(header: &httparse::Header<'a>) -> impl Iterator<Item = (&'a str, &'a [u8])> {
    let (name, value) = (header.name, header.value);
    let values = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    values.filter(move |_| is_framing(name)).map(move |value| (name, value))
}

fn parse_length(value: &[u8]) -> io::Result<u64> {
    let digits = std::str::from_utf8(value).map_err(invalid)?;
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        digits.parse().map_err(invalid)
    } else {
        Err(invalid("not a length"))
    }
}

/// Fifteen hexadecimal digits fit into 64 bits with room to spare.
const MAX_SIZE_DIGITS: u8 = 15;
