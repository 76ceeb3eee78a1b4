//! What the page is tried with: a podcast with everything, a site with several feeds, and a feed
//! of somebody who means harm.

use crate::support::{Answer, Origin};

/// A picture in one colour.
fn picture(colour: &str) -> Answer {
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 300\"><rect width=\"400\" \
         height=\"300\" fill=\"{colour}\"/><circle cx=\"280\" cy=\"90\" r=\"46\" fill=\"#fff\" \
         opacity=\".55\"/><path d=\"M0 230q100-60 200-10t200-20v100H0z\" fill=\"#000\" \
         opacity=\".25\"/></svg>"
    );
    Answer::status(200).header("Content-Type", "image/svg+xml").body(svg)
}

/// Puts a podcast at `/podcast.xml` with its pictures at `/pictures/…` and its sound at `/sound/…`.
pub fn podcast(origin: &Origin) {
    for (name, colour) in [("show", "#28596b"), ("quay", "#7a4f2a"), ("fog", "#4d5b73")] {
        origin.set(&format!("/pictures/{name}.svg"), picture(colour));
    }
    for sound in ["/sound/quay.mp3", "/sound/fog.mp3", "/sound/film.mp4"] {
        origin.set(sound, Answer::status(200).header("Content-Type", "audio/mpeg").body("sound"));
    }
    let at = |path: &str| origin.url(path);
    let feed = format!(
        "<?xml version=\"1.0\"?>
<rss version=\"2.0\" xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\"
  xmlns:podcast=\"https://podcastindex.org/namespace/1.0\" xmlns:psc=\"http://podlove.org/simple-chapters\"
  xmlns:media=\"http://search.yahoo.com/mrss/\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\">
<channel><title>Low Tide</title><link>https://tide.example/</link><language>en-GB</language>
<description>Conversations from the edge of the sea: harbours, weather, and the people who read both.</description>
<itunes:author>Ada Byron</itunes:author><itunes:image href=\"{show}\"/><itunes:explicit>false</itunes:explicit>
<itunes:category text=\"Science\"/><podcast:guid>917393e3-1b1e-5cef-ace4-edaa54e1f810</podcast:guid>
<item><title>The Quay at Night</title><link>http://tide.example/2</link><guid>tide-2</guid>
<pubDate>Tue, 03 Mar 2026 10:00:00 GMT</pubDate><itunes:duration>1:02:03</itunes:duration>
<itunes:season>2</itunes:season><itunes:episode>5</itunes:episode><itunes:explicit>true</itunes:explicit>
<itunes:image href=\"{quay}\"/><category>harbours</category><category>night</category>
<content:encoded>&lt;p&gt;A walk along the old quay with &lt;b&gt;the last lamplighter&lt;/b&gt;, who tells what the tide
leaves behind, and why the gulls know first.&lt;/p&gt;</content:encoded>
<enclosure url=\"{quay_sound}\" type=\"audio/mpeg\" length=\"59480123\"/>
<podcast:transcript url=\"{transcript}\" type=\"text/html\" language=\"en\"/>
<podcast:transcript url=\"{captions}\" type=\"text/vtt\" language=\"en\"/>
<psc:chapters><psc:chapter start=\"00:00:00\" title=\"Down the steps\"/><psc:chapter start=\"00:20:30\" title=\"Lamps\"/></psc:chapters>
</item>
<item><title>Reading Fog</title><link>https://tide.example/1</link><guid>https://tide.example/1</guid>
<pubDate>sometime in spring</pubDate><itunes:image href=\"{fog}\"/>
<description>Three kinds of fog, and the one nobody expects.</description>
<enclosure url=\"{fog_sound}\" type=\"audio/mpeg\" length=\"a lot\"/></item>
<item><title>The harbour, filmed</title><link>https://tide.example/0</link><guid>https://tide.example/0</guid>
<pubDate>Mon, 02 Feb 2026 10:00:00 GMT</pubDate>
<media:content url=\"{film}\" type=\"video/mp4\" medium=\"video\"/><media:thumbnail url=\"{fog}\"/></item>
<item></item>
</channel></rss>",
        show = at("/pictures/show.svg"),
        quay = at("/pictures/quay.svg"),
        fog = at("/pictures/fog.svg"),
        quay_sound = at("/sound/quay.mp3"),
        fog_sound = at("/sound/fog.mp3"),
        film = at("/sound/film.mp4"),
        transcript = at("/quay.html"),
        captions = at("/quay.vtt"),
    );
    origin.set("/podcast.xml", Answer::feed(feed));
}

