//! The plaintext of a connection, mended on its way to the HTTP client.
//!
//! The client takes a cut body for a whole one, a body that ends with the connection for none, and
//! `103 Early Hints` for the answer. So the head is read here, leniently, written anew with one
//! clear framing, and the body is watched: an end of the stream while some of it is owed becomes an
//! error. Whole bodies pass untouched.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::rt::net::{ActixStream, Ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::framing::Framing;
use super::response_head::{Head, is_worth_parsing};

/// A connection whose responses are read through [`Head`] and [`Framing`].
pub(super) struct ResponseStream<S> {
    inner: S,
    state: State,
    /// Bytes that are read but not yet handed on.
    pending: Vec<u8>,
}

enum State {
    Head { bytes: Vec<u8>, deadline: Pin<Box<Sleep>> },
    Body(Framing),
}

impl<S: AsyncRead + Unpin> ResponseStream<S> {
    /// Wraps a connection whose response head must be there within this time.
    pub(super) fn new(inner: S, first_byte_timeout: Duration) -> Self {
        let deadline = Box::pin(sleep(first_byte_timeout));
        let state = State::Head { bytes: Vec::new(), deadline };
        Self { inner, state, pending: Vec::new() }
    }

    /// Reads until the head is whole; then `pending` holds it as the client shall see it, and what
    /// came of the body with it.
    fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let State::Head { bytes, deadline } = &mut self.state else {
            return Poll::Ready(Ok(()));
        };
        if deadline.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let mut known = bytes.len();
        loop {
            let head = if is_worth_parsing(bytes, known) { Head::parse(bytes)? } else { None };
            if let Some(head) = head {
                let mut body = bytes.split_off(head.length);
                let mut framing = head.framing;
                framing.advance(&body)?;
                self.pending = head.written;
                self.pending.append(&mut body);
                self.state = State::Body(framing);
                return Poll::Ready(Ok(()));
            }
            let mut step = [0; STEP_BYTES];
            let mut step = ReadBuf::new(&mut step);
            ready!(Pin::new(&mut self.inner).poll_read(cx, &mut step))?;
            if step.filled().is_empty() {
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
            known = bytes.len();
            bytes.extend_from_slice(step.filled());
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ResponseStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.poll_head(cx))?;
        if !self.pending.is_empty() {
            let count = out.remaining().min(self.pending.len());
            out.put_slice(self.pending.drain(..count).as_slice());
            return Poll::Ready(Ok(()));
        }
        let before = out.filled().len();
        let read = ready!(Pin::new(&mut self.inner).poll_read(cx, out));
        let State::Body(framing) = &mut self.state else {
            return Poll::Ready(read);
        };
        let arrived = out.filled().get(before..).unwrap_or_default();
        let watched = match read {
            Ok(()) if arrived.is_empty() => framing.end(),
            Ok(()) => framing.advance(arrived),
            // TLS closed without saying so: whether anything is missing, only the framing knows.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => framing.end(),
            Err(error) => Err(error),
        };
        if watched.is_err() {
            out.set_filled(before);
        }
        Poll::Ready(watched)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ResponseStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

/// The client asks for these of every connection and, in HTTP/1.1, never uses them.
impl<S: AsyncRead + AsyncWrite + Unpin> ActixStream for ResponseStream<S> {
    fn poll_read_ready(&self, _: &mut Context<'_>) -> Poll<io::Result<Ready>> {
        Poll::Ready(Ok(Ready::READABLE))
    }

    fn poll_write_ready(&self, _: &mut Context<'_>) -> Poll<io::Result<Ready>> {
        Poll::Ready(Ok(Ready::WRITABLE))
    }
}

impl<S> fmt::Debug for ResponseStream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResponseStream")
    }
}

