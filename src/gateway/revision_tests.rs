//! Items that an older converter made.

use super::world_for_tests::*;
use crate::convert;
use crate::store::{Merge, StoredItem};

#[tokio::test]
async fn after_an_upgrade_of_the_converter_items_are_read_anew() {
    let world = world(patient()).await;
    let body = rss(&[(1, "one"), (2, "two")]);
    // Whoever asks conditionally is told that nothing changed.
    world.script.answer(URL, move |request| {
        if request.validators.is_empty() {
            Ok(document(request, &body))
        } else {
            Ok(not_modified(request))
        }
    });
    let before = world.page().await.unwrap();
    world.clock.advance_seconds(1000);
    assert_eq!(titles(&world.page().await.unwrap()), ["two", "one"]);

    // What the revision before this one would have stored.
    let store = &world.gateway.desk.store;
    let mut record = store.find_feed(&request(URL).url).await.unwrap().unwrap();
    record.read.revision = convert::REVISION - 1;
    let span = crate::paging::Span::first(None);
    let stretch = store.stretch(&record.key, None, &span).await.unwrap();
    let older = stretch.entries.into_iter().map(|entry| StoredItem {
        position: entry.position,
        hash: [0; 16],
        twin: -1,
        mended: 0,
        json: entry.json.replace("one", "mapped badly"),
    });
    let items: Vec<_> = older.collect();
    let now = world.clock.now();
    let merge =
        Merge { record: &record, aliases: &[], items: &items, deleted: &[], keep_only: None, now };
    let record = store.merge(&merge).await.unwrap();
    world.gateway.desk.remember(record).await;
    assert_eq!(titles(&world.page().await.unwrap()), ["two", "mapped badly"]);

    world.clock.advance_seconds(1000);
    let after = world.page().await.unwrap();
    assert_eq!(titles(&after), ["two", "one"]);
    assert_eq!(after.page.body, before.page.body, "`published` and ids are what they were");
    assert_eq!(world.script.requests(), 3);
}
