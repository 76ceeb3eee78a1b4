//! `convert`: a feed in, a manifest out. Keeps no state.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use super::document::{Circumstances, Document, DocumentError};
use super::inputs::Inputs;
use super::progress::Progress;
use super::report::{ReportFile, told};
use super::{FAILED, Unwritten, WRONG, outputs, print, say};
use crate::clock::Clock;
use crate::convert::{self, Conversion, ConvertedItem, Input, Limits, Part, Remark};
use crate::filter::Filter;
use crate::gateway;
use crate::model::{Feed, FeedKey, SourceUrl, Timestamp};
use crate::normalize;
use crate::paging::{self, Address, Entry, Outline, Poll, Position, Stretch};

/// `convert [OPTIONS] FILE|URL|-…`
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    circumstances: Circumstances,
    /// Where to write what was read, mended and left out: a JSON object, one a line for several.
    /// With --out, `-` is standard output.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Exit with 1, and say why, where anything was mended, dropped or skipped.
    #[arg(long)]
    strict: bool,
    /// Only the items that pass a filter (MMSP Appendix A), such as 'type:video AND lang:en'. AND
    /// binds closer than OR, and NOT takes one condition.
    #[arg(long, value_name = "EXPR")]
    filter: Option<Filter>,
    /// At most so many items, the newest.
    #[arg(long, value_name = "N")]
    limit: Option<NonZeroUsize>,
    /// The time for items without a date; else the clock's.
    #[arg(long, value_name = "RFC3339", value_parser = parse_now)]
    now: Option<Timestamp>,
    /// The folder for the manifests of several inputs; made where it is missing.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Files, folders, OPML lists, addresses, or `-` for standard input.
    #[arg(required = true, value_name = "FILE|URL|-")]
    inputs: Vec<String>,
}

/// Converts each input; the manifest of a single one goes to standard output. One that cannot be
/// converted does not stop the others.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let (jobs, left) = match arguments.jobs() {
        Ok(found) => found,
        Err(error) => return ExitCode::from(tell(&error)),
    };
    if let Some(why) = arguments.contradiction(jobs.len()) {
        say(why);
        return ExitCode::from(WRONG);
    }
    let report = match arguments.report.as_deref().map(ReportFile::create).transpose() {
        Ok(report) => report,
        Err(error) => return ExitCode::from(tell(&error)),
    };
    let progress = Progress::of(jobs.len());
    let several = jobs.len() + left.len() > 1;
    let mut counts = Counts::default();
    for error in left {
        say(&error.to_string());
        counts.add(&Err(error));
    }
    for job in &jobs {
        progress.begin(&job.input);
        let outcome = arguments.convert(job, report.as_ref(), &progress);
        match &outcome {
            Ok(_) | Err(DocumentError::Output(_)) => {}
            Err(error) => progress.say(&error.about(&job.input)),
        }
        counts.add(&outcome);
    }
    progress.end();
    if several {
        say(&counts.to_string());
    }
    ExitCode::from(counts.exit_code(arguments.strict))
}

/// An input, and the file for its manifest; without one it goes to standard output.
struct Job {
    input: String,
    output: Option<PathBuf>,
}

/// Says what went wrong, and gives the exit code for it.
fn tell(error: &DocumentError) -> u8 {
    say(&error.to_string());
    error.exit_code()
}

/// How many inputs came out how.
#[derive(Default)]
struct Counts {
    converted: usize,
    with_remarks: usize,
    failed: usize,
    worst: u8,
}

impl Counts {
    fn add(&mut self, outcome: &Result<Vec<Remark>, DocumentError>) {
        match outcome {
            Ok(remarks) => {
                self.converted += 1;
                self.with_remarks += usize::from(!remarks.is_empty());
            }
            Err(error) => {
                self.failed += 1;
                self.worst = self.worst.max(error.exit_code());
            }
        }
    }

    fn exit_code(&self, is_strict: bool) -> u8 {
        let is_too_strict = is_strict && self.with_remarks > 0;
        self.worst.max(if is_too_strict { FAILED } else { 0 })
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { converted, with_remarks, failed, .. } = self;
        write!(
            f,
            "{converted} converted, {with_remarks} of them with something mended, dropped or \
             skipped; {failed} failed"
        )
    }
}

