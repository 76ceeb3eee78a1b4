//! `/openapi.json` is true: every path that it names is called, in every way that it can answer,
//! and each answer is held against it.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Pair, lists};
use crate::support::client::{self, Response};
use crate::support::program::target;
use crate::support::{Answer, feed};

const TOKEN: &str = "a-token-of-thirty-two-letters-or";

/// The path as it is described, a target of it, headers, and the status that it gives.
type Call<'a> = (&'static str, String, &'a [(&'a str, &'a str)], u16);

/// The description, and what was seen of it.
struct Described {
    document: Value,
    seen: BTreeSet<String>,
}

impl Described {
    fn of(pair: &Pair) -> Self {
        let response = pair.program.get("/openapi.json");
        assert_eq!(response.status, 200);
        assert_eq!(response.header("content-type"), Some("application/json"));
        Self { document: response.json(), seen: BTreeSet::new() }
    }

    /// Holds an answer against what is described of that path and method.
    fn check(&mut self, path: &str, method: &str, response: &Response) {
        let status = response.status.to_string();
        let operation = &self.document["paths"][path][method.to_ascii_lowercase()];
        let described = &operation["responses"][&status];
        assert!(described.is_object(), "{method} {path} gave {status}, which is not described");
        self.seen.insert(format!("{method} {path} {status}"));
        for name in described["headers"].as_object().unwrap().keys() {
            // Some are sent only where there is something to say.
            let is_sure = !["Retry-After", "Allow"].contains(&name.as_str());
            let is_there =
                response.headers.iter().any(|(found, _)| found.eq_ignore_ascii_case(name));
            assert!(is_there || !is_sure, "{method} {path} {status} is without {name}");
        }
        let Some(content) = described["content"].as_object() else {
            assert!(response.body.is_empty(), "{method} {path} {status} has a body");
            return;
        };
        let media_type = response.header("content-type").unwrap();
        let schema = &content
            .get(media_type)
            .unwrap_or_else(|| panic!("{method} {path} {status}: {media_type}"))["schema"];
        let body = if media_type.contains("json") && schema.get("$ref").is_some() {
            response.json()
        } else {
            response.text().into()
        };
        let whole = json!({"allOf": [schema], "components": self.document["components"]});
        let validator = jsonschema::validator_for(&whole).unwrap();
        let errors: Vec<_> = validator.iter_errors(&body).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{method} {path} {status}: {errors:#?}\n{body:#}");
    }
}

#[test]
fn every_path_that_is_described_answers_as_it_is_described() {
    let pair = Pair::start_with(&[
        ("FEEDS__BLOG__URL", "https://127.0.0.1:1/nothing"),
        ("FETCH__DENY_HOSTS", "denied.example"),
        ("WELL_KNOWN", "blog"),
        ("SERVER__MAX_BODY_BYTES", "1000"),
    ]);
    let mut described = Described::of(&pair);
    let native = include_str!("../../../fixtures/manifests/everything.json");
    let page = "<link rel=alternate type=application/rss+xml href=/feed.xml>";
    for (path, answer) in [
        ("/feed.xml", Answer::feed(feed::rss(0..5))),
        ("/slow.xml", Answer::feed(feed::rss(0..5)).delay(Duration::from_millis(50))),
        ("/page.html", Answer::status(200).header("Content-Type", "text/html").body(page)),
        (
            "/native.json",
            Answer::status(200).header("Content-Type", "application/mmsp+json").body(native),
        ),
        ("/words.txt", Answer::status(200).header("Content-Type", "text/plain").body("Hello")),
        ("/gone.xml", Answer::status(410)),
        ("/missing.xml", Answer::status(404)),
        ("/broken.xml", Answer::status(500)),
        ("/busy.xml", Answer::status(429).header("Retry-After", "120")),
    ] {
        pair.origin.set(path, answer);
    }
    let of = |path: &str| target(&pair.origin.url(path), "");
    let discover = |path: &str| of(path).replace("/mmsp/feed", "/mmsp/discover");
    let etag = pair.program.get(&of("/feed.xml")).header("etag").unwrap().to_owned();
    let known = [("If-None-Match", etag.as_str())];
    let own = pair.program.get("/openapi.json").header("etag").unwrap().to_owned();
    let own = [("If-None-Match", own.as_str())];
    let start = pair.program.get("/").text();
    let asset = start.split("href=\"assets/").nth(1).unwrap().split('"').next().unwrap();
    let asset = format!("/assets/{asset}");
    let long = format!("/mmsp/feed?url={}", "x".repeat(9000));
    let wide = "x".repeat(40_000);
    let wide = [("X-Wide", wide.as_str())];
    let body = [("Content-Length", "2000")];
    let gets: &[Call] = &[
        ("/mmsp/feed", of("/feed.xml"), &[], 200),
        ("/mmsp/feed", of("/page.html"), &[], 200),
        ("/mmsp/feed", of("/native.json"), &[], 302),
        ("/mmsp/feed", of("/feed.xml"), &known, 304),
        ("/mmsp/feed", "/mmsp/feed".to_owned(), &[], 400),
        ("/mmsp/feed", of("/feed.xml") + "&limit=0", &[], 400),
        ("/mmsp/feed", of("/feed.xml") + "&cursor=x", &[], 400),
        ("/mmsp/feed", of("/feed.xml") + "&debug=1", &[], 400),
        ("/mmsp/feed", of("/feed.xml") + "&sig=a&sig=b", &[], 403),
        ("/mmsp/feed", target("https://10.0.0.1/", ""), &[], 403),
        ("/mmsp/feed", target("https://denied.example/", ""), &[], 403),
        ("/mmsp/feed", of("/missing.xml"), &[], 404),
        ("/mmsp/feed", of("/gone.xml"), &[], 410),
        ("/mmsp/feed", of("/feed.xml"), &body, 413),
        ("/mmsp/feed", long, &[], 414),
        ("/mmsp/feed", of("/words.txt"), &[], 422),
        ("/mmsp/feed", of("/feed.xml"), &wide, 431),
        ("/mmsp/feed", of("/broken.xml"), &[], 502),
        ("/mmsp/feed", of("/busy.xml"), &[], 503),
        ("/mmsp/discover", discover("/page.html"), &[], 200),
        ("/mmsp/discover", discover("/feed.xml"), &[], 200),
        ("/mmsp/discover", discover("/feed.xml") + "&limit=3", &[], 400),
        ("/mmsp/discover", discover("/words.txt"), &[], 422),
        ("/mmsp/{name}.json", "/mmsp/other.json".to_owned(), &[], 404),
        ("/mmsp/{name}.json", "/mmsp/blog.json".to_owned(), &[], 502),
        ("/mmsp/{name}.json", "/mmsp/blog.json?url=x".to_owned(), &[], 400),
        ("/mmsp/{name}.json", "/mmsp/blog.json".to_owned(), &[("Via", "1.1 mmsp-gateway")], 403),
        ("/.well-known/mmsp.json", "/.well-known/mmsp.json".to_owned(), &[], 502),
        ("/", "/".to_owned(), &[], 200),
        ("/", of("/feed.xml").replace("/mmsp/feed", "/"), &[], 200),
        ("/", of("/feed.xml").replace("/mmsp/feed", "/") + "&filter=type", &[], 400),
        ("/", "/?url=".to_owned(), &[], 400),
        ("/", of("/words.txt").replace("/mmsp/feed", "/"), &[], 422),
        ("/", target("https://denied.example/", "").replace("/mmsp/feed", "/"), &[], 403),
        ("/assets/{name}", asset, &[], 200),
        ("/assets/{name}", "/assets/other.css".to_owned(), &[], 404),
        ("/problems/{name}", "/problems/too-long".to_owned(), &[], 200),
        ("/problems/{name}", "/problems/other".to_owned(), &[], 404),
        ("/healthz", "/healthz".to_owned(), &[], 200),
        ("/readyz", "/readyz".to_owned(), &[], 200),
        ("/robots.txt", "/robots.txt".to_owned(), &[], 200),
        ("/openapi.json", "/openapi.json".to_owned(), &[], 200),
        ("/openapi.json", "/openapi.json".to_owned(), &own, 304),
    ];
    for (path, target, headers, status) in gets {
        for method in ["GET", "HEAD"] {
            let response = pair.program.request(method, target, headers);
            assert_eq!(response.status, *status, "{method} {target}");
            described.check(path, method, &response);
        }
    }
    for (path, target) in [
        ("/mmsp/feed", of("/feed.xml")),
        ("/mmsp/discover", discover("/feed.xml")),
        ("/mmsp/{name}.json", "/mmsp/blog.json".to_owned()),
        ("/.well-known/mmsp.json", "/.well-known/mmsp.json".to_owned()),
    ] {
        described.check(path, "OPTIONS", &pair.program.request("OPTIONS", &target, &[]));
    }
    for (list, status) in [("<opml><body/></opml>", 200), ("Hello", 422), (&*"x".repeat(1001), 413)]
    {
        let response = client::post(pair.program.http, "/opml", &[], list.as_bytes());
        assert_eq!(response.status, status);
        described.check("/opml", "POST", &response);
    }
    let form = "--x\r\nContent-Disposition: form-data; name=\"list\"; filename=\"a\"\r\n\r\n<opml/>\r\n--x--";
    let browser = [("Content-Type", "multipart/form-data; boundary=x"), ("Accept", "text/html")];
    for (list, status) in [(form.to_owned(), 200), (form.replace("opml", "rss"), 422)] {
        let response = client::post(pair.program.http, "/opml", &browser, list.as_bytes());
        assert_eq!(response.status, status);
        described.check("/opml", "POST", &response);
    }
    // Every operation was called, and gave what it gives when all is well.
    for (path, item) in described.document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            let seen = format!("{} {path} ", method.to_uppercase());
            assert!(described.seen.iter().any(|it| it.starts_with(&seen)), "{seen}was not called");
        }
    }
}

