//! One reader over one feed, a number of times: for tools that count instructions or memory.
//!
//! `once READER FEED [TIMES]`; without arguments, lists both. `once --write DIR` writes the feeds, each
//! as `NAME.xml`, for servers to serve; `once --grown KIND BYTES FILE` one that is about so large.

use std::path::Path;
use std::process::ExitCode;
use std::{fs, io};

use mmsp_gateway_benches::feeds;
use mmsp_gateway_benches::readers::READERS;
use tikv_jemallocator::Jemalloc;

#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [option, folder] = arguments.as_slice()
        && option == "--write"
    {
        return write(Path::new(folder));
    }
    if let [option, kind, bytes, file] = arguments.as_slice()
        && option == "--grown"
    {
        return write_grown(kind, bytes, Path::new(file));
    }
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

fn write_grown(kind: &str, bytes: &str, file: &Path) -> ExitCode {
    let kind = feeds::GROWING.iter().find(|(name, _)| *name == kind);
    let (Some((_, make)), Ok(bytes)) = (kind, bytes.parse()) else {
        eprintln!("no kind that grows, or no number of bytes");
        return ExitCode::FAILURE;
    };
    told(fs::write(file, feeds::grown(*make, bytes).body))
}

fn write(folder: &Path) -> ExitCode {
    let write = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        feeds::all().iter().try_for_each(|sample| {
            fs::write(folder.join(&sample.name).with_extension("xml"), &sample.body)
        })
    };
    told(write())
}

fn told(written: io::Result<()>) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the feeds cannot be written: {error}");
            ExitCode::FAILURE
        }
    }
}
