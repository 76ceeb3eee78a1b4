//! Feeds that tests make up.

/// An RSS feed of those items, the newest first; item `n` is of the `n`th minute of 2024.
pub fn rss(items: impl DoubleEndedIterator<Item = u32>) -> String {
    let items: String = items
        .rev()
        .map(|n| {
            format!(
                "<item><title>Item {n}</title><link>https://example.org/{n}</link>\
                 <guid isPermaLink=\"false\">urn:item:{n}</guid>\
                 <pubDate>Mon, 01 Jan 2024 {:02}:{:02}:00 GMT</pubDate></item>",
                n / 60,
                n % 60
            )
        })
        .collect();
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Made up</title>\
         <link>https://example.org/</link><description>For a test.</description>{items}\
         </channel></rss>"
    )
}

/// The id of an item of [`rss`].
pub fn id(n: u32) -> String {
    format!("urn:item:{n}")
}
