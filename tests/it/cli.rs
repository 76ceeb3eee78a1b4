//! The command line of the real binary.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mmsp-gateway"))
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(folder)
        .output()
        .unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn wrong_usage_and_wrong_settings_exit_with_2_and_plain_words() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["dance"], &[]);
    assert_eq!(output.status.code(), Some(2));

    let variables = [("MMSP_GATEWAY__SERVER__LISTN", "1"), ("MMSP_GATEWAY__FETCH__CAFILE", "x")];
    for command in ["serve", "check", "healthcheck"] {
        let output = run(folder.path(), &[command], &variables);
        assert_eq!(output.status.code(), Some(2), "{command}");
        let errors = errors(&output);
        assert!(errors.contains("did you mean server.listen?"), "{errors}");
        assert!(errors.contains("did you mean fetch.ca_file?"), "{errors}");
    }
}

#[test]
fn open_mode_does_not_start_beyond_loopback() {
    let folder = tempfile::tempdir().unwrap();
    let variables = [("MMSP_GATEWAY__SERVER__LISTEN", "0.0.0.0:0")];
    let output = run(folder.path(), &["serve"], &variables);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("dangerously_open_beyond_loopback"));
}

#[test]
fn a_port_that_is_taken_is_named_and_exits_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let variables = [("MMSP_GATEWAY__SERVER__LISTEN", address.as_str())];
    let output = run(folder.path(), &["serve"], &variables);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains(&address), "{}", errors(&output));
}

#[test]
fn check_shows_what_is_in_force_and_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.toml"), "[server]\nworkers = 3\n").unwrap();
    let variables = [("MMSP_GATEWAY__STORE__URL", "sqlite:hidden.db")];
    let output = run(folder.path(), &["check", "--config", "a.toml"], &variables);
    assert!(output.status.success(), "{}", errors(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().any(|line| line == "server.workers = 3"), "{text}");
    assert!(text.lines().any(|line| line == "store.url = (set)"), "{text}");
    assert!(!text.contains("hidden"));
}

#[test]
fn the_shipped_settings_files_are_accepted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in ["config/default.toml", "deploy/config.toml"] {
        let output = run(root, &["check", "--config", file], &[]);
        assert!(output.status.success(), "{file}: {}", errors(&output));
    }
}

#[test]
fn healthcheck_fails_where_nothing_answers() {
    let folder = tempfile::tempdir().unwrap();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let address = free.to_string();
    let variables = [("MMSP_GATEWAY__SERVER__LISTEN", address.as_str())];
    let output = run(folder.path(), &["healthcheck"], &variables);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains(&address));
}
