//! What an operator does to the memory, with gateways running or not.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use super::Fleet;
use crate::support::postgres::Server;
use crate::support::{Answer, Origin, Program, feed, manifest};

/// Runs a command on the store at that URL.
fn run(folder: &Path, store: &str, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mmsp-gateway"))
        .args(arguments)
        .env("MMSP_GATEWAY__STORE__URL", store)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeding = thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    feeding.join().unwrap();
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_forgotten_feed_leaves_every_running_gateway_and_is_read_anew() {
    let fleet = Fleet::start(2);
    let url = fleet.origin.url("/feed.xml");
    fleet.origin.set("/feed.xml", Answer::feed(feed::rss(0..5)));
    for program in &fleet.programs {
        manifest::of(&program.feed(&url, ""));
    }
    fleet.origin.set("/feed.xml", Answer::feed(feed::rss(3..5)));
    let output = run(fleet.folders[0].path(), &fleet.url, &["forget", &url], b"");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("is forgotten; gateways that run drop it within ten seconds"), "{said}");
    for program in &fleet.programs {
        // The test waits for longer than ten seconds only where the promise is broken.
        while manifest::of(&program.feed(&url, ""))["items"].as_array().unwrap().len() == 5 {
            thread::sleep(Duration::from_millis(100));
        }
    }
    assert_eq!(fleet.origin.seen("/feed.xml").len(), 2);

    let nothing = fleet.origin.url("/other.xml");
    let output = run(fleet.folders[0].path(), &fleet.url, &["forget", &nothing], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("nothing is remembered of"));
}

#[test]
fn a_memory_moves_from_a_file_to_a_server_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let url = origin.url("/feed.xml");
    origin.set("/feed.xml", Answer::feed(feed::rss(0..5)));
    let name = [("SERVER__PUBLIC_URL", "https://gateway.test")];
    let program = Program::start(folder.path(), origin.ca_file(), &name);
    let before = program.feed(&url, "");
    manifest::of(&before);
    drop(program);

    let file = "sqlite:./data/mmsp-gateway.db";
    let server = Server::shared().new_database();
    let exported = run(folder.path(), file, &["store", "export"], b"");
    assert_eq!(exported.status.code(), Some(0), "{}", text(&exported.stderr));
    let lines = exported.stdout.split_inclusive(|byte| *byte == b'\n').count();
    let cut: Vec<&[u8]> = exported.stdout.split_inclusive(|byte| *byte == b'\n').collect();
    let part = Server::shared().new_database();
    let broken = run(folder.path(), &part, &["store", "import"], &cut[..lines - 1].concat());
    assert_eq!(broken.status.code(), Some(1));
    assert!(text(&broken.stderr).contains("the lines break off"), "{}", text(&broken.stderr));
    let imported = run(folder.path(), &server, &["store", "import"], &exported.stdout);
    assert_eq!(imported.status.code(), Some(0), "{}", text(&imported.stderr));
    let info = run(folder.path(), &server, &["store", "info"], b"");
    assert!(text(&info.stdout).starts_with("feeds 1\nitems 5\nbytes "), "{}", text(&info.stdout));
    let again = run(folder.path(), &server, &["store", "import"], &exported.stdout);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("import into an empty one"));

    let settings = [name[0], ("STORE__URL", server.as_str())];
    let program = Program::start(folder.path(), origin.ca_file(), &settings);
    assert_eq!(program.feed(&url, "").body, before.body);
    assert_eq!(origin.seen("/feed.xml").len(), 1);
}
