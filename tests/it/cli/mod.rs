//! The command line of the real binary.

mod convert;
mod discover;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{Answer, Origin, feed, manifest};

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
fn serve_and_check_refuse_the_same_settings() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("empty.pem"), "").unwrap();
    for (settings, said) in [
        (&[("FETCH__CA_FILE", "nowhere.pem")][..], "fetch.ca_file"),
        (&[("FETCH__CA_FILE", "empty.pem")], "fetch.ca_file"),
        (&[("FETCH__MAX_BODY_BYTES", "0")], "fetch.max_body_bytes must be a whole number from 1"),
        (&[("SERVER__TLS_CERT", "nowhere.pem"), ("SERVER__TLS_KEY", "k")], "nowhere.pem"),
    ] {
        let names: Vec<_> =
            settings.iter().map(|(name, _)| format!("MMSP_GATEWAY__{name}")).collect();
        let variables: Vec<_> =
            names.iter().zip(settings).map(|(name, (_, value))| (name.as_str(), *value)).collect();
        for command in ["serve", "check"] {
            let output = run(folder.path(), &[command], &variables);
            assert_eq!(output.status.code(), Some(2), "{command} {settings:?}");
            assert!(errors(&output).contains(said), "{}", errors(&output));
        }
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
fn healthcheck_fails_where_nothing_answers() {
    let folder = tempfile::tempdir().unwrap();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let address = free.to_string();
    let variables = [("MMSP_GATEWAY__SERVER__LISTEN", address.as_str())];
    let output = run(folder.path(), &["healthcheck"], &variables);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains(&address));
}

#[test]
fn addresses_are_read_through_the_guarded_door() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    origin.set("/feed.xml", Answer::feed(feed::rss(0..2)));
    let url = origin.url("/feed.xml");
    let refused = run(folder.path(), &["convert", &url], &[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(errors(&refused).contains("not open to the gateway"), "{}", errors(&refused));
    assert_eq!(origin.connections(), 0);

    let ca_file = origin.ca_file().to_str().unwrap();
    let variables = [
        ("MMSP_GATEWAY__FETCH__ALLOW_NETWORKS", "127.0.0.0/8,::1/128"),
        ("MMSP_GATEWAY__FETCH__CA_FILE", ca_file),
    ];
    let output = run(folder.path(), &["convert", &url], &variables);
    assert!(output.status.success(), "{}", errors(&output));
    let converted: Value = serde_json::from_slice(&output.stdout).unwrap();
    manifest::check(&converted);
    assert_eq!(manifest::ids(&converted), [feed::id(1), feed::id(0)]);
    assert_eq!(converted["items"][0]["source"]["feed_url"], url.as_str());
    let output = run(folder.path(), &["discover", &url], &variables);
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(list[0]["url"], url.as_str());
}

#[test]
fn a_mode_that_wants_a_secret_is_refused_without_one() {
    let folder = tempfile::tempdir().unwrap();
    for (mode, said) in
        [("token", "access.tokens is empty"), ("signed", "access.keys is empty"), ("x", "mode")]
    {
        for command in ["serve", "check"] {
            let output = run(folder.path(), &[command], &[("MMSP_GATEWAY__ACCESS__MODE", mode)]);
            assert_eq!(output.status.code(), Some(2), "{mode}");
            assert!(errors(&output).contains(said), "{}", errors(&output));
            assert_eq!(errors(&output).lines().count(), 1, "{}", errors(&output));
        }
    }
}

#[test]
fn sign_prints_the_address_that_a_gateway_answers() {
    let folder = tempfile::tempdir().unwrap();
    let keys = ("MMSP_GATEWAY__ACCESS__KEYS", "first-key,second-key");
    let url = ("MMSP_GATEWAY__SERVER__PUBLIC_URL", "https://gateway.test/feeds/");
    let output =
        run(folder.path(), &["sign", "Example.com/f?a=1&b=\u{e9}", "feed:x.example"], &[keys, url]);
    assert!(output.status.success(), "{}", errors(&output));
    let printed = String::from_utf8(output.stdout).unwrap();
    let mut lines = printed.lines();
    // The signature was made by another implementation: see `paging/signature.rs`.
    assert_eq!(
        lines.next(),
        Some(
            "https://gateway.test/feeds/mmsp/feed?url=https%3A%2F%2Fexample.com%2Ff%3Fa%3D1%26b\
             %3D%25C3%25A9&sig=L-nKSdRpBYVXtH0J8dpU16BxtfHZohnf2EY7vgY2U2c"
        )
    );
    assert!(lines.next().unwrap().contains("url=https%3A%2F%2Fx.example%2F&sig="));
    assert_eq!(lines.next(), None);
    for (arguments, variables) in [
        (&["sign", "x.example"][..], &[url][..]),
        (&["sign", "ftp://x.example"], &[keys, url]),
        (&["sign"], &[keys, url]),
    ] {
        let output = run(folder.path(), arguments, variables);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        assert!(!errors(&output).contains("first-key"));
    }
}

#[test]
fn a_list_of_feeds_becomes_a_list_of_manifests() {
    let folder = tempfile::tempdir().unwrap();
    let list =
        |url: &str| format!("<opml><body><outline text=\"a\" xmlUrl=\"{url}\"/></body></opml>");
    let rewrite = |text: &str| {
        fs::write(folder.path().join("list.opml"), text).unwrap();
        let variables = [("MMSP_GATEWAY__SERVER__PUBLIC_URL", "https://gw.example")];
        run(folder.path(), &["opml", "list.opml"], &variables)
    };
    let output = rewrite(&list("https://a.example/feed"));
    assert_eq!(output.status.code(), Some(0));
    let want = list("https://gw.example/mmsp/feed?url=https%3A%2F%2Fa.example%2Ffeed");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), want);

    let output = rewrite(&list("mailto:a@a.example"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stdout.clone()).unwrap(), list("mailto:a@a.example"));
    assert!(errors(&output).contains("mailto:a@a.example"));

    let output = rewrite("<rss/>");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(errors(&output).contains("not an OPML list"));
}

#[test]
fn a_store_that_is_only_looked_at_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    for command in [&["store", "info"][..], &["store", "export"], &["forget", "https://a.example/"]]
    {
        let output = run(folder.path(), command, &[]);
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        assert!(errors(&output).contains("there is no store at"), "{}", errors(&output));
    }
    assert!(!folder.path().join("data").exists());
}
