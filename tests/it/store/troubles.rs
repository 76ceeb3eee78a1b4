//! A store that is full, damaged or away: what readers, operators and polls see of it.

use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::json;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, SqliteConnection};
use tokio::runtime::Builder;

use super::Fleet;
use crate::support::postgres::Server;
use crate::support::{Answer, Origin, Program, feed, manifest, until};

/// Waits until `/readyz` says that.
fn wait_until_ready_says(program: &Program, word: &serde_json::Value) {
    until(|| program.get("/readyz").json() == *word);
}

/// A store that takes nothing while a poll is under way, until it is mended: the poll's reader is
/// served in the end, all others all the time, and the source is asked once.
fn a_poll_waits_for_the_store(
    program: &Program,
    origin: &Origin,
    take_away: impl FnOnce(),
    give_back: impl FnOnce(),
) {
    origin.set("/known.xml", Answer::feed(feed::rss(0..3)));
    let known = origin.url("/known.xml");
    let page = manifest::of(&program.feed(&known, ""));
    let slow = Answer::feed(feed::rss(0..5)).delay(Duration::from_millis(500));
    origin.set("/cold.xml", slow);
    thread::scope(|scope| {
        let cold = scope.spawn(|| program.feed(&origin.url("/cold.xml"), ""));
        until(|| !origin.seen("/cold.xml").is_empty());
        take_away();
        wait_until_ready_says(program, &json!({"status": "ready", "store": "degraded"}));
        assert_eq!(program.get("/readyz").status, 200);
        assert_eq!(manifest::of(&program.feed(&known, "")), page);
        // The poll comes back to a store that takes nothing, and insists.
        let failed = |operation: &str| {
            let name = format!("mmsp_gateway_store_errors_total{{operation=\"{operation}\"}}");
            program.metric(&name)
        };
        until(|| failed("find_feed") + failed("find_items") + failed("merge") > 0.5);
        give_back();
        let cold = cold.join().unwrap();
        assert_eq!(cold.status, 200, "{}", program.log_so_far().join("\n"));
        let items = manifest::of(&cold)["items"].as_array().unwrap().len();
        assert_eq!(items, 5);
    });
    wait_until_ready_says(program, &json!({"status": "ready"}));
    assert_eq!(origin.seen("/cold.xml").len(), 1, "what was fetched was not lost");
}

#[test]
fn a_full_disk_costs_no_poll_and_no_reader() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let program = Program::start_on_a_small_disk(folder.path(), origin.ca_file());
    let full = || program.limit_files("4096");
    a_poll_waits_for_the_store(&program, &origin, full, || program.limit_files("unlimited"));
    assert!((program.metric("mmsp_gateway_store_degraded")) < 0.5);
}

#[test]
fn a_file_that_another_process_holds_costs_no_poll_and_no_reader() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let program = Program::start(folder.path(), origin.ca_file(), &[]);
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let file = SqliteConnectOptions::new().filename(folder.path().join("data/mmsp-gateway.db"));
    let mut holder = runtime.block_on(SqliteConnection::connect_with(&file)).unwrap();
    let (hold, let_go) = mpsc::channel::<()>();
    let (held, is_held) = mpsc::channel();
    let holding = thread::spawn(move || {
        let _ = let_go.recv();
        runtime.block_on(sqlx::query("BEGIN IMMEDIATE").execute(&mut holder)).unwrap();
        held.send(()).unwrap();
        let _ = let_go.recv();
        runtime.block_on(holder.close()).unwrap();
    });
    let take_away = || {
        hold.send(()).unwrap();
        is_held.recv().unwrap();
    };
    a_poll_waits_for_the_store(&program, &origin, take_away, || hold.send(()).unwrap());
    holding.join().unwrap();
}

#[test]
fn a_server_that_goes_away_and_comes_back_costs_no_poll_and_no_reader() {
    let server = Server::start();
    let fleet = Fleet::start_on(&server, 1);
    let (program, origin) = (&fleet.programs[0], &fleet.origin);
    a_poll_waits_for_the_store(program, origin, || server.stop(), || server.start_again());
}

#[test]
fn a_server_that_goes_away_is_told_though_nobody_asks() {
    let server = Server::start();
    let fleet = Fleet::start_on(&server, 1);
    let program = &fleet.programs[0];
    let wait_for = |wanted: f64| {
        until(|| (program.metric("mmsp_gateway_store_degraded") - wanted).abs() < 0.5);
    };
    server.stop();
    wait_for(1.0);
    server.start_again();
    wait_for(0.0);
    // What only tells waits for a moment, and is written behind the errors.
    let mut log = Vec::new();
    until(|| {
        log.extend(program.log_so_far());
        log.iter().any(|line| line.contains("the store is read again"))
    });
    let errors = log.iter().filter(|line| line.contains("the store cannot be")).count();
    assert!((1..=2).contains(&errors), "{log:#?}");
}

#[test]
fn a_server_that_is_away_is_one_error_however_many_ask() {
    let server = Server::start();
    let fleet = Fleet::start_on(&server, 1);
    let (program, origin) = (&fleet.programs[0], &fleet.origin);
    server.stop();
    until(|| program.metric("mmsp_gateway_store_degraded") > 0.5);
    thread::scope(|scope| {
        for n in 0..8 {
            let unknown = origin.url(&format!("/{n}.xml"));
            scope.spawn(move || assert_eq!(program.feed(&unknown, "").status, 503));
        }
    });
    let log = program.log_so_far();
    let errors = log.iter().filter(|line| line.contains(r#""level":"ERROR""#)).count();
    // One for what is read and one for what is written.
    assert!((1..=2).contains(&errors), "{log:#?}");
    server.start_again();
}

#[test]
fn a_damaged_file_is_refused_in_plain_words() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    fs::write(folder.path().join("data/mmsp-gateway.db"), [7; 8192]).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_mmsp-gateway"))
        .arg("serve")
        .current_dir(folder.path())
        .envs([("MMSP_GATEWAY__SERVER__LISTEN", "127.0.0.1:0")])
        .envs([("MMSP_GATEWAY__SERVER__TLS_LISTEN", "127.0.0.1:0")])
        .envs([("MMSP_GATEWAY__METRICS__LISTEN", "")])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(said.contains("file is not a database"), "{said}");
}
