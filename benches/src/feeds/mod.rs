//! Feeds made up to resemble real ones: the same bytes each time, written by nobody.

mod corpus;
mod numbered;
mod words;

use std::fmt::Write;

pub use corpus::{corpus, folder};
pub use numbered::{dated, numbered};

use words::Words;

/// A document, and what it stands for.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The kind of feed.
    pub name: String,
    /// Its bytes, as a server would send them.
    pub body: Vec<u8>,
    /// Its media type, with the charset where there is one.
    pub content_type: &'static str,
}

/// Makes a sample.
pub type Make = fn() -> Sample;

/// Makes a sample with so many items.
pub type Grow = fn(usize) -> Sample;

/// How each kind is made, by name.
pub const KINDS: [(&str, Make); 8] = [
    ("blog", || blog(20)),
    ("news", || news(200)),
    ("podcast", || podcast(1000)),
    ("youtube", youtube),
    ("rdf", rdf),
    ("gb2312", gb2312),
    ("atom", atom),
    ("large", large),
];

/// Those that can have any number of items.
pub const GROWING: [(&str, Grow); 3] = [("blog", blog), ("news", news), ("podcast", podcast)];

/// One of each kind, from 20 KB to 20 MB.
#[must_use]
pub fn all() -> Vec<Sample> {
    KINDS.iter().map(|(_, make)| make()).collect()
}

/// A blog: posts with their whole text as HTML.
#[must_use]
pub fn blog(posts: usize) -> Sample {
    let mut words = Words::new(1);
    let mut items = String::new();
    for n in 0..posts {
        let _ = write!(
            items,
            "<item>\n<title>{}</title>\n<link>https://blog.example/posts/{n}/</link>\n\
             <dc:creator><![CDATA[{}]]></dc:creator>\n<pubDate>{}</pubDate>\n\
             <category><![CDATA[{}]]></category>\n\
             <guid isPermaLink=\"false\">https://blog.example/?p={n}</guid>\n\
             <description><![CDATA[{}]]></description>\n\
             <content:encoded><![CDATA[{}]]></content:encoded>\n</item>\n",
            words.title(),
            words.name(),
            rfc822(n),
            words.word(),
            words.sentence(),
            words.html(12),
        );
    }
    xml("blog", rss("A blog", &items))
}

/// News: short entries with many categories and pictures.
#[must_use]
pub fn news(entries: usize) -> Sample {
    let mut words = Words::new(2);
    let mut items = String::new();
    for n in 0..entries {
        let _ = write!(
            items,
            "<item><title>{}</title><link>https://news.example/2026/story-{n}.html</link>\
             <description>{}</description><pubDate>{}</pubDate>\
             <guid isPermaLink=\"true\">https://news.example/2026/story-{n}.html</guid>",
            words.title(),
            words.sentence(),
            rfc822(n),
        );
        for _ in 0..12 {
            let _ = write!(
                items,
                "<category domain=\"https://news.example/tag\">{}</category>",
                words.word()
            );
        }
        let _ = writeln!(
            items,
            "<media:content height=\"1200\" medium=\"image\" width=\"1800\" \
             url=\"https://img.example/{n}.jpg\"><media:credit>{}</media:credit>\
             <media:description>{}</media:description></media:content></item>",
            words.name(),
            words.sentence(),
        );
    }
    xml("news", rss("News", &items))
}

