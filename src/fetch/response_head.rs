//! The head of a response: read leniently, written strictly, with one clear framing of the body.

use std::io;

use memchr::memmem;

/// A response head as the client shall see it.
pub(super) struct Head {
    /// Bytes that it took of the source's own, interim answers included.
    pub(super) length: usize,
    /// The head written anew.
    pub(super) written: Vec<u8>,
    /// How its body ends.
    pub(super) framing: Framing,
}

impl Head {
    /// Reads a head at the front of these bytes; none while it is not whole.
    ///
    /// # Errors
    /// `InvalidData` where this is not HTTP, is too long, or says two things about its length.
    pub(super) fn parse(bytes: &[u8]) -> io::Result<Option<Self>> {
        let mut start = 0;
        for _ in 0..=MAX_INTERIM {
            let rest = bytes.get(start..).unwrap_or_default();
            begins_well(rest)?;
            let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
            let mut response = httparse::Response::new(&mut headers);
            let parsed = lenient().parse_response(&mut response, rest).map_err(invalid)?;
            let httparse::Status::Complete(length) = parsed else {
                let is_too_long = bytes.len() >= MAX_HEAD_BYTES;
                return if is_too_long { Err(invalid("an endless head")) } else { Ok(None) };
            };
            start += length;
            match response.code {
                // Nobody asked for another protocol.
                Some(101) | None => return Err(invalid("unasked upgrade")),
                Some(100..200) => {}
                Some(status) => return Self::write(status, &response, start).map(Some),
            }
        }
        Err(invalid("too many interim answers"))
    }

    fn write(
        status: u16,
        response: &httparse::Response<'_, '_>,
        length: usize,
    ) -> io::Result<Self> {
        let framing = Framing::read(status, response)?;
        let version = if matches!(framing, Framing::UntilClose) { 0 } else { 1 };
        let version = version.min(response.version.unwrap_or_default());
        let mut written = format!("HTTP/1.{version} {status} OK\r\n").into_bytes();
        let headers = response.headers.iter().filter(|header| !is_of_no_use(header.name));
        for header in headers.take(MAX_WRITTEN) {
            // Folded lines become one (RFC 9112, 5.2).
            let value =
                header.value.iter().map(|&b| if matches!(b, b'\r' | b'\n') { b' ' } else { b });
            written.extend_from_slice(header.name.as_bytes());
            written.extend_from_slice(b": ");
            written.extend(value);
            written.extend_from_slice(b"\r\n");
        }
        match framing {
            Framing::Length(bytes) => {
                written.extend_from_slice(format!("content-length: {bytes}\r\n").as_bytes());
            }
            Framing::Chunked(_) => written.extend_from_slice(b"transfer-encoding: chunked\r\n"),
            Framing::Empty | Framing::UntilClose => {}
        }
        written.extend_from_slice(b"\r\n");
        Ok(Self { length, written, framing })
    }
}

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
    fn read(status: u16, response: &httparse::Response<'_, '_>) -> io::Result<Self> {
        if matches!(status, 204 | 304) {
            return Ok(Self::Empty);
        }
        let mut length = None;
        let mut is_chunked = false;
        for (name, value) in response.headers.iter().flat_map(values) {
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

/// Whether a head may have become whole, or hopeless, by the bytes after the first `known` ones.
/// A head that drips in is not parsed anew for each byte.
pub(super) fn is_worth_parsing(bytes: &[u8], known: usize) -> bool {
    let fresh = bytes.get(known.saturating_sub(2)..).unwrap_or(bytes);
    known == 0
        || bytes.len() >= MAX_HEAD_BYTES
        || memmem::find(fresh, b"\n\r\n").is_some()
        || memmem::find(fresh, b"\n\n").is_some()
}

fn begins_well(bytes: &[u8]) -> io::Result<()> {
    let is_http = bytes.iter().zip(b"HTTP/1.").all(|(byte, expected)| byte == expected);
    if is_http { Ok(()) } else { Err(invalid("not HTTP/1")) }
}

fn lenient() -> httparse::ParserConfig {
    let mut config = httparse::ParserConfig::default();
    config
        .allow_spaces_after_header_name_in_responses(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .ignore_invalid_headers_in_responses(true);
    config
}

/// Fields that say how the body ends, which are written anew, and those that nobody here reads.
fn is_of_no_use(name: &str) -> bool {
    is_framing(name) || name.eq_ignore_ascii_case("set-cookie")
}

fn is_framing(name: &str) -> bool {
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

fn invalid(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause)
}

/// Longest head, interim answers before it included.
const MAX_HEAD_BYTES: usize = 64 << 10;
const MAX_HEADERS: usize = 256;
const MAX_WRITTEN: usize = 90; // The client takes 96.
const MAX_INTERIM: usize = 8;
const MAX_SIZE_DIGITS: u8 = 15;
