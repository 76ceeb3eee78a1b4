//! Pages followed to feeds, and manifests that need no gateway.

use serde_json::json;

use super::world_for_tests::*;
use super::*;
use crate::clock::Clock;

const PAGE: &str = "https://a.example/blog";

/// A page that offers these, by type and address.
fn html(offers: &[(&str, &str)]) -> String {
    let link = |(kind, href): &(&str, &str)| {
        format!("<link rel=alternate type=application/{kind} href={href} title=T>")
    };
    let links: String = offers.iter().map(link).collect();
    format!("<!doctype html><title>Home</title>{links}")
}

fn native() -> String {
    json!({
        "mmsp": "1.0", "id": "urn:a:1", "title": "N", "items": [],
        "feed_url": "https://a.example/mmsp.json",
    })
    .to_string()
}

impl World {
    fn says(&self, url: &str, body: impl Into<String>) {
        let body = body.into();
        self.script.answer(url, move |request| Ok(document(request, &body)));
    }

    /// The address that a reader is sent to.
    async fn native_of(&self, url: &str) -> Option<String> {
        match self.gateway.page(&request(url)).await.unwrap() {
            Answer::Native(native) => Some(native.url.to_string()),
            Answer::Page(_) => None,
        }
    }

    async fn failure_of(&self, url: &str) -> FailureKind {
        match self.gateway.page(&request(url)).await {
            Err(GatewayError::Source { failure, .. }) => failure.kind,
            other => panic!("{other:?}"),
        }
    }

    async fn offers_of(&self, url: &str) -> Vec<String> {
        let offers =
            self.gateway.offers(&SourceUrl::parse(url).unwrap(), &Waits::default()).await.unwrap();
        offers.candidates.iter().map(|candidate| candidate.url.to_string()).collect()
    }
}

#[tokio::test]
async fn a_page_is_followed_to_its_feed_and_the_choice_remembered() {
    let world = world(patient()).await;
    world.says(PAGE, html(&[("atom+xml", "/atom"), ("rss+xml", "/feed")]));
    world.shows(&[(1, "one")]);
    let page = world.page_of(PAGE).await.unwrap();
    assert_eq!(titles(&page), ["one"]);
    assert_eq!(
        json(&page)["feed_url"],
        "https://gw.example/mmsp/feed?url=https%3A%2F%2Fa.example%2Fblog"
    );
    let own = "https://gw.example/mmsp/feed?url=https%3A%2F%2Fa.example%2Ffeed";
    assert_eq!(page.page.origin.manifest_url.as_deref(), Some(own));
    let direct = world.page().await.unwrap();
    assert_eq!(direct.cache, CacheStatus::Stored, "one feed, one history");
    assert_eq!(json(&direct)["pagination"], json(&page)["pagination"]);
    assert_eq!(direct.page.origin.manifest_url, None);
    assert_eq!(world.script.requests(), 2, "RSS comes before Atom, which is not asked");

    world.gateway.stop().await;
    let again = gateway(&world.folder, &world.script, &world.clock, patient()).await;
    let kept = super::world_for_tests::page(&again, &request(PAGE)).await.unwrap();
    assert_eq!(titles(&kept), ["one"]);
    assert_eq!(world.script.requests(), 2);
}

#[tokio::test]
async fn a_page_that_many_want_at_once_is_read_once_and_so_is_its_feed() {
    let world = world(patient()).await;
    world.says(PAGE, html(&[("rss+xml", "/feed")]));
    world.shows(&[(1, "one")]);
    let callers = (0..50).flat_map(|_| [PAGE, URL]).map(|url| {
        let gateway = world.gateway.clone();
        tokio::spawn(async move { gateway.page(&request(url)).await.map(|_| ()) })
    });
    for caller in futures_util::future::join_all(callers.collect::<Vec<_>>()).await {
        caller.unwrap().unwrap();
    }
    assert_eq!((world.script.requests_for(PAGE), world.script.requests_for(URL)), (1, 1));
}

