//! Documents made to fill memory: each alone, and fifty at once.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::documents::{LIMIT, coded_bombs, entity_bombs, piece_bombs};
use crate::http::Pair;
use crate::support::{Answer, Response, feed, manifest};

/// What one document may add to the memory of the process.
const MOST_FOR_ONE: u64 = 3 * LIMIT as u64;

/// What fifty at once may.
const MOST_FOR_FIFTY: u64 = 400 << 20;

/// Less than the limit, to be done in time; enough that a reader without bounds shows.
const PIECES_BYTES: usize = 6 << 20;

static BOMBS: LazyLock<Vec<(&str, Answer)>> = LazyLock::new(|| {
    let mut pieces = piece_bombs(PIECES_BYTES);
    pieces.truncate(2); // those that took most
    [coded_bombs(), entity_bombs(), pieces].into_iter().flatten().collect()
});

/// A program that has read a small feed and an origin that has the bombs.
fn armed() -> Pair {
    // All bombs are of one host here.
    let pair = Pair::start_with(&[("POLL__MAX_IN_FLIGHT_PER_DOMAIN", "64")]);
    pair.origin.set("/small.xml", Answer::feed(feed::rss(0..3)));
    manifest::of(&pair.feed("/small.xml", ""));
    for (name, answer) in BOMBS.iter() {
        pair.origin.set(&format!("/{name}"), answer.clone());
    }
    pair
}

/// Whatever became of it, it was answered as it should be.
fn is_an_answer(response: &Response) -> bool {
    match response.status {
        200 => true,
        422 | 502 | 503 | 504 => {
            response.header("content-type") == Some("application/problem+json")
        }
        _ => false,
    }
}

#[test]
fn a_bomb_takes_less_than_three_times_the_limit_of_a_document() {
    let pair = armed();
    for (name, _) in BOMBS.iter() {
        pair.program.forget_peak();
        let (_, before) = pair.program.memory();
        let response = pair.feed(&format!("/{name}"), "");
        assert!(is_an_answer(&response), "{name}: {}", response.status);
        let (peak, _) = pair.program.memory();
        let grown = peak.saturating_sub(before);
        println!("{name}: {} MiB", grown >> 20);
        assert!(grown < MOST_FOR_ONE, "{name}: {} MiB", grown >> 20);
        assert!(!response.text().contains("root:"), "{name}");
    }
}

#[test]
fn fifty_bombs_at_once_are_borne_and_others_are_answered_meanwhile() {
    let pair = armed();
    pair.program.forget_peak();
    let (_, before) = pair.program.memory();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut answered = 0;
            while !is_over.load(Ordering::Acquire) {
                manifest::of(&pair.feed("/small.xml", ""));
                answered += 1;
            }
            answered
        });
        let fifty: Vec<_> = (0..50)
            .map(|n| {
                let (name, _) = BOMBS[n % BOMBS.len()];
                let pair = &pair;
                scope.spawn(move || pair.feed(&format!("/{name}?{n}"), ""))
            })
            .collect();
        for one in fifty {
            let response = one.join().unwrap();
            assert!(is_an_answer(&response), "{}", response.status);
        }
        is_over.store(true, Ordering::Release);
        assert!(reader.join().unwrap() > 50);
    });
    let (peak, _) = pair.program.memory();
    let grown = peak.saturating_sub(before);
    println!("fifty: {} MiB", grown >> 20);
    assert!(grown < MOST_FOR_FIFTY, "{} MiB", grown >> 20);
}