impl Arguments {
    /// What does not go together, where there are so many inputs.
    fn contradiction(&self, inputs: usize) -> Option<&'static str> {
        let is_single = inputs <= 1;
        let reports_to_output = self.report.as_deref().is_some_and(|path| path == Path::new("-"));
        match &self.out {
            None if !is_single => Some("several inputs need --out DIR"),
            _ if !is_single && self.circumstances.are_of_one() => {
                Some("--url and --header tell of one input; there are several")
            }
            None if reports_to_output => Some(
                "--report - and the manifest would both go to standard output: name a file for \
                 the report, or --out DIR for the manifest",
            ),
            _ => None,
        }
    }

    /// Looks at all inputs before anything is converted or written; gives those of lists that
    /// cannot be feeds beside the rest.
    fn jobs(&self) -> Result<(Vec<Job>, Vec<DocumentError>), DocumentError> {
        let Inputs { names, left } = Inputs::find(&self.inputs)?;
        let Some(folder) = &self.out else {
            let jobs = names.into_iter().map(|input| Job { input, output: None });
            return Ok((jobs.collect(), left));
        };
        let outputs = outputs::plan(&names, folder)?;
        fs::create_dir_all(folder).map_err(|error| DocumentError::of_file(folder, error))?;
        let jobs = names.into_iter().zip(outputs);
        let jobs = jobs.map(|(input, output)| Job { input, output: Some(output) });
        Ok((jobs.collect(), left))
    }

    /// Converts one input, and gives what did not arrive as it was written.
    fn convert(
        &self,
        job: &Job,
        report: Option<&ReportFile>,
        progress: &Progress,
    ) -> Result<Vec<Remark>, DocumentError> {
        let now = self.now.unwrap_or_else(|| Clock::system().now());
        let result = self
            .circumstances
            .read(&job.input)
            .and_then(|document| convert_document(&document, now));
        if let Some(report) = report {
            report
                .add(job.output.as_deref().map(|output| (job.input.as_str(), output)), &result)?;
        }
        let (url, conversion) = result?;
        if let Some(reasons) = gateway::all_skipped(&conversion) {
            progress.say(&format!("{}: every item was left out ({reasons})", job.input));
        }
        let remarks = conversion.report.remarks();
        if self.strict {
            remarks.iter().for_each(|remark| progress.say(&told(&job.input, remark)));
        }
        write_manifest(job, &self.manifest(&url, conversion))?;
        Ok(remarks)
    }

    /// The manifest as a gateway without a name of its own would serve it. Takes the conversion, so
    /// that no item is in memory twice.
    fn manifest(&self, url: &SourceUrl, conversion: Conversion) -> Vec<u8> {
        let Conversion { feed, shown, changed, .. } = conversion;
        let poll = Poll::of_published(shown.iter().map(|(when, _)| *when).collect());
        let mut entries = self.entries(&feed, changed);
        entries.sort_by(|a, b| {
            let (a, b) = (&a.position, &b.position);
            (b.published, &b.id).cmp(&(a.published, &a.id))
        });
        let limit = self.limit.map(NonZeroUsize::get);
        // A gateway filters nothing: what a filter left has no next page there.
        let has_more = self.filter.is_none() && limit.is_some_and(|limit| limit < entries.len());
        entries.truncate(limit.unwrap_or(usize::MAX));
        let outline = Outline {
            key: &FeedKey::of(url),
            feed: &feed,
            poll,
            address: &Address::of(&PUBLIC_URL.into(), url, None),
            moved_to: None,
            below: None,
        };
        paging::render(&outline, &Stretch::of(entries, has_more))
            .map(|manifest| manifest.body)
            .unwrap_or_default()
    }

    /// The items that are wanted, each gone once its JSON is there.
    fn entries(&self, feed: &Feed, items: Vec<ConvertedItem>) -> Vec<Entry> {
        let json = |value: serde_json::Result<Value>| value.unwrap_or_default();
        let feed = self.filter.as_ref().map(|filter| (filter, json(serde_json::to_value(feed))));
        let is_wanted = |item: &ConvertedItem| {
            feed.as_ref().is_none_or(|(filter, feed)| {
                filter.matches(&json(serde_json::to_value(&item.item)), feed)
            })
        };
        let entry = |item: ConvertedItem| {
            let position = Position { published: item.published, id: item.id.to_string() };
            let mut json = serde_json::to_string(&item.item).unwrap_or_default();
            // What a string grew by in advance is as much again.
            json.shrink_to_fit();
            Entry { position, json }
        };
        // Not by `collect`, which would keep the room of the items for the entries.
        let mut entries = Vec::with_capacity(items.len());
        entries.extend(items.into_iter().filter(is_wanted).map(entry));
        entries
    }
}

fn write_manifest(job: &Job, manifest: &[u8]) -> Result<(), DocumentError> {
    if let Some(path) = &job.output {
        return write_file(path, manifest);
    }
    let written = print(manifest).and_then(|()| print(b"\n"));
    written.map_err(|error| DocumentError::Output(Unwritten(error)))
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
        part: Part::Current,
        limits: &limits,
        settings: &settings,
    };
    let text = convert::decode(&input)?;
    let reading = text.read(&input)?;
    match reading.self_url().filter(|_| document.is_nameless) {
        Some(own) => {
            // What was read is as large as the document; twice need not be.
            drop(reading);
            let named = Input { url: &own, first_url: &own, ..input };
            let conversion = text.read(&named)?.normalize(&HashMap::new(), now);
            Ok((own.clone(), conversion))
        }
        None => Ok((document.url.clone(), reading.normalize(&HashMap::new(), now))),
    }
}

/// Where a gateway without settings listens.
pub(super) const PUBLIC_URL: &str = "https://localhost:8443";

fn parse_now(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse_rfc3339(text).ok_or_else(|| "not an RFC 3339 time".to_owned())
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), DocumentError> {
    fs::write(path, bytes).map_err(|error| DocumentError::of_file(path, error))
}
