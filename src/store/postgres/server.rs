//! A PostgreSQL of the tests' own, as `./dev postgres` runs it.
//!
//! It lives on a socket in a folder of its own and goes with the process that started it, however
//! that ends. Also compiled into `tests/it`.

#![allow(clippy::expect_used, reason = "a test that has no server has failed")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

/// A running server.
pub(crate) struct Server {
    talk: Mutex<(Option<ChildStdin>, BufReader<ChildStdout>)>,
    databases: AtomicU32,
    child: Child,
}

impl Server {
    /// The one that tests share which do not stop it.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(Self::start)
    }

    pub(crate) fn start() -> Self {
        let dev = concat!(env!("CARGO_MANIFEST_DIR"), "/dev");
        let mut command = Command::new(dev);
        command.arg("postgres").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("./dev can be started");
        let input = child.stdin.take().expect("its input");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let mut url = String::new();
        output.read_line(&mut url).expect("its first line");
        assert!(
            url.starts_with("postgres://"),
            "there is no PostgreSQL to test with: `./dev test` installs one, \
             or `apt-get install postgresql`; see CONTRIBUTING.md"
        );
        Self { talk: Mutex::new((Some(input), output)), databases: AtomicU32::new(0), child }
    }

    /// Makes a database and gives its URL.
    pub(crate) fn new_database(&self) -> String {
        let number = self.databases.fetch_add(1, Ordering::Relaxed);
        self.order(&format!("create test_{number}"))
    }

    /// Stops it as a crash does.
    #[allow(dead_code, reason = "not every test binary does")]
    pub(crate) fn stop(&self) {
        self.order("stop");
    }

    /// Starts it again, with everything that was committed.
    #[allow(dead_code, reason = "not every test binary does")]
    pub(crate) fn start_again(&self) {
        self.order("start");
    }

    fn order(&self, line: &str) -> String {
        let mut talk = self.talk.lock().expect("no order failed");
        let input = talk.0.as_mut().expect("it runs");
        writeln!(input, "{line}").expect("an order is taken");
        let mut answer = String::new();
        talk.1.read_line(&mut answer).expect("an order is answered");
        assert!(!answer.is_empty(), "\"{line}\" failed; the log is above");
        answer.trim_end().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its input ends, and it cleans up behind itself.
        if let Ok(talk) = self.talk.get_mut() {
            drop(talk.0.take());
        }
        let _ = self.child.wait();
    }
}