const STEP_BYTES: usize = 8 << 10;

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    /// What the client sees of these bytes, however they are cut into reads.
    fn read(raw: &str) -> Result<String, io::ErrorKind> {
        let whole = read_in_steps(raw, raw.len().max(1));
        assert_eq!(whole, read_in_steps(raw, 1), "{raw:?}");
        whole
    }

    fn read_in_steps(raw: &str, step: usize) -> Result<String, io::ErrorKind> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let mut mock = Steps(raw.as_bytes().chunks(step).map(<[u8]>::to_vec).collect());
            mock.0.reverse();
            let mut stream = ResponseStream::new(mock, Duration::from_secs(5));
            let mut seen = String::new();
            match stream.read_to_string(&mut seen).await {
                Ok(_) => Ok(seen),
                Err(error) => Err(error.kind()),
            }
        })
    }

    struct Steps(Vec<Vec<u8>>);

    impl AsyncRead for Steps {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            out: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            let mut step = self.0.pop().unwrap_or_default();
            let rest = step.split_off(step.len().min(out.remaining()));
            out.put_slice(&step);
            if !rest.is_empty() {
                self.0.push(rest);
            }
            Poll::Ready(Ok(()))
        }
    }

    const CUT: Result<String, io::ErrorKind> = Err(io::ErrorKind::UnexpectedEof);
    const BROKEN: Result<String, io::ErrorKind> = Err(io::ErrorKind::InvalidData);

    #[test]
    fn a_whole_body_passes_untouched() {
        for raw in [
            "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\na: b\r\n\r\n",
            "HTTP/1.1 304 OK\r\netag: \"a\"\r\n\r\n",
            "HTTP/1.1 204 OK\r\n\r\n",
            "HTTP/1.0 200 OK\r\n\r\nabc",
        ] {
            assert_eq!(read(raw).as_deref(), Ok(raw));
        }
    }

    #[test]
    fn a_body_that_ends_with_the_connection_is_marked_as_such() {
        let seen = read("HTTP/1.1 200 OK\r\ncontent-type: a/b\r\n\r\nabc").unwrap();
        assert_eq!(seen, "HTTP/1.0 200 OK\r\ncontent-type: a/b\r\n\r\nabc");
    }

    #[test]
    fn a_body_that_breaks_off_is_an_error() {
        for raw in [
            "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n",
            "HTTP/1.0 200 OK\r\ncontent-length: 4\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nab",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length",
            "",
        ] {
            assert_eq!(read(raw), CUT, "{raw:?}");
        }
    }

    #[test]
    fn interim_answers_are_dropped() {
        let seen = read(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n\
             HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc",
        );
        assert_eq!(seen.as_deref(), Ok("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc"));
        assert_eq!(read(&"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(50)), BROKEN);
    }

    #[test]
    fn untidy_heads_are_written_anew() {
        for (raw, seen) in [
            (
                "HTTP/1.1 200\nContent-Length: 3\nContent-Length: 3\n\nabc",
                "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc",
            ),
            (
                "HTTP/1.1 200 Fine\r\nContent-Length: 3, 3\r\nX-A : b\r\nbad header\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nX-A: b\r\ncontent-length: 3\r\n\r\nabc",
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            ),
            (
                "HTTP/1.1 200 OK\r\nX-A: b\r\n  c\r\nTransfer-Encoding: identity\r\n\r\nabc",
                "HTTP/1.0 200 OK\r\nX-A: b    c\r\n\r\nabc",
            ),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 300\r\n\r\n", "HTTP/1.1 304 OK\r\n\r\n"),
        ] {
            assert_eq!(read(raw).as_deref(), Ok(seen));
        }
    }

    #[test]
    fn what_is_not_http_or_contradicts_itself_is_refused() {
        for raw in [
            "ICY 200 OK\r\n\r\nabc",
            "<rss></rss>\r\n\r\n",
            "SSH-2.0-OpenSSH_9.6\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
            "HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n0\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n",
        ] {
            assert_eq!(read(raw), BROKEN, "{raw:?}");
        }
    }

    #[test]
    fn an_endless_head_is_refused() {
        let raw = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "a".repeat(70_000));
        assert_eq!(read_in_steps(&raw, 1000), BROKEN);
        let raw = format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(500));
        assert_eq!(read_in_steps(&raw, 1000), BROKEN);
    }
}
