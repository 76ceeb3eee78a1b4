//! SIGHUP: what is exchanged without a restart, what is not, and what a fault costs.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::{Pair, problem};
use crate::support::client::get_over_tls;
use crate::support::program::target;
use crate::support::{Answer, Origin, Program, feed, manifest, until};

const OLD: &str = "an-old-key-of-thirty-two-letters";
const NEW: &str = "a-new-key-of-thirty-two-letters-";

/// A pair whose settings stand in a file, which a test writes anew.
fn pair(file: &str, settings: &[(&str, &str)]) -> Pair {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    fs::write(folder.path().join("gateway.toml"), file).unwrap();
    let program = Program::start_with_file(folder.path(), origin.ca_file(), settings);
    Pair { folder, origin, program }
}

fn write(pair: &Pair, file: &str) {
    fs::write(pair.folder().join("gateway.toml"), file).unwrap();
}

/// The signed target of a feed, by whatever key is named first in a file.
fn signed(folder: &Path, url: &str) -> String {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_mmsp-gateway"))
        .args(["sign", url])
        .env("MMSP_GATEWAY__ACCESS__KEYS_FILE", folder.join("keys"))
        .env("MMSP_GATEWAY__SERVER__PUBLIC_URL", "https://gateway.test")
        .output()
        .unwrap();
    let url = String::from_utf8(output.stdout).unwrap();
    url.trim().strip_prefix("https://gateway.test").unwrap().to_owned()
}

#[test]
fn keys_are_changed_without_a_restart_while_a_request_is_under_way() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let keys = folder.path().join("keys");
    let put = |text: &str| fs::write(&keys, text).unwrap();
    put(OLD);
    let settings = [
        ("ACCESS__MODE", "signed"),
        ("ACCESS__KEYS_FILE", keys.to_str().unwrap()),
        ("SERVER__PUBLIC_URL", "https://gateway.test"),
    ];
    let program = Program::start(folder.path(), origin.ca_file(), &settings);
    origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    origin.set("/slow.xml", Answer::feed(feed::rss(0..3)).delay(Duration::from_secs(2)));
    let by_old = signed(folder.path(), &origin.url("/feed.xml"));
    let slow = signed(folder.path(), &origin.url("/slow.xml"));
    let first = program.get(&by_old);
    assert!(manifest::of(&first)["feed_url"].as_str().unwrap().ends_with(&by_old));
    let by_new = thread::scope(|scope| {
        let under_way = scope.spawn(|| program.get(&slow));
        until(|| !origin.seen("/slow.xml").is_empty());
        // The new key signs, both are good.
        put(&format!("{NEW}\n{OLD}\n"));
        assert_eq!(program.reload()["changed"], "access.keys");
        let by_new = signed(folder.path(), &origin.url("/feed.xml"));
        assert_ne!(by_new, by_old);
        for target in [&by_old, &by_new] {
            let body = manifest::of(&program.get(target));
            assert!(body["feed_url"].as_str().unwrap().ends_with(&by_new), "signed by the old key");
        }
        manifest::of(&under_way.join().unwrap());
        by_new
    });
    put(NEW);
    program.reload();
    problem(&program.get(&by_old), 403, "not-authorized");
    manifest::of(&program.get(&by_new));
    assert_eq!(origin.seen("/feed.xml").len(), 1);
}