#[tokio::test]
async fn an_offer_that_cannot_be_read_gives_way_to_the_next() {
    let world = world(patient()).await;
    world.says(PAGE, html(&[("mmsp+json", "/no"), ("rss+xml", "/gone"), ("rss+xml", "/feed")]));
    world.says("https://a.example/no", "{\"mmsp\": \"1.0\"}");
    world.shows(&[(1, "one")]);
    assert_eq!(titles(&world.page_of(PAGE).await.unwrap()), ["one"]);
    assert_eq!(world.script.requests(), 4);
}

#[tokio::test]
async fn a_page_whose_offers_all_fail_fails_as_the_first_of_them() {
    let world = world(patient()).await;
    world.says(PAGE, html(&[("rss+xml", "/gone"), ("rss+xml", "/page")]));
    world.says("https://a.example/page", html(&[("rss+xml", "/blog")]));
    for _ in 0..2 {
        assert_eq!(world.failure_of(PAGE).await, FailureKind::NotFound);
    }
    assert_eq!(world.script.requests(), 3, "and that is remembered");
}

#[tokio::test]
async fn pages_that_only_offer_one_another_have_no_feed() {
    let world = world(patient()).await;
    let other = "https://a.example/other";
    world.says(PAGE, html(&[("rss+xml", "/other")]));
    world.says(other, html(&[("rss+xml", "/blog")]));
    let failures = tokio::join!(world.failure_of(PAGE), world.failure_of(other));
    assert_eq!(failures, (FailureKind::NoFeedFound, FailureKind::NoFeedFound));
}

#[tokio::test]
async fn a_manifest_is_where_the_reader_is_sent() {
    let world = world(patient()).await;
    let address = "https://a.example/mmsp.json";
    world.says(address, native());
    world.says(PAGE, html(&[("rss+xml", "/feed"), ("mmsp+json", "/mmsp.json")]));
    for url in [address, PAGE, PAGE] {
        assert_eq!(world.native_of(url).await.as_deref(), Some(address), "{url}");
    }
    assert_eq!(world.script.requests(), 2, "{address} is known by then");
}

#[tokio::test]
async fn a_manifest_without_https_is_none() {
    let world = world(patient()).await;
    world.says("http://a.example/mmsp.json", native());
    assert_eq!(world.failure_of("http://a.example/mmsp.json").await, FailureKind::NotAFeed);
}

#[tokio::test]
async fn the_manifest_of_a_host_comes_first_at_its_root_only() {
    let world = world(patient()).await;
    let own = "https://a.example/.well-known/mmsp.json";
    world.says(own, native());
    world.says("https://a.example/", html(&[("rss+xml", "/feed")]));
    world.says(PAGE, html(&[("rss+xml", "/feed")]));
    world.shows(&[(1, "one")]);
    assert_eq!(world.native_of("https://a.example/").await.as_deref(), Some(own));
    assert_eq!(world.offers_of("https://a.example/").await, [own, URL]);
    assert_eq!(world.native_of(PAGE).await, None);
}

#[tokio::test]
async fn a_host_that_answers_everything_has_no_manifest_by_that() {
    let world = world(patient()).await;
    for (root, own) in
        [("https://b.example/", "<!doctype html><title>Home</title>"), ("https://c.example/", "{}")]
    {
        world.says(&format!("{root}.well-known/mmsp.json"), own);
        world.says(root, html(&[("rss+xml", "https://a.example/feed")]));
        world.shows(&[(1, "one")]);
        assert_eq!(titles(&world.page_of(root).await.unwrap()), ["one"]);
    }
}

#[tokio::test]
async fn a_feed_that_turns_into_a_page_is_looked_for_again_with_its_history() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    let before = world.page().await.unwrap();
    world.says(URL, html(&[("rss+xml", "/gone"), ("rss+xml", "/new")]));
    world.says("https://a.example/new", rss(&[(2, "two")]));
    world.clock.advance_seconds(900);
    let after = world.page().await.unwrap();
    assert_eq!(titles(&after), ["two", "one"]);
    assert_eq!(json(&after)["id"], json(&before)["id"]);
    assert_eq!(after.cache, CacheStatus::Refreshed { collapsed: false });
    world.clock.advance_seconds(900);
    world.page().await.unwrap();
    assert_eq!(world.script.requests_for(URL), 2, "the page is not asked any more");
}

