//! `convert`: a feed in, a manifest out. Keeps no state.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::document::{Circumstances, Document, DocumentError};
use super::{WRONG, say};
use crate::clock::Clock;
use crate::convert::{self, Conversion, Input, Limits};
use crate::model::{FeedKey, SourceUrl, Timestamp};
use crate::normalize;
use crate::paging::{self, Address, Entry, Outline, Poll, Position, Stretch};

/// `convert [OPTIONS] FILE|URL|-…`
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    circumstances: Circumstances,
    /// Where to write what was read, mended and left out, as JSON.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// At most so many items, the newest.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// The time for items without a date; else the clock's.
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    now: Option<Timestamp>,
    /// Where to write the manifests of several inputs.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Files, folders, addresses, or `-` for standard input.
    #[arg(required = true, value_name = "FILE|URL|-")]
    inputs: Vec<String>,
}

/// Converts each input; the manifest of a single one goes to standard output.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let inputs = files(&arguments.inputs);
    if inputs.len() > 1 && arguments.out.is_none() {
        say("several inputs need --out DIR");
        return ExitCode::from(WRONG);
    }
    let mut worst = 0;
    for input in &inputs {
        if let Err(error) = arguments.convert(input) {
            say(&error.to_string());
            worst = worst.max(error.exit_code());
        }
    }
    ExitCode::from(worst)
}

impl Arguments {
    fn convert(&self, name: &str) -> Result<(), DocumentError> {
        let now = self.now.unwrap_or_else(|| Clock::system().now());
        let result =
            self.circumstances.read(name).and_then(|document| convert_document(&document, now));
        let report = match &result {
            Ok((_, conversion)) => serde_json::to_value(&conversion.report).unwrap_or_default(),
            Err(error) => json!({ "problem": error.problem().map(|problem| problem.json()) }),
        };
        self.write_report(&report)?;
        let (url, conversion) = result?;
        self.write_manifest(name, &manifest(&url, &conversion, self.limit))
    }

    fn write_report(&self, report: &Value) -> Result<(), DocumentError> {
        let Some(path) = &self.report else { return Ok(()) };
        write_file(path, format!("{report}\n").as_bytes())
    }

    fn write_manifest(&self, name: &str, manifest: &[u8]) -> Result<(), DocumentError> {
        if let Some(folder) = &self.out {
            let stem =
                Path::new(name).file_name().unwrap_or_default().to_string_lossy().into_owned();
            return write_file(&folder.join(format!("{stem}.mmsp.json")), manifest);
        }
        let mut out = io::stdout().lock();
        out.write_all(manifest)
            .and_then(|()| out.write_all(b"\n"))
            .map_err(|error| DocumentError::Io("standard output".to_owned(), error))
    }
}

/// Converts a document, and says what it is called: a file is read once more where its own
/// `rel=self` knows that.
pub(super) fn convert_document(
    document: &Document,
    now: Timestamp,
) -> Result<(SourceUrl, Conversion), DocumentError> {
    let (limits, settings) = (Limits::default(), normalize::Settings::default());
    let input = Input {
        body: &document.body,
        content_type: document.content_type.as_deref(),
        complete: document.complete,
        url: &document.url,
        first_url: &document.url,
        was_podcast: false,
        limits: &limits,
        settings: &settings,
    };
    let text = convert::decode(&input)?;
    let reading = text.read(&input)?;
    match reading.self_url().filter(|_| document.is_nameless) {
        Some(own) => {
            let named = Input { url: &own, first_url: &own, ..input };
            let conversion = text.read(&named)?.normalize(&HashMap::new(), now);
            Ok((own.clone(), conversion))
        }
        None => Ok((document.url.clone(), reading.normalize(&HashMap::new(), now))),
    }
}

/// The manifest as a gateway without a name of its own would serve it.
fn manifest(url: &SourceUrl, conversion: &Conversion, limit: Option<usize>) -> Vec<u8> {
    let poll = Poll::of_published(conversion.shown.iter().map(|(when, _)| *when).collect());
    let mut entries: Vec<Entry> = conversion
        .changed
        .iter()
        .map(|item| Entry {
            position: Position { published: item.published, id: item.id.to_string() },
            json: serde_json::to_string(&item.item).unwrap_or_default(),
        })
        .collect();
    entries.sort_by(|a, b| {
        let (a, b) = (&a.position, &b.position);
        (b.published, &b.id).cmp(&(a.published, &a.id))
    });
    let has_more = limit.is_some_and(|limit| limit < entries.len());
    entries.truncate(limit.unwrap_or(usize::MAX));
    let outline = Outline {
        key: &FeedKey::of(url),
        feed: &conversion.feed,
        poll,
        address: &Address::of(PUBLIC_URL, url, None),
        below: None,
    };
    paging::render(&outline, &Stretch::of(entries, has_more))
        .map(|manifest| manifest.body)
        .unwrap_or_default()
}

/// Where a gateway without settings listens.
pub(super) const PUBLIC_URL: &str = "https://localhost:8443";

/// The inputs, folders replaced by the files in them.
fn files(inputs: &[String]) -> Vec<String> {
    let mut files = Vec::new();
    for input in inputs {
        if !Path::new(input).is_dir() {
            files.push(input.clone());
            continue;
        }
        let entries = fs::read_dir(input).into_iter().flatten().flatten();
        let mut inside: Vec<String> = entries
            .filter(|entry| entry.path().is_file())
            .map(|entry| entry.path().to_string_lossy().into_owned())
            .collect();
        inside.sort();
        files.append(&mut inside);
    }
    files
}

fn parse_now(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse_rfc3339(text).ok_or_else(|| "not an RFC 3339 time".to_owned())
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), DocumentError> {
    fs::write(path, bytes).map_err(|error| DocumentError::Io(path.display().to_string(), error))
}
