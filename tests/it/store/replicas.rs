//! Several gateways on one PostgreSQL.

use std::env;
use std::thread;
use std::time::{Duration, Instant};

use super::Fleet;
use crate::support::origin::Manner;
use crate::support::{Answer, feed, manifest, until};

/// How many feeds, and how many requests for them. `FLEET=50,2000` is what the scaling page tells.
fn size() -> (usize, usize) {
    let size = env::var("FLEET").unwrap_or_else(|_| "10,150".to_owned());
    let (feeds, requests) = size.split_once(',').unwrap();
    (feeds.parse().unwrap(), requests.parse().unwrap())
}

#[test]
fn three_gateways_ask_each_cold_source_once_and_answer_alike() {
    let (feeds, requests) = size();
    rlimit::increase_nofile_limit(16_384).unwrap();
    let fleet = Fleet::start(3);
    for n in 0..feeds {
        let items = feed::rss(0..3).replace("Made up", &format!("Feed {n}"));
        let slow = Answer::feed(items).delay(Duration::from_millis(500));
        fleet.origin.set(&format!("/{n}.xml"), slow);
    }
    let begun = Instant::now();
    let answers: Vec<_> = thread::scope(|scope| {
        let asking = (0..requests).map(|request| {
            let program = &fleet.programs[request % 3];
            // Each feed is asked for through each gateway.
            let feed = (request / 3) % feeds;
            let url = fleet.origin.url(&format!("/{feed}.xml"));
            let ask = move || (feed, program.feed(&url, ""));
            thread::Builder::new().stack_size(256 * 1024).spawn_scoped(scope, ask).unwrap()
        });
        let asking: Vec<_> = asking.collect();
        asking.into_iter().map(|answer| answer.join().unwrap()).collect()
    });
    eprintln!("{requests} requests for {feeds} cold feeds: {:?}", begun.elapsed());
    for (feed, answer) in &answers {
        let manifest = manifest::of(answer);
        assert_eq!(manifest["title"], format!("Feed {feed}"));
        let first = answers.iter().find(|(other, _)| other == feed).unwrap();
        assert_eq!(answer.body, first.1.body, "the bytes do not tell which gateway answered");
        assert_eq!(answer.header("etag"), first.1.header("etag"));
    }
    for n in 0..feeds {
        assert_eq!(fleet.origin.seen(&format!("/{n}.xml")).len(), 1, "feed {n}");
    }
}

#[test]
fn a_cursor_of_one_gateway_is_good_at_another() {
    let fleet = Fleet::start(2);
    fleet.origin.set("/feed.xml", Answer::feed(feed::rss(0..5)));
    let url = fleet.origin.url("/feed.xml");
    let first = manifest::of(&fleet.programs[0].feed(&url, "&limit=2"));
    let next = first["next_url"].as_str().unwrap();
    let target = next.strip_prefix("https://gateway.test").unwrap();
    let second = manifest::of(&fleet.programs[1].get(target));
    let ids: Vec<_> = second["items"].as_array().unwrap().iter().map(|item| &item["id"]).collect();
    assert_eq!(ids, [&feed::id(2), &feed::id(1)]);
}

#[test]
fn a_gateway_killed_in_mid_poll_costs_its_lease_and_no_more() {
    let mut fleet = Fleet::start(2);
    fleet.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)).manner(Manner::Hang));
    let url = fleet.origin.url("/feed.xml");
    let mut killed = fleet.programs.remove(0);
    let asking = killed.ask(&url);
    until(|| !fleet.origin.seen("/feed.xml").is_empty());
    killed.kill();
    drop(asking);
    let begun = Instant::now();
    fleet.origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    let answer = fleet.programs[0].feed(&url, "");
    assert_eq!(manifest::of(&answer)["items"].as_array().unwrap().len(), 3);
    assert_eq!(fleet.origin.seen("/feed.xml").len(), 2);
    eprintln!("another gateway polled {:?} after the kill; the lease is 3 s", begun.elapsed());
}