/// A podcast with many episodes, with iTunes and Podcast 2.0 elements.
#[must_use]
pub fn podcast(episodes: usize) -> Sample {
    let mut words = Words::new(3);
    let mut items = String::new();
    for n in 0..episodes {
        let notes = words.html(3);
        let _ = write!(
            items,
            "<item>\n<title>{n}: {}</title>\n<itunes:title>{}</itunes:title>\n\
             <itunes:episode>{n}</itunes:episode><itunes:season>{}</itunes:season>\n\
             <itunes:episodeType>full</itunes:episodeType>\n\
             <itunes:duration>{}:{:02}:{:02}</itunes:duration>\n<itunes:explicit>no</itunes:explicit>\n\
             <itunes:image href=\"https://cdn.example/art/{n}.jpg\"/>\n\
             <description><![CDATA[{notes}]]></description>\n\
             <content:encoded><![CDATA[{notes}]]></content:encoded>\n\
             <enclosure url=\"https://cdn.example/audio/{n}.mp3\" length=\"{}\" type=\"audio/mpeg\"/>\n\
             <guid isPermaLink=\"false\">9b1deb4d-3b7d-4bad-9bdd-{n:012}</guid>\n\
             <pubDate>{}</pubDate>\n\
             <podcast:transcript url=\"https://cdn.example/t/{n}.vtt\" type=\"text/vtt\"/>\n\
             <podcast:person role=\"guest\">{}</podcast:person>\n</item>\n",
            words.title(),
            words.title(),
            n / 20 + 1,
            n % 3,
            n % 60,
            n * 7 % 60,
            30_000_000 + n * 977,
            rfc822(n),
            words.name(),
        );
    }
    xml("podcast", rss("A podcast", &items))
}

/// A channel of videos.
#[must_use]
pub fn youtube() -> Sample {
    let mut words = Words::new(4);
    let mut entries = String::new();
    for n in 0..15 {
        let title = words.title();
        let _ = write!(
            entries,
            " <entry>\n  <id>yt:video:AbCdEfGh{n:03}</id>\n  <yt:videoId>AbCdEfGh{n:03}</yt:videoId>\n\
             \x20 <yt:channelId>UCabcdefghijklmnopqrstuv</yt:channelId>\n  <title>{title}</title>\n\
             \x20 <link rel=\"alternate\" href=\"https://www.youtube.com/watch?v=AbCdEfGh{n:03}\"/>\n\
             \x20 <author>\n   <name>A channel</name>\n   <uri>https://www.youtube.com/channel/UCabc</uri>\n\
             \x20 </author>\n  <published>{}</published>\n  <updated>{}</updated>\n  <media:group>\n\
             \x20  <media:title>{title}</media:title>\n   <media:content \
             url=\"https://www.youtube.com/v/AbCdEfGh{n:03}?version=3\" \
             type=\"application/x-shockwave-flash\" width=\"640\" height=\"390\"/>\n\
             \x20  <media:thumbnail url=\"https://i1.ytimg.com/vi/AbCdEfGh{n:03}/hqdefault.jpg\" \
             width=\"480\" height=\"360\"/>\n   <media:description>{}</media:description>\n\
             \x20  <media:community>\n    <media:starRating count=\"{n}\" average=\"5.00\" min=\"1\" max=\"5\"/>\n\
             \x20   <media:statistics views=\"{}\"/>\n   </media:community>\n  </media:group>\n </entry>\n",
            rfc3339(n),
            rfc3339(n),
            words.paragraph(),
            n * 1017,
        );
    }
    let head = " xmlns:yt=\"http://www.youtube.com/xml/schemas/2015\" \
                xmlns:media=\"http://search.yahoo.com/mrss/\"";
    xml("youtube", atom_feed("A channel", head, &entries))
}

/// RSS 1.0, as weblogs and journals of the 2000s write it.
#[must_use]
pub fn rdf() -> Sample {
    let mut words = Words::new(5);
    let (mut list, mut items) = (String::new(), String::new());
    for n in 0..60 {
        let _ = writeln!(list, "<rdf:li rdf:resource=\"https://journal.example/{n}\"/>");
        let _ = write!(
            items,
            "<item rdf:about=\"https://journal.example/{n}\">\n<title>{}</title>\n\
             <link>https://journal.example/{n}</link>\n<description>{}</description>\n\
             <dc:creator>{}</dc:creator>\n<dc:date>{}</dc:date>\n<dc:subject>{}</dc:subject>\n</item>\n",
            words.title(),
            words.paragraph(),
            words.name(),
            rfc3339(n),
            words.word(),
        );
    }
    xml(
        "rdf",
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
             xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns=\"http://purl.org/rss/1.0/\">\n\
             <channel rdf:about=\"https://journal.example/\">\n<title>A journal</title>\n\
             <link>https://journal.example/</link>\n<description>Papers.</description>\n\
             <items><rdf:Seq>\n{list}</rdf:Seq></items>\n</channel>\n{items}</rdf:RDF>\n"
        ),
    )
}

