//! Files of chapters, fetched behind the polls.

use std::time::Duration;

use serde_json::Value;

use super::world_for_tests::*;
use super::*;
use crate::fetch::Purpose;

/// A podcast of which item `n` names its own file of chapters, the newest first.
fn podcast(items: impl DoubleEndedIterator<Item = u32>, note: &str) -> String {
    let item = |n: u32| {
        format!(
            "<item><guid>tag:a,{n}</guid><title>{n}</title><description>{note}</description>\
             <pubDate>2024-01-01T00:{:02}:{:02}Z</pubDate>\
             <enclosure url='https://a.example/{n}.mp3' type='audio/mpeg' length='1'/>\
             <podcast:chapters url='/chapters/{n}.json' type='application/json+chapters'/></item>",
            n / 60,
            n % 60
        )
    };
    let items: String = items.rev().map(item).collect();
    format!("<rss version='2.0'><channel><title>A</title>{items}</channel></rss>")
}

fn file_of(n: u32) -> String {
    format!("https://a.example/chapters/{n}.json")
}

/// How many items of a page have chapters.
fn chaptered(answer: &PageAnswer) -> usize {
    let manifest = json(answer);
    let items = manifest["items"].as_array().unwrap();
    items.iter().filter(|item| item.get("chapters").is_some()).count()
}

impl World {
    fn airs(&self, items: std::ops::Range<u32>, note: &str) {
        let body = podcast(items.clone(), note);
        self.script.answer(URL, move |request| Ok(document(request, &body)));
        for n in items {
            self.script.answer(&file_of(n), move |request| {
                assert_eq!(request.purpose, Purpose::Json);
                let file = format!(r#"{{"chapters":[{{"startTime":0,"title":"Chapter {n}"}}]}}"#);
                Ok(document(request, &file))
            });
        }
    }

    /// Waits until that many items of the first page have chapters.
    async fn until_chaptered(&self, items: usize) -> PageAnswer {
        loop {
            let page = self.page().await.unwrap();
            if chaptered(&page) == items {
                return page;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    fn files_asked(&self) -> usize {
        self.script.requests() - self.script.requests_for(URL)
    }
}

fn first_chapter(page: &PageAnswer) -> Value {
    json(page)["items"][0]["chapters"][0]["title"].clone()
}

#[tokio::test]
async fn the_newest_items_get_their_chapters_after_the_poll() {
    let world = world(patient()).await;
    world.airs(0..25, "");
    let before = world.page().await.unwrap();
    let after = world.until_chaptered(20).await;
    assert_eq!(first_chapter(&after), "Chapter 24");
    assert_ne!(after.page.body, before.page.body);
    assert_eq!(world.files_asked(), 20);
    for n in 0..5 {
        assert_eq!(world.script.requests_for(&file_of(n)), 0, "{n} is not among the newest");
    }
    world.clock.advance_seconds(900);
    assert_eq!(chaptered(&world.page().await.unwrap()), 20);
    assert_eq!(world.files_asked(), 20, "each is asked for once");
}

#[tokio::test]
async fn an_item_that_is_normalized_anew_keeps_its_chapters() {
    let world = world(patient()).await;
    world.airs(0..2, "");
    world.page().await.unwrap();
    world.until_chaptered(2).await;
    world.airs(0..3, "changed");
    world.clock.advance_seconds(900);
    let changed = world.page().await.unwrap();
    assert!(chaptered(&changed) >= 2);
    assert_eq!(json(&changed)["items"][2]["description"], "changed");
    world.until_chaptered(3).await;
    assert_eq!(world.files_asked(), 3);
}

#[tokio::test]
async fn a_file_that_cannot_be_had_costs_nothing_and_is_left_alone() {
    let world = world(patient()).await;
    world.airs(0..3, "");
    world.script.answer(&file_of(0), |_| Err(status(404, None)));
    world.script.answer(&file_of(1), |request| Ok(document(request, "<html>")));
    world.page().await.unwrap();
    world.until_chaptered(1).await;
    world.asked(4).await;
    world.airs(0..3, "changed");
    world.script.answer(&file_of(0), |_| panic!("asked again"));
    world.clock.advance_seconds(900);
    let page = world.page().await.unwrap();
    assert_eq!((chaptered(&page), world.files_asked()), (1, 3));
    // A day later it may be there.
    world.airs(0..3, "changed again");
    world.clock.advance_seconds(86_400);
    world.page().await.unwrap();
    world.until_chaptered(3).await;
}

#[tokio::test]
async fn a_manifest_does_not_wait_for_chapters() {
    let world = world(patient()).await;
    world.airs(0..1, "");
    let script = world.script.clone();
    // The file is asked for, and does not answer.
    world.script.answer(URL, move |request| {
        script.shut();
        Ok(document(request, &podcast(0..1, "")))
    });
    let page = world.page().await.unwrap();
    assert_eq!((titles(&page).len(), chaptered(&page)), (1, 0));
    world.asked(2).await;
    world.script.open();
    world.until_chaptered(1).await;
}
