//! Start, stop and what lies between.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Pair;
use crate::support::origin::Manner;
use crate::support::{Answer, Inside, Origin, Program, feed, manifest, until};

#[test]
fn it_is_alive_and_ready_once_it_says_where_it_listens() {
    let pair = Pair::start();
    assert_eq!(pair.program.get("/healthz").json()["status"], "alive");
    assert_eq!(pair.program.get("/readyz").json()["status"], "ready");
    assert_eq!(pair.program.get("/readyz").header("cache-control"), Some("no-store"));
    let asked = Command::new(env!("CARGO_BIN_EXE_mmsp-gateway"))
        .arg("healthcheck")
        .env("MMSP_GATEWAY__SERVER__LISTEN", pair.program.http.to_string())
        .status();
    assert!(asked.unwrap().success());
}

#[test]
fn a_lost_store_is_told_by_readyz_which_stays_green() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let inside = Inside::start(folder.path(), origin.ca_file());
    assert_eq!(inside.get("/readyz").json(), json!({ "status": "ready" }));
    inside.close_store();
    let lost = inside.get("/readyz");
    assert_eq!(lost.status, 200);
    assert_eq!(lost.json(), json!({ "status": "ready", "store": "degraded" }));
}

#[test]
fn what_it_says_at_the_start_is_json_and_names_what_is_open() {
    let pair = Pair::start();
    let said: Vec<Value> =
        pair.program.said.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(said.iter().any(|line| line["exception"] == "network 127.0.0.1/32"), "{said:#?}");
}

#[test]
fn what_it_says_at_the_start_are_lines_where_the_log_is_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mmsp-gateway"));
    for (name, value) in
        [("LOG__FORMAT", "text"), ("SERVER__TLS_LISTEN", "127.0.0.1:0"), ("SERVER__LISTEN", "")]
    {
        command.env(format!("MMSP_GATEWAY__{name}"), value);
    }
    command.env("MMSP_GATEWAY__METRICS__LISTEN", "").arg("serve").current_dir(folder.path());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let last = lines.find(|line| line.starts_with("certificate"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(first.starts_with("https on https://127.0.0.1:"), "{first}");
    assert_eq!(last.as_deref(), Some("certificate to trust: ./data/tls/localhost.pem"));
}

#[test]
fn the_store_is_closed_at_the_end() {
    let mut pair = Pair::start();
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    manifest::of(&pair.feed("/feed.xml", ""));
    let log = pair.folder().join("data/mmsp-gateway.db-wal");
    assert!(log.exists());
    pair.program.terminate();
    assert!(pair.program.wait().success());
    assert!(!log.exists(), "the write-ahead log is left behind");
}

#[test]
fn sigterm_turns_readyz_red_and_lets_running_requests_end() {
    let mut pair = Pair::start_with(&[("SERVER__DRAIN_DELAY_SECONDS", "5")]);
    let slow = Answer::feed(feed::rss(0..3)).delay(Duration::from_secs(3));
    pair.origin.set("/feed.xml", slow);
    let running = thread::scope(|scope| {
        let running = scope.spawn(|| pair.feed("/feed.xml", ""));
        until(|| !pair.origin.seen("/feed.xml").is_empty());
        pair.program.terminate();
        until(|| pair.program.get("/readyz").status == 503);
        let late = pair.program.get("/readyz");
        assert_eq!(late.json()["status"], "draining");
        let late = pair.program.get("/healthz");
        assert_eq!((late.status, late.header("connection")), (200, Some("close")));
        running.join().unwrap()
    });
    manifest::of(&running);
    assert!(pair.program.wait().success());
}

#[test]
fn a_second_signal_ends_at_once_whatever_is_under_way() {
    let mut pair = Pair::start_with(&[("SERVER__DRAIN_DELAY_SECONDS", "60")]);
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)).manner(Manner::Hang));
    let under_way = pair.program.ask(&pair.origin.url("/feed.xml"));
    until(|| !pair.origin.seen("/feed.xml").is_empty());
    pair.program.signal("-TERM");
    until(|| pair.program.get("/readyz").status == 503);
    let begun = Instant::now();
    pair.program.signal("-INT");
    assert!(pair.program.wait().success());
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    drop(under_way);
}

#[test]
fn what_runs_beyond_the_limit_is_cut_and_the_exit_code_is_0() {
    let settings = [("SERVER__DRAIN_TIMEOUT_SECONDS", "1"), ("POLL__STOP_WAIT_MS", "500")];
    let mut pair = Pair::start_with(&settings);
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)).manner(Manner::Hang));
    let mut under_way = pair.program.ask(&pair.origin.url("/feed.xml"));
    until(|| !pair.origin.seen("/feed.xml").is_empty());
    pair.program.terminate();
    assert!(pair.program.wait().success());
    let mut answer = Vec::new();
    // Cut off, or told that there will be no answer: not a whole one.
    let _ = under_way.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/1.1 200 "));
}

#[test]
fn a_gateway_is_up_in_well_under_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    // The first start makes a certificate and a store. Other tests run beside this one: what they
    // take is not counted, and a slow start is tried again.
    drop(Program::start(folder.path(), origin.ca_file(), &[]));
    let start = || {
        let begun = Instant::now();
        let program = Program::start(folder.path(), origin.ca_file(), &[]);
        assert_eq!(program.get("/readyz").status, 200);
        begun.elapsed().saturating_sub(program.kept_waiting())
    };
    let quickest = (0..5).map(|_| start()).find(|took| *took < Duration::from_millis(500));
    eprintln!("ready {quickest:?} after the start");
    assert!(quickest.is_some(), "half a second was not enough, five times");
}

#[test]
fn history_outlives_the_process_and_the_items_of_the_source() {
    let mut pair = Pair::start();
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..5)));
    let first = pair.feed("/feed.xml", "");
    manifest::of(&first);
    pair.program.terminate();
    assert!(pair.program.wait().success());
    pair.program = Program::start(pair.folder(), pair.origin.ca_file(), &[]);
    let items = |body| manifest::ids(&manifest::of(body));
    assert_eq!(items(&pair.feed("/feed.xml", "")), items(&first));
}

#[test]
fn a_feed_without_a_single_valid_item_is_a_line_in_the_log() {
    let pair = Pair::start();
    let document = "<rss><channel><title>T</title><item/></channel></rss>";
    pair.origin.set("/feed.xml?secret=1", Answer::feed(document));
    assert!(manifest::ids(&manifest::of(&pair.feed("/feed.xml?secret=1", ""))).is_empty());
    pair.program.terminate();
    let mut program = pair.program;
    assert!(program.wait().success());
    let log = program.log();
    let told: Vec<_> = log.iter().filter(|line| line.contains("every item")).collect();
    assert_eq!(told.len(), 1, "{log:#?}");
    let line: serde_json::Value = serde_json::from_str(told[0]).unwrap();
    assert_eq!(line["level"], "WARN");
    assert_eq!(line["source.host"], "127.0.0.1");
    assert_eq!(line["reasons"], "empty: 1");
}

#[test]
fn a_client_that_does_not_finish_its_request_is_let_go() {
    let pair = Pair::start_with(&[("SERVER__HEAD_TIMEOUT_SECONDS", "1")]);
    let mut slow = TcpStream::connect(pair.program.http).unwrap();
    slow.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nHost: x").unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}
