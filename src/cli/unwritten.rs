//! Standard output, and when it cannot be written.

use std::io::{self, Write as _};
use std::process::ExitCode;

use super::{FAILED, say};

/// Writes to standard output, to the last byte: what has no line's end would be lost in silence.
pub(super) fn print(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Why standard output took no more.
#[derive(Debug)]
pub(super) struct Unwritten(pub(super) io::Error);

impl Unwritten {
    /// The exit code of a command that had only to write.
    pub(super) fn code_of(written: io::Result<()>) -> ExitCode {
        ExitCode::from(written.map_or_else(|error| Self(error).told(), |()| 0))
    }

    /// Says why, and gives the exit code. Who stops reading, as `head` does, has all that was
    /// wanted.
    pub(super) fn told(&self) -> u8 {
        if self.0.kind() == io::ErrorKind::BrokenPipe {
            return 0;
        }
        say(&format!("standard output: {}", self.0));
        FAILED
    }
}
