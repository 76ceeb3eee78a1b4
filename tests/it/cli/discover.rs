//! `discover`: the feeds that a page offers.

use std::fs;

use super::{errors, run};

/// What `discover` makes of a page in a file: exit code, the list, and what it says.
fn discover(page: &str, headers: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("page.html"), page).unwrap();
    let mut arguments = vec!["discover", "--url", "https://a.example/blog/"];
    arguments.extend(headers.iter().flat_map(|header| ["--header", *header]));
    arguments.push("page.html");
    let output = run(folder.path(), &arguments, &[]);
    (output.status.code(), String::from_utf8(output.stdout.clone()).unwrap(), errors(&output))
}

#[test]
fn discover_lists_what_a_page_and_its_header_offer() {
    let page = "<link rel=alternate type=application/atom+xml href=f title='Gr&uuml;&szlig;e'>";
    let field = "Link: </g>; rel=alternate; type=\"application/rss+xml\"; title=\"a, b\"";
    let (code, list, said) = discover(page, &[field, "link: <h>; rel=feed"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    let manifest_url =
        |source| format!("https://localhost:8443/mmsp/feed?url=https%3A%2F%2Fa.example%2F{source}");
    let want = serde_json::json!([
        { "type": "application/rss+xml", "url": "https://a.example/g", "title": "a, b",
          "manifest_url": manifest_url("g") },
        { "type": "application/atom+xml", "url": "https://a.example/blog/f",
          "title": "Gr\u{fc}\u{df}e", "manifest_url": manifest_url("blog%2Ff") },
        { "url": "https://a.example/blog/h", "manifest_url": manifest_url("blog%2Fh") },
    ]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&list).unwrap(), want);
}

#[test]
fn discover_lists_a_feed_as_itself() {
    let (code, list, _) = discover("<rss><channel><title>T</title><item/></channel></rss>", &[]);
    assert_eq!(code, Some(0));
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list.as_array().unwrap().len(), 1);
    assert_eq!(list[0]["url"], "https://a.example/blog/");
    assert_eq!(list[0]["type"], "application/rss+xml");
    assert_eq!(list[0]["title"], "T");
}

#[test]
fn discover_fails_in_one_line_where_there_is_no_feed() {
    for (page, why) in [
        ("<!DOCTYPE html><p>Hello", "the page offers no feed"),
        ("Hello", "not an RSS, Atom or JSON feed"),
        ("", "empty"),
    ] {
        let (code, list, said) = discover(page, &[]);
        assert_eq!((code, list.as_str()), (Some(1), ""), "{page}");
        assert!(said.contains(why) && said.lines().count() == 1, "{said}");
    }
}
