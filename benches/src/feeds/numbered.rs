//! A feed whose items are the same wherever they stand: for polls that bring news, and for growth.

use std::fmt::Write;
use std::ops::Range;

use super::words::Words;
use super::{Sample, rfc3339_at, rss, xml};

/// Items with these numbers, the highest first, about a kilobyte each. The same number gives the
/// same item in every feed.
#[must_use]
pub fn numbered(numbers: Range<usize>) -> Sample {
    let mut items = String::new();
    for n in numbers.rev() {
        let mut words = Words::new(n as u64 + 1000);
        let _ = write!(
            items,
            "<item>\n<title>{}</title>\n<link>https://site.example/{n}</link>\n\
             <guid isPermaLink=\"false\">tag:site.example,2020:{n:07}</guid>\n\
             <dc:date>{}</dc:date>\n<category>{}</category>\n\
             <description><![CDATA[{}]]></description>\n</item>\n",
            words.title(),
            rfc3339_at(n),
            words.word(),
            words.html(1),
        );
    }
    xml("numbered", rss("Numbered", &items))
}

/// Items that have a title and this date, and nothing else.
#[must_use]
pub fn dated(items: usize, date: &str) -> Sample {
    let mut text = String::new();
    for n in 0..items {
        let _ = writeln!(text, "<item><title>{n}</title><pubDate>{date}</pubDate></item>");
    }
    xml("dated", rss("Dated", &text))
}
