//! Every kind of page, in both themes, on a telephone and on a desk.

use std::fs;
use std::path::Path;

use super::{axe, browser::Browser, feeds, target};
use crate::http::Pair;

/// Width and height in pixels.
const SCREENS: [(&str, u32, u32); 3] =
    [("small", 360, 740), ("phone", 390, 844), ("desk", 1280, 900)];

#[test]
fn every_page_can_be_used_by_everybody_in_both_themes_and_fits_every_screen() {
    let pair = Pair::start();
    feeds::podcast(&pair.origin);
    feeds::site(&pair.origin);
    let url = |path: &str, more: &str| target(&pair.origin.url(path), more);
    let pages = [
        ("start", "/".to_owned()),
        ("empty", "/?url=".to_owned()),
        ("podcast", url("/podcast.xml", "")),
        ("site", url("/site", "")),
        ("older", url("/site", "&limit=5&cursor=") + &cursor(&pair)),
        ("filter", url("/podcast.xml", "&filter=type%3Afilm")),
        ("problem", url("/nothing.xml", "")),
    ];
    let browser = Browser::start();
    // For whoever wants to see what was judged.
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
    fs::create_dir_all(&pictures).unwrap();
    let mut faults = Vec::new();
    for (name, page) in &pages {
        browser.go(&format!("https://{}{page}", pair.program.https));
        for scheme in ["light", "dark"] {
            for (screen, width, height) in SCREENS {
                browser.show_as(scheme, width, height);
                let over = browser.run(
                    "document.querySelectorAll('img').forEach(i => { i.loading = 'eager' });
                     document.querySelectorAll('details').forEach(d => { d.open = true });
                     return document.documentElement.scrollWidth - document.documentElement.clientWidth",
                );
                if over.as_i64() != Some(0) {
                    faults.push(format!("{name} {screen}: {over} pixels too wide"));
                }
                if screen != "phone" {
                    let found = axe::violations(&browser);
                    faults.extend(found.iter().map(|it| format!("{name} {scheme} {screen} {it}")));
                }
                let picture = format!("{name}-{screen}-{scheme}.png");
                fs::write(pictures.join(picture), browser.picture()).unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The place behind the newest five items of the site's first feed.
fn cursor(pair: &Pair) -> String {
    let manifest = pair.feed("/site", "&limit=5").json();
    manifest["pagination"]["cursor"].as_str().unwrap().to_owned()
}

#[test]
fn a_page_is_used_by_keyboard_alone() {
    let pair = Pair::start();
    feeds::podcast(&pair.origin);
    let browser = Browser::start();
    browser.go(&format!("https://{}/", pair.program.https));
    let focused = || browser.run("return document.activeElement.outerHTML").to_string();
    // Tab, through Chromium itself: WebDriver would have to name an element first.
    let press = |key: &str| {
        for kind in ["keyDown", "keyUp"] {
            let text = if key == "Enter" { "\r" } else { "" };
            let order = serde_json::json!({
                "type": kind, "key": key, "code": key, "text": text,
                "windowsVirtualKeyCode": if key == "Tab" { 9 } else { 13 },
            });
            browser.command("Input.dispatchKeyEvent", order);
        }
    };
    press("Tab");
    assert!(focused().contains("skip"), "{}", focused());
    assert!(browser.is_displayed(".skip"));
    press("Enter");
    assert!(focused().contains("id=\\\"main\\\""), "{}", focused());
    press("Tab");
    assert!(focused().contains("id=\\\"url\\\""), "{}", focused());
    browser
        .command("Input.insertText", serde_json::json!({"text": pair.origin.url("/podcast.xml")}));
    press("Enter");
    browser.wait_for("#feed");
    assert_eq!(browser.text("h1"), "Low Tide");
}
