//! Who may ask, in each mode.

use std::fs;
use std::process::Command;

use super::{Pair, problem};
use crate::support::program::target;
use crate::support::{Answer, Response, client, feed, manifest};

const TOKEN: &str = "token-0123456789abcdef0123456789abcdef";
const OTHER_TOKEN: &str = "other-0123456789abcdef0123456789abcdef";
const KEY: &str = "key-0123456789abcdef0123456789abcdef";
const OLD_KEY: &str = "old-0123456789abcdef0123456789abcdef";

fn bearer(pair: &Pair, path: &str, token: &str) -> Response {
    let target = target(&pair.origin.url(path), "");
    let header = format!("Bearer {token}");
    pair.program.request("GET", &target, &[("Authorization", &header)])
}

/// What `mmsp-gateway sign` prints for a feed.
fn sign(url: &str, keys: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_mmsp-gateway"))
        .args(["sign", url])
        .env("MMSP_GATEWAY__ACCESS__KEYS", keys)
        .env("MMSP_GATEWAY__SERVER__PUBLIC_URL", "https://gateway.test")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn signed_pair(keys: &str) -> Pair {
    Pair::start_with(&[
        ("ACCESS__MODE", "signed"),
        ("ACCESS__KEYS", keys),
        ("ACCESS__TOKENS", TOKEN),
        ("SERVER__PUBLIC_URL", "https://gateway.test"),
    ])
}

fn follow(pair: &Pair, url: &str) -> Response {
    pair.program.get(url.strip_prefix("https://gateway.test").unwrap())
}

#[test]
fn the_mode_token_answers_whoever_knows_one_and_keeps_answers_out_of_shared_caches() {
    let tokens = format!("{TOKEN},{OTHER_TOKEN}");
    let pair = Pair::start_with(&[("ACCESS__MODE", "token"), ("ACCESS__TOKENS", &tokens)]);
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let nobody = pair.feed("/feed.xml", "");
    problem(&nobody, 401, "not-authorized");
    assert_eq!(nobody.header("www-authenticate"), Some("Bearer realm=\"mmsp-gateway\""));
    assert_eq!(nobody.header("cache-control"), Some("no-store"));
    let wrong = bearer(&pair, "/feed.xml", "wrong");
    problem(&wrong, 401, "not-authorized");
    assert!(wrong.header("www-authenticate").unwrap().contains("error=\"invalid_token\""));
    assert_eq!(pair.origin.connections(), 0);

    for token in [TOKEN, OTHER_TOKEN] {
        let answer = bearer(&pair, "/feed.xml", token);
        manifest::of(&answer);
        assert!(answer.header("cache-control").unwrap().starts_with("private, max-age="));
    }
    let missing = bearer(&pair, "/missing.xml", TOKEN);
    problem(&missing, 404, "source-not-found");
    assert!(missing.header("cache-control").unwrap().starts_with("private, max-age="));
}

#[test]
fn what_fetches_nothing_is_open_whatever_the_mode() {
    let pair = Pair::start_with(&[("ACCESS__MODE", "token"), ("ACCESS__TOKENS", TOKEN)]);
    for path in ["/healthz", "/readyz", "/robots.txt", "/problems/not-authorized"] {
        assert_eq!(pair.program.get(path).status, 200, "{path}");
    }
    let target = target(&pair.origin.url("/feed.xml"), "");
    let preflight = pair.program.request("OPTIONS", &target, &[("Origin", "https://a.example")]);
    assert_eq!(preflight.status, 204);
    assert!(preflight.header("access-control-allow-headers").unwrap().contains("authorization"));
    for method in ["HEAD", "POST", "PUT"] {
        assert_eq!(pair.program.request(method, &target, &[]).status, 401, "{method}");
    }
    assert_eq!(pair.origin.connections(), 0);
}

#[test]
fn the_mode_signed_answers_signed_addresses_and_hands_out_only_those_of_the_feed() {
    let pair = signed_pair(KEY);
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..10)));
    pair.origin.set("/other.xml", Answer::feed(feed::rss(0..10)));
    let url = sign(&pair.origin.url("/feed.xml"), KEY);
    let sig = url.split_once("&sig=").unwrap().1.to_owned();
    assert_eq!(sig.len(), 43);

    problem(&pair.feed("/feed.xml", ""), 403, "not-authorized");
    problem(&pair.feed("/other.xml", &format!("&sig={sig}")), 403, "not-authorized");
    assert_eq!(pair.origin.connections(), 0);

    let answer = follow(&pair, &url);
    assert!(answer.header("cache-control").unwrap().starts_with("public, max-age="));
    assert_eq!(manifest::of(&answer)["feed_url"], url);
    let mut page = manifest::of(&follow(&pair, &format!("{url}&limit=4")));
    let mut ids = manifest::ids(&page);
    while let Some(next) = page["next_url"].as_str().map(str::to_owned) {
        assert!(next.contains(&format!("&sig={sig}")), "{next}");
        let answer = follow(&pair, &next);
        assert!(answer.header("link").unwrap().matches(&sig).count() >= 2);
        page = manifest::of(&answer);
        ids.extend(manifest::ids(&page));
    }
    assert_eq!(ids.len(), 10);
    // A token opens what is not signed.
    let answer = bearer(&pair, "/other.xml", TOKEN);
    let other = manifest::of(&answer);
    assert_eq!(other["feed_url"], sign(&pair.origin.url("/other.xml"), KEY));
    assert!(answer.header("cache-control").unwrap().starts_with("private, max-age="));
}

