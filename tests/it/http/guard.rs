//! Addresses that are not for strangers to read.

use std::net::{Ipv4Addr, TcpListener};

use super::{Pair, problem};
use crate::support::{Answer, feed, manifest, names};

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

#[test]
fn names_that_lead_to_loopback_or_a_private_network_are_refused_untouched() {
    let names = names::serve([
        ("loop.test.example", Ipv4Addr::new(127, 0, 0, 2)),
        ("private.test.example", Ipv4Addr::new(10, 0, 0, 1)),
        ("feeds.test", Ipv4Addr::LOCALHOST),
    ]);
    let listener = Untouched::on("127.0.0.2:0").unwrap();
    let ports = format!("{},443", listener.port());
    let pair = Pair::start_with(&[
        ("FETCH__DNS_SERVERS", &names.to_string()),
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
fn hosts_that_the_operator_closed_are_refused() {
    let pair = Pair::start_with(&[("FETCH__DENY_HOSTS", "closed.example")]);
    problem(&pair.program.feed("https://closed.example/feed", ""), 403, "host-not-allowed");
}