#[tokio::test]
async fn a_feed_that_turns_into_a_page_without_one_goes_on_from_memory() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    world.page().await.unwrap();
    world.says(URL, html(&[("rss+xml", "/gone")]));
    world.clock.advance_seconds(900);
    let stale = world.page().await.unwrap();
    assert_eq!(titles(&stale), ["one"]);
    let CacheStatus::Stale { failure: Some(failure), .. } = stale.cache else { panic!("fresh") };
    assert_eq!(failure.kind, FailureKind::NoFeedFound);
}

#[tokio::test]
async fn a_feed_that_turns_into_a_manifest_sends_its_readers_there() {
    let world = world(patient()).await;
    world.shows(&[(1, "one")]);
    world.page().await.unwrap();
    world.says(URL, native());
    world.clock.advance_seconds(900);
    for _ in 0..2 {
        assert_eq!(world.native_of(URL).await.as_deref(), Some(URL));
    }
    assert_eq!(world.script.requests(), 2);
}

#[tokio::test]
async fn the_offers_of_a_page_are_listed_without_reading_them() {
    let world = world(patient()).await;
    world.says(PAGE, html(&[("atom+xml", "/atom"), ("rss+xml", "/feed"), ("mmsp+json", "/m")]));
    let listed = ["m", "feed", "atom"].map(|path| format!("https://a.example/{path}"));
    for _ in 0..2 {
        assert_eq!(world.offers_of(PAGE).await, listed);
    }
    assert_eq!(world.script.requests(), 1);
    world.shows(&[(1, "one")]);
    assert_eq!(world.offers_of(URL).await, [URL], "a feed offers itself");
    world.page().await.unwrap();
    assert_eq!(world.script.requests(), 2);
}

#[tokio::test]
async fn a_page_that_leads_to_a_feed_still_lists_all_that_it_offers() {
    let world = world(patient()).await;
    world.says(PAGE, html(&[("rss+xml", "/feed"), ("atom+xml", "/atom")]));
    world.shows(&[(1, "one")]);
    world.page_of(PAGE).await.unwrap();
    world.clock.advance_seconds(3_600);
    assert_eq!(world.offers_of(PAGE).await, [URL, "https://a.example/atom"]);
    let nothing = SourceUrl::parse("https://a.example/nothing").unwrap();
    world.says(nothing.as_str(), "<!doctype html><title>Empty</title>");
    let error = world.gateway.offers(&nothing, &Waits::default()).await.unwrap_err();
    let GatewayError::Source { failure, .. } = error else { panic!("{error:?}") };
    assert_eq!(failure.kind, FailureKind::NoFeedFound);
}

#[tokio::test]
async fn an_address_that_is_refused_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let parts = parts(&folder, &Clock::system(), patient()).await;
    let gateway = Gateway::start(parts).await.unwrap();
    let refused = ["http://10.0.0.1/", "https://[::1]/", "http://localhost/", "https://a.test:1/"];
    let is_refusal = |error: &GatewayError| {
        matches!(error, GatewayError::Source { failure, .. }
            if failure.kind == FailureKind::AddressNotAllowed)
    };
    for url in refused {
        for _ in 0..2 {
            let error = gateway.page(&request(url)).await.unwrap_err();
            assert!(is_refusal(&error), "{url}: {error:?}");
        }
        let page = SourceUrl::parse(&format!("{url}page")).unwrap();
        let error = gateway.offers(&page, &Waits::default()).await.unwrap_err();
        assert!(is_refusal(&error), "{url}: {error:?}");
    }
    let metrics = gateway.desk.metrics.text().unwrap();
    let value = |series: &str| {
        let series = format!("mmsp_gateway_{series} ");
        let line = metrics.lines().find_map(|line| line.strip_prefix(&series)).unwrap();
        line.parse::<u32>().unwrap()
    };
    let asked = |operation: &str| {
        value(&format!("store_duration_seconds_count{{operation=\"{operation}\"}}"))
    };
    assert_eq!(["merge", "touch"].map(asked), [0, 0]);
    assert_eq!(value("lease_requests_total{outcome=\"granted\"}"), 0);
    // Whether it is known is asked once for a page and twice for offers, of `http` for its twin too.
    assert_eq!(asked("find_feed"), (2 + 1 + 2 + 1) * 3);
    gateway.stop().await;
}
