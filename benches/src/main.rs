//! One reader over one feed, a number of times: for tools that count instructions or memory.
//!
//! `once READER FEED [TIMES]`; without arguments, lists both.

use std::process::ExitCode;

use mmsp_gateway_benches::feeds;
use mmsp_gateway_benches::readers::READERS;
use tikv_jemallocator::Jemalloc;

#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [reader, feed, ..] = arguments.as_slice() else {
        for (name, _) in READERS {
            println!("reader {name}");
        }
        for sample in feeds::all() {
            println!("feed {} {}", sample.name, sample.body.len());
        }
        return ExitCode::SUCCESS;
    };
    let times = arguments.get(2).and_then(|times| times.parse().ok()).unwrap_or(1);
    let sample = feeds::KINDS.iter().find(|(name, _)| name == feed).map(|(_, make)| make());
    let read = READERS.iter().find(|(name, _)| name == reader);
    let (Some(sample), Some((_, read))) = (sample, read) else {
        eprintln!("there is no reader {reader}, or no feed {feed}");
        return ExitCode::FAILURE;
    };
    let mut entries = None;
    for _ in 0..times {
        entries = read(&sample);
    }
    match entries {
        Some(entries) => {
            println!("{entries} entries in {} bytes", sample.body.len());
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("{reader} cannot read {feed}");
            ExitCode::FAILURE
        }
    }
}
