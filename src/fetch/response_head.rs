//! The head of a response: read leniently, written strictly, with one clear framing of the body.

use std::io;

use memchr::memmem;

use super::framing::{Framing, is_framing};

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
        let framing = Framing::read(status, response.headers)?;
        // Only in HTTP/1.0 does the client read to the end of the connection, and only in HTTP/1.1
        // does it know chunks.
        let version = if matches!(framing, Framing::UntilClose) { 0 } else { 1 };
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

/// Fields that say how the body ends, which are written anew, and those that nobody here heeds.
fn is_of_no_use(name: &str) -> bool {
    is_framing(name) || ["set-cookie", "upgrade"].iter().any(|no| no.eq_ignore_ascii_case(name))
}

pub(super) fn invalid(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause)
}

/// Longest head, interim answers before it included.
const MAX_HEAD_BYTES: usize = 64 << 10;
const MAX_HEADERS: usize = 256;
const MAX_WRITTEN: usize = 90; // The client takes 96.
const MAX_INTERIM: usize = 8;
