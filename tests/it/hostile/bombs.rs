//! Documents made to fill memory: each alone, and fifty at once.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use crate::http::Pair;
use crate::support::{Answer, Response, feed, manifest};

/// The limit of a decoded body (`fetch.max_body_bytes`).
const LIMIT: usize = 25 << 20;

/// What one document may add to the memory of the process.
const MOST_FOR_ONE: u64 = 3 * LIMIT as u64;

/// What fifty at once may.
const MOST_FOR_FIFTY: u64 = 400 << 20;

/// Words that compress about sixty times, so that no limit on expansion saves us.
fn words(bytes: usize) -> String {
    let mut words = String::with_capacity(bytes + 64);
    let mut n = 12_345_u32;
    while words.len() < bytes {
        n = n.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let _ = write!(words, "{n:x} {}", "words without end ".repeat(20));
    }
    words.truncate(bytes);
    words
}

fn rss(inside: &str) -> String {
    format!("<rss version=\"2.0\"><channel><title>T</title>{inside}</channel></rss>")
}

/// A feed that fills the limit and is none too many by a byte.
fn full() -> Vec<u8> {
    let item =
        |text: &str| format!("<item><guid>urn:x:1</guid><description>{text}</description></item>");
    let room = LIMIT - rss(&item("")).len();
    rss(&item(&words(room))).into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut coder = GzEncoder::new(Vec::new(), Compression::best());
    coder.write_all(bytes).unwrap();
    coder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut coder = ZlibEncoder::new(Vec::new(), Compression::best());
    coder.write_all(bytes).unwrap();
    coder.finish().unwrap()
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut coded = Vec::new();
    let mut coder = brotli::CompressorWriter::new(&mut coded, 65_536, 5, 24);
    coder.write_all(bytes).unwrap();
    drop(coder);
    coded
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

fn coded(coding: &str, body: Vec<u8>) -> Answer {
    Answer::feed(body).header("Content-Encoding", coding)
}

/// A gibibyte of nothing, coded as small as it gets.
fn gibibyte(code: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    // Members and frames follow one another; brotli has none, so one of 64 MiB stands for it.
    code(&vec![b' '; 64 << 20]).repeat(16)
}

fn nested(elements: usize) -> String {
    rss(&format!(
        "<item><title>N</title>{}{}</item>",
        "<x>".repeat(elements),
        "</x>".repeat(elements)
    ))
}

/// Pieces inside of one item.
fn in_an_item(piece: &str) -> String {
    let room = LIMIT - rss("<item></item>").len();
    rss(&format!("<item>{}</item>", piece.repeat(room / piece.len())))
}

/// Each entity is ten of the one before (XML 1.0 4.1).
fn laughs() -> String {
    let mut entities = String::from("<!ENTITY a0 \"ha\">");
    for n in 1..20 {
        let before = format!("&a{};", n - 1).repeat(10);
        let _ = write!(entities, "<!ENTITY a{n} \"{before}\">");
    }
    let item = "<item><guid>urn:x:1</guid><title>&a19;</title></item>";
    format!("<!DOCTYPE rss [{entities}]>{}", rss(item))
}

/// One long entity, asked for again and again.
fn quadratic() -> String {
    let long = "b".repeat(60_000);
    let item = format!("<item><title>{}</title></item>", "&a;".repeat(60_000));
    format!("<!DOCTYPE rss [<!ENTITY a \"{long}\">]>{}", rss(&item))
}

/// As many pieces as fit, each of a kind that costs a reader more than its bytes.
fn pieces(piece: &str) -> String {
    rss(&piece.repeat((LIMIT - 100) / piece.len()))
}

fn bombs() -> Vec<(&'static str, Answer)> {
    let full = full();
    let mut attributes = String::from("<item><title>A</title><x");
    for n in 0..1_500_000 {
        let _ = write!(attributes, " a{n}=\"\"");
    }
    attributes += "/></item>";
    vec![
        ("gzip", coded("gzip", gzip(&full))),
        ("deflate", coded("deflate", zlib(&full))),
        ("brotli", coded("br", brotli(&full))),
        ("zstd", coded("zstd", zstd(&full))),
        ("gzip-gibibyte", coded("gzip", gibibyte(gzip))),
        ("brotli-large", coded("br", brotli(&vec![b' '; 256 << 20]))),
        ("zstd-gibibyte", coded("zstd", gibibyte(zstd))),
        ("gzip-in-gzip", coded("gzip", gzip(&gzip(&gzip(&gibibyte(gzip)))))),
        ("gzip-twice", coded("gzip, gzip", gzip(&gzip(&full)))),
        ("plain", Answer::feed(full)),
        ("nested", Answer::feed(nested(1_000_000))),
        ("laughs", Answer::feed(laughs())),
        ("quadratic", Answer::feed(quadratic())),
        ("elements", Answer::feed(pieces("<a/>"))),
        ("items", Answer::feed(pieces("<item><title>I</title></item>"))),
        ("fields", Answer::feed(pieces("<category>c</category>"))),
        ("in-item", Answer::feed(in_an_item("<y>z</y>"))),
        ("attributes-all-over", Answer::feed(in_an_item("<y a b c d e f g h i j k l m n/>"))),
        ("text-in-pieces", Answer::feed(in_an_item("x<y/>"))),
        ("attributes", Answer::feed(rss(&attributes))),
        ("comments", Answer::feed(pieces("<!---->"))),
        ("references", Answer::feed(rss(&format!("<item><title>{}", "&amp;".repeat(5_000_000))))),
        (
            "markup",
            Answer::feed(rss(&format!(
                "<item><title>M</title><description>{}",
                "&lt;b&gt;".repeat(2_500_000)
            ))),
        ),
        ("json", Answer::feed(format!("{}{}", "[".repeat(5_000_000), "]".repeat(5_000_000)))),
        ("page", Answer::feed("<!doctype html>".to_owned() + &"<a href=x>".repeat(2_500_000))),
    ]
}

/// Whatever became of it, it was answered as it should be.
fn is_an_answer(response: &Response) -> bool {
    match response.status {
        200 => true,
        422 | 502 | 503 | 504 => {
            response.header("content-type") == Some("application/problem+json")
        }
        _ => false,
    }
}

#[test]
fn a_bomb_takes_less_than_three_times_the_limit_of_a_document() {
    let mut grown = Vec::new();
    for (name, answer) in bombs() {
        let pair = Pair::start();
        pair.origin.set("/small.xml", Answer::feed(feed::rss(0..3)));
        manifest::of(&pair.feed("/small.xml", ""));
        pair.origin.set("/bomb", answer);
        pair.program.forget_peak();
        let (_, before) = pair.program.memory();
        let response = pair.feed("/bomb", "");
        assert!(is_an_answer(&response), "{name}: {}", response.status);
        let (peak, _) = pair.program.memory();
        let problem = if response.status == 200 {
            String::new()
        } else {
            response.json()["type"].to_string()
        };
        grown.push((name, peak.saturating_sub(before), response.status, problem));
    }
    let over: Vec<_> = grown.iter().filter(|(_, bytes, ..)| *bytes >= MOST_FOR_ONE).collect();
    for (name, bytes, status, problem) in &grown {
        println!("{name:14} {:4} MiB {status} {problem}", bytes >> 20);
    }
    assert!(over.is_empty(), "{over:#?}");
}

#[test]
fn fifty_bombs_at_once_are_borne_and_others_are_answered_meanwhile() {
    let pair = Pair::start();
    pair.origin.set("/small.xml", Answer::feed(feed::rss(0..3)));
    manifest::of(&pair.feed("/small.xml", ""));
    let bombs = bombs();
    for n in 0..50 {
        let (_, answer) = &bombs[n % bombs.len()];
        pair.origin.set(&format!("/bomb/{n}"), answer.clone());
    }
    pair.program.forget_peak();
    let (_, before) = pair.program.memory();
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut answered = 0;
            while !over.load(Ordering::Acquire) {
                manifest::of(&pair.feed("/small.xml", ""));
                answered += 1;
            }
            answered
        });
        let pair = &pair;
        let fifty: Vec<_> =
            (0..50).map(|n| scope.spawn(move || pair.feed(&format!("/bomb/{n}"), ""))).collect();
        for one in fifty {
            let response = one.join().unwrap();
            assert!(is_an_answer(&response), "{}", response.status);
        }
        over.store(true, Ordering::Release);
        assert!(reader.join().unwrap() > 50);
    });
    let (peak, _) = pair.program.memory();
    println!("fifty {} MiB", (peak - before) >> 20);
    assert!(peak - before < MOST_FOR_FIFTY, "{} MiB", (peak - before) >> 20);
}
