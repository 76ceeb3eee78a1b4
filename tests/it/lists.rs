//! Subscription lists on the command line: tried feed by feed, and converted.

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Answer, Origin, feed, manifest};

/// An origin and a folder for lists.
struct Shelf {
    folder: TempDir,
    origin: Origin,
}

impl Shelf {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let origin = Origin::start(folder.path());
        Self { folder, origin }
    }

    /// Writes a list of these addresses, in nested folders of ten.
    fn list(&self, urls: &[String]) {
        let mut body = String::new();
        for (place, tens) in urls.chunks(10).enumerate() {
            write!(body, "<outline text=\"Folder {place}\">").unwrap();
            for url in tens {
                let name = url.rsplit('/').next().unwrap();
                write!(body, "<outline type=\"rss\" text=\"The {name}\" xmlUrl=\"{url}\"/>")
                    .unwrap();
            }
            body += "</outline>";
        }
        let list =
            format!("<?xml version=\"1.0\"?><opml version=\"2.0\"><body>{body}</body></opml>");
        fs::write(self.folder.path().join("list.opml"), list).unwrap();
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.folder.path())
            .env("MMSP_GATEWAY__FETCH__ALLOW_NETWORKS", "127.0.0.1")
            .env("MMSP_GATEWAY__FETCH__CA_FILE", self.origin.ca_file())
            .env("MMSP_GATEWAY__SERVER__PUBLIC_URL", "https://gw.example");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(PROGRAM).args(arguments).output().unwrap()
    }
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_mmsp-gateway");

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The objects of an answer in JSON lines.
fn objects(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// 300 feeds, of which a few cannot be converted.
fn three_hundred(shelf: &Shelf) -> Vec<String> {
    let mut urls = Vec::new();
    for number in 0..293 {
        let path = format!("/{number}.xml");
        shelf.origin.set(&path, Answer::feed(feed::rss(0..3)));
        urls.push(shelf.origin.url(&path));
    }
    shelf.origin.set("/gone", Answer::status(410));
    shelf.origin.set("/page", page("<link rel=alternate type=application/rss+xml href=/1.xml>"));
    shelf.origin.set("/bare", page(""));
    shelf.origin.set("/moved", Answer::status(301).header("Location", "/2.xml"));
    shelf.origin.set("/broken", Answer::feed("<rss"));
    for path in ["/gone", "/page", "/bare", "/moved", "/broken", "/missing"] {
        urls.push(shelf.origin.url(path));
    }
    urls.push(urls[7].clone());
    assert_eq!(urls.len(), 300);
    urls
}

fn page(head: &str) -> Answer {
    let body = format!("<!doctype html><html><head><title>Home</title>{head}</head><p>Hello");
    Answer::status(200).header("Content-Type", "text/html").body(body)
}

#[test]
fn a_list_of_300_feeds_is_tried_and_every_failure_named_with_what_to_do() {
    let shelf = Shelf::new();
    shelf.list(&three_hundred(&shelf));
    let output = shelf.run(&["opml", "--check", "list.opml"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    let url = |path: &str| shelf.origin.url(path);
    for line in [
        format!(
            "failed   {} (The gone): The source answered with status 410. The publisher has taken \
             the feed down. Unsubscribe.",
            url("/gone")
        ),
        format!(
            "page     {} (The page): It is a web page. Its feed is {}.",
            url("/page"),
            url("/1.xml")
        ),
        format!(
            "moved    {} (The moved): It has moved for good, to {}. Put that into the list.",
            url("/moved"),
            url("/2.xml")
        ),
        format!("twice    {} (The 7.xml): The list has it already.", url("/7.xml")),
        "300 feeds: 295 can be converted, 0 need no gateway, 1 there twice, 4 failed".to_owned(),
        "of those that can be converted: 1 by a page that offers the feed, 1 moved for good"
            .to_owned(),
        "failed: 1 no-feed-found, 1 not-a-feed, 1 source-gone, 1 source-not-found".to_owned(),
    ] {
        assert!(told.lines().any(|told| told == line), "{line}\nis not in\n{told}");
    }
    assert_eq!(told.lines().count(), 4 + 3 + 3, "{told}");
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    assert_eq!(shelf.origin.seen("/7.xml").len(), 1);
}

#[test]
fn a_checked_list_is_an_object_a_line_in_its_order() {
    let shelf = Shelf::new();
    shelf.origin.set("/a.xml", Answer::feed(feed::rss(0..3)));
    shelf
        .origin
        .set("/empty.xml", Answer::feed("<rss><channel><title>x</title><item/></channel></rss>"));
    let native = serde_json::json!({
        "mmsp": "1.0", "id": "urn:native:1", "title": "Native", "items": [],
        "feed_url": shelf.origin.url("/n.json"),
    });
    let native = Answer::status(200).body(native.to_string());
    shelf.origin.set("/n.json", native.header("Content-Type", "application/mmsp+json"));
    let mut urls =
        ["/n.json", "/missing", "/a.xml", "/empty.xml"].map(|path| shelf.origin.url(path)).to_vec();
    urls.push("mailto:a@a.example".to_owned());
    shelf.list(&urls);
    let output = shelf.run(&["opml", "--check", "--json", "list.opml"]);
    assert_eq!(output.status.code(), Some(1));
    let objects = objects(&output);
    let outcomes: Vec<_> = objects.iter().map(|o| o["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["manifest", "failed", "feed", "feed", "failed"]);
    let listed: Vec<_> = objects.iter().map(|o| o["url"].as_str().unwrap()).collect();
    assert_eq!(listed, urls);
    assert_eq!(objects[0]["manifest_url"], urls[0]);
    assert_eq!(objects[1]["problem"]["type"], "/problems/source-not-found");
    assert_eq!((&objects[2]["items"], &objects[2]["skipped"]), (&3.into(), &0.into()));
    assert_eq!(objects[2]["title"], "The a.xml");
    let manifest_url = objects[2]["manifest_url"].as_str().unwrap();
    assert!(manifest_url.starts_with("https://gw.example/mmsp/feed?url="), "{manifest_url}");
    assert_eq!((&objects[3]["items"], &objects[3]["skipped"]), (&0.into(), &1.into()));
    assert_eq!(objects[4]["problem"]["type"], "/problems/invalid-url");
    assert!(text(&output.stderr).contains("5 feeds: 2 can be converted, 1 need no gateway"));

    shelf.list(&[shelf.origin.url("/a.xml")]);
    let output = shelf.run(&["opml", "--check", "list.opml"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_host_that_asks_to_be_left_alone_is_for_the_rest_of_the_list() {
    let shelf = Shelf::new();
    shelf.origin.set("/a.xml", Answer::status(429).header("Retry-After", "600"));
    shelf.origin.set("/b.xml", Answer::feed(feed::rss(0..3)));
    shelf.list(&["/a.xml", "/b.xml"].map(|path| shelf.origin.url(path)));
    let output = shelf.run(&["opml", "--check", "--json", "list.opml"]);
    for object in objects(&output) {
        assert_eq!(object["problem"]["type"], "/problems/source-backing-off");
    }
    assert_eq!(shelf.origin.connections(), 1);
}

#[test]
fn a_terminal_shows_how_far_a_check_is() {
    let shelf = Shelf::new();
    let paths: Vec<String> = (0..5).map(|number| format!("/{number}.xml")).collect();
    paths.iter().for_each(|path| shelf.origin.set(path, Answer::feed(feed::rss(0..3))));
    shelf.list(&paths.iter().map(|path| shelf.origin.url(path)).collect::<Vec<_>>());
    let line = format!("'{PROGRAM}' opml --check list.opml");
    let output = shelf.command("script").args(["-qec", &line, "/dev/null"]).output().unwrap();
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(shown.contains("/5 https://127.0.0.1:"), "{shown}");
    let last = shown.trim_end().rsplit('\n').next().unwrap();
    assert!(last.contains("5 feeds: 5 can be converted"), "{shown}");
}

#[test]
fn a_list_is_converted_feed_by_feed_into_a_folder() {
    let shelf = Shelf::new();
    shelf.list(&three_hundred(&shelf));
    let output = shelf.run(&["convert", "--out", "out", "--report", "report.jsonl", "list.opml"]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(told.ends_with(
        "mmsp-gateway: 294 converted, 0 of them with something mended, dropped or skipped; 5 failed\n"
    ), "{told}");
    for path in ["/gone", "/page", "/bare", "/broken", "/missing"] {
        assert!(told.contains(&format!("{}: ", shelf.origin.url(path))), "{path} not in {told}");
    }
    let written: Vec<_> = fs::read_dir(shelf.folder.path().join("out")).unwrap().collect();
    assert_eq!(written.len(), 294);
    for file in written.into_iter().take(10) {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        manifest::check(&serde_json::from_slice(&bytes).unwrap());
    }
    let report = fs::read_to_string(shelf.folder.path().join("report.jsonl")).unwrap();
    assert_eq!(report.lines().count(), 299, "the one that stands there twice is read once");
}

#[test]
fn what_a_list_has_that_is_no_feed_is_told_and_fails() {
    let shelf = Shelf::new();
    shelf.origin.set("/a.xml", Answer::feed(feed::rss(0..3)));
    shelf.list(&[shelf.origin.url("/a.xml"), "mailto:a@a.example".to_owned()]);
    let output = shelf.run(&["convert", "list.opml"]);
    assert_eq!(output.status.code(), Some(1));
    manifest::check(&serde_json::from_slice(&output.stdout).unwrap());
    let told = text(&output.stderr);
    assert!(told.contains("list.opml: mailto:a@a.example: "), "{told}");
    assert!(told.contains("1 converted") && told.contains("1 failed"), "{told}");

    fs::write(shelf.folder.path().join("list.opml"), "<opml><body/></opml>").unwrap();
    let output = shelf.run(&["convert", "list.opml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("the list names no feeds"));
}

#[test]
fn a_folder_is_converted_into_itself_as_often_as_one_likes() {
    let shelf = Shelf::new();
    let folder = shelf.folder.path().join("feeds");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a.xml"), feed::rss(0..3)).unwrap();
    for _ in 0..2 {
        let output = shelf.run(&["convert", "--out", "feeds", "feeds"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    }
}
