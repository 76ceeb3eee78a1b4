//! The line that each request has in the log, and what is in none.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;

use super::Pair;
use crate::support::program::target;
use crate::support::{Answer, Response, client, feed, manifest};

const TOKEN: &str = "a-token-of-thirty-two-letters-or";

/// Ends the program; gives the canonical lines by the ids of their requests, and all that it said.
fn end(pair: Pair) -> (HashMap<String, Value>, Vec<String>) {
    let mut program = pair.program;
    program.terminate();
    assert!(program.wait().success());
    let log = program.log();
    let lines = log.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let answered: Vec<Value> = lines.filter(|line| line["message"] == "answered").collect();
    let all = answered.len();
    let by_id =
        answered.into_iter().map(|line| (line["request.id"].as_str().unwrap().into(), line));
    let by_id: HashMap<String, Value> = by_id.collect();
    assert_eq!(by_id.len(), all, "one line a request");
    let documented = include_str!("../../../docs/logs.md");
    for field in by_id.values().flat_map(|line| line.as_object().unwrap().keys()) {
        assert!(documented.contains(&format!("`{field}`")), "{field} is not in docs/logs.md");
    }
    (by_id, log)
}

#[test]
fn a_request_is_one_line_that_says_what_it_waited_for_without_secrets_and_addresses() {
    let pair = Pair::start();
    let slow = Answer::feed(feed::rss(0..3)).delay(Duration::from_millis(300));
    pair.origin.set("/feed.xml?secret=1", slow);
    pair.origin.set("/gone.xml?secret=1", Answer::status(404));
    let ids = ["/feed.xml?secret=1", "/feed.xml?secret=1", "/gone.xml?secret=1"].map(|path| {
        let response = pair.feed(path, "");
        response.header("x-request-id").unwrap().to_owned()
    });
    let (lines, log) = end(pair);
    let [miss, hit, gone] = ids.map(|id| lines[&id].clone());
    assert_eq!(miss["request.route"], "feed");
    assert_eq!(miss["request.method"], "GET");
    assert_eq!(miss["response.status"], 200);
    assert_eq!(miss["source.host"], "127.0.0.1");
    assert_eq!(
        (&miss["cache.outcome"], &miss["source.outcome"]),
        (&"miss".into(), &"answered".into())
    );
    let seconds = |line: &Value, what: &str| line[what].as_f64().unwrap();
    assert!(seconds(&miss, "source.seconds") >= 0.3, "{miss}");
    assert!(seconds(&miss, "store.seconds") > 0.0, "{miss}");
    assert!(seconds(&miss, "response.seconds") >= seconds(&miss, "source.seconds"), "{miss}");
    assert_eq!(hit["cache.outcome"], "hit");
    for field in ["source.outcome", "source.seconds", "store.seconds", "problem", "access.refused"]
    {
        assert!(hit.get(field).is_none(), "{field} in {hit}");
    }
    assert_eq!(
        (&gone["problem"], &gone["source.outcome"]),
        (&"source-not-found".into(), &"status".into())
    );
    assert!(log.iter().all(|line| !line.contains("secret=1")), "{log:#?}");
}

#[test]
fn who_was_turned_away_and_why_is_in_the_line() {
    let pair = Pair::start_with(&[
        ("ACCESS__MODE", "token"),
        ("ACCESS__TOKENS", TOKEN),
        ("CALLERS__EXEMPT", ""),
        ("CALLERS__NEW_FEEDS_PER_MINUTE", "1"),
        ("CALLERS__NEW_FEEDS_BURST", "1"),
    ]);
    pair.origin.set("/a.xml", Answer::feed(feed::rss(0..3)));
    let bearer = format!("Bearer {TOKEN}");
    let ask = |path: &str, headers: &[(&str, &str)]| {
        let target = target(&pair.origin.url(path), "");
        let response = pair.program.request("GET", &target, headers);
        (response.header("x-request-id").unwrap().to_owned(), response)
    };
    let authorization = [("Authorization", bearer.as_str())];
    let (good, response) = ask("/a.xml", &authorization);
    manifest::of(&response);
    let (without, _) = ask("/a.xml", &[("X-Request-Id", "my-own-id:1")]);
    assert_eq!(without, "my-own-id:1");
    let (new, _) = ask("/b.xml", &authorization);
    let (lines, log) = end(pair);
    assert!(lines[&good].get("access.refused").is_none());
    assert_eq!(lines[&without]["access.refused"], "token");
    assert_eq!(lines[&without]["problem"], "not-authorized");
    assert_eq!(lines[&new]["access.refused"], "new_feeds");
    assert!(log.iter().all(|line| !line.contains(TOKEN)), "{log:#?}");
}

