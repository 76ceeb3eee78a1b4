//! Walks into the older documents of a source (RFC 5005), with a clock that stands still.

use std::time::Duration;

use futures_util::future::join_all;

use super::world_for_tests::*;
use super::*;
use crate::paging::Limit;

const ARCHIVES: [&str; 3] = ["https://a.example/3", "https://a.example/2", "https://a.example/1"];

/// A feed with these items and one more element in its channel.
fn linked(inside: &str, items: &[(u32, &str)]) -> String {
    rss(items).replace("<channel>", &format!("<channel>{inside}"))
}

fn link(rel: &str, href: &str) -> String {
    format!("<atom:link rel='{rel}' href='{href}'/>")
}

impl World {
    fn serves(&self, url: &str, body: String) {
        self.script.answer(url, move |request| Ok(document(request, &body)));
    }

    /// A feed of two items, and two more in each of three archives.
    fn has_archives(&self) {
        self.serves(URL, linked(&link("prev-archive", "/3"), &[(8, "8"), (7, "7")]));
        let older = [(Some("/2"), 5), (Some("/1"), 3), (None, 1)];
        for (url, (next, first)) in ARCHIVES.into_iter().zip(older) {
            let next = next.map(|next| link("prev-archive", next)).unwrap_or_default();
            let titles = [(first + 1).to_string(), first.to_string()];
            let items = [(first + 1, titles[0].as_str()), (first, titles[1].as_str())];
            self.serves(url, linked(&format!("<fh:archive/>{next}"), &items));
        }
    }

    /// The titles of every page from the first on.
    async fn walk(&self, limit: &str) -> Result<Vec<String>, GatewayError> {
        all_of(&self.gateway, URL, limit).await
    }
}

async fn all_of(gateway: &Gateway, url: &str, limit: &str) -> Result<Vec<String>, GatewayError> {
    let (mut cursor, mut all) = (None, Vec::new());
    loop {
        let limit = Some(Limit::parse(limit).unwrap());
        let request = PageRequest { cursor, limit, ..request(url) };
        let answer = page(gateway, &request).await?;
        all.extend(titles(&answer));
        cursor = cursor_of(&answer);
        if cursor.is_none() {
            return Ok(all);
        }
    }
}

#[tokio::test]
async fn a_walk_goes_on_into_the_archives_and_reads_each_once() {
    let world = world(patient()).await;
    world.has_archives();
    let all = ["8", "7", "6", "5", "4", "3", "2", "1"];
    for _ in 0..2 {
        assert_eq!(world.walk("3").await.unwrap(), all);
    }
    for url in ARCHIVES {
        assert_eq!(world.script.requests_for(url), 1, "{url}");
    }
    assert_eq!(world.script.requests_for(URL), 1);
    world.gateway.stop().await;
}

#[tokio::test]
async fn only_who_walks_past_the_end_has_an_older_document_read() {
    let world = world(patient()).await;
    world.has_archives();
    let first = world.page().await.unwrap();
    assert_eq!(titles(&first), ["8", "7"]);
    let manifest = json(&first);
    assert_eq!(manifest["pagination"]["has_more"], true);
    assert_eq!(world.script.requests(), 1);
    world.gateway.stop().await;
}

#[tokio::test]
async fn an_archive_that_cannot_be_had_is_a_problem_and_no_end() {
    let world = world(patient()).await;
    world.has_archives();
    world.script.answer(ARCHIVES[1], |_| Err(status(503, None)));
    let error = world.walk("2").await.unwrap_err();
    assert!(matches!(error, GatewayError::Source { .. }), "{error:?}");
    world.walk("2").await.unwrap_err();
    assert_eq!(world.script.requests_for(ARCHIVES[1]), 1, "left alone for a while");
    world.has_archives();
    world.clock.advance_seconds(24 * 3600);
    assert_eq!(world.walk("2").await.unwrap().len(), 8);
    world.gateway.stop().await;
}

#[tokio::test]
async fn an_archive_that_is_gone_ends_the_history_and_says_nothing_of_the_feed() {
    let world = world(patient()).await;
    world.has_archives();
    world.script.answer(ARCHIVES[0], |_| Err(status(410, None)));
    assert_eq!(world.walk("1").await.unwrap(), ["8", "7"]);
    world.serves(URL, linked(&link("prev-archive", "/3"), &[(9, "9"), (8, "8"), (7, "7")]));
    world.clock.advance_seconds(24 * 3600);
    world.page().await.unwrap();
    assert_eq!(world.walk("1").await.unwrap(), ["9", "8", "7"]);
    assert_eq!(world.script.requests_for(ARCHIVES[0]), 1);
    world.gateway.stop().await;
}

