//! Settings by the real binary: every fault in one clear line, and nothing secret in any of them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// A word that stands in secrets only.
const SECRET: &str = "s3cr3t-w0rd";

fn run(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let variables = variables.iter().map(|(name, value)| {
        let is_whole = name.starts_with("MMSP") || name.starts_with("mmsp");
        (if is_whole { (*name).to_owned() } else { format!("MMSP_GATEWAY__{name}") }, *value)
    });
    Command::new(env!("CARGO_BIN_EXE_mmsp-gateway"))
        .args(arguments)
        .envs(variables)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A folder with files that settings may name.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("key", "s3cr3t-w0rd-0123456789abcdef01234\n".as_bytes()),
        ("empty", b"\n"),
        ("bytes", b"s3cr3t-w0rd \xff"),
        ("not.pem", b"nothing"),
    ] {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// What is wrong: a file, variables, and the lines that tell of them.
type Wrong = (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

const BEYOND: &str = "which is reachable from beyond this machine, and access.mode is open: anyone \
    could make the gateway fetch for them. Listen on 127.0.0.1, or set \
    access.dangerously_open_beyond_loopback = true if something else decides who may ask";

#[rustfmt::skip]
const MISSPELT: &[Wrong] = &[
    ("[server]\nlistn = \"\"", &[], &["a.toml:2: server.listn is not a setting; did you mean server.listen?"]),
    ("[server]\ntls_lisetn = \"\"", &[], &["a.toml:2: server.tls_lisetn is not a setting; did you mean server.tls_listen?"]),
    ("[fecth]\nallow_ports = [8080]", &[], &["a.toml:2: fecth.allow_ports is not a setting; did you mean fetch.allow_ports?"]),
    ("[Fetch]\nallow_http = false", &[], &["a.toml:2: Fetch.allow_http is not a setting; did you mean fetch.allow_http?"]),
    ("[pol]", &[], &["a.toml:1: [pol] is not a section; did you mean [poll]?"]),
    ("\nlisten = \"\"", &[], &["a.toml:2: listen is not a setting; did you mean metrics.listen or server.listen?"]),
    ("[fetch]\nmax_in_flight = 3", &[], &["a.toml:2: fetch.max_in_flight is not a setting; did you mean poll.max_in_flight?"]),
    ("[server]\ncolour = \"red\"", &[], &["a.toml:2: server.colour is not a setting; config/default.toml lists all of them"]),
    ("fetch.alow_http = true", &[], &["a.toml:1: fetch.alow_http is not a setting; did you mean fetch.allow_http?"]),
    ("", &[("FECTH__ALLOW_PORTS", "8080")], &["MMSP_GATEWAY__FECTH__ALLOW_PORTS: fecth.allow_ports is not a setting; did you mean fetch.allow_ports?"]),
    ("", &[("SERVER__TLS__LISTEN", "")], &["MMSP_GATEWAY__SERVER__TLS__LISTEN: server.tls.listen is not a setting; did you mean server.tls_listen?"]),
    ("", &[("SERVER_LISTEN", "")], &["MMSP_GATEWAY__SERVER_LISTEN: server_listen is not a setting; did you mean server.listen?"]),
    ("", &[("MMSP_GATEWAY_SERVER_LISTEN", "")], &["MMSP_GATEWAY_SERVER_LISTEN: this sets nothing; did you mean MMSP_GATEWAY__SERVER__LISTEN?"]),
    ("", &[("MMSP_GATEWAY_SERVER__LISTEN", "")], &["MMSP_GATEWAY_SERVER__LISTEN: this sets nothing; did you mean MMSP_GATEWAY__SERVER__LISTEN?"]),
    ("", &[("MMSP_GATEWAY_ACCESS_KEYS_FILE", "key")], &["MMSP_GATEWAY_ACCESS_KEYS_FILE: this sets nothing; did you mean MMSP_GATEWAY__ACCESS__KEYS_FILE?"]),
    ("[acess]\ntokens = [\"s3cr3t-w0rd\"]", &[("ACCESS__MODE", "token")], &["a.toml:2: acess.tokens is not a setting; did you mean access.tokens?"]),
];

#[rustfmt::skip]
const MISTYPED: &[Wrong] = &[
    ("[server]\nworkers = \"many\"", &[], &["a.toml:2: server.workers must be a whole number from 0 to 1024, not \"many\""]),
    ("[server]\nworkers = \"3\"", &[], &["a.toml:2: server.workers must be a whole number from 0 to 1024, not \"3\""]),
    ("[server]\nworkers = 1.5", &[], &["a.toml:2: server.workers must be a whole number from 0 to 1024, not 1.5"]),
    ("[server]\nworkers = -1", &[], &["a.toml:2: server.workers must be a whole number from 0 to 1024, not -1"]),
    ("", &[("SERVER__WORKERS", "")], &["MMSP_GATEWAY__SERVER__WORKERS: server.workers must be a whole number from 0 to 1024, not an empty text"]),
    ("", &[("SERVER__WORKERS", "2 threads")], &["MMSP_GATEWAY__SERVER__WORKERS: server.workers must be a whole number from 0 to 1024, not \"2 threads\""]),
    ("[fetch]\nallow_http = \"yes\"", &[], &["a.toml:2: fetch.allow_http must be true or false, not \"yes\""]),
    ("[fetch]\nallow_http = 1", &[], &["a.toml:2: fetch.allow_http must be true or false, not 1"]),
    ("", &[("NORMALIZE__SANITIZE", "no")], &["MMSP_GATEWAY__NORMALIZE__SANITIZE: normalize.sanitize must be true or false, not \"no\""]),
    ("[server]\nlisten = 8080", &[], &["a.toml:2: server.listen must be a text, not 8080"]),
    ("[server]\nlisten = \"8080\"", &[], &["a.toml:2: server.listen must be IP:PORT, such as 127.0.0.1:8080 or [::1]:8080, or empty, not \"8080\""]),
    ("", &[("METRICS__LISTEN", "localhost:9464")], &["MMSP_GATEWAY__METRICS__LISTEN: metrics.listen must be IP:PORT, such as 127.0.0.1:8080 or [::1]:8080, or empty, not \"localhost:9464\""]),
    ("[server.listen]\nport = 80", &[], &["a.toml:1: server.listen must be a text, not a section"]),
    ("server = 3", &[], &["a.toml:1: server must be a section, [server]"]),
    ("[[server]]\nworkers = 3", &[], &["a.toml:1: server must be a section, [server]"]),
    ("[access]\nmode = \"opne\"\n[server]\nlisten = \"0.0.0.0:80\"", &[], &["a.toml:2: access.mode must be open, token or signed, not \"opne\""]),
    ("[access]\nmode = \"s3cr3t-w0rd\"", &[], &["a.toml:2: access.mode must be open, token or signed, not a longer text"]),
    ("[access]\nmode = true", &[], &["a.toml:2: access.mode must be open, token or signed, not true"]),
    ("[log]\nformat = \"xml\"", &[], &["a.toml:2: log.format must be auto, text or json, not \"xml\""]),
    ("[log]\nlevel = \"info,mmsp_gateway::gatway=debug\"", &[], &["a.toml:2: log.level: there is no mmsp_gateway::gatway here; modules are mmsp_gateway::NAME, as in docs/logs.md"]),
    ("[log]\nlevel = \"loud\"", &[], &["a.toml:2: log.level \"loud\" is neither a level (error, warn, info, debug, trace) nor directives"]),
    ("[fetch]\nallow_ports = [80, 0]", &[], &["a.toml:2: fetch.allow_ports: `0` is not a port from 1 to 65535"]),
    ("[fetch]\nallow_ports = true", &[], &["a.toml:2: fetch.allow_ports must be a list, or a text with commas, of a port from 1 to 65535, not true"]),
    ("", &[("FETCH__ALLOW_NETWORKS", "10.0.0.0/8,10.0.0.0/33")], &["MMSP_GATEWAY__FETCH__ALLOW_NETWORKS: fetch.allow_networks: `10.0.0.0/33` is not a network such as 10.0.0.0/8"]),
    ("", &[("FETCH__ALLOW_HOSTS", "intranet")], &["MMSP_GATEWAY__FETCH__ALLOW_HOSTS: fetch.allow_hosts: `intranet` is not a host with its port such as intranet.example:8080"]),
    ("[access]\nkeys = 31337", &[], &["a.toml:2: access.keys must be a list of texts, or one text with commas"]),
    ("[access]\ntokens = [\"s3cr3t-w0rd\", \"\"]", &[], &["a.toml:2: access.tokens must be a list of texts, or one text with commas"]),
    ("[store]\nurl = [\"postgres://a:s3cr3t-w0rd@b/c\"]", &[], &["a.toml:2: store.url must be a text"]),
    ("", &[("STORE__URL", "mysql://a:s3cr3t-w0rd@b/c")], &["MMSP_GATEWAY__STORE__URL: store.url must look like sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE"]),
    ("[server\nworkers = 3", &[], &["a.toml:1: unclosed table, expected `]`"]),
    ("[server]\nworkers = 3\nworkers = 4", &[], &["a.toml:3: duplicate key"]),
    ("[access]\ntokens = [\"s3cr3t-w0rd", &[], &["a.toml:2: unclosed array, expected `]`"]),
    ("x = 1\n[access]\ntokens = [\"x\nmode = \"open\"\n[log]\nlevel = \"info\"", &[], &["a.toml:3: invalid basic string, expected `\"`"]),
    ("[access]\ntokens = [\n\"a\",\n\"x\n]\nmode = \"open\"\n[log]\nlevel = \"info\"", &[], &["a.toml:4: invalid basic string, expected `\"`"]),
    ("[server]\nlisten = \"a\nworkers = 3\nworkers = 4\n[poll\nlease_seconds = 3\n[log]\nlevel = \"x", &[], &["a.toml:2: invalid basic string, expected `\"`", "a.toml:4: duplicate key", "a.toml:5: unclosed table, expected `]`", "a.toml:8: invalid basic string, expected `\"`"]),
];

#[rustfmt::skip]
const OUT_OF_RANGE: &[Wrong] = &[
    ("[poll]\ndefault_interval_seconds = 60", &[], &["a.toml:2: poll.default_interval_seconds must be a whole number from 300 to 2592000, not 60"]),
    ("", &[("POLL__LEASE_SECONDS", "1")], &["MMSP_GATEWAY__POLL__LEASE_SECONDS: poll.lease_seconds must be a whole number from 3 to 3600, not 1"]),
    ("[fetch]\nmax_body_bytes = 0", &[], &["a.toml:2: fetch.max_body_bytes must be a whole number from 1 to 4294967296, not 0"]),
    ("[fetch]\nidle_timeout_ms = 0", &[], &["a.toml:2: fetch.idle_timeout_ms must be a whole number from 1 to 3600000, not 0"]),
    ("[server]\ndrain_delay_seconds = 3000000", &[], &["a.toml:2: server.drain_delay_seconds must be a whole number from 0 to 3600, not 3000000"]),
    ("[retention]\nmax_bytes = 99999999999999999999", &[], &["a.toml:2: retention.max_bytes must be a whole number, not \"99999999999999999999\""]),
    ("[cache]\nmax_bytes = 128", &[], &["a.toml:2: cache.max_bytes must be a whole number from 1048576 up, not 128"]),
    ("[store]\nmax_connections = 1", &[], &["a.toml:2: store.max_connections must be a whole number from 2 to 10000, not 1"]),
];

#[rustfmt::skip]
const CONTRADICTORY: &[Wrong] = &[
    ("[server]\ntls_cert = \"c.pem\"", &[], &["a.toml:2: server.tls_cert and server.tls_key go together: set both or neither"]),
    ("[server]\ntls_listen = \"\"\npublic_url = \"https://x.example\"\ntls_cert = \"c\"\ntls_key = \"k\"", &[], &["a.toml:2, a.toml:4: server.tls_cert is set, but server.tls_listen is empty: nothing would use it"]),
    ("[server]\ntls_listen = \"\"", &[], &["a.toml:2: server.public_url is needed where server.tls_listen is empty: set it to the https:// address that clients use"]),
    ("", &[("SERVER__TLS_LISTEN", ""), ("SERVER__LISTEN", "")], &["MMSP_GATEWAY__SERVER__LISTEN, MMSP_GATEWAY__SERVER__TLS_LISTEN: server.listen and server.tls_listen are both empty: nothing to listen on"]),
    ("[server]\npublic_url = \"http://x.example\"", &[], &["a.toml:2: server.public_url must be an https:// address without user, query and fragment, such as https://feeds.example.org"]),
    ("[server]\nlisten = \"127.0.0.1:8443\"", &[], &["a.toml:2: server.listen and server.tls_listen want the same address: give each a port of its own"]),
    ("[access]\nmode = \"token\"\ntokens = \"a\"", &[("METRICS__LISTEN", "0.0.0.0:8080")], &["MMSP_GATEWAY__METRICS__LISTEN: server.listen and metrics.listen want the same address: give each a port of its own"]),
    ("[server]\ntls_self_signed_dir = \"\"", &[], &["a.toml:2: server.tls_self_signed_dir is empty: name a folder, or set server.tls_cert"]),
    ("[access]\nmode = \"signed\"", &[], &["a.toml:2: access.mode is signed, and access.keys is empty: set at least one, such as the output of `openssl rand -hex 32`"]),
    ("", &[("ACCESS__MODE", "token")], &["MMSP_GATEWAY__ACCESS__MODE: access.mode is token, and access.tokens is empty: set at least one, such as the output of `openssl rand -hex 32`"]),
    ("[access]\nmode = \"token\"", &[("ACCESS__TOKENS", "s3cr3t w0rd")], &["MMSP_GATEWAY__ACCESS__TOKENS: access.tokens may hold letters, digits and -._~+/= only (RFC 6750 2.1)"]),
    ("[callers]\nrequests_burst = 0", &[], &["a.toml:2: callers.requests_burst must be more than 0 where callers.requests_per_minute is; 0 a minute stands for no limit"]),
    ("[fetch]\nidle_timeout_ms = 9000\ntotal_timeout_ms = 8000", &[], &["a.toml:2, a.toml:3: fetch.idle_timeout_ms is 9000, which has no effect, for fetch.total_timeout_ms is 8000: lower the one, or raise the other"]),
    ("[fetch]\ndns_timeout_ms = 61000\nconnect_timeout_ms = 62000\nfirst_byte_timeout_ms = 63000", &[], &[
        "a.toml:2: fetch.dns_timeout_ms is 61000, which has no effect, for fetch.total_timeout_ms is 60000: lower the one, or raise the other",
        "a.toml:3: fetch.connect_timeout_ms is 62000, which has no effect, for fetch.total_timeout_ms is 60000: lower the one, or raise the other",
        "a.toml:4: fetch.first_byte_timeout_ms is 63000, which has no effect, for fetch.total_timeout_ms is 60000: lower the one, or raise the other",
    ]),
    ("[poll]\nmax_in_flight_per_domain = 65", &[], &["a.toml:2: poll.max_in_flight_per_domain is 65, which has no effect, for poll.max_in_flight is 64: lower the one, or raise the other"]),
    ("[poll]\nstale_wait_ms = 20001", &[], &["a.toml:2: poll.stale_wait_ms is more than poll.reader_wait_ms: a reader would wait longer for news than for a feed that is not known yet; lower the one, or raise the other"]),
    ("[poll]\nstop_wait_ms = 25001", &[], &["a.toml:2: poll.stop_wait_ms is longer than server.drain_delay_seconds and server.drain_timeout_seconds together, which end it: lower it"]),
    ("[retention]\nmax_bytes = 1000000", &[], &["a.toml:2: retention.max_bytes is less than retention.max_bytes_per_feed, so that one feed would push out all others: lower the one, or raise the other"]),
    ("[retention]\nkeep_unasked_days = 6", &[("POLL__KEEP_FRESH_DAYS", "7")], &["MMSP_GATEWAY__POLL__KEEP_FRESH_DAYS, a.toml:2: retention.keep_unasked_days is less than poll.keep_fresh_days: a feed would be forgotten while it is still polled; raise the one, or lower the other"]),
    ("[fetch]\nonly_hosts = [\"b.a.example\"]", &[("FETCH__DENY_HOSTS", "a.example")], &["MMSP_GATEWAY__FETCH__DENY_HOSTS, a.toml:2: fetch.only_hosts names b.a.example, which fetch.deny_hosts keeps out: leave it away in one"]),
];

#[rustfmt::skip]
const NAMED: &[Wrong] = &[
    ("[feeds.a]\nurl = \"a.example\"\nulr = 1", &[], &["a.toml:3: feeds.a.ulr is not a setting; did you mean feeds.a.url?"]),
    ("feeds.a = \"a.example\"", &[], &["a.toml:1: feeds.a is not a setting; did you mean feeds.a.url?"]),
    ("feeds = 3", &[], &["a.toml:1: feeds must be a section, [feeds]"]),
    ("[feeds.a]", &[], &["a.toml:1: feeds.a.url is missing: set it to the address of the feed"]),
    ("[feeds.a]\nurl = 3", &[], &["a.toml:2: feeds.a.url must be a text, not 3"]),
    ("[feeds.a]\nurl = \"ftp://a.example\"", &[], &["a.toml:2: feeds.a.url: only http and https URLs can be read"]),
    ("[feeds.a]\nurl = \"a.example\"\n[feeds.b]\nurl = \"A.example\"", &[], &["a.toml:2, a.toml:4: feeds.a.url and feeds.b.url are the same address: give the feed one name"]),
    ("[feeds.\"../x\"]\nurl = \"a.example\"", &[], &["a.toml:1: feeds.../x: a name has 1 to 64 of the letters a to z, digits and hyphens"]),
    ("[feeds.\"a.b\"]\nurl = \"\"", &[], &["a.toml:1: feeds.a.b: a name has 1 to 64 of the letters a to z, digits and hyphens"]),
    ("[feeds.a]\nurl = \"x.ads.example\"\n[fetch]\ndeny_hosts = [\"ads.example\"]", &[], &["a.toml:2, a.toml:4: feeds.a.url is at x.ads.example, which fetch.deny_hosts keeps out: leave it away in one"]),
    ("[feeds.a]\nurl = \"a.example\"", &[("FETCH__ONLY_HOSTS", "b.example")], &["MMSP_GATEWAY__FETCH__ONLY_HOSTS, a.toml:2: feeds.a.url is at a.example, which is not in fetch.only_hosts: add it there"]),
    ("[feeds.a]\nurl = \"http://localhost/feed\"", &[], &["a.toml:2: feeds.a.url is at localhost, which is not on the public internet: open it with its port in fetch.allow_hosts, or its network in fetch.allow_networks"]),
    ("[feeds.a]\nurl = \"https://10.0.0.1/\"\n[feeds.b]\nurl = \"http://intranet/\"", &[], &[
        "a.toml:2: feeds.a.url is at 10.0.0.1, which is not on the public internet: open it with its port in fetch.allow_hosts, or its network in fetch.allow_networks",
        "a.toml:4: feeds.b.url is at intranet, which is not on the public internet: open it with its port in fetch.allow_hosts, or its network in fetch.allow_networks",
    ]),
    ("[feeds.a]\nurl = \"https://10.0.0.1/\"\n[fetch]\nallow_networks = [\"10.0.0.1/99\"]", &[], &["a.toml:4: fetch.allow_networks: `10.0.0.1/99` is not a network such as 10.0.0.0/8"]),
    ("[feeds.a]\nurl = \"https://a.example:8000/\"", &[], &["a.toml:2: feeds.a.url is at port 8000, which is not open: add it to fetch.allow_ports"]),
    ("[feeds.a]\nurl = \"https://-a.example/\"", &[], &["a.toml:2: feeds.a.url: -a.example is no name of a host"]),
    ("[feeds.a]\nurl = \"https://x.example/mmsp/feed\"\n[server]\npublic_url = \"https://x.example/\"", &[], &["a.toml:2, a.toml:4: feeds.a.url leads back to the gateway itself: set it to the feed's own address"]),
    ("[feeds.a]\nurl = \"http://a.example:8000/\"\n[fetch]\nallow_http = false\nallow_ports = [8000]", &[], &["a.toml:2, a.toml:4: feeds.a.url can only be read over plain http, and fetch.allow_http is false: set it to an https:// address, or allow http"]),
    ("well_known = 1", &[], &["a.toml:1: well_known must be a text, not 1"]),
    ("well_known = \"blog\"", &[], &["a.toml:1: well_known is \"blog\", and no feed has that name: add [feeds.blog] with its url"]),
    ("wel_known = \"blog\"", &[], &["a.toml:1: wel_known is not a setting; did you mean well_known?"]),
];

#[rustfmt::skip]
const FILES: &[Wrong] = &[
    ("", &[("SERVER__LISTEN_FILE", "key")], &["MMSP_GATEWAY__SERVER__LISTEN_FILE: only access.keys, access.tokens, store.url can stand in a file of their own, not server.listen"]),
    ("", &[("STORE__URL_FILE", "nowhere")], &["MMSP_GATEWAY__STORE__URL_FILE: nowhere cannot be read: No such file or directory (os error 2)"]),
    ("", &[("ACCESS__KEYS_FILE", "")], &["MMSP_GATEWAY__ACCESS__KEYS_FILE: it names no file"]),
    ("", &[("ACCESS__KEYS_FILE", "empty")], &["MMSP_GATEWAY__ACCESS__KEYS_FILE: empty is empty"]),
    ("", &[("ACCESS__KEYS_FILE", "bytes")], &["MMSP_GATEWAY__ACCESS__KEYS_FILE: bytes is not UTF-8"]),
    ("", &[("ACCESS__KEYS_FILE", "key"), ("ACCESS__KEYS", "s3cr3t-w0rd")], &["MMSP_GATEWAY__ACCESS__KEYS, MMSP_GATEWAY__ACCESS__KEYS_FILE: access.keys is set twice: leave one away"]),
    ("", &[("SERVER__WORKERS", "1"), ("mmsp_gateway__server__workers", "2")], &["MMSP_GATEWAY__SERVER__WORKERS, mmsp_gateway__server__workers: server.workers is set twice: leave one away"]),
    ("", &[("STORE__URL_FILE", "key")], &["MMSP_GATEWAY__STORE__URL_FILE (key): store.url must look like sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE"]),
    ("[fetch]\nca_file = \"nowhere.pem\"", &[], &["a.toml:2: fetch.ca_file `nowhere.pem` holds no certificates that can be used: I/O error: No such file or directory (os error 2)"]),
    ("[server]\ntls_cert = \"not.pem\"\ntls_key = \"not.pem\"", &[], &["a.toml:2, a.toml:3: server.tls_cert and server.tls_key: cannot read a certificate from not.pem: no items found"]),
];

#[test]
fn every_wrong_setting_gives_its_line_and_exit_code_2_and_tells_no_secret() {
    let folder = folder();
    let tables = [MISSPELT, MISTYPED, OUT_OF_RANGE, CONTRADICTORY, NAMED, FILES];
    assert!(tables.concat().len() >= 70);
    let mut wrong = Vec::new();
    for (file, variables, lines) in tables.concat() {
        fs::write(folder.path().join("a.toml"), file).unwrap();
        let output = run(folder.path(), &["check", "--config", "a.toml"], variables);
        let said = text(&output.stderr);
        if output.status.code() != Some(2) || said.lines().ne(lines.iter().copied()) {
            wrong.push(format!("{file} {variables:?}\nwants {lines:#?}\ngives {said}"));
        }
        assert!(output.stdout.is_empty());
        assert!(!said.contains(SECRET) && !said.contains("31337"), "{said}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn all_faults_are_told_at_once_by_every_command_that_reads_settings() {
    let folder = folder();
    let file = "[server]\nlistn = \"\"\nworkers = \"many\"\nlisten = \"0.0.0.0:80\"\n[pol]\n\
                [poll]\ndefault_interval_seconds = 60\nkeep_fresh_days = -1\n";
    fs::write(folder.path().join("a.toml"), file).unwrap();
    let variables = [("SERVER__TLS_CERT", "c.pem"), ("ACCESS__TOKENS_FILE", "nowhere")];
    let want = [
        "MMSP_GATEWAY__ACCESS__TOKENS_FILE: nowhere cannot be read: No such file or directory (os error 2)",
        "a.toml:5: [pol] is not a section; did you mean [poll]?",
        "a.toml:2: server.listn is not a setting; did you mean server.listen?",
        "a.toml:3: server.workers must be a whole number from 0 to 1024, not \"many\"",
        "a.toml:7: poll.default_interval_seconds must be a whole number from 300 to 2592000, not 60",
        "a.toml:8: poll.keep_fresh_days must be a whole number from 0 to 36500, not -1",
        "MMSP_GATEWAY__SERVER__TLS_CERT: server.tls_cert and server.tls_key go together: set both or neither",
    ];
    for command in [
        &["serve"][..],
        &["check"],
        &["healthcheck"],
        &["opml", "x"],
        &["sign", "x.example"],
        &["forget", "x.example"],
        &["store", "info"],
        &["convert", "https://x.example/"],
    ] {
        let arguments = [command, &["--config", "a.toml"]].concat();
        let output = run(folder.path(), &arguments, &variables);
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        let said = text(&output.stderr);
        let said = said.lines().map(|line| line.trim_start_matches("mmsp-gateway: "));
        assert_eq!(said.collect::<Vec<_>>(), want, "{command:?}");
    }
}

#[test]
fn an_open_listener_beyond_loopback_is_named_with_its_place() {
    let folder = folder();
    let variables = [("SERVER__LISTEN", "0.0.0.0:80"), ("SERVER__TLS_LISTEN", "[::]:443")];
    let said = text(&run(folder.path(), &["check"], &variables).stderr);
    let want = [
        format!("MMSP_GATEWAY__SERVER__LISTEN: server.listen is 0.0.0.0:80, {BEYOND}"),
        format!("MMSP_GATEWAY__SERVER__TLS_LISTEN: server.tls_listen is [::]:443, {BEYOND}"),
    ];
    assert_eq!(said.lines().collect::<Vec<_>>(), want);
}

#[test]
fn variables_that_kubernetes_makes_of_a_service_are_none_of_ours() {
    let folder = folder();
    let variables = [
        ("MMSP_GATEWAY_PORT", "tcp://10.0.0.1:80"),
        ("MMSP_GATEWAY_SERVICE_HOST", "10.0.0.1"),
        ("MMSP_GATEWAY_METRICS_PORT_9464_TCP_ADDR", "10.0.0.1"),
    ];
    let output = run(folder.path(), &["check"], &variables);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn check_shows_each_setting_with_its_origin_as_a_file_that_can_be_used_again() {
    let folder = folder();
    fs::write(folder.path().join("a.toml"), "[server]\n\nworkers = 3\n").unwrap();
    fs::write(folder.path().join("b.toml"), "[log]\nlevel = \"warn\"\n").unwrap();
    let variables = [("ACCESS__KEYS_FILE", "key"), ("FETCH__ALLOW_PORTS", "8080,8081")];
    let arguments = ["check", "--config", "a.toml", "--config", "b.toml"];
    let shown = text(&run(folder.path(), &arguments, &variables).stdout);
    for line in [
        "workers = 3 # a.toml:3",
        "level = \"warn\" # b.toml:2",
        "allow_ports = [8080, 8081] # MMSP_GATEWAY__FETCH__ALLOW_PORTS",
        "# keys: set, not shown # MMSP_GATEWAY__ACCESS__KEYS_FILE (key)",
        "# tokens: not set # default",
        "public_url = \"https://localhost:8443\" # default",
        "max_bytes = 134217728 # default",
        "url = \"sqlite:./data/mmsp-gateway.db\" # default",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line} is not in\n{shown}");
    }
    assert!(!shown.contains(SECRET));
    fs::write(folder.path().join("shown.toml"), &shown).unwrap();
    let again = run(folder.path(), &["check", "--config", "shown.toml"], &variables[..1]);
    assert!(again.status.success(), "{}", text(&again.stderr));

    let output = run(folder.path(), &[&arguments[..], &["--json"]].concat(), &variables);
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |key: &str| lines.iter().find(|line| line["key"] == key).unwrap().clone();
    let want = serde_json::json!({"key": "server.workers", "value": 3, "origin": "a.toml:3"});
    assert_eq!(of("server.workers"), want);
    assert_eq!(of("access.keys")["is_set"], true);
    assert!(of("access.keys").get("value").is_none());
}

#[test]
fn what_works_and_is_hardly_meant_is_a_warning() {
    let output = run(folder().path(), &["check"], &[("ACCESS__TOKENS", SECRET)]);
    assert!(output.status.success());
    let said = text(&output.stderr);
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        [
            "mmsp-gateway: warning: access.tokens holds one so short that it can be guessed",
            "mmsp-gateway: warning: access.tokens are set, but access.mode is open, so nobody is asked for one",
        ]
    );
}

#[test]
fn keys_and_openings_of_another_mode_are_a_warning() {
    let secret = SECRET.repeat(4);
    let variables = [
        ("ACCESS__MODE", "token"),
        ("ACCESS__TOKENS", &*secret),
        ("ACCESS__KEYS", &secret),
        ("ACCESS__DANGEROUSLY_OPEN_BEYOND_LOOPBACK", "true"),
    ];
    let output = run(folder().path(), &["check"], &variables);
    assert!(output.status.success());
    let said = text(&output.stderr);
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        [
            "mmsp-gateway: warning: access.keys are set, but access.mode is not signed, so no address needs a signature",
            "mmsp-gateway: warning: access.dangerously_open_beyond_loopback is true, but access.mode is not open, so it opens nothing",
        ]
    );
}

#[test]
fn whoever_lowers_one_limit_need_not_lower_all_that_it_caps() {
    let variables = [
        ("FETCH__TOTAL_TIMEOUT_MS", "100"),
        ("POLL__READER_WAIT_MS", "100"),
        ("POLL__MAX_IN_FLIGHT", "1"),
        ("SERVER__DRAIN_DELAY_SECONDS", "0"),
        ("SERVER__DRAIN_TIMEOUT_SECONDS", "0"),
        ("RETENTION__KEEP_UNASKED_DAYS", "0"),
        ("RETENTION__MAX_BYTES", "0"),
    ];
    let folder = folder();
    let output = run(folder.path(), &["check"], &variables);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("\n# stale_wait_ms = 2000 # default\n"), "{shown}");
    // What is shown says the same once it is written.
    fs::write(folder.path().join("shown.toml"), &shown).unwrap();
    let again = run(folder.path(), &["check", "--config", "shown.toml"], &[]);
    assert!(again.status.success(), "{}", text(&again.stderr));
}

#[test]
fn named_feeds_that_an_exception_opens_are_accepted() {
    let variables = [
        ("FEEDS__A__URL", "http://localhost:8000/feed"),
        ("FEEDS__B__URL", "https://10.0.0.1:8443/feed"),
        ("FEEDS__C__URL", "http://c.example/feed"),
        ("FETCH__ALLOW_HOSTS", "localhost:8000"),
        ("FETCH__ALLOW_NETWORKS", "10.0.0.0/8"),
    ];
    let output = run(folder().path(), &["check"], &variables);
    assert!(output.status.success(), "{}", text(&output.stderr));
    // What has a twin over https can be read without plain http.
    let output = run(
        folder().path(),
        &["check"],
        &[("FEEDS__C__URL", "http://c.example/feed"), ("FETCH__ALLOW_HTTP", "false")],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn every_shipped_settings_file_is_accepted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    let mut folders = vec![root.join("config"), root.join("deploy")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                files.push(path);
            }
        }
    }
    assert!(files.len() >= 3, "{files:?}");
    let folder = folder();
    // What stands in no file that is shipped.
    let variables =
        [("ACCESS__KEYS_FILE", "key"), ("STORE__URL", "postgres://a:s3cr3t-w0rd@db.example/c")];
    for file in files {
        let arguments = ["check", "--config", file.to_str().unwrap()];
        let output = run(folder.path(), &arguments, &variables);
        assert!(output.status.success(), "{}: {}", file.display(), text(&output.stderr));
        assert!(!text(&output.stdout).contains(SECRET));
    }
}
