//! `check`: what a client would make of a manifest or a feed; without an input, of the settings.
//!
//! A file is judged by itself (`judgement`), an address by how it behaves as well (`bench`, with
//! what the wire says in `wire`). Exit codes: 0 nothing is lost and no rule broken, 1 something
//! is or cannot be read, 2 wrong usage or settings.

mod bench;
mod conditional;
mod elsewhere;
mod in_force;
mod judgement;
mod output;
mod walk;
mod wire;

use std::num::NonZeroUsize;
use std::process::ExitCode;

use clap::Args;

use super::document::{Circumstances, DocumentError};
use super::{FAILED, Unwritten, say, web};
use crate::clock::Clock;
use crate::manifest::Severity;
use judgement::Judgement;

/// `check [OPTIONS] [FILE|URL|-]…`
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    circumstances: Circumstances,
    /// Write a JSON object for each input, or each setting, one a line.
    #[arg(long)]
    json: bool,
    /// Exit with 1 for mere advice too.
    #[arg(long)]
    strict: bool,
    /// At an address: read so many pages at the most.
    #[arg(long, value_name = "N", default_value = "100")]
    pages: NonZeroUsize,
    /// Manifests or feeds: files, addresses, or `-` for standard input. None: the settings.
    #[arg(value_name = "FILE|URL|-")]
    inputs: Vec<String>,
}

/// Checks each input, or the settings where there is none.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    if arguments.inputs.is_empty() {
        return in_force::run(arguments.circumstances.settings(), arguments.json);
    }
    let codes = arguments.inputs.iter().map(|input| arguments.check(input));
    ExitCode::from(codes.max().unwrap_or(0))
}

impl Arguments {
    /// Checks one input, tells how it came out, and gives the exit code for it.
    fn check(&self, input: &str) -> u8 {
        let judgement = match self.judge(input) {
            Ok(judgement) => judgement,
            Err(error) => {
                say(&error.about(input));
                return error.exit_code();
            }
        };
        if let Err(error) = output::write(&judgement, self.json) {
            return Unwritten(error).told();
        }
        let advice = judgement.findings.count(Severity::Advice);
        let is_good = judgement.findings.is_valid() && !(self.strict && advice > 0);
        if is_good { 0 } else { FAILED }
    }

    fn judge(&self, input: &str) -> Result<Judgement, DocumentError> {
        let now = Clock::system().now();
        if web::is_address(input) {
            let settings = self.circumstances.settings().load()?.settings.fetch;
            return bench::judge(input, &settings, self.pages.get(), now);
        }
        let document = self.circumstances.read(input)?;
        let mut judgement = Judgement::of(input);
        judgement.take(&document, now);
        Ok(judgement)
    }
}
