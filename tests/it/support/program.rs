//! The real binary, started in a folder of its own on ports of its own.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::client::{self, Response};

/// A running gateway.
pub struct Program {
    child: Child,
    lines: Mutex<Receiver<String>>,
    pub http: SocketAddr,
    pub https: SocketAddr,
    pub metrics: SocketAddr,
    pub certificate: PathBuf,
    /// What it said before.
    pub said: Vec<String>,
}

impl Program {
    /// Starts the gateway in that folder and waits until it says where it listens.
    pub fn start(folder: &Path, ca_file: &Path, settings: &[(&str, &str)]) -> Self {
        let command = Command::new(env!("CARGO_BIN_EXE_mmsp-gateway"));
        Self::start_by(command, folder, ca_file, settings)
    }

    /// Starts it with the settings file `gateway.toml` of that folder, which the settings go over.
    pub fn start_with_file(folder: &Path, ca_file: &Path, settings: &[(&str, &str)]) -> Self {
        let mut command = Command::new("sh");
        let program = env!("CARGO_BIN_EXE_mmsp-gateway");
        command.args(["-c", "exec \"$0\" \"$@\" --config gateway.toml", program]);
        Self::start_by(command, folder, ca_file, settings)
    }

    /// Starts it so that it outlives a file which the system does not let grow: the write fails.
    pub fn start_on_a_small_disk(folder: &Path, ca_file: &Path) -> Self {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            "trap '' XFSZ; exec \"$0\" \"$@\"",
            env!("CARGO_BIN_EXE_mmsp-gateway"),
        ]);
        Self::start_by(command, folder, ca_file, &[])
    }

    fn start_by(
        mut command: Command,
        folder: &Path,
        ca_file: &Path,
        settings: &[(&str, &str)],
    ) -> Self {
        command.arg("serve").current_dir(folder).stderr(Stdio::piped());
        for (name, value) in [
            ("SERVER__LISTEN", "127.0.0.1:0"),
            ("SERVER__TLS_LISTEN", "127.0.0.1:0"),
            ("SERVER__DRAIN_DELAY_SECONDS", "0"),
            ("METRICS__LISTEN", "127.0.0.1:0"),
            ("FETCH__ALLOW_NETWORKS", "127.0.0.1/32"),
            ("FETCH__CA_FILE", ca_file.to_str().unwrap()),
        ]
        .iter()
        .chain(settings)
        {
            command.env(format!("MMSP_GATEWAY__{name}"), value);
        }
        let mut child = command.spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let errors = BufReader::new(child.stderr.take().unwrap());
        thread::spawn(move || {
            errors.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let nowhere = SocketAddr::from(([0, 0, 0, 0], 0));
        let mut program = Self {
            child,
            lines: Mutex::new(lines),
            http: nowhere,
            https: nowhere,
            metrics: nowhere,
            certificate: PathBuf::new(),
            said: Vec::new(),
        };
        program.hear(folder);
        program
    }

    /// Reads where it listens; the event comes when it does.
    fn hear(&mut self, folder: &Path) {
        let mut said = Vec::new();
        let event = loop {
            let heard = self.lines.lock().unwrap().recv_timeout(PATIENCE);
            let line = heard.unwrap_or_else(|_| panic!("it does not start: {}", said.join("\n")));
            let event: Value = serde_json::from_str(&line).unwrap_or_default();
            if event["message"] == "serving" {
                break event;
            }
            said.push(line);
        };
        let address = |name: &str| event[name].as_str().unwrap().parse().unwrap();
        self.https = address("server.https");
        self.http = address("server.http");
        self.metrics = address("server.metrics");
        self.certificate = folder.join(event["server.certificate"].as_str().unwrap_or_default());
        self.said = said;
    }

    pub fn get(&self, target: &str) -> Response {
        self.request("GET", target, &[])
    }

    pub fn request(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Response {
        client::request(self.http, method, target, headers)
    }

    /// Asks for the manifest of a feed, with more parameters such as `&limit=3`.
    pub fn feed(&self, url: &str, more: &str) -> Response {
        self.get(&target(url, more))
    }

    /// Follows one of our own addresses, whatever name it has.
    pub fn follow(&self, url: &str) -> Response {
        let prefix = format!("https://localhost:{}", self.https.port());
        self.get(url.strip_prefix(&prefix).unwrap_or_else(|| panic!("{url} is not ours")))
    }

    /// The value of a metric, by its full name with labels.
    pub fn metric(&self, name: &str) -> f64 {
        let text = client::request(self.metrics, "GET", "/metrics", &[]).text();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name).and_then(|rest| rest.strip_prefix(' ')));
        line.unwrap_or_else(|| panic!("no {name} in\n{text}")).parse().unwrap()
    }

    /// Asks for the manifest of a feed without waiting for it.
    pub fn ask(&self, url: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.http).unwrap();
        let request = format!("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", target(url, ""), self.http);
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Lets no file grow beyond so many bytes, as a full disk does; or all of them again.
    pub fn limit_files(&self, bytes: &str) {
        let id = self.child.id().to_string();
        let limit = format!("--fsize={bytes}:");
        let done = Command::new("prlimit").args(["--pid", &id, &limit]).status().unwrap();
        assert!(done.success());
    }

    /// Ends the process as a crash does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Most bytes that the process has had in memory since it began, or since the last
    /// [`Program::forget_peak`], and those that it has now.
    pub fn memory(&self) -> (u64, u64) {
        let status = std::fs::read_to_string(self.process("status")).unwrap();
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
        };
        (bytes("VmHWM:"), bytes("VmRSS:"))
    }

    /// Has the peak of memory counted anew.
    pub fn forget_peak(&self) {
        std::fs::write(self.process("clear_refs"), "5").unwrap();
    }

    /// For how long its threads could have run and others did, together, as far as the system
    /// counts it.
    pub fn kept_waiting(&self) -> Duration {
        let threads = std::fs::read_dir(self.process("task")).into_iter().flatten().flatten();
        let waited = threads.filter_map(|thread| {
            let counts = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
            counts.split(' ').nth(1)?.parse::<u64>().ok()
        });
        Duration::from_nanos(waited.sum())
    }

    fn process(&self, file: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{file}", self.child.id()))
    }

    /// Asks the process to stop, as a supervisor does.
    pub fn terminate(&self) {
        self.signal("-TERM");
    }

    /// Has it read its settings again; gives the line that tells how that went.
    pub fn reload(&self) -> Value {
        self.signal("-HUP");
        self.hear_of("the settings ")
    }

    /// Sends a signal, such as `-INT`.
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// Reads on in the log until a message begins like this.
    pub fn hear_of(&self, message: &str) -> Value {
        let lines = self.lines.lock().unwrap();
        loop {
            let line = lines.recv_timeout(PATIENCE).expect("it does not say so");
            let event: Value = serde_json::from_str(&line).unwrap_or_default();
            if event["message"].as_str().is_some_and(|said| said.starts_with(message)) {
                return event;
            }
        }
    }

    /// Waits for the process to end by itself.
    pub fn wait(&mut self) -> ExitStatus {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("it does not stop")
    }

    /// What it said by now.
    pub fn log_so_far(&self) -> Vec<String> {
        self.lines.lock().unwrap().try_iter().collect()
    }

    /// Everything that a process which has ended said since its start.
    pub fn log(&self) -> Vec<String> {
        self.lines.lock().unwrap().iter().collect()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The target of a feed's manifest.
pub fn target(url: &str, more: &str) -> String {
    format!("/mmsp/feed?url={}{more}", utf8_percent_encode(url, NON_ALPHANUMERIC))
}

const PATIENCE: Duration = Duration::from_secs(60);
