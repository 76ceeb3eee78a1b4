//! How much one caller may ask.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::thread;
use std::time::Duration;

use socket2::{Domain, Socket, Type};

use super::{Pair, problem};
use crate::support::program::target;
use crate::support::{Answer, Response, feed, manifest, until};

/// Asks as a proxy on this machine does for somebody.
fn asks(pair: &Pair, caller: &str, path: &str) -> Response {
    let target = target(&pair.origin.url(path), "");
    pair.program.request("GET", &target, &[("X-Forwarded-For", caller)])
}

fn too_many(response: &Response) {
    let told = problem(response, 429, "too-many-requests");
    let seconds: u64 = response.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    assert_eq!(told["retry_after_seconds"], seconds);
    assert_eq!(response.header("cache-control"), Some("no-store"));
}

#[test]
fn a_caller_over_its_rate_waits_and_nobody_else_does() {
    let pair = Pair::start_with(&[
        ("CALLERS__REQUESTS_PER_MINUTE", "1"),
        ("CALLERS__REQUESTS_BURST", "3"),
    ]);
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    for _ in 0..3 {
        manifest::of(&asks(&pair, "192.0.2.1", "/feed.xml"));
    }
    too_many(&asks(&pair, "192.0.2.1", "/feed.xml"));
    // Whatever a client puts in front of its own address.
    too_many(&asks(&pair, "198.51.100.9, 192.0.2.1", "/feed.xml"));
    for _ in 0..3 {
        manifest::of(&asks(&pair, "2001:db8:1:1::1", "/feed.xml"));
    }
    too_many(&asks(&pair, "2001:db8:1:1:ffff::2", "/feed.xml"));
    manifest::of(&asks(&pair, "2001:db8:1:2::1", "/feed.xml"));
    // Probes are answered, and so is this machine.
    let probe = [("X-Forwarded-For", "192.0.2.1")];
    assert_eq!(pair.program.request("GET", "/healthz", &probe).status, 200);
    for _ in 0..10 {
        manifest::of(&pair.feed("/feed.xml", ""));
    }
    let refused = "mmsp_gateway_caller_refusals_total{reason=\"rate\"}";
    assert_eq!(pair.program.metric(refused), 3.0);
}

#[test]
fn a_header_is_believed_from_a_trusted_proxy_only() {
    let pair = Pair::start_with(&[
        ("CALLERS__REQUESTS_PER_MINUTE", "1"),
        ("CALLERS__REQUESTS_BURST", "2"),
        ("CALLERS__EXEMPT", ""),
        ("SERVER__TRUSTED_PROXIES", "10.0.0.0/8"),
    ]);
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    manifest::of(&asks(&pair, "192.0.2.1", "/feed.xml"));
    manifest::of(&asks(&pair, "192.0.2.2", "/feed.xml"));
    too_many(&asks(&pair, "192.0.2.3", "/feed.xml"));
}

#[test]
fn a_caller_who_names_too_many_new_feeds_still_reads_the_known_ones() {
    let pair = Pair::start_with(&[
        ("CALLERS__NEW_FEEDS_PER_MINUTE", "1"),
        ("CALLERS__NEW_FEEDS_BURST", "2"),
    ]);
    for path in ["/a.xml", "/b.xml", "/c.xml"] {
        pair.origin.set(path, Answer::feed(feed::rss(0..3)));
    }
    manifest::of(&pair.feed("/b.xml", ""));
    manifest::of(&asks(&pair, "192.0.2.1", "/a.xml"));
    manifest::of(&asks(&pair, "192.0.2.1", "/b.xml"));
    problem(&asks(&pair, "192.0.2.1", "/missing"), 404, "source-not-found");
    too_many(&asks(&pair, "192.0.2.1", "/c.xml"));
    assert_eq!(pair.origin.seen("/c.xml").len(), 0);
    // What is known, be it a failure, costs nothing.
    for _ in 0..3 {
        manifest::of(&asks(&pair, "192.0.2.1", "/a.xml"));
        problem(&asks(&pair, "192.0.2.1", "/missing"), 404, "source-not-found");
    }
    manifest::of(&asks(&pair, "192.0.2.2", "/c.xml"));
    manifest::of(&asks(&pair, "192.0.2.1", "/c.xml"));
}

