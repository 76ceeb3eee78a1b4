//! Documents made to fill memory or time.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use crate::support::Answer;

/// The limit of a decoded body (`fetch.max_body_bytes`).
pub const LIMIT: usize = 25 << 20;

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
    let mut coder = GzEncoder::new(Vec::new(), Compression::fast());
    coder.write_all(bytes).unwrap();
    coder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut coder = ZlibEncoder::new(Vec::new(), Compression::fast());
    coder.write_all(bytes).unwrap();
    coder.finish().unwrap()
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut coded = Vec::new();
    let mut coder = brotli::CompressorWriter::new(&mut coded, 65_536, 2, 24);
    coder.write_all(bytes).unwrap();
    drop(coder);
    coded
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

fn coded(coding: &str, body: Vec<u8>) -> Answer {
    Answer::feed(body).header("Content-Encoding", coding)
}

/// A gibibyte of nothing: members and frames follow one another.
fn gibibyte(code: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    code(&vec![b' '; 16 << 20]).repeat(64)
}

/// Small on the wire, as large as the limit or larger once decoded.
pub fn coded_bombs() -> Vec<(&'static str, Answer)> {
    let full = full();
    vec![
        ("gzip", coded("gzip", gzip(&full))),
        ("deflate", coded("deflate", zlib(&full))),
        ("brotli", coded("br", brotli(&full))),
        ("zstd", coded("zstd", zstd(&full))),
        ("gzip-gibibyte", coded("gzip", gibibyte(gzip))),
        ("brotli-large", coded("br", brotli(&vec![b' '; 128 << 20]))),
        ("zstd-gibibyte", coded("zstd", gibibyte(zstd))),
        ("gzip-in-gzip", coded("gzip", gzip(&gzip(&gzip(&gibibyte(gzip)))))),
        ("gzip-twice", coded("gzip, gzip", gzip(&gzip(&full)))),
        ("not-gzip", coded("gzip", full)),
    ]
}

/// Small, and large for whoever takes entities at their word.
pub fn entity_bombs() -> Vec<(&'static str, Answer)> {
    let bodies = [
        ("nested", nested(100_000)),
        ("laughs", laughs()),
        ("quadratic", quadratic()),
        ("parameters", parameters()),
    ];
    bodies.map(|(name, body)| (name, Answer::feed(body))).into()
}

/// So many bytes of pieces that take a reader more than they have.
pub fn piece_bombs(bytes: usize) -> Vec<(&'static str, Answer)> {
    let fill = |piece: &str| piece.repeat(bytes / piece.len());
    let in_an_item =
        |piece: &str| rss(&format!("<item><guid>urn:x:1</guid>{}</item>", fill(piece)));
    let bodies = [
        ("in-an-item", in_an_item("<y>z</y>")),
        ("attributes-all-over", in_an_item("<y a b c d e f g h i j k l m n/>")),
        ("text-in-pieces", in_an_item("x<y/>")),
        ("references", in_an_item("&amp;")),
        ("elements", rss(&fill("<a/>"))),
        ("items", rss(&fill("<item><title>I</title></item>"))),
        ("fields", rss(&fill("<category>c</category>"))),
        ("comments", rss(&fill("<!---->"))),
        ("namespaces", rss(&fill("<a xmlns:b='c'><b:d/>"))),
        ("markup", rss(&format!("<item><description>{}", fill("&lt;b&gt;")))),
        ("json", fill("[")),
        (
            "json-items",
            format!(
                "{{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{}{{}}]}}",
                fill("{},")
            ),
        ),
        ("page", format!("<!doctype html>{}", fill("<link rel=alternate href=x>"))),
    ];
    bodies.map(|(name, body)| (name, Answer::feed(body))).into()
}

fn nested(elements: usize) -> String {
    let (open, close) = ("<x>".repeat(elements), "</x>".repeat(elements));
    rss(&format!("<item><title>N</title>{open}{close}</item>"))
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

/// Entities that would be fetched, and one that is made of others.
fn parameters() -> String {
    format!(
        "<!DOCTYPE rss [<!ENTITY % x SYSTEM \"https://127.0.0.1:1/x\"> %x; \
         <!ENTITY f SYSTEM \"file:///etc/passwd\">]>{}",
        rss("<item><guid>urn:x:1</guid><title>&f;&x;</title></item>")
    )
}
