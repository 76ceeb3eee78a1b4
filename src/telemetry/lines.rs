//! Log lines on their way to standard error, many at a time where there are many.
//!
//! A busy gateway writes tens of thousands of lines a second, and each would be a call of the system
//! in the midst of an answer. So lines that only tell what happened wait for a moment, and a thread
//! of their own writes them together. Warnings and errors do not wait, nor does what came before
//! them: whatever ends the program, they are out. Nothing is dropped: where the reader of the log is
//! too slow, whoever has a line to write waits for it.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// Where lines go. Clones are the same.
#[derive(Clone)]
pub(super) struct Lines(Arc<Shared>);

struct Shared {
    waiting: Mutex<Waiting>,
    came: Condvar,
    ended: Condvar,
    /// Held while lines are written, so that they stay in order.
    out: Mutex<Out>,
}

struct Out {
    writer: Box<dyn Write + Send>,
    /// Room for the next lines, while those that came are written.
    spare: Vec<u8>,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// Nothing waits any more: nobody would write it.
    is_over: bool,
    /// All that waited is written.
    is_out: bool,
}

impl Lines {
    /// Begins to write what comes.
    ///
    /// # Errors
    /// No thread can be had.
    pub(super) fn to(out: impl Write + Send + 'static) -> io::Result<Self> {
        let (waiting, came, ended) = (Mutex::default(), Condvar::new(), Condvar::new());
        let out = Mutex::new(Out { writer: Box::new(out), spare: Vec::new() });
        let lines = Self(Arc::new(Shared { waiting, came, ended, out }));
        let shared = lines.clone();
        thread::Builder::new().name("log".to_owned()).spawn(move || shared.write_on())?;
        Ok(lines)
    }

    /// Has what waits written, and stays until it is: not for ever, since whoever reads the log may have
    /// stopped. From now on each line is written as it comes.
    pub(super) fn end(&self) {
        self.waiting().is_over = true;
        self.0.came.notify_all();
        let is_not_out = |waiting: &mut Waiting| !waiting.is_out;
        // Out or not, the program ends.
        let _ = self.0.ended.wait_timeout_while(self.waiting(), LAST_MOMENT, is_not_out);
    }

    /// Writes what came within a moment, over and over.
    fn write_on(&self) {
        loop {
            let mut waiting = self.waiting();
            while waiting.bytes.is_empty() && !waiting.is_over {
                waiting = self.0.came.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
            let is_over = waiting.is_over;
            drop(waiting);
            if !is_over {
                thread::sleep(MOMENT);
            }
            self.flush();
            if is_over {
                self.waiting().is_out = true;
                self.0.ended.notify_all();
                return;
            }
        }
    }

    fn flush(&self) {
        let mut out = self.0.out.lock().unwrap_or_else(PoisonError::into_inner);
        let Out { writer, spare } = &mut *out;
        std::mem::swap(&mut self.waiting().bytes, spare);
        // Who cannot write to the log has nobody to tell.
        let _ = write_patiently(writer, spare).and_then(|()| writer.flush());
        spare.clear();
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes all of it, also where the other end says that there is no room just now.
fn write_patiently(writer: &mut dyn Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match writer.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(ROOM_COMES),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// One line.
pub(super) struct Line<'a> {
    lines: &'a Lines,
    is_urgent: bool,
}

impl Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut waiting = self.lines.waiting();
        waiting.bytes.extend_from_slice(line);
        let is_first = waiting.bytes.len() == line.len();
        let must_out = self.is_urgent || waiting.is_over || waiting.bytes.len() >= MOST_BYTES;
        drop(waiting);
        if must_out {
            self.lines.flush();
        } else if is_first {
            self.lines.0.came.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { lines: self, is_urgent: true }
    }

    fn make_writer_for(&'a self, meta: &Metadata<'_>) -> Line<'a> {
        Line { lines: self, is_urgent: *meta.level() <= Level::WARN }
    }
}

/// How long a line waits for others.
const MOMENT: Duration = Duration::from_millis(50);

/// How long the end of the program waits for the reader of its log.
const LAST_MOMENT: Duration = Duration::from_secs(2);

/// How long to wait where a pipe that does not block is full.
const ROOM_COMES: Duration = Duration::from_millis(5);

/// More do not wait.
const MOST_BYTES: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Hands on what is written, a message each time.
    struct Channel(mpsc::Sender<String>);

    impl Write for Channel {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(String::from_utf8(bytes.to_vec()).unwrap()).unwrap();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn lines() -> (Lines, mpsc::Receiver<String>) {
        let (sender, written) = mpsc::channel();
        (Lines::to(Channel(sender)).unwrap(), written)
    }

    fn write(lines: &Lines, is_urgent: bool, text: &str) {
        Line { lines, is_urgent }.write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn a_line_is_written_though_none_follows() {
        let (lines, written) = lines();
        write(&lines, false, "one\n");
        assert_eq!(written.recv().unwrap(), "one\n");
        write(&lines, false, "two\n");
        assert_eq!(written.recv().unwrap(), "two\n");
    }

    #[test]
    fn a_warning_is_written_at_once_behind_what_waited() {
        let (lines, written) = lines();
        write(&lines, false, "one\n");
        write(&lines, true, "two\n");
        assert_eq!(written.try_iter().collect::<String>(), "one\ntwo\n");
    }

    #[test]
    fn no_more_waits_than_may() {
        let (lines, written) = lines();
        let line = "x".repeat(MOST_BYTES / 4);
        for _ in 0..8 {
            write(&lines, false, &line);
            assert!(lines.waiting().bytes.len() < MOST_BYTES);
        }
        lines.end();
        assert_eq!(written.try_iter().map(|text| text.len()).sum::<usize>(), 2 * MOST_BYTES);
    }

    #[test]
    fn at_the_end_everything_is_written_and_so_is_what_comes_later() {
        let (lines, written) = lines();
        write(&lines, false, "one\n");
        lines.end();
        assert_eq!(written.try_iter().collect::<String>(), "one\n");
        write(&lines, false, "two\n");
        assert_eq!(written.try_iter().collect::<String>(), "two\n");
    }
}
