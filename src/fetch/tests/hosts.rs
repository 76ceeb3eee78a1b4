//! Which hosts are asked: names, addresses, certificates, and ourselves.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::name_server::{NameServer, Reply};
use super::*;

#[test]
fn loopback_is_refused_by_every_way_that_leads_there_and_never_touched() {
    let secret = Untouched::new();
    let port = secret.port();
    let name_server = NameServer::start(|name, _| match name {
        "sneaky.example" => Reply::address("127.0.0.1"),
        "mixed.example" => {
            Reply::Addresses(vec!["93.184.216.34".parse().unwrap(), "127.0.0.1".parse().unwrap()])
        }
        _ => Reply::NoSuchName,
    });
    for target in [
        format!("https://127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}/"),
        format!("https://[::1]:{port}/"),
        format!("https://[::ffff:127.0.0.1]:{port}/"),
        format!("https://0x7f000001:{port}/"),
        format!("https://127.1:{port}/"),
        format!("https://localhost:{port}/"),
        format!("https://sneaky.example:{port}/"),
        format!("https://mixed.example:{port}/"),
    ] {
        // The origin is open by its name and port; the target's port is open everywhere.
        let moved = format!("HTTP/1.1 302 Found\r\nLocation: {target}\r\n\r\n");
        let origin = Origin::plain(&[&moved]);
        let settings = settings(json!({
            "allow_networks": [],
            "allow_hosts": format!("127.0.0.1:{}", origin.port()),
            "allow_ports": port,
            "dns_servers": name_server.address().to_string(),
        }));
        let refused = |result: Result<Response, FetchError>| match result {
            Err(error @ FetchError::Refused(_)) => error.to_string(),
            result => panic!("{target}: {result:?}"),
        };
        let direct = refused(fetch_with(&settings, &Request::new(url(&target))));
        let redirected = refused(fetch_with(&settings, &Request::new(origin.url("/"))));
        assert_eq!(direct, redirected);
    }
    assert!(secret.is_untouched());
}

#[test]
fn a_name_is_looked_up_and_verified_by_its_own_name() {
    let name_server = NameServer::start(|name, _| match name {
        "feeds.example" | "other.example" | "my_feed.example" => Reply::address("127.0.0.1"),
        _ => Reply::NoSuchName,
    });
    let settings = settings(json!({ "dns_servers": name_server.address().to_string() }));
    let origin = Origin::tls(&[FEED]);
    let source = url(&format!("https://feeds.example.:{}/feed", origin.port()));
    fetch_with(&settings, &Request::new(source)).unwrap();
    assert!(origin.requests()[0].contains(&format!("\r\nHost: feeds.example:{}", origin.port())));

    // Underscores stand in names that exist; they are looked up as they are.
    let origin = Origin::plain(&[FEED]);
    let source = url(&format!("http://my_feed.example:{}/feed", origin.port()));
    fetch_with(&settings, &Request::new(source)).unwrap();

    let origin = Origin::tls(&[FEED]);
    let source = url(&format!("https://other.example:{}/feed", origin.port()));
    let result = fetch_with(&settings, &Request::new(source));
    assert!(matches!(result, Err(FetchError::Certificate(_))), "{result:?}");
}

#[test]
fn names_that_do_not_resolve_are_unreachable_and_not_refused() {
    let name_server = NameServer::start(|name, _| match name {
        "broken.example" => Reply::ServerFailure,
        "silent.example" => Reply::Silence,
        "empty.example" => Reply::Addresses(Vec::new()),
        _ => Reply::NoSuchName,
    });
    let settings = settings(json!({ "dns_servers": name_server.address().to_string() }));
    let fetch = |host: &str| {
        fetch_with(&settings, &Request::new(url(&format!("https://{host}/")))).unwrap_err()
    };
    let unreachable = |host| match fetch(host) {
        FetchError::Unreachable(reason) => reason,
        error => panic!("{host}: {error:?}"),
    };
    assert!(matches!(unreachable("missing.example"), Unreachable::NoSuchHost));
    assert!(matches!(unreachable("empty.example"), Unreachable::NoSuchHost));
    assert!(matches!(unreachable("broken.example"), Unreachable::Dns(_)));
    assert!(matches!(fetch("silent.example"), FetchError::Timeout(Wait::Dns)));
}

#[test]
fn a_name_is_looked_up_once_and_not_again_until_it_pleases() {
    let questions = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&questions);
    // One question for each family, then another answer.
    let name_server = NameServer::start(move |_, _| {
        let is_first = counted.fetch_add(1, Ordering::SeqCst) < 2;
        let address = if is_first { "127.0.0.1" } else { "93.184.216.34" };
        Reply::address(address)
    });
    let settings = settings(json!({
        "allow_networks": [],
        "dns_servers": name_server.address().to_string(),
    }));
    for scheme in ["http", "https"] {
        let source = url(&format!("{scheme}://rebind.example/"));
        let result = fetch_with(&settings, &Request::new(source));
        assert!(matches!(result, Err(FetchError::Refused(Verdict::Loopback))), "{result:?}");
        assert_eq!(questions.swap(0, Ordering::SeqCst), 2);
    }
}

#[test]
fn our_own_paths_are_refused_before_anything_is_dialled() {
    let own = Untouched::new();
    let own_url = url(&format!("https://127.0.0.1:{}/mmsp/", own.port()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let result = tokio::task::LocalSet::new().block_on(&runtime, async {
        let fetcher = Fetcher::new(&settings(json!({})), std::slice::from_ref(&own_url)).unwrap();
        fetcher.fetch(&Request::new(own_url.join("feed?url=x").unwrap())).await
    });
    assert!(matches!(result, Err(FetchError::Refused(Verdict::OwnAddress))));
    assert!(own.is_untouched());
}

#[test]
fn certificates_that_nobody_vouches_for_are_refused() {
    let origin = Origin::tls(&[FEED]);
    let settings = settings(json!({ "ca_file": null }));
    let result = fetch_with(&settings, &Request::new(origin.url("/")));
    assert!(matches!(result, Err(FetchError::Certificate(_))), "{result:?}");
    assert!(origin.requests().is_empty());
}

#[test]
fn a_ca_file_without_certificates_is_an_error_at_the_start() {
    let empty = tempfile::NamedTempFile::new().unwrap();
    for path in [empty.path(), std::path::Path::new("/nonexistent/ca.pem")] {
        let settings = settings(json!({ "ca_file": path }));
        assert!(matches!(Fetcher::new(&settings, &[]), Err(SetupError::CaFile { .. })));
    }
}