#[test]
fn a_caller_has_so_many_requests_at_once() {
    let pair = Pair::start_with(&[("CALLERS__MAX_AT_ONCE", "1")]);
    pair.origin.set("/known.xml", Answer::feed(feed::rss(0..3)));
    manifest::of(&pair.feed("/known.xml", ""));
    let slow = Answer::feed(feed::rss(0..3)).delay(Duration::from_secs(3));
    pair.origin.set("/slow.xml", slow);
    thread::scope(|scope| {
        let first = scope.spawn(|| asks(&pair, "192.0.2.1", "/slow.xml"));
        until(|| !pair.origin.seen("/slow.xml").is_empty());
        too_many(&asks(&pair, "192.0.2.1", "/known.xml"));
        manifest::of(&asks(&pair, "192.0.2.2", "/known.xml"));
        manifest::of(&first.join().unwrap());
    });
    manifest::of(&asks(&pair, "192.0.2.1", "/known.xml"));
}

#[test]
fn a_client_that_does_not_read_its_answer_keeps_its_place() {
    // A feed so large takes a busy machine a while.
    let settings = [("CALLERS__MAX_AT_ONCE", "1"), ("POLL__READER_WAIT_MS", "60000")];
    let pair = Pair::start_with(&settings);
    let long = format!("<p>{}</p>", "long text ".repeat(20_000));
    let items: String = (0..20)
        .map(|n| format!("<item><guid>urn:x:{n}</guid><description>{n}{long}</description></item>"))
        .collect();
    let large = format!("<rss version=\"2.0\"><channel><title>T</title>{items}</channel></rss>");
    pair.origin.set("/large.xml", Answer::feed(large));
    let whole = pair.feed("/large.xml", "");
    assert!(whole.body.len() > 3_000_000, "{}", whole.body.len());

    let mut stream = with_little_room(pair.program.http);
    let target = target(&pair.origin.url("/large.xml"), "");
    let head = format!("GET {target} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut begun = [0; 64];
    stream.read_exact(&mut begun).unwrap();
    too_many(&asks(&pair, "192.0.2.1", "/large.xml"));
    drop(stream);
    until(|| asks(&pair, "192.0.2.1", "/large.xml").status == 200);
}

#[test]
fn a_head_that_does_not_end_is_not_waited_for() {
    let pair = Pair::start_with(&[("SERVER__HEAD_TIMEOUT_SECONDS", "1")]);
    let mut stream = TcpStream::connect(pair.program.http).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ").unwrap();
    let mut said = Vec::new();
    stream.read_to_end(&mut said).unwrap();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 408 "), "{said}");
}

#[test]
fn feeds_that_strangers_make_up_leave_nothing_in_the_store() {
    let pair = Pair::start();
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    manifest::of(&pair.feed("/feed.xml", ""));
    let before = remembered(&pair);
    for n in 0..100 {
        problem(&pair.feed(&format!("/made-up/{n}"), ""), 404, "source-not-found");
        let refused = format!("https://10.0.0.1/{n}");
        problem(&pair.program.feed(&refused, ""), 403, "address-not-allowed");
    }
    assert_eq!(remembered(&pair), before);
}

/// A connection on which the system takes little that nobody reads, so that the other side has to
/// wait: otherwise it may take a whole answer.
fn with_little_room(address: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(&address.into()).unwrap();
    socket.into()
}

/// How many feeds and items the store has, and their bytes.
fn remembered(pair: &Pair) -> String {
    let url = format!("sqlite:{}", pair.folder().join("data/mmsp-gateway.db").display());
    let info = Command::new(env!("CARGO_BIN_EXE_mmsp-gateway"))
        .args(["store", "info"])
        .env("MMSP_GATEWAY__STORE__URL", url)
        .output()
        .unwrap();
    assert!(info.status.success(), "{}", String::from_utf8_lossy(&info.stderr));
    String::from_utf8(info.stdout).unwrap()
}
