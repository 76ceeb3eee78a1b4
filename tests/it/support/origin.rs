//! A publisher on loopback: HTTPS, scripted, counting, and as ill-behaved as it is told to be.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rcgen::{CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};

/// What the origin says to a path.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Vec<u8>,
    pub delay: Duration,
    pub manner: Manner,
}

/// How it is said.
#[derive(Clone, Copy, Debug)]
pub enum Manner {
    /// Whole, with its length.
    Whole,
    /// Whole, until the connection closes.
    Unmeasured,
    /// Whole, though another length is announced.
    Announcing(usize),
    /// A byte at a time, with a pause behind each.
    Drip(Duration),
    /// The whole length is announced, and only so many bytes come.
    Cut(usize),
    /// One byte, then nothing until the other side goes.
    Hang,
    /// The connection is closed without a word.
    Silent,
    /// Whole, and a 304 for either validator, as RFC 9110 has it.
    Validating,
    /// The same, and the 304 says nothing else.
    Terse,
    /// As validating, and the 304 lacks that field.
    Forgetting(&'static str),
    /// Whole, and a 304 whenever there is any condition.
    Stubborn,
}

impl Answer {
    /// A feed, with an `ETag` of its length so that conditional requests get their 304.
    pub fn feed(body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        let tag = format!("\"{}\"", body.len());
        Self::status(200)
            .header("Content-Type", "application/rss+xml")
            .header("ETag", &tag)
            .body(body)
    }

    /// An empty answer of that status.
    pub fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
            delay: Duration::ZERO,
            manner: Manner::Whole,
        }
    }

    pub fn header(self, name: &str, value: &str) -> Self {
        self.header_bytes(name, value.as_bytes())
    }

    /// A header of any bytes, as some servers send them.
    pub fn header_bytes(mut self, name: &str, value: &[u8]) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    pub fn manner(mut self, manner: Manner) -> Self {
        self.manner = manner;
        self
    }
}

/// A request that the origin has seen.
#[derive(Clone, Debug)]
pub struct Seen {
    pub path: String,
    pub headers: HashMap<String, String>,
}

#[derive(Default)]
struct State {
    /// The last of a path's answers stays.
    answers: HashMap<String, VecDeque<Answer>>,
    seen: Vec<Seen>,
    connections: usize,
    is_dead: bool,
}

impl State {
    /// The answer of a path; one with a query of which nothing is said is answered as without.
    fn answer(&mut self, path: &str) -> Option<Answer> {
        let without_query = path.split('?').next().unwrap_or_default();
        let known = if self.answers.contains_key(path) { path } else { without_query };
        let answers = self.answers.get_mut(known)?;
        if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }
    }
}

/// The running origin. It ends with the process.
pub struct Origin {
    address: SocketAddr,
    ca_file: PathBuf,
    state: Arc<Mutex<State>>,
}

impl Origin {
    /// Starts an origin whose authority is written into that folder.
    pub fn start(folder: &Path) -> Self {
        Self::start_with(folder, certificate(&NAMES))
    }

    /// Starts one whose certificate ends on that day, and that speaks TLS 1.2 only.
    pub fn start_ending(folder: &Path, (year, month, day): (i32, u8, u8)) -> Self {
        let end = |params: &mut CertificateParams| {
            params.not_after = rcgen::date_time_ymd(year, month, day);
        };
        Self::start_with(folder, certificate_of(&NAMES, end, &[&rustls::version::TLS12]))
    }

    fn start_with(folder: &Path, (config, authority): (Arc<ServerConfig>, String)) -> Self {
        let ca_file = folder.join("origin-ca.pem");
        fs::write(&ca_file, authority).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.lock().unwrap().is_dead {
                    return;
                }
                shared.lock().unwrap().connections += 1;
                let (config, state) = (config.clone(), shared.clone());
                thread::spawn(move || serve(stream, config, &state));
            }
        });
        Self { address, ca_file, state }
    }

    pub fn ca_file(&self) -> &Path {
        &self.ca_file
    }

    /// The address of a path at this origin.
    pub fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.address)
    }

    /// From now on that path is answered so.
    pub fn set(&self, path: &str, answer: Answer) {
        self.play(path, [answer]);
    }

    /// From now on that path is answered so, one after the other; the last one stays.
    pub fn play(&self, path: &str, answers: impl IntoIterator<Item = Answer>) {
        let answers = answers.into_iter().collect();
        self.state.lock().unwrap().answers.insert(path.to_owned(), answers);
    }

    /// The requests that path has seen.
    pub fn seen(&self, path: &str) -> Vec<Seen> {
        let state = self.state.lock().unwrap();
        state.seen.iter().filter(|seen| seen.path == path).cloned().collect()
    }

    /// Forgets the requests that it has seen.
    #[allow(dead_code, reason = "for the soak")]
    pub fn forget(&self) {
        self.state.lock().unwrap().seen.clear();
    }

    /// Ends it: from now on nobody answers at its address.
    pub fn die(&self) {
        self.state.lock().unwrap().is_dead = true;
        while TcpStream::connect(self.address).is_ok() {}
    }

    /// How many connections were made, whatever became of them.
    pub fn connections(&self) -> usize {
        self.state.lock().unwrap().connections
    }
}

