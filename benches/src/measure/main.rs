//! What takes how long, as one JSON object: for `../performance.py`, which makes a page of it.

#![allow(clippy::unwrap_used, reason = "what cannot be set up cannot be measured")]

mod convert;
mod depth;
mod known;
mod poll;
mod rivals;
mod timing;

use std::process::ExitCode;

use serde_json::Value;
use tikv_jemallocator::Jemalloc;

// The gateway's own.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match measured(&arguments) {
        Some(figures) => {
            println!("{figures}");
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn measured(arguments: &[&str]) -> Option<Value> {
    Some(match arguments {
        ["rivals", rounds] => rivals::feeds(rounds.parse().ok()?),
        ["corpus", rounds] => rivals::corpus(rounds.parse().ok()?),
        ["convert", items] => convert::one(items.parse().ok()?),
        ["poll", sizes @ ..] => poll::growing(&numbers(sizes)?),
        ["depth", store, items] => depth::pages(store, items.parse().ok()?),
        ["known", store, feeds] => known::feeds(store, feeds.parse().ok()?),
        _ => return None,
    })
}

fn numbers(texts: &[&str]) -> Option<Vec<usize>> {
    texts.iter().map(|text| text.parse().ok()).collect()
}

const USAGE: &str = "measure rivals ROUNDS | corpus ROUNDS | convert ITEMS | poll ITEMS… | \
                     depth STORE ITEMS | known STORE FEEDS";