/// Chinese in its legacy encoding.
#[must_use]
pub fn gb2312() -> Sample {
    let mut words = Words::new(6);
    let mut items = String::new();
    for n in 0..100 {
        let _ = writeln!(
            items,
            "<item><title>{}</title><link>https://zh.example/{n}.html</link>\
             <description><![CDATA[<p>{}</p><p>{}</p>]]></description><author>{}</author>\
             <category>{}</category><pubDate>{}</pubDate><guid>https://zh.example/{n}.html</guid></item>",
            words.han(12),
            words.han(180),
            words.han(240),
            words.han(3),
            words.han(2),
            rfc822(n),
        );
    }
    let text = rss("\u{65b0}\u{95fb}", &items).replace("UTF-8", "GB2312");
    let (body, _, _) = encoding_rs::GBK.encode(&text);
    Sample {
        name: "gb2312".to_owned(),
        body: body.into_owned(),
        content_type: "text/xml; charset=gb2312",
    }
}

/// Atom with escaped HTML, as many weblogs write it.
#[must_use]
pub fn atom() -> Sample {
    let mut words = Words::new(7);
    let mut entries = String::new();
    for n in 0..50 {
        let html = words.html(8).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(
            entries,
            "<entry><title type=\"html\">{}</title><id>tag:atom.example,2026:{n}</id>\
             <link rel=\"alternate\" type=\"text/html\" href=\"https://atom.example/{n}\"/>\
             <published>{}</published><updated>{}</updated><author><name>{}</name></author>\
             <category term=\"{}\"/><summary>{}</summary><content type=\"html\">{html}</content></entry>",
            words.title(),
            rfc3339(n),
            rfc3339(n),
            words.name(),
            words.word(),
            words.sentence(),
        );
    }
    xml("atom", atom_feed("A weblog", "", &entries))
}

/// Twenty megabytes of podcast.
#[must_use]
pub fn large() -> Sample {
    Sample { name: "large".to_owned(), ..grown(podcast, 20_000_000) }
}

/// A feed of a kind with as many items as make about so many bytes.
#[must_use]
pub fn grown(kind: fn(usize) -> Sample, bytes: usize) -> Sample {
    let one = kind(100).body.len() / 100;
    kind(bytes / one)
}

fn xml(name: &str, text: String) -> Sample {
    Sample {
        name: name.to_owned(),
        body: text.into_bytes(),
        content_type: "application/xml; charset=utf-8",
    }
}

fn rss(title: &str, items: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" \
         xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:media=\"http://search.yahoo.com/mrss/\" \
         xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\" \
         xmlns:podcast=\"https://podcastindex.org/namespace/1.0\" \
         xmlns:atom=\"http://www.w3.org/2005/Atom\">\n<channel>\n<title>{title}</title>\n\
         <link>https://site.example/</link>\n\
         <atom:link href=\"https://site.example/feed\" rel=\"self\" type=\"application/rss+xml\"/>\n\
         <description>Made up.</description>\n<language>en-GB</language>\n{items}</channel>\n</rss>\n"
    )
}

fn atom_feed(title: &str, namespaces: &str, entries: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\"\
         {namespaces}>\n<title>{title}</title>\n<id>https://atom.example/feed</id>\n\
         <link rel=\"self\" href=\"https://atom.example/feed\"/>\n\
         <updated>{}</updated>\n{entries}</feed>\n",
        rfc3339(0)
    )
}

fn rfc822(n: usize) -> String {
    // Whatever day of the week that was: nobody looks.
    format!("Thu, {:02} Jan {} {:02}:{:02}:00 GMT", n % 28 + 1, 2026 - n / 365, n % 24, n % 60)
}

fn rfc3339(n: usize) -> String {
    format!("{}-01-{:02}T{:02}:{:02}:00+00:00", 2026 - n / 365, n % 28 + 1, n % 24, n % 60)
}

/// Later for higher numbers, an hour each.
fn rfc3339_at(n: usize) -> String {
    let (day, hour) = (n / 24, n % 24);
    let (month, day) = (day / 28, day % 28);
    format!("{}-{:02}-{:02}T{hour:02}:00:00Z", 1990 + month / 12, month % 12 + 1, day + 1)
}