#[test]
fn hosts_feeds_tokens_and_levels_are_exchanged_and_the_rest_waits_for_a_restart() {
    let begin = "[log]\nlevel = \"info\"\n";
    let pair = pair(begin, &[]);
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    pair.origin.set("/other.xml", Answer::feed(feed::rss(0..3)));
    manifest::of(&pair.feed("/feed.xml", ""));
    let named = pair.origin.url("/feed.xml");
    let next = format!(
        "[log]\nlevel = \"warn,mmsp_gateway::cli=info\"\n[fetch]\nallow_http = false\n\
         [feeds.blog]\nurl = \"{named}\"\n[access]\nmode = \"token\"\ntokens = [\"{NEW}\"]\n\
         [cache]\nmax_bytes = 2000000\n[poll]\nkeep_fresh_days = 3\n"
    );
    write(&pair, &next);
    let said = pair.program.reload();
    let changed = "access.mode access.tokens feeds.blog.url fetch.allow_http log.level";
    assert_eq!(said["changed"], changed);
    let waiting = [(); 2].map(|()| pair.program.hear_of("a changed setting")["setting"].clone());
    assert_eq!(waiting, ["cache.max_bytes", "poll.keep_fresh_days"]);

    problem(&pair.feed("/feed.xml", ""), 401, "not-authorized");
    manifest::of(&pair.program.get("/mmsp/blog.json"));
    let bearer = [("Authorization", &*format!("Bearer {NEW}"))];
    let other = target(&pair.origin.url("/other.xml"), "");
    let denying = next.replace("allow_http = false", "deny_hosts = [\"127.0.0.1\"]");
    write(&pair, &denying.replace(&format!("[feeds.blog]\nurl = \"{named}\"\n"), ""));
    let said = pair.program.reload();
    assert_eq!(said["changed"], "feeds.blog.url fetch.allow_http fetch.deny_hosts");
    problem(&pair.program.request("GET", &other, &bearer), 403, "host-not-allowed");
    assert!(pair.origin.seen("/other.xml").is_empty());
    assert_eq!(pair.program.get("/mmsp/blog.json").status, 404);

    // Back to what it was: what was refused before is tried at once.
    write(&pair, begin);
    let changed = "access.mode access.tokens fetch.deny_hosts log.level";
    assert_eq!(pair.program.reload()["changed"], changed);
    manifest::of(&pair.feed("/other.xml", ""));
    assert_eq!(pair.program.get("/mmsp/blog.json").status, 404);
    pair.program.hear_of("answered");
}

#[test]
fn a_level_that_is_raised_silences_at_once() {
    let pair = pair("[log]\nlevel = \"info\"\n", &[]);
    pair.program.get("/healthz");
    pair.program.hear_of("answered");
    write(&pair, "[log]\nlevel = \"warn,mmsp_gateway::cli=info\"\n");
    pair.program.reload();
    pair.program.get("/healthz");
    write(&pair, "[log]\nlevel = \"info\"\n");
    pair.program.signal("-HUP");
    let mut program = pair.program;
    let log = {
        program.hear_of("the settings were read");
        program.terminate();
        assert!(program.wait().success());
        program.log()
    };
    assert!(!log.iter().any(|line| line.contains("\"answered\"")), "{log:#?}");
}

#[test]
fn a_fault_changes_nothing_and_is_told_with_its_place() {
    let pair = pair("[access]\nmode = \"token\"\ntokens = [\"the-first-token\"]\n", &[]);
    let ask = |token: &str| {
        let bearer = format!("Bearer {token}");
        pair.program.request("GET", "/mmsp/feed?url=ftp:x", &[("Authorization", &bearer)]).status
    };
    let faulty = "[access]\nmode = \"token\"\ntokens = [\"the-second-token\"]\n\
                  [fecth]\nallow_ports = 80\n[server]\nworkers = \"many\"\n";
    write(&pair, faulty);
    pair.program.signal("-HUP");
    let faults = [(); 2].map(|()| pair.program.hear_of("the settings have")["fault"].clone());
    assert_eq!(
        faults,
        [
            "gateway.toml:5: fecth.allow_ports is not a setting; did you mean fetch.allow_ports?",
            "gateway.toml:7: server.workers must be a whole number from 0 to 1024, not \"many\"",
        ]
    );
    pair.program.hear_of("the settings stay");
    assert_eq!((ask("the-first-token"), ask("the-second-token")), (400, 401));
}

#[test]
fn an_open_mode_that_only_fits_a_listener_to_come_is_refused() {
    let file = |mode: &str, listen: &str| {
        format!("[access]\nmode = \"{mode}\"\nkeys = [\"{OLD}\"]\n[callers]\nexempt = []\n{listen}")
    };
    let pair = pair(&file("signed", ""), &[("SERVER__TLS_LISTEN", "0.0.0.0:0")]);
    write(&pair, &file("open", ""));
    pair.program.signal("-HUP");
    let fault = pair.program.hear_of("the settings have")["fault"].clone();
    assert!(fault.as_str().unwrap().contains("anyone could make the gateway fetch"), "{fault}");
    problem(&pair.feed("/feed.xml", ""), 403, "not-authorized");
}