#[test]
fn discovery_wants_a_token_even_where_addresses_are_signed() {
    let pair = signed_pair(KEY);
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let signed = sign(&pair.origin.url("/feed.xml"), KEY);
    let discover = |url: &str| url.replace("/mmsp/feed?", "/mmsp/discover?");
    problem(&follow(&pair, &discover(&signed)), 401, "not-authorized");
    let target = discover(&target(&pair.origin.url("/feed.xml"), ""));
    problem(&pair.program.get(&target), 401, "not-authorized");
    assert_eq!(pair.origin.connections(), 0);
    let header = format!("Bearer {TOKEN}");
    let offers = pair.program.request("GET", &target, &[("Authorization", &header)]);
    assert_eq!(offers.json()[0]["manifest_url"], signed);
    assert!(offers.header("cache-control").unwrap().starts_with("private, "));
}

#[test]
fn a_page_in_a_signed_gateway_has_nothing_signed_but_itself() {
    let pair = signed_pair(KEY);
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let link = "<!doctype html><link rel=alternate type=application/rss+xml href=/feed.xml>";
    pair.origin.set("/page", Answer::status(200).header("Content-Type", "text/html").body(link));
    let page = sign(&pair.origin.url("/page"), KEY);
    let answer = follow(&pair, &page);
    assert_eq!(manifest::of(&answer)["feed_url"], page);
    let feed = sign(&pair.origin.url("/feed.xml"), KEY);
    let sig = feed.split_once("&sig=").unwrap().1;
    assert!(!answer.header("link").unwrap().contains(sig));
}

#[test]
fn a_new_key_signs_while_the_old_one_still_opens() {
    let pair = signed_pair(&format!("{KEY},{OLD_KEY}"));
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let source = pair.origin.url("/feed.xml");
    let (new, old) = (sign(&source, KEY), sign(&source, OLD_KEY));
    assert_ne!(new, old);
    let by_old = follow(&pair, &old);
    assert_eq!(manifest::of(&by_old)["feed_url"], new);
    assert_eq!(by_old.body, follow(&pair, &new).body);
    problem(&follow(&pair, &sign(&source, "withdrawn")), 403, "not-authorized");
}