#[test]
fn answers_to_those_who_may_not_or_ask_too_much_are_as_described() {
    let pair = Pair::start_with(&[
        ("ACCESS__MODE", "token"),
        ("ACCESS__TOKENS", TOKEN),
        ("CALLERS__EXEMPT", ""),
        ("CALLERS__REQUESTS_PER_MINUTE", "1"),
        ("CALLERS__REQUESTS_BURST", "6"),
    ]);
    let mut described = Described::of(&pair);
    for (path, method) in
        [("/mmsp/feed", "GET"), ("/mmsp/discover", "HEAD"), ("/opml", "POST"), ("/", "GET")]
    {
        let response = pair.program.request(method, &format!("{path}?url=x.example"), &[]);
        assert_eq!(response.status, 401);
        described.check(path, method, &response);
    }
    while pair.program.get("/robots.txt").status == 200 {}
    for (path, target) in [
        ("/robots.txt", "/robots.txt"),
        ("/mmsp/feed", "/mmsp/feed?url=x.example"),
        ("/openapi.json", "/openapi.json"),
        ("/problems/{name}", "/problems/loop"),
    ] {
        let response = pair.program.get(target);
        assert_eq!(response.status, 429);
        described.check(path, "GET", &response);
    }
    assert_eq!(pair.program.get("/healthz").status, 200);
}