#[tokio::test]
async fn what_a_feed_calls_its_archive_stays_what_it_is_for_others() {
    let world = world(patient()).await;
    let other = "https://other.example/";
    world.serves(URL, linked(&link("prev-archive", other), &[(8, "8")]));
    let page = "<html><head><link rel='alternate' type='application/rss+xml' href='/feed'></head>";
    world.serves(other, page.to_owned());
    world.serves("https://other.example/feed", rss(&[(1, "1")]));
    let error = world.walk("1").await.unwrap_err();
    let told = matches!(&error, GatewayError::Source { failure, .. }
        if failure.kind == FailureKind::Unavailable);
    assert!(told, "{error:?}");
    assert_eq!(titles(&world.page_of(other).await.unwrap()), ["1"]);
    world.gateway.stop().await;
}

#[tokio::test]
async fn pages_that_lead_in_a_circle_end() {
    for next in ["/feed", "/3", "/2"] {
        let world = world(patient()).await;
        world.serves(URL, linked(&link("next", "/3"), &[(8, "8")]));
        world.serves(ARCHIVES[0], linked(&link("next", "/2"), &[(5, "5")]));
        world.serves(ARCHIVES[1], linked(&link("next", next), &[(3, "3")]));
        assert_eq!(world.walk("1").await.unwrap(), ["8", "5", "3"], "{next}");
        assert_eq!(world.script.requests(), 3, "{next}");
        world.gateway.stop().await;
    }
}

#[tokio::test]
async fn an_archive_comes_before_a_page() {
    let world = world(patient()).await;
    let both = [link("next", "/2"), link("prev-archive", "/3")].concat();
    world.serves(URL, linked(&both, &[(8, "8")]));
    world.serves(ARCHIVES[0], linked("<fh:archive/>", &[(5, "5")]));
    assert_eq!(world.walk("1").await.unwrap(), ["8", "5"]);
    world.gateway.stop().await;
}

#[tokio::test]
async fn what_the_current_document_says_of_an_item_wins() {
    let world = world(patient()).await;
    world.serves(URL, linked(&link("prev-archive", "/3"), &[(8, "corrected")]));
    world.serves(ARCHIVES[0], linked("<fh:archive/>", &[(8, "as it was"), (7, "7")]));
    assert_eq!(world.walk("1").await.unwrap(), ["corrected", "7"]);
    assert_eq!(world.walk("1").await.unwrap(), ["corrected", "7"]);
    world.gateway.stop().await;
}

#[tokio::test]
async fn archived_items_without_a_date_are_older_than_what_we_had() {
    let world = world(patient()).await;
    world.serves(URL, linked(&link("prev-archive", "/3"), &[(8, "8")]));
    let undated = "<fh:archive/><item><guid>u:1</guid><title>a</title></item>\
                   <item><guid>u:2</guid><title>b</title></item>";
    world.serves(ARCHIVES[0], linked(undated, &[]));
    assert_eq!(world.walk("2").await.unwrap(), ["8", "a", "b"]);
    world.gateway.stop().await;
}

#[tokio::test]
async fn a_gap_is_walked_back_until_the_documents_meet() {
    let world = world(patient()).await;
    world.serves(URL, linked(&link("next", "/3"), &[(2, "2"), (1, "1")]));
    world.page().await.unwrap();
    world.serves(URL, linked(&link("next", "/3"), &[(9, "9"), (8, "8")]));
    world.serves(ARCHIVES[0], linked(&link("next", "/2"), &[(8, "8"), (7, "7")]));
    world.serves(ARCHIVES[1], linked(&link("next", "/1"), &[(6, "6"), (2, "2")]));
    world.clock.advance_seconds(3600);
    world.page().await.unwrap();
    let known = world.page().await.unwrap();
    assert_eq!(titles(&known), ["9", "8", "7", "6", "2", "1"]);
    assert_eq!(world.script.requests_for(ARCHIVES[2]), 0);
    world.gateway.stop().await;
}

#[tokio::test]
async fn a_gap_is_walked_back_ten_documents_at_the_most() {
    let world = world(patient()).await;
    world.serves(URL, rss(&[(1, "1")]));
    world.page().await.unwrap();
    for page in 1..=99 {
        let title = page.to_string();
        let next = link("next", &format!("/{}", page - 1));
        let body = linked(&next, &[(page + 1000, title.as_str())]);
        world.serves(&format!("https://a.example/{page}"), body);
    }
    world.serves(URL, linked(&link("next", "/99"), &[(1200, "new")]));
    world.clock.advance_seconds(3600);
    world.page().await.unwrap();
    assert_eq!(world.script.requests(), 2 + 10);
    world.gateway.stop().await;
}