const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "feeds.test"];

/// A certificate for those names and addresses, and the authority that it is of.
pub fn certificate(names: &[&str]) -> (Arc<ServerConfig>, String) {
    certificate_of(names, |_| {}, rustls::DEFAULT_VERSIONS)
}

fn certificate_of(
    names: &[&str],
    change: impl FnOnce(&mut CertificateParams),
    versions: &[&'static SupportedProtocolVersion],
) -> (Arc<ServerConfig>, String) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let key = KeyPair::generate().unwrap();
    let mut leaf = CertificateParams::new(names).unwrap();
    change(&mut leaf);
    let leaf = leaf.signed_by(&key, &authority).unwrap();
    let secret = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], secret)
        .unwrap();
    (Arc::new(config), authority.pem())
}

/// One connection, one request. Whatever the other side does wrong ends the connection.
fn serve(stream: TcpStream, config: Arc<ServerConfig>, state: &Mutex<State>) {
    let Ok(connection) = ServerConnection::new(config) else { return };
    let mut stream = StreamOwned::new(connection, stream);
    let Some(seen) = read_request(&mut stream) else { return };
    let answer = {
        let mut state = state.lock().unwrap();
        state.seen.push(seen.clone());
        state.answer(&seen.path)
    };
    let _ = say(&mut stream, &seen, answer.unwrap_or_else(|| Answer::status(404)));
    stream.conn.send_close_notify();
    let _ = stream.flush();
}

fn read_request(stream: &mut impl Read) -> Option<Seen> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next()?.ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut headers = HashMap::new();
    for line in lines {
        let line = line.ok()?;
        if line.is_empty() {
            return Some(Seen { path, headers });
        }
        let (name, value) = line.split_once(':')?;
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    None
}

fn say(stream: &mut impl ReadWrite, seen: &Seen, answer: Answer) -> std::io::Result<()> {
    thread::sleep(answer.delay);
    let is_known = answer.status == 200 && is_known(seen, &answer);
    let status = if is_known { 304 } else { answer.status };
    let mut head = format!("HTTP/1.1 {status} Said\r\nConnection: close\r\n").into_bytes();
    let is_terse = is_known && matches!(answer.manner, Manner::Terse);
    let is_left_out = |name: &str| {
        is_terse || is_known && matches!(answer.manner, Manner::Forgetting(field) if field == name)
    };
    for (name, value) in answer.headers.iter().filter(|(name, _)| !is_left_out(name)) {
        head.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    if is_known {
        head.extend(b"\r\n");
        return stream.write_all(&head);
    }
    let length = match answer.manner {
        Manner::Unmeasured => None,
        Manner::Announcing(bytes) => Some(bytes),
        _ => Some(answer.body.len()),
    };
    head.extend(
        length.map(|bytes| format!("Content-Length: {bytes}\r\n")).unwrap_or_default().bytes(),
    );
    head.extend(b"\r\n");
    match answer.manner {
        Manner::Whole
        | Manner::Unmeasured
        | Manner::Announcing(_)
        | Manner::Validating
        | Manner::Terse
        | Manner::Forgetting(_)
        | Manner::Stubborn => {
            stream.write_all(&head)?;
            stream.write_all(&answer.body)
        }
        Manner::Drip(pause) => {
            stream.write_all(&head)?;
            answer.body.iter().try_for_each(|byte| {
                stream.write_all(&[*byte])?;
                stream.flush()?;
                thread::sleep(pause);
                Ok(())
            })
        }
        Manner::Cut(bytes) => {
            stream.write_all(&head)?;
            stream.write_all(&answer.body[..bytes])
        }
        Manner::Hang => {
            stream.write_all(&head)?;
            stream.write_all(&answer.body[..1])?;
            stream.flush()?;
            stream.read(&mut [0]).map(|_| ())
        }
        Manner::Silent => Ok(()),
    }
}

/// Whether a request is answered with 304.
fn is_known(seen: &Seen, answer: &Answer) -> bool {
    let given = |wanted: &str| {
        answer.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value)
    };
    let asked = |name: &str| seen.headers.get(name).map(|value| value.clone().into_bytes());
    let (tag, date) = (asked("if-none-match"), asked("if-modified-since"));
    let by_tag = tag.is_some() && tag.as_ref() == given("ETag");
    let by_date = tag.is_none() && date.is_some() && date.as_ref() == given("Last-Modified");
    match answer.manner {
        Manner::Validating | Manner::Terse | Manner::Forgetting(_) => by_tag || by_date,
        Manner::Stubborn => tag.or(date).is_some(),
        _ => by_tag,
    }
}

trait ReadWrite: Read + Write {}
impl<T: Read + Write> ReadWrite for T {}