#[test]
fn what_is_described_as_taken_is_what_is_taken() {
    let pair = Pair::start();
    let document = pair.program.get("/openapi.json").json();
    let fits = |schema: &Value, value: &str| {
        jsonschema::validator_for(schema).unwrap().is_valid(&Value::from(value))
    };
    for path in ["/mmsp/feed", "/mmsp/discover", "/"] {
        let parameters = document["paths"][path]["get"]["parameters"].as_array().unwrap();
        let url = parameters.iter().find(|parameter| parameter["name"] == "url").unwrap();
        for address in [
            "https://x.example:8443/feed.xml?a=1&b=2#c",
            "https://192.0.2.1/feed",
            "https://[2001:db8::1]/feed",
            "https://xn--mnchen-3ya.example/",
            "https://münchen.example/ä",
            "feed://x.example/feed",
            "x.example",
        ] {
            assert!(fits(&url["schema"], address), "{path} {address}");
        }
    }
    let content = &document["paths"]["/opml"]["post"]["requestBody"]["content"];
    let list = content["text/x-opml"]["example"].as_str().unwrap();
    for list in [list, lists::LIST] {
        assert!(fits(&content["text/x-opml"]["schema"], list), "{list}");
        assert_eq!(client::post(pair.program.http, "/opml", &[], list.as_bytes()).status, 200);
    }
    let file = &content["multipart/form-data"]["schema"]["properties"]["list"];
    assert_eq!((&file["type"], &file["format"]), (&"string".into(), &"binary".into()));
    // A token may be the password of a browser's user, wherever one may be wanted.
    for (path, method) in [("/mmsp/feed", "get"), ("/", "get"), ("/opml", "post")] {
        let ways = document["paths"][path][method]["security"].as_array().unwrap();
        for way in ["bearer", "basic"] {
            assert!(ways.iter().any(|it| it.get(way).is_some()), "{path} {way}");
            assert_eq!(document["components"]["securitySchemes"][way]["scheme"], way);
        }
    }
}

#[test]
fn a_manifest_says_where_the_description_is() {
    let pair = Pair::start();
    pair.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let response = pair.feed("/feed.xml", "");
    let at = format!("https://localhost:{}/openapi.json", pair.program.https.port());
    let link = format!("<{at}>; rel=\"describedby\"; type=\"application/json\"");
    assert!(response.header("link").unwrap().contains(&link), "{:?}", response.header("link"));
    let description = pair.program.follow(&at).json();
    assert_eq!(description["openapi"], "3.1.0");
    assert_eq!(description["servers"][0]["url"], at.trim_end_matches("/openapi.json"));
}

#[test]
fn schemathesis_finds_no_disagreement() {
    // Whatever it makes up stays on this machine: no other host is read, and no name looked up.
    let pair = Pair::start_with(&[
        ("FETCH__ONLY_HOSTS", "127.0.0.1"),
        ("FETCH__DNS_SERVERS", "127.0.0.1:9"),
        ("FEEDS__BLOG__URL", "https://127.0.0.1:1/nothing"),
    ]);
    let program = concat!(env!("CARGO_TARGET_TMPDIR"), "/../tools/bin/schemathesis");
    let url = format!("http://{}", pair.program.http);
    let output = Command::new(program)
        .args([
            "--config-file",
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/http/schemathesis.toml"),
        ])
        .args(["run", &format!("{url}/openapi.json"), "--url", &url])
        .args(["--max-examples", "12", "--seed", "1", "--phases", "examples,coverage,fuzzing"])
        .args(["--no-color", "--generation-database", "none"])
        .current_dir(pair.folder())
        .stdin(Stdio::null())
        .output()
        .expect(
            "there is no schemathesis to test with: `./dev test` installs it; see CONTRIBUTING.md",
        );
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(pair.origin.connections(), 0);
}
