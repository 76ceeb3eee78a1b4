//! HTML made safe and whole: ammonia's allow-list, absolute addresses, no trackers (MMSP 12.2).

use std::borrow::Cow;
use std::cell::OnceCell;

use ammonia::{Builder, UrlRelative};
use memchr::{memchr, memchr3};
use url::Url;

use super::html_bounds;

/// Cleans HTML whose relative addresses begin at one place.
#[derive(Debug)]
pub(super) struct Sanitizer {
    base: Url,
    /// Made when it is first needed, and once: its tables cost more than a short text.
    cleaner: OnceCell<Builder<'static>>,
}

impl Sanitizer {
    pub(super) fn new(base: Url) -> Self {
        Self { base, cleaner: OnceCell::new() }
    }

    /// Cleans HTML; `base` is where its relative addresses begin, if it is not the usual place.
    /// What ammonia cannot tell (a picture of one pixel) goes before it, so that its word is the
    /// last.
    pub(super) fn clean(&self, html: &str, base: Option<&Url>) -> String {
        if memchr3(b'<', b'&', b'>', html.as_bytes()).is_none() {
            return html.trim().to_owned();
        }
        let prepared = prepare(html);
        let html = html_bounds::bound(&prepared);
        let cleaned = match base.filter(|base| **base != self.base) {
            Some(base) => cleaner(base).clean(&html),
            None => self.cleaner.get_or_init(|| cleaner(&self.base)).clean(&html),
        };
        cleaned.to_string().trim().to_owned()
    }
}

fn cleaner(base: &Url) -> Builder<'static> {
    let mut builder = Builder::default();
    builder
        .add_tags(["audio", "video", "source", "picture"])
        .add_tag_attributes("audio", ["src", "controls", "preload"])
        .add_tag_attributes("video", ["src", "controls", "preload", "poster", "width", "height"])
        .add_tag_attributes("source", ["src", "type"])
        .rm_tag_attributes("img", ["align"])
        // An address that nobody follows, and that ammonia does not judge.
        .rm_tag_attributes("blockquote", ["cite"])
        .rm_tag_attributes("del", ["cite"])
        .rm_tag_attributes("ins", ["cite"])
        .rm_tag_attributes("q", ["cite"])
        .link_rel(Some("noopener noreferrer nofollow"))
        .url_relative(UrlRelative::RewriteWithBase(base.clone()));
    builder
}

/// Takes out pictures that only count readers, and turns players of well-known hosts into links,
/// since the allow-list has no frames.
fn prepare(html: &str) -> Cow<'_, str> {
    if !TAGS_OF_INTEREST.iter().any(|tag| contains_ignoring_case(html, tag)) {
        return Cow::Borrowed(html);
    }
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = memchr(b'<', rest.as_bytes()) {
        let (before, tag_on) = rest.split_at(at);
        out.push_str(before);
        let end = tag_on.find('>').map_or(tag_on.len(), |end| end + 1);
        let (tag, after) = tag_on.split_at(end);
        match read_tag(tag) {
            Some((name, attributes)) if name.eq_ignore_ascii_case("img") => {
                if !is_tracker(&attributes) {
                    out.push_str(tag);
                }
            }
            Some((name, attributes)) if name.eq_ignore_ascii_case("iframe") => {
                out.push_str(&link_to_player(&attributes).unwrap_or_else(|| tag.to_owned()));
            }
            _ => out.push_str(tag),
        }
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

const TAGS_OF_INTEREST: [&str; 2] = ["<img", "<iframe"];

type Attributes<'t> = Vec<(&'t str, Cow<'t, str>)>;

fn read_tag(tag: &str) -> Option<(&str, Attributes<'_>)> {
    let inner = tag.strip_prefix('<')?.strip_suffix('>')?;
    let name_end = inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inner.len());
    let (name, rest) = inner.split_at(name_end);
    let interesting = ["img", "iframe"].iter().any(|known| name.eq_ignore_ascii_case(known));
    interesting.then(|| {
        let attributes = crate::syndication::split_attributes(rest);
        (name, attributes.map(|(n, v)| (n, crate::syndication::decode_html_entities(v))).collect())
    })
}

fn value<'a>(attributes: &'a Attributes<'_>, name: &str) -> Option<&'a str> {
    attributes.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn is_tracker(attributes: &Attributes<'_>) -> bool {
    let tiny = |name: &str| {
        let digits = value(attributes, name).map(|text| text.trim_end_matches("px"));
        digits.is_some_and(|digits| matches!(digits, "0" | "1"))
    };
    let Some(src) = value(attributes, "src") else { return false };
    let host = Url::parse(src)
        .or_else(|_| Url::parse(&format!("https:{src}")))
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned))
        .unwrap_or_default();
    (tiny("width") && tiny("height"))
        || TRACKERS.iter().any(|known| is_host_or_below(&host, known))
        || src.contains("feeds.feedburner.com/~r/")
        || src.contains("stats.wordpress.com/b.gif")
}

