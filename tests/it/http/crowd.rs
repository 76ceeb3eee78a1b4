//! Many callers at once.

use std::thread;
use std::time::Duration;

use super::Pair;
use crate::support::{Answer, feed, manifest};

#[test]
fn a_thousand_callers_for_one_cold_feed_are_one_request_to_the_source() {
    rlimit::increase_nofile_limit(8192).unwrap();
    let pair = Pair::start();
    let slow = Answer::feed(feed::rss(0..3)).delay(Duration::from_secs(2));
    pair.origin.set("/feed.xml", slow);
    let pair = &pair;
    let bodies: Vec<_> = thread::scope(|scope| {
        let callers: Vec<_> = (0..1000)
            .map(|_| {
                thread::Builder::new()
                    .stack_size(256 * 1024)
                    .spawn_scoped(scope, || pair.feed("/feed.xml", ""))
                    .unwrap()
            })
            .collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    });
    for response in &bodies {
        assert_eq!(response.body, bodies[0].body);
    }
    manifest::of(&bodies[0]);
    assert_eq!(pair.origin.seen("/feed.xml").len(), 1);
    assert_eq!(pair.origin.connections(), 1);
}