/// Puts a site at `/site` that offers three feeds.
pub fn site(origin: &Origin) {
    let link = |title: &str, path: &str| {
        format!("<link rel=alternate type=application/rss+xml title=\"{title}\" href=\"{path}\">")
    };
    let links = [
        link("All of it", "/all.xml"),
        link("News only", "/news.xml"),
        link("Comments", "/comments.xml"),
    ];
    let site = format!("<!doctype html><title>A site</title>{}<p>Hello.", links.concat());
    origin.set("/site", Answer::status(200).header("Content-Type", "text/html").body(site));
    origin.set("/all.xml", Answer::feed(crate::support::feed::rss(0..40)));
    origin.set("/news.xml", Answer::feed(crate::support::feed::rss(0..2)));
}

/// What a script would do if it ran.
pub const HARM: &str = "document.documentElement.dataset.harmed='yes'";

/// Puts a feed at `/hostile.xml` with markup in every field that takes a text or an address.
pub fn hostile(origin: &Origin) {
    let markup = format!(
        "</title></script></textarea></svg>\"'><script>{HARM}</script>\
         <img src=x onerror=\"{HARM}\"><iframe srcdoc='<script>parent.{HARM}</script>'></iframe>\
         <a href=\"javascript:{HARM}\">x</a>{{{{7*7}}}}{{% include \"shell.html\" %}}"
    );
    let text = quick_xml::escape::escape(&markup).into_owned();
    let twice = quick_xml::escape::escape(&text).into_owned();
    let script = quick_xml::escape::escape(format!("javascript:{HARM}//")).into_owned();
    let feed = format!(
        "<?xml version=\"1.0\"?>
<rss version=\"2.0\" xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\"
  xmlns:podcast=\"https://podcastindex.org/namespace/1.0\" xmlns:psc=\"http://podlove.org/simple-chapters\"
  xmlns:media=\"http://search.yahoo.com/mrss/\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\"
  xmlns:dc=\"http://purl.org/dc/elements/1.1/\">
<channel><title>{twice}</title><link>{script}</link><language>{text}</language>
<description>{twice}</description><itunes:author>{text}</itunes:author><itunes:image href=\"{script}\"/>
<itunes:category text=\"{text}\"/><category>{text}</category>
<item><title>{twice}</title><link>{script}</link><guid>{text}</guid>
<pubDate>{text}</pubDate><itunes:duration>{text}</itunes:duration><dc:creator>{text}</dc:creator>
<itunes:season>1</itunes:season><podcast:season name=\"{text}\">2</podcast:season>
<itunes:image href=\"{script}\"/><category>{text}</category>
<content:encoded>{text}</content:encoded>
<enclosure url=\"https://x.example/{text}\" type=\"audio/mpeg{text}\" length=\"{text}\"/>
<enclosure url=\"{script}\" type=\"audio/mpeg\" length=\"1\"/>
<media:content url=\"data:text/html,{text}\" type=\"video/mp4\"><media:title>{text}</media:title></media:content>
<media:content url=\"https://x.example/film.mp4?{text}\" type=\"video/mp4\" medium=\"video\"/>
<media:thumbnail url=\"https://x.example/{text}\"/>
<podcast:transcript url=\"{script}\" type=\"text/html\" language=\"{text}\"/>
<podcast:transcript url=\"https://x.example/t?{text}\" type=\"text/vtt\" language=\"en\" rel=\"{text}\"/>
<podcast:person href=\"{script}\" img=\"{script}\">{text}</podcast:person>
<podcast:license>{text}</podcast:license>
<psc:chapters><psc:chapter start=\"00:00:01\" title=\"{text}\"/></psc:chapters>
</item></channel></rss>"
    );
    origin.set("/hostile.xml", Answer::feed(feed));
}