#[tokio::test]
async fn a_complete_feed_takes_away_what_it_no_longer_lists() {
    let world = world(patient()).await;
    world.serves(URL, linked("<fh:complete/>", &[(3, "3"), (2, "2")]));
    world.page().await.unwrap();
    world.serves(URL, linked("<fh:complete/>", &[(4, "4"), (3, "3")]));
    world.clock.advance_seconds(3600);
    world.page().await.unwrap();
    assert_eq!(titles(&world.page().await.unwrap()), ["4", "3"]);
    world.gateway.stop().await;
}

#[tokio::test]
async fn few_walks_at_once_go_to_one_domain_and_others_do_not_wait_for_them() {
    let world = world(patient()).await;
    let feeds: Vec<String> = (0..12).map(|n| format!("https://s{n}.hoster.example/f")).collect();
    let other = "https://other.test/f".to_owned();
    for feed in feeds.iter().chain([&other]) {
        world.serves(feed, linked(&link("prev-archive", "/old"), &[(8, "8")]));
        let archive = feed.replace("/f", "/old");
        world.serves(&archive, linked("<fh:archive/>", &[(5, "5")]));
        world.page_of(feed).await.unwrap();
    }
    world.script.shut();
    let walk = |feed: String| {
        let gateway = world.gateway.clone();
        tokio::spawn(async move { all_of(&gateway, &feed, "1").await })
    };
    let walks: Vec<_> = feeds.into_iter().map(walk).collect();
    world.asked(13 + 4).await;
    let other = walk(other);
    world.asked(13 + 5).await;
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert_eq!(world.script.requests(), 13 + 5);
    let metrics = world.gateway.desk.metrics.text().unwrap();
    for line in ["polls_waiting{at=\"domain\"} 8\n", "polls_in_flight 5\n"] {
        assert!(metrics.contains(&format!("mmsp_gateway_{line}")), "{line}: {metrics}");
    }
    world.script.open();
    for titles in join_all(walks.into_iter().chain([other])).await {
        assert_eq!(titles.unwrap().unwrap(), ["8", "5"]);
    }
    assert_eq!(world.script.requests(), 13 + 13);
    world.gateway.stop().await;
}

#[tokio::test]
async fn a_gap_is_walked_back_in_the_only_place_of_the_domain() {
    for older in ["https://a.example/3", "https://other.example/3"] {
        let only_one = Settings { max_in_flight: 1, max_in_flight_per_domain: 1, ..patient() };
        let world = world(only_one).await;
        world.serves(URL, rss(&[(1, "1")]));
        world.page().await.unwrap();
        world.serves(URL, linked(&link("next", older), &[(9, "9")]));
        world.serves(older, rss(&[(7, "7"), (1, "1")]));
        world.clock.advance_seconds(3600);
        world.page().await.unwrap();
        assert_eq!(titles(&world.page().await.unwrap()), ["9", "7", "1"], "{older}");
        world.gateway.stop().await;
    }
}

#[tokio::test]
async fn what_a_walk_reads_is_counted_as_what_a_poll_reads() {
    let world = world(patient()).await;
    let current = linked(&link("prev-archive", "http://a.example/3"), &[(8, "8")]);
    let archive = linked("<fh:archive/>", &[(5, "5")]);
    let bytes = current.len() + archive.len();
    world.serves(URL, current);
    world.serves("http://a.example/3", archive);
    assert_eq!(world.walk("1").await.unwrap(), ["8", "5"]);
    let metrics = world.gateway.desk.metrics.text().unwrap();
    for line in [
        format!("source_bytes_total{{form=\"decoded\"}} {bytes}\n"),
        "stage_duration_seconds_count{stage=\"fetch\"} 2\n".to_owned(),
        "plain_http_fetches_total 1\n".to_owned(),
        "polls_in_flight 0\n".to_owned(),
    ] {
        assert!(metrics.contains(&format!("mmsp_gateway_{line}")), "{line}: {metrics}");
    }
    world.gateway.stop().await;
}

#[tokio::test]
async fn a_page_that_needs_a_walk_is_not_at_hand() {
    let world = world(patient()).await;
    world.has_archives();
    let limit = Some(Limit::parse("2").unwrap());
    let first = PageRequest { limit, ..request(URL) };
    let cursor = cursor_of(&page(&world.gateway, &first).await.unwrap());
    let second = PageRequest { cursor, ..first.clone() };
    for _ in 0..2 {
        assert!(world.gateway.page_at_hand(&first).await.is_some());
        assert!(world.gateway.page_at_hand(&second).await.is_none());
    }
    assert_eq!(world.script.requests(), 1);
    let walked = page(&world.gateway, &second).await.unwrap();
    assert_eq!(titles(&walked), ["6", "5"]);
    let at_hand = world.gateway.page_at_hand(&second).await.unwrap().unwrap();
    assert_eq!(titles(&at_hand), ["6", "5"]);
    world.gateway.stop().await;
}
