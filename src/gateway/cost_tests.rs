//! What polls cost, counted and not timed: documents read, items made, questions to the store.

use std::collections::BTreeMap;

use super::world_for_tests::*;

#[tokio::test]
async fn a_poll_without_news_reads_nothing_and_writes_one_row() {
    let world = world(patient()).await;
    world.shows(&thousand());
    world.page().await.unwrap();
    let same_bytes = cost_of_next_poll(&world).await;
    world.script.answer(URL, |request| Ok(not_modified(request)));
    let not_modified = cost_of_next_poll(&world).await;
    for (cost, outcome) in [(same_bytes, "poll: unchanged"), (not_modified, "poll: not_modified")] {
        assert_eq!(cost, costs(&[(outcome, 1), ("store: touch", 1)]));
        assert_eq!(rows_written_now(&world).await, 0, "no item is");
    }
}

#[tokio::test]
async fn one_new_item_among_a_thousand_is_the_only_one_that_is_made_and_written() {
    let world = world(patient()).await;
    world.shows(&thousand());
    world.page().await.unwrap();
    assert_eq!(rows_written_now(&world).await, 1000);
    world.shows(&[thousand().as_slice(), &[(1001, "new")]].concat());
    let expected = costs(&[
        ("items: new", 1),
        ("items: unchanged", 1000),
        ("poll: changed", 1),
        ("stage: decode", 1),
        ("stage: normalize", 1),
        ("stage: read", 1),
        ("stage: render", 1),
        ("store: find_items", 1),
        ("store: merge", 1),
        ("store: read_page", 1),
    ]);
    assert_eq!(cost_of_next_poll(&world).await, expected);
    assert_eq!(rows_written_now(&world).await, 1);
}

/// A thousand items, each known by its second.
fn thousand() -> Vec<(u32, &'static str)> {
    (1..=1000).map(|second| (second, "as it was")).collect()
}

/// What was done, and how often.
type Costs = BTreeMap<String, u64>;

fn costs(expected: &[(&str, u64)]) -> Costs {
    expected.iter().map(|(what, times)| ((*what).to_owned(), *times)).collect()
}

/// What the next poll costs, and the page after it.
async fn cost_of_next_poll(world: &World) -> Costs {
    let (before, requests) = (told(world), world.script.requests());
    world.clock.advance_seconds(900);
    world.page().await.unwrap();
    assert_eq!(world.script.requests(), requests + 1);
    let since = |(what, times): (String, u64)| {
        let times = times - before.get(&what).unwrap();
        (what, times)
    };
    told(world).into_iter().map(since).filter(|(_, times)| *times > 0).collect()
}

/// What the metrics tell so far, without what every poll asks, and what is asked beside them.
fn told(world: &World) -> Costs {
    let text = world.gateway.desk.metrics.text().unwrap();
    let mut costs = Costs::new();
    for line in text.lines() {
        let Some((what, label)) = SERIES.iter().find_map(|(series, what)| {
            Some((what, line.strip_prefix("mmsp_gateway_")?.strip_prefix(series)?))
        }) else {
            continue;
        };
        let (label, times) = label.split_once('"').unwrap();
        let times = times.rsplit(' ').next().unwrap();
        if !BESIDE.contains(&label) {
            *costs.entry(format!("{what}: {label}")).or_default() += times.parse::<u64>().unwrap();
        }
    }
    costs
}

const SERIES: [(&str, &str); 4] = [
    ("items_total{outcome=\"", "items"),
    ("polls_total{outcome=\"", "poll"),
    ("stage_duration_seconds_count{stage=\"", "stage"),
    ("store_duration_seconds_count{operation=\"", "store"),
];

/// The fetch itself, looking up the feed, taking turns; scheduler and sweeper.
const BESIDE: [&str; 8] = [
    "fetch",
    "find_feed",
    "lease",
    "find_due",
    "find_forgotten",
    "find_sizes",
    "find_older",
    "sweep",
];

/// How many items were written at this moment.
async fn rows_written_now(world: &World) -> usize {
    let mut lines = Vec::new();
    world.gateway.desk.store.export(&mut lines).await.unwrap();
    let now = format!("\"changed_at\":{},", world.clock.now().seconds());
    String::from_utf8(lines).unwrap().matches(&now).count()
}