#[test]
fn a_certificate_that_was_renewed_is_shown_to_the_next_connection() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let make = || {
        let key = rcgen::KeyPair::generate().unwrap();
        let params = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
        let certificate = params.self_signed(&key).unwrap();
        fs::write(folder.path().join("cert.pem"), certificate.pem()).unwrap();
        fs::write(folder.path().join("key.pem"), key.serialize_pem()).unwrap();
    };
    make();
    let settings = [("SERVER__TLS_CERT", "cert.pem"), ("SERVER__TLS_KEY", "key.pem")];
    let program = Program::start(folder.path(), origin.ca_file(), &settings);
    let trusted = folder.path().join("cert.pem");
    assert_eq!(get_over_tls(program.https, &trusted, "/healthz").status, 200);
    make();
    program.reload();
    assert_eq!(get_over_tls(program.https, &trusted, "/healthz").status, 200);
    // Half of a renewal is refused, and the last good one stays.
    let good = fs::read(&trusted).unwrap();
    fs::write(folder.path().join("key.pem"), "nothing").unwrap();
    program.signal("-HUP");
    program.hear_of("the settings stay");
    fs::write(&trusted, good).unwrap();
    assert_eq!(get_over_tls(program.https, &trusted, "/healthz").status, 200);
}

#[test]
fn what_could_not_be_exchanged_stays_and_is_tried_again_by_the_next_signal() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let key = rcgen::KeyPair::generate().unwrap();
    let params = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let trusted = folder.path().join("cert.pem");
    fs::write(&trusted, certificate.pem()).unwrap();
    fs::write(folder.path().join("key.pem"), key.serialize_pem()).unwrap();
    // A file stands where the folder of the gateway's own certificate would be made.
    fs::write(folder.path().join("blocked"), "").unwrap();
    let put = |file: &str| fs::write(folder.path().join("gateway.toml"), file).unwrap();
    put("[server]\ntls_cert = \"cert.pem\"\ntls_key = \"key.pem\"\n");
    let settings = [("SERVER__TLS_SELF_SIGNED_DIR", "blocked/tls")];
    let program = Program::start_with_file(folder.path(), origin.ca_file(), &settings);

    put("well_known = \"\"\n");
    program.signal("-HUP");
    program.hear_of("the certificate stays");
    assert_eq!(program.hear_of("the settings were read again")["changed"], "");
    assert_eq!(get_over_tls(program.https, &trusted, "/healthz").status, 200);

    fs::remove_file(folder.path().join("blocked")).unwrap();
    assert_eq!(program.reload()["changed"], "server.tls_cert server.tls_key");
    let own = folder.path().join("blocked/tls/localhost.pem");
    assert_eq!(get_over_tls(program.https, &own, "/healthz").status, 200);
}

#[test]
fn authorities_that_are_new_in_the_same_file_are_trusted() {
    let [folder, others] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [known, unknown] = [&folder, &others].map(|folder| Origin::start(folder.path()));
    for path in ["/feed.xml", "/other.xml"] {
        for origin in [&known, &unknown] {
            origin.set(path, Answer::feed(feed::rss(0..3)));
        }
    }
    let trusted = folder.path().join("trusted.pem");
    let [first, second] = [&known, &unknown].map(|origin| fs::read(origin.ca_file()).unwrap());
    fs::write(&trusted, &first).unwrap();
    let program = Program::start(folder.path(), &trusted, &[]);
    let get = |origin: &Origin, path| program.get(&target(&origin.url(path), ""));
    problem(&get(&unknown, "/feed.xml"), 502, "source-unavailable");
    fs::write(&trusted, [first, second].concat()).unwrap();
    assert_eq!(program.reload()["changed"], "");
    manifest::of(&get(&unknown, "/other.xml"));
    manifest::of(&get(&known, "/other.xml"));
}
