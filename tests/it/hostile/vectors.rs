//! Our table of targets, and a larger one where it lies beside the project, through the running
//! service: in a network namespace in which every address of the world is this machine's own, so
//! that nothing leaves it and whatever is dialled is seen.

use std::collections::HashMap;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::support::name_server::{self, NameServer, Reply};
use crate::support::{Program, feed, origin};

const NAME: &str = "hostile::vectors::every_row_of_the_tables_holds_in_the_running_service";
const INSIDE: &str = "MMSP_GATEWAY_TEST_NAMESPACE";

#[test]
fn every_row_of_the_tables_holds_in_the_running_service() {
    if env::var_os(INSIDE).is_some() {
        return judge(&rows());
    }
    assert!(run_inside("true"), "needs `unshare` and `ip`, and the right to a network namespace");
    let program = env::current_exe().unwrap();
    assert!(run_inside(&format!("'{}' --exact {NAME} --nocapture", program.display())));
}

/// Runs a command where all addresses lead to loopback, and nothing leads out.
fn run_inside(command: &str) -> bool {
    let script = format!(
        "ip link set lo up && ip route add local 0.0.0.0/0 dev lo && \
         ip -6 route add local ::/0 dev lo && {command}"
    );
    let mut unshare = Command::new("unshare");
    unshare.args(["--map-root-user", "--net", "sh", "-c", &script]);
    // Proxies of the environment are none of ours.
    for proxy in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        unshare.env(proxy, "http://127.0.0.1:9");
    }
    unshare.env(INSIDE, "1").status().is_ok_and(|status| status.success())
}

/// The rows of our table, `fixtures/targets.tsv`, and of the shared one where there is one.
fn rows() -> Vec<Row> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ours = std::fs::read_to_string(root.join("fixtures/targets.tsv")).unwrap();
    let shared = std::fs::read_to_string(root.join("../shared/ssrf_vectors.tsv"));
    let shared = shared.unwrap_or_default();
    let rows = [ours.as_str(), shared.as_str()].into_iter().flat_map(|table| table.lines().skip(1));
    let rows = rows.map(Row::parse).filter(|row| !ELSEWHERE.contains(&row.id.as_str()));
    rows.collect()
}

/// A row of a table.
struct Row {
    id: String,
    kind: String,
    input: String,
    answers: String,
    is_open: bool,
}

impl Row {
    fn parse(line: &str) -> Self {
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, kind, input, answers, expected, _] = fields[..] else { panic!("{line}") };
        let input = unescaped(input);
        let input = match kind {
            "self" | "rebind" => input.split(' ').next().unwrap().to_owned(),
            _ => input,
        };
        Self {
            id: id.to_owned(),
            kind: kind.to_owned(),
            // Our own paths are those of manifests.
            input: input.replace("/v1/manifest?", "/mmsp/feed?"),
            answers: answers.to_owned(),
            // Those are made whole when they are cleaned, and then are addresses like any other.
            is_open: expected == "allow" || ["v007", "v009", "v010"].contains(&id),
        }
    }

    /// The address to ask for: each row has one of its own, since failures are remembered.
    fn url(&self) -> String {
        let first = self.input.split(" => ").next().unwrap();
        match first.strip_suffix("/feed.xml").or_else(|| first.strip_suffix("/f")) {
            Some(rest) if self.kind != "userinfo" => format!("{rest}/{}", self.id),
            _ => first.to_owned(),
        }
    }

    /// The answers of the way, in their order: status and `Location` fields.
    fn steps(&self) -> Vec<String> {
        let steps = self.input.split(" => ").skip(1);
        let url = self.url();
        let step = |step: &str| {
            let (status, location) = step.split_once(' ').unwrap();
            let location = match location {
                "https://a.example/f" => url.clone(), // back to where it began
                location => location.to_owned(),
            };
            let fields = match location.as_str() {
                "(no Location header)" => String::new(),
                "(two differing Location headers)" => "Location: /a\r\nLocation: /b\r\n".to_owned(),
                location => format!("Location: {location}\r\n"),
            };
            format!("HTTP/1.1 {status} Moved\r\n{fields}Content-Length: 0\r\n\r\n")
        };
        steps.map(step).collect()
    }
}

/// v222 and v223 are about the second of two connections, which the fetcher's own tests make.
const ELSEWHERE: [&str; 2] = ["v222", "v223"];

