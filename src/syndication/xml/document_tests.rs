//! How the walk goes through whole, broken, cut and hostile documents.

use proptest::prelude::*;

use super::Namespace;
use super::document::{Document, Step};
use crate::syndication::{Limits, ReadError};

/// The walk in words: `(name` a container, `name=text` a unit, `cut`, `end` or `open end`.
fn walk(text: &str, limits: &Limits) -> Result<Vec<String>, ReadError> {
    let mut document = Document::new(text, limits);
    let mut steps = Vec::new();
    loop {
        steps.push(match document.next()? {
            Step::Container(element) => format!("({}", element.written_name()),
            Step::Unit(element) => {
                format!("{}={}", element.written_name(), element.text().trim())
            }
            Step::Cut => "cut".to_owned(),
            Step::End { complete: true } => return Ok([steps, vec!["end".into()]].concat()),
            Step::End { .. } => return Ok([steps, vec!["open end".into()]].concat()),
        });
    }
}

fn check(text: &str, want: &[&str]) {
    assert_eq!(walk(text, &Limits::default()).unwrap(), want, "{text}");
}

fn faults(text: &str) -> usize {
    let mut document = Document::new(text, &Limits::default());
    while !matches!(document.next().unwrap(), Step::End { .. }) {}
    document.faults
}

#[test]
fn containers_are_entered_and_their_children_handed_out() {
    check(
        "<rss><channel><title>T</title><item><title>a</title></item></channel></rss>",
        &["(rss", "(channel", "title=T", "item=a", "end"],
    );
    check(
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><entry>a</entry></feed>",
        &["(feed", "title=T", "entry=a", "end"],
    );
    check(
        "<rdf:RDF><channel><title>T</title></channel><item>a</item><image/></rdf:RDF>",
        &["(rdf:RDF", "(channel", "title=T", "item=a", "image=", "end"],
    );
    check(
        "<Channel xmlns='http://purl.org/net/rss1.1#'><items><item>a</item></items></Channel>",
        &["(Channel", "(items", "item=a", "end"],
    );
}

#[test]
fn what_stands_around_a_feed_is_passed_over() {
    check(
        "noise <?xml version='1.0'?><!-- c --><!DOCTYPE rss><wrap><rss><item>a</item></rss></wrap>",
        &["(rss", "item=a", "end"],
    );
    check("<html><body>no feed</body></html>", &["open end"]);
    check("", &["open end"]);
    check("<rss/>", &["(rss", "end"]);
}

#[test]
fn a_document_that_is_cut_says_so() {
    check(
        "<rss><channel><item>a</item><item>b",
        &["(rss", "(channel", "item=a", "cut", "open end"],
    );
    check("<rss><channel><item>a</item>", &["(rss", "(channel", "item=a", "open end"]);
    check("<rss><channel><item>a</item></chan", &["(rss", "(channel", "item=a", "open end"]);
}

#[test]
fn behind_the_end_of_the_channel_nothing_is_missing() {
    check("<rss><channel><item>a</item></channel>", &["(rss", "(channel", "item=a", "end"]);
    check("<rss><channel></channel><item>a</item></rss>", &["(rss", "(channel", "item=a", "end"]);
}

#[test]
fn an_item_inside_an_item_ends_the_one_before_it() {
    let text = "<rss><channel><item>a<item>b</item></item><item>c</item></channel></rss>";
    check(text, &["(rss", "(channel", "item=a", "item=b", "item=c", "end"]);
    assert!(faults(text) > 0);
    // Deeper down it is somebody else's.
    check(
        "<rss><channel><item><list><item>x</item></list></item></channel></rss>",
        &["(rss", "(channel", "item=x", "end"],
    );
}

#[test]
fn the_end_of_a_container_ends_what_is_open_in_it() {
    check(
        "<rss><channel><item><description>a</channel></rss>",
        &["(rss", "(channel", "item=a", "end"],
    );
    check(
        "<rss><channel><item><b>a</item><item>b</item></channel></rss>",
        &["(rss", "(channel", "item=a", "item=b", "end"],
    );
    check(
        "<rss><channel><item>a</i></item></channel></rss>",
        &["(rss", "(channel", "item=a", "end"],
    );
}

#[test]
fn broken_markup_is_counted_and_whole_markup_is_not() {
    let good = "<rss><channel><item>a &amp; b</item></channel></rss>";
    assert_eq!(faults(good), 0);
    for (from, to) in [
        ("a &amp; b", "a &nothing; b"),
        ("a &amp; b", "<b>a"),
        ("a &amp; b", "a</b>"),
        ("<item>", "<item a='1' a='2'>"),
    ] {
        assert!(faults(&good.replace(from, to)) > 0, "{to}");
    }
}

#[test]
fn elements_in_one_another_are_counted_and_end_at_the_limit() {
    let limits = Limits { max_depth: 10, ..Limits::default() };
    let nested = |levels: usize| {
        let (open, close) = ("<x>".repeat(levels), "</x>".repeat(levels));
        format!("<rss><channel><item>{open}{close}</item></channel></rss>")
    };
    // Two containers and the item stand around them.
    assert!(walk(&nested(7), &limits).is_ok());
    assert_eq!(walk(&nested(9), &limits), Err(ReadError::TooDeep));
    assert_eq!(walk(&"<x>".repeat(100_000), &limits).unwrap(), ["open end"]);
    let open = format!("<rss><channel><item>{}", "<x>".repeat(100_000));
    assert_eq!(walk(&open, &limits), Err(ReadError::TooDeep));
}