#[test]
fn every_failure_is_named_in_its_line_and_counted_alike() {
    let pair = Pair::start_with(&[("SERVER__MAX_BODY_BYTES", "1000")]);
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    pair.origin.set("/gone.xml", Answer::status(410));
    let of = |path: &str| target(&pair.origin.url(path), "");
    let page = |path: &str, more: &str| of(path).replacen("/mmsp/feed", "/", 1) + more;
    let discover = of("/gone.xml").replacen("/mmsp/feed", "/mmsp/discover", 1);
    let post = |headers: &[(&str, &str)], body: &str| {
        client::post(pair.program.http, "/opml", headers, body.as_bytes())
    };
    let get = |target: &str| pair.program.get(target);
    let put = |target: &str| pair.program.request("PUT", target, &[]);
    let html = [("Accept", "text/html")];
    let failures = [
        (get("/nowhere"), "not-found"),
        (get("/%6eowhere"), "not-found"),
        (get("/assets/x"), "not-found"),
        (get("/problems/none"), "not-found"),
        (get("/mmsp/none.json"), "not-found"),
        (get("/.well-known/mmsp.json"), "not-found"),
        (put("/mmsp/feed"), "method-not-allowed"),
        (put("/"), "method-not-allowed"),
        (get("/opml"), "method-not-allowed"),
        (post(&[], "Hello"), "not-opml"),
        (post(&html, "Hello"), "not-opml"),
        (post(&[], &"x".repeat(1001)), "too-long"),
        (get("/mmsp/feed"), "invalid-url"),
        (get("/mmsp/feed?url=x.example&more=1"), "unknown-parameter"),
        (get(&of("/gone.xml")), "source-gone"),
        (get(&discover), "source-gone"),
        (get("/?url="), "invalid-url"),
        (get("/?url=%3A"), "invalid-url"),
        (get(&page("/gone.xml", "")), "source-gone"),
        (get(&page("/feed.xml", "&filter=type")), "invalid-filter"),
    ];
    let good = [get(&of("/feed.xml")), get(&page("/feed.xml", "")), get("/"), post(&[], "<opml/>")];
    let counted = |name: &str| {
        pair.program.metric(&format!("mmsp_gateway_problems_total{{problem=\"{name}\"}}"))
    };
    for (_, name) in &failures {
        let told = failures.iter().filter(|(_, other)| other == name).count();
        assert_eq!(counted(name), told as f64, "{name}");
    }
    let id = |response: &Response| response.header("x-request-id").unwrap().to_owned();
    let failed = failures.map(|(response, name)| (id(&response), response.status, name));
    let good = good.map(|response| (id(&response), response.status));
    let (lines, _) = end(pair);
    for (id, status, name) in failed {
        assert!((400..500).contains(&status), "{name}");
        assert_eq!(lines[&id]["problem"], name, "{}", lines[&id]);
    }
    for (id, status) in good {
        assert_eq!((status, lines[&id].get("problem")), (200, None));
    }
}

#[test]
fn a_trace_is_taken_over_only_if_it_is_well_formed() {
    let pair = Pair::start();
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let good = format!("00-{trace}-00f067aa0ba902b7-01");
    let ask = |headers: &[(&str, &str)]| {
        let response = pair.program.request("GET", "/healthz", headers);
        response.header("x-request-id").unwrap().to_owned()
    };
    assert_eq!(ask(&[("traceparent", &good)]), trace);
    let bad = ask(&[("traceparent", "00-nonsense-01"), ("X-Request-Id", "a b")]);
    let (lines, _) = end(pair);
    assert_eq!(lines[trace]["trace.id"], trace);
    assert_eq!(lines[trace]["trace.parent"], "00f067aa0ba902b7");
    assert!(lines[&bad].get("trace.id").is_none());
}

#[test]
fn levels_are_set_by_module_and_the_whole_address_is_told_at_debug_only() {
    let level = "warn,mmsp_gateway::cli=info,mmsp_gateway::server::observe=debug";
    let pair = Pair::start_with(&[("LOG__LEVEL", level)]);
    pair.origin.set("/feed.xml?a=1", Answer::feed(feed::rss(0..3)));
    manifest::of(&pair.feed("/feed.xml?a=1", ""));
    let (lines, log) = end(pair);
    assert_eq!(lines.len(), 1);
    assert!(log.iter().any(|line| line.contains("feed.xml?a=1")), "{log:#?}");
    let targets = log.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let quiet = targets.filter(|line| line["level"] != "WARN" && line["level"] != "ERROR");
    for line in quiet {
        let target = line["target"].as_str().unwrap().to_owned();
        assert!(
            ["mmsp_gateway::server::observe", "mmsp_gateway::cli"]
                .iter()
                .any(|it| target.starts_with(it)),
            "{line}"
        );
    }
}
