//! Addresses that are not for strangers to read.

use std::collections::BTreeSet;
use std::net::TcpListener;

use super::{Pair, problem};
use crate::support::name_server::{NameServer, Reply};
use crate::support::program::target;
use crate::support::{Answer, feed, manifest};

/// A listener that must not be touched.
struct Untouched(TcpListener);

impl Untouched {
    fn on(address: &str) -> Option<Self> {
        let listener = TcpListener::bind(address).ok()?;
        listener.set_nonblocking(true).unwrap();
        Some(Self(listener))
    }

    fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    fn check(&self) {
        assert!(self.0.accept().is_err(), "somebody was here");
    }
}

#[test]
fn loopback_in_any_spelling_is_refused_untouched() {
    // The origin's 127.0.0.1 is allowed as a port of its own only.
    let pair = Pair::start_with(&[("FETCH__ALLOW_NETWORKS", "")]);
    let listener = Untouched::on("127.0.0.1:0").unwrap();
    let sixth = Untouched::on("[::1]:0");
    let port = listener.port();
    for url in [
        format!("https://127.0.0.1:{port}/"),
        format!("https://127.1:{port}/"),
        format!("https://0x7f000001:{port}/"),
        format!("https://2130706433:{port}/"),
        format!("https://[::ffff:127.0.0.1]:{port}/"),
        format!("https://localhost:{port}/"),
        format!("https://[::1]:{}/", sixth.as_ref().map_or(443, Untouched::port)),
        "https://127.0.0.1/".to_owned(),
        "https://[::1]/".to_owned(),
        "https://10.0.0.1/".to_owned(),
        "https://169.254.169.254/latest/meta-data/".to_owned(),
        "https://metadata.google.internal/".to_owned(),
    ] {
        let response = pair.program.feed(&url, "");
        let told = problem(&response, 403, "address-not-allowed");
        assert!(response.header("retry-after").is_none());
        assert!(!told["detail"].as_str().unwrap().contains("loopback"), "{told}");
    }
    listener.check();
    sixth.iter().for_each(Untouched::check);
}

#[test]
fn a_redirect_to_loopback_is_refused_untouched() {
    let pair = Pair::start();
    let listener = Untouched::on("127.0.0.2:0").unwrap();
    let port = listener.port();
    for (path, location) in [
        ("/literal", format!("https://127.0.0.2:{port}/")),
        ("/plain", format!("http://127.0.0.2:{port}/")),
        ("/hex", format!("https://0x7f000002:{port}/")),
        ("/private", "https://10.0.0.1/".to_owned()),
    ] {
        pair.origin.set(path, Answer::status(302).header("Location", &location));
        let response = pair.feed(path, "");
        assert!(
            response.status == 403 || path == "/plain",
            "{path}: {}",
            String::from_utf8_lossy(&response.body)
        );
    }
    listener.check();
}

/// Names that lead inside, and one that leads to the origin.
fn names() -> NameServer {
    NameServer::start(|name, _| match name {
        "loop.test.example" => Reply::address("127.0.0.2"),
        "private.test.example" => Reply::address("10.0.0.1"),
        "feeds.test" => Reply::address("127.0.0.1"),
        _ => Reply::NoSuchName,
    })
}

#[test]
fn names_that_lead_to_loopback_or_a_private_network_are_refused_untouched() {
    let names = names();
    let listener = Untouched::on("127.0.0.2:0").unwrap();
    let ports = format!("{},443", listener.port());
    let pair = Pair::start_with(&[
        ("FETCH__DNS_SERVERS", &names.address().to_string()),
        ("FETCH__ALLOW_PORTS", &ports),
    ]);
    for url in [
        format!("https://loop.test.example:{}/", listener.port()),
        "https://private.test.example/".to_owned(),
    ] {
        problem(&pair.program.feed(&url, ""), 403, "address-not-allowed");
    }
    listener.check();

    // The same name server leads to what is allowed.
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let url = pair.origin.url("/feed.xml").replace("127.0.0.1", "feeds.test");
    manifest::of(&pair.program.feed(&url, ""));
    problem(&pair.program.feed("https://nobody.example/", ""), 502, "source-unavailable");
}

#[test]
fn a_refusal_says_the_same_of_every_address_inside_whatever_is_there() {
    let names = names();
    let listener = Untouched::on("127.0.0.2:0").unwrap();
    let open = listener.port();
    let closed = Untouched::on("127.0.0.2:0").unwrap().port();
    let pair = Pair::start_with(&[
        ("FETCH__DNS_SERVERS", &names.address().to_string()),
        ("FETCH__ALLOW_PORTS", &format!("{open},{closed},443")),
    ]);
    let inside = [
        format!("https://127.0.0.2:{open}/"),
        format!("https://127.0.0.2:{closed}/"),
        format!("https://127.0.0.2:{open}/secret"),
        "https://10.0.0.1/".to_owned(),
        "https://[::1]/".to_owned(),
        "https://169.254.169.254/latest/meta-data/".to_owned(),
        format!("https://localhost:{open}/"),
        "https://private.test.example/".to_owned(),
        format!("https://loop.test.example:{open}/"),
        format!("https://loop.test.example:{closed}/"),
    ];
    let redirects = inside.iter().enumerate().map(|(n, to)| {
        pair.origin.set(&format!("/{n}"), Answer::status(302).header("Location", to));
        pair.origin.url(&format!("/{n}"))
    });
    let redirects: Vec<String> = redirects.collect();
    let mut said = BTreeSet::new();
    for url in inside.iter().chain(&redirects) {
        let response = pair.program.feed(url, "");
        let mut told = problem(&response, 403, "address-not-allowed");
        told.as_object_mut().unwrap().remove("url").unwrap();
        let told_as_page = pair.program.get(&target(url, "").replacen("/mmsp/feed", "/", 1));
        assert_eq!(told_as_page.status, 403);
        said.insert(told.to_string());
    }
    assert_eq!(said.len(), 1, "{said:#?}");
    listener.check();
}

#[test]
fn hosts_that_the_operator_closed_are_refused() {
    let pair = Pair::start_with(&[("FETCH__DENY_HOSTS", "closed.example")]);
    problem(&pair.program.feed("https://closed.example/feed", ""), 403, "host-not-allowed");
}
