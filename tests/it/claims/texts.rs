//! Single texts of a feed, led through the whole converter.

use std::collections::HashMap;

use html5gum::{Token, Tokenizer};
use mmsp_gateway::convert::Conversion;
use mmsp_gateway::model::{Item, Timestamp};

use super::conversion::{convert_once, input};

/// A date is read or not; what is written for it is RFC 3339 in UTC and is read back the same.
pub fn dates_read_back_the_same(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let item = item(&[("pubDate", &text)]);
    let written = item.published.to_string();
    assert_eq!(Timestamp::parse_rfc3339(&written), Some(item.published), "{text:?}");
    let again = self::item(&[("pubDate", &written)]);
    assert_eq!(again.published, item.published, "{text:?} as {written}");
}

/// Whatever a description holds, nothing of it runs, and it has its bounds.
pub fn html_becomes_harmless(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let item = item(&[("title", "A"), ("description", &text)]);
    let html = item.description.unwrap_or_default();
    assert!(html.len() <= 1024 + 64 * text.len(), "{} of {} bytes", html.len(), text.len());
    for token in Tokenizer::new(&html).flatten() {
        let Token::StartTag(tag) = token else { continue };
        let name = String::from_utf8_lossy(&tag.name).into_owned();
        assert!(!RUNNING.contains(&name.as_str()), "{name} in {html}");
        for (attribute, value) in tag.attributes {
            let attribute = String::from_utf8_lossy(&attribute).into_owned();
            assert!(!attribute.starts_with("on"), "{attribute} in {html}");
            assert_ne!(attribute, "style", "{html}");
            assert_ne!(attribute, "srcdoc", "{html}");
            let value = String::from_utf8_lossy(&value).into_owned();
            let plain: String =
                value.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect();
            let scheme = plain.split(':').next().unwrap_or_default().to_ascii_lowercase();
            let is_address = ["href", "src", "poster", "cite", "data", "action"];
            if is_address.contains(&attribute.as_str()) && plain.contains(':') {
                assert!(!["javascript", "vbscript", "data"].contains(&scheme.as_str()), "{html}");
            }
        }
    }
}

/// Elements that run, load or ask for something by themselves.
const RUNNING: [&str; 16] = [
    "script", "style", "iframe", "frame", "object", "embed", "applet", "form", "input", "button",
    "textarea", "select", "base", "meta", "link", "svg",
];

/// Not in CDATA: control characters are taken out first, and `]\0]>` would end it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The one item of a feed whose item has these elements.
fn item(elements: &[(&str, &str)]) -> Item {
    let inside: String =
        elements.iter().map(|(name, text)| format!("<{name}>{}</{name}>", escaped(text))).collect();
    let xml = format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>T</title>\
         <link>https://feeds.example/</link>\
         <item><guid isPermaLink=\"false\">urn:x:1</guid>{inside}</item></channel></rss>"
    );
    let conversion: Conversion =
        convert_once(&input(xml.as_bytes(), None), &HashMap::new()).unwrap();
    let [item] = &conversion.changed[..] else { panic!("{} items", conversion.changed.len()) };
    item.item.clone()
}