fn judge(rows: &[Row]) {
    let world = World::start();
    assert!(rows.len() > 140, "{}", rows.len());
    let wrong: Vec<String> = rows.iter().filter_map(|row| world.wrong(row)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The program, and everything it could reach.
struct World {
    program: Program,
    state: Arc<Mutex<State>>,
    _folder: tempfile::TempDir,
}

#[derive(Default)]
struct State {
    /// What the name server says, as the table has it.
    answers: String,
    /// How often each name was looked up.
    lookups: HashMap<String, usize>,
    /// What the origin says next; then it sends a feed.
    steps: Vec<String>,
    /// The addresses that were dialled.
    dialled: Vec<IpAddr>,
}

impl World {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let names = ["a.example", "b.example", "example.com", "*.example.com", "8.8.8.8"];
        let (config, authority) = origin::certificate(&names);
        let ca_file = folder.path().join("ca.pem");
        std::fs::write(&ca_file, authority).unwrap();
        for (port, config) in [(443, Some(config)), (80, None)] {
            let listener = TcpListener::bind(("::", port)).unwrap();
            let state = Arc::clone(&state);
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let (state, config) = (Arc::clone(&state), config.clone());
                    thread::spawn(move || serve(stream, config, &state));
                }
            });
        }
        let said = Arc::clone(&state);
        let names =
            NameServer::start(move |name, kind| reply(name, kind, &mut said.lock().unwrap()));
        let program = Program::start(
            folder.path(),
            &ca_file,
            &[
                ("FETCH__ALLOW_NETWORKS", ""),
                ("FETCH__DNS_SERVERS", &names.address().to_string()),
                ("FETCH__DNS_TIMEOUT_MS", "500"),
                ("SERVER__PUBLIC_URL", "https://gateway.example"),
            ],
        );
        Self { program, state, _folder: folder }
    }

    /// What is wrong with how a row was judged.
    fn wrong(&self, row: &Row) -> Option<String> {
        {
            let mut state = self.state.lock().unwrap();
            *state = State {
                answers: row.answers.clone(),
                steps: row.steps().into_iter().rev().collect(),
                ..State::default()
            };
        }
        let response = self.program.feed(&row.url(), "");
        let state = self.state.lock().unwrap();
        let dialled = &state.dialled;
        let is_right = if row.is_open {
            // Not every name has a certificate here.
            !dialled.is_empty() && [200, 502].contains(&response.status)
        } else {
            let is_told = match row.answers.as_str() {
                "NXDOMAIN" | "EMPTY" | "SERVFAIL" | "TIMEOUT" => {
                    [502, 504].contains(&response.status)
                }
                _ if row.kind == "redirect" => [403, 502].contains(&response.status),
                _ => [400, 403].contains(&response.status),
            };
            let first: IpAddr = "93.184.216.34".parse().unwrap();
            let is_on_its_way = row.kind == "redirect" && dialled.iter().all(|to| *to == first);
            is_told && (dialled.is_empty() || is_on_its_way)
        };
        let is_public = dialled.iter().all(|address| !is_private(*address));
        let lookups = state.lookups.values().copied().max().unwrap_or(0);
        let is_looked_up_once = row.kind != "rebind" || lookups == 1;
        (!is_right || !is_public || !is_looked_up_once).then(|| {
            let text = String::from_utf8_lossy(&response.body).into_owned();
            let text: String = text.chars().take(200).collect();
            format!("{} {} {} {dialled:?} {text}", row.id, row.url(), response.status)
        })
    }
}

/// The plainest notion of it: what must never be dialled.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_unspecified()
                || address.is_broadcast()
        }
        IpAddr::V6(address) => {
            address.is_loopback()
                || address.is_unspecified()
                || address.is_unique_local()
                || address.is_unicast_link_local()
        }
    }
}

/// Notes who was meant, and answers as the row says.
fn serve(stream: TcpStream, config: Option<Arc<ServerConfig>>, state: &Mutex<State>) {
    let address = stream.local_addr().unwrap().ip().to_canonical();
    state.lock().unwrap().dialled.push(address);
    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    let Some(config) = config else { return };
    let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
    let mut lines = BufReader::new(&mut stream).lines();
    // A name without a certificate here ends in its handshake.
    while lines.next().and_then(Result::ok).is_some_and(|line| !line.is_empty()) {}
    let step = state.lock().unwrap().steps.pop();
    let body = feed::rss(0..1);
    let document = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let _ = stream.write_all(step.unwrap_or(document).as_bytes());
    stream.conn.send_close_notify();
    let _ = stream.flush();
}

/// Answers for every name what the row says.
fn reply(name: &str, kind: u16, state: &mut State) -> Reply {
    let lookup = state.lookups.entry(name.to_owned()).or_default();
    *lookup += usize::from(kind == name_server::A);
    let text = match state.answers.split("; ").find_map(|it| it.strip_prefix(&format!("{name}="))) {
        Some(by_name) => by_name,
        None => {
            let turns: Vec<_> = state.answers.split("; ").collect();
            turns[lookup.saturating_sub(1).min(turns.len() - 1)]
        }
    };
    let addresses = text.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
    match (text, text.strip_prefix("CNAME ")) {
        ("TIMEOUT", _) => Reply::Silence,
        ("SERVFAIL", _) => Reply::ServerFailure,
        ("NXDOMAIN", _) => Reply::NoSuchName,
        (_, Some(alias)) => Reply::Alias(alias.split(' ').next().unwrap().to_owned(), addresses),
        _ => Reply::Addresses(addresses),
    }
}

fn unescaped(text: &str) -> String {
    [("\\t", "\t"), ("\\r", "\r"), ("\\n", "\n"), ("\\u00ad", "\u{ad}"), ("\\\\", "\\")]
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}