/// Hosts that serve pictures to count readers and nothing else.
const TRACKERS: [&str; 9] = [
    "pixel.wp.com",
    "feedads.g.doubleclick.net",
    "pi.feedsportal.com",
    "da.feedsportal.com",
    "pheedo.com",
    "feedsportal.com",
    "feeds.wordpress.com",
    "google-analytics.com",
    "b.scorecardresearch.com",
];

fn link_to_player(attributes: &Attributes<'_>) -> Option<String> {
    let src = value(attributes, "src")?;
    let url = match src.strip_prefix("//") {
        Some(rest) => Url::parse(&format!("https://{rest}")).ok()?,
        None => Url::parse(src).ok()?,
    };
    let host = url.host_str()?.to_owned();
    let known = PLAYERS.iter().any(|player| is_host_or_below(&host, player));
    let title = value(attributes, "title").filter(|title| !title.is_empty()).unwrap_or(&host);
    let escape = |text: &str| quick_xml::escape::escape(text).into_owned();
    known.then(|| {
        let page = player_page(&url).unwrap_or_else(|| url.to_string());
        format!("<a href=\"{}\">{}</a>", escape(&page), escape(title))
    })
}

/// The page that an embedded YouTube player belongs to.
fn player_page(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let youtube =
        is_host_or_below(host, "youtube.com") || is_host_or_below(host, "youtube-nocookie.com");
    let id = url.path().strip_prefix("/embed/")?;
    youtube.then(|| format!("https://www.youtube.com/watch?v={id}"))
}

/// Hosts of players that are worth a link.
const PLAYERS: [&str; 12] = [
    "youtube.com",
    "youtube-nocookie.com",
    "vimeo.com",
    "dailymotion.com",
    "soundcloud.com",
    "spotify.com",
    "bandcamp.com",
    "ted.com",
    "twitch.tv",
    "podcasts.apple.com",
    "archive.org",
    "codepen.io",
];

fn is_host_or_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn contains_ignoring_case(text: &str, mark: &str) -> bool {
    let (bytes, mark) = (text.as_bytes(), mark.as_bytes());
    memchr::memchr_iter(b'<', bytes).any(|at| {
        bytes.get(at..at + mark.len()).is_some_and(|part| part.eq_ignore_ascii_case(mark))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, want: &str) {
        let base = Url::parse("https://www.example.com/blog/").unwrap();
        assert_eq!(Sanitizer::new(base.clone()).clean(html, None), want, "{html}");
        let elsewhere = Url::parse("https://elsewhere.example/").unwrap();
        assert_eq!(Sanitizer::new(elsewhere).clean(html, Some(&base)), want, "{html}");
    }

    #[test]
    fn what_runs_is_taken_out() {
        check("<p onclick=\"x()\">a</p><script>b()</script>", "<p>a</p>");
        check("<a href=\"javascript:x()\">a</a>", "<a rel=\"noopener noreferrer nofollow\">a</a>");
        check("<style>p{}</style><form><input>b</form>", "b");
        check("<svg onload=x()>c</svg>", "c");
    }

    #[test]
    fn addresses_become_absolute() {
        check("<img src=\"a.png\">", "<img src=\"https://www.example.com/blog/a.png\">");
        check(
            "<video src=\"/v.mp4\" controls=\"\"></video>",
            "<video src=\"https://www.example.com/v.mp4\" controls=\"\"></video>",
        );
    }

    #[test]
    fn pictures_that_count_readers_go() {
        check("<p>a<img src=\"https://x.example/p.gif\" width=\"1\" height=\"1\"></p>", "<p>a</p>");
        check("<p>a<IMG height=1 width=1 src=https://x.example/p.gif /></p>", "<p>a</p>");
        check("<p>a<img src=\"https://pixel.wp.com/b.gif?x=1\"></p>", "<p>a</p>");
    }

    #[test]
    fn players_of_known_hosts_become_links() {
        check(
            "<iframe src=\"https://www.youtube.com/embed/abc\" title=\"A talk\"></iframe>",
            "<a href=\"https://www.youtube.com/watch?v=abc\" rel=\"noopener noreferrer nofollow\">A talk</a>",
        );
        check("<iframe src=\"https://ads.example/\"></iframe>b", "b");
    }
}