#[test]
fn siblings_are_not_depth() {
    let limits = Limits { max_depth: 10, ..Limits::default() };
    let many = format!("<rss><channel><item>{}</item></channel></rss>", "<x/>".repeat(1000));
    assert!(walk(&many, &limits).is_ok());
    let unclosed = format!("<rss><channel>{}</channel></rss>", "<item>a".repeat(1000));
    assert_eq!(walk(&unclosed, &limits).unwrap().len(), 1003);
}

/// The value of an attribute of the only item.
fn attribute(text: &str, name: &str, limits: &Limits) -> Option<String> {
    let mut document = Document::new(text, limits);
    loop {
        match document.next().unwrap() {
            Step::Unit(element) => return element.attribute(name).map(str::to_owned),
            Step::End { .. } => return None,
            Step::Container(_) | Step::Cut => {}
        }
    }
}

#[test]
fn attributes_behind_the_limit_are_left_out() {
    let limits = Limits { max_attributes: 3, ..Limits::default() };
    let text = "<rss><item a='1' b='2' c='3' d='4'>x</item></rss>";
    assert_eq!(attribute(text, "c", &limits).as_deref(), Some("3"));
    assert_eq!(attribute(text, "d", &limits), None);
    assert_eq!(attribute(text, "d", &Limits::default()).as_deref(), Some("4"));
}

#[test]
fn nodes_behind_the_limit_are_left_out_and_what_follows_is_read() {
    let limits = Limits { max_nodes: 8, ..Limits::default() };
    let (open, close) = ("<b>".repeat(5), "</b>".repeat(5));
    let text = format!(
        "<rss><channel><item><b>kept</b><b>{open}lost{close}</b><link>lost</link></item>\
         <item><link>read</link></item></channel></rss>"
    );
    let mut document = Document::new(&text, &limits);
    let mut texts = Vec::new();
    loop {
        match document.next().unwrap() {
            Step::Unit(element) => texts.push(element.text().into_owned()),
            Step::End { .. } => break,
            Step::Container(_) => {}
            Step::Cut => panic!("cut"),
        }
    }
    assert_eq!(texts, ["kept", "read"]);
    let attributes = format!("<rss><item>{}<x a='1'/></item></rss>", "<x a='0'/>".repeat(5));
    let limits = Limits { max_nodes: 3, ..Limits::default() };
    assert_eq!(attribute(&attributes, "a", &limits), None);
}

#[test]
fn an_attribute_that_is_there_twice_has_its_first_value() {
    let text = "<rss><item a='1' a='2'>x</item></rss>";
    assert_eq!(attribute(text, "a", &Limits::default()).as_deref(), Some("1"));
}

/// The vocabulary of the first unit.
fn namespace(text: &str, limits: &Limits) -> Namespace {
    let mut document = Document::new(text, limits);
    loop {
        match document.next().unwrap() {
            Step::Unit(element) => return element.namespace(),
            Step::End { .. } => panic!("no unit in {text}"),
            Step::Container(_) | Step::Cut => {}
        }
    }
}

#[test]
fn declarations_behind_the_limit_are_left_out() {
    let itunes = "http://www.itunes.com/dtds/podcast-1.0.dtd";
    let text =
        format!("<rss xmlns:a='urn:a' xmlns:b='urn:b' xmlns:c='{itunes}'><c:x>1</c:x></rss>");
    let limits = |max_namespaces| Limits { max_namespaces, ..Limits::default() };
    assert_eq!(namespace(&text, &limits(3)), Namespace::Itunes);
    assert_eq!(namespace(&text, &limits(2)), Namespace::Other);
}

#[test]
fn a_declaration_holds_inside_its_element_and_no_longer() {
    let dc = "http://purl.org/dc/elements/1.1/";
    let text = format!("<rss><channel><x xmlns:q='{dc}'/><q:title>t</q:title></channel></rss>");
    let mut document = Document::new(&text, &Limits::default());
    let mut found = Vec::new();
    loop {
        match document.next().unwrap() {
            Step::Unit(element) => found.push(element.namespace()),
            Step::End { .. } => break,
            Step::Container(_) | Step::Cut => {}
        }
    }
    assert_eq!(found, [Namespace::Core, Namespace::Other]);
    let inner = format!("<rss><q:title xmlns:q='{dc}'>t</q:title></rss>");
    assert_eq!(namespace(&inner, &Limits::default()), Namespace::Dc);
}

#[test]
fn a_well_known_prefix_counts_without_its_declaration() {
    let limits = Limits::default();
    assert_eq!(
        namespace("<rss><itunes:author>x</itunes:author></rss>", &limits),
        Namespace::Itunes
    );
    assert_eq!(namespace("<rss><own:author>x</own:author></rss>", &limits), Namespace::Other);
    let taken = "<rss xmlns:itunes='urn:mine'><itunes:author>x</itunes:author></rss>";
    assert_eq!(namespace(taken, &limits), Namespace::Other);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic_or_go_on_for_ever(
        text in "(<rss>|<channel>|<item>|</item>|</channel>|</rss>|<a b='c'>|</a>|&amp;|&|<!\\[CDATA\\[|\\]\\]>|<!--|-->|<|>|é| ){0,40}"
    ) {
        let steps = walk(&text, &Limits::default()).unwrap();
        prop_assert!(steps.len() <= text.len() + 2);
    }
}