#[test]
fn signed_addresses_go_on_working_where_nobody_asks_for_them() {
    let pair = Pair::start();
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let page = manifest::of(&pair.feed("/feed.xml", "&sig=whatever"));
    assert!(!page["feed_url"].as_str().unwrap().contains("sig="));
}

#[test]
fn no_secret_is_told_by_log_metrics_answers_or_check() {
    let folder = tempfile::tempdir().unwrap();
    let (keys, tokens) = (folder.path().join("keys"), folder.path().join("tokens"));
    fs::write(&keys, format!("{KEY}\n{OLD_KEY}\n")).unwrap();
    fs::write(&tokens, format!("{TOKEN}\n")).unwrap();
    let (keys, tokens) = (keys.to_str().unwrap(), tokens.to_str().unwrap());
    let mut pair = Pair::start_with(&[
        ("ACCESS__MODE", "signed"),
        ("ACCESS__KEYS_FILE", keys),
        ("ACCESS__TOKENS_FILE", tokens),
        ("SERVER__PUBLIC_URL", "https://gateway.test"),
        ("LOG__LEVEL", "trace"),
    ]);
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let signed = sign(&pair.origin.url("/feed.xml"), OLD_KEY);
    let sig = signed.split_once("&sig=").unwrap().1.to_owned();
    let mut said: Vec<String> = Vec::new();
    manifest::of(&follow(&pair, &signed));
    manifest::of(&bearer(&pair, "/feed.xml", TOKEN));
    for response in [
        bearer(&pair, "/feed.xml", OTHER_TOKEN),
        pair.feed("/other.xml", &format!("&sig={sig}")),
        pair.feed("/feed.xml", &format!("&sig={sig}&sig={sig}")),
        pair.program.get("/metrics"),
    ] {
        said.push(response.text());
    }
    said.push(crate::support::client::request(pair.program.metrics, "GET", "/metrics", &[]).text());
    let check = Command::new(env!("CARGO_BIN_EXE_mmsp-gateway"))
        .arg("check")
        .env("MMSP_GATEWAY__ACCESS__KEYS_FILE", keys)
        .env("MMSP_GATEWAY__ACCESS__TOKENS_FILE", tokens)
        .output()
        .unwrap();
    let check = String::from_utf8(check.stdout).unwrap();
    assert!(check.contains("# keys: set, not shown"), "{check}");
    said.push(check);
    pair.program.terminate();
    assert!(pair.program.wait().success());
    said.extend(pair.program.said.clone());
    said.extend(pair.program.log());
    assert!(said.len() > 10);
    for secret in [KEY, OLD_KEY, TOKEN, OTHER_TOKEN, &sig] {
        let told = said.iter().find(|text| text.contains(secret));
        assert!(told.is_none(), "{secret} stands in {}", told.unwrap());
    }
}

#[test]
fn no_spelling_of_a_path_goes_round_the_door() {
    for mode in ["token", "signed"] {
        let settings = [("ACCESS__MODE", mode), ("ACCESS__TOKENS", TOKEN), ("ACCESS__KEYS", KEY)];
        let pair = Pair::start_with(&settings);
        pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..1)));
        let url = pair.origin.url("/feed.xml");
        for path in
            ["/mmsp/%66eed", "/mmsp/fee%64", "/%6dmsp/feed", "/mmsp/%64iscover", "/mmsp%2Ffeed"]
        {
            for method in ["GET", "HEAD", "OPTIONS"] {
                let asked = target(&url, "").replace("/mmsp/feed", path);
                let response = pair.program.request(method, &asked, &[]);
                assert_eq!(response.status, 404, "{method} {path}");
            }
        }
        let list = format!("<opml><outline xmlUrl=\"{url}\"/></opml>");
        let posted = client::post(pair.program.http, "/o%70ml", &[], list.as_bytes());
        assert_eq!(posted.status, 404);
        assert_eq!(pair.origin.connections(), 0);
    }
}
