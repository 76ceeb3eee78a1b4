//! The command line: what the program can be told to do.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage or settings.

mod check;
mod completions;
mod convert;
mod discover;
mod document;
mod forget;
mod healthcheck;
mod inputs;
mod loading;
mod manual;
mod memory_limit;
mod opml;
mod outputs;
mod progress;
mod report;
mod serve;
mod sign;
mod store;
mod unwritten;
mod web;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use unwritten::{Unwritten, print};

/// Reads any RSS, Atom or podcast feed as a native MMSP manifest.
#[derive(Debug, Parser)]
#[command(name = "mmsp-gateway", version, about, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answer requests until SIGTERM or SIGINT.
    Serve(serve::Arguments),
    /// Turn a feed into a manifest, without keeping anything.
    Convert(convert::Arguments),
    /// List the feeds that a web page offers.
    Discover(discover::Arguments),
    /// Make manifests of the feeds of an OPML list.
    Opml(opml::Arguments),
    /// Say what clients make of a manifest or a feed; without one, whether the settings are in
    /// order.
    Check(check::Arguments),
    /// Print the signed address of a feed's manifest.
    Sign(sign::Arguments),
    /// Forget feeds, with everything that is remembered of them.
    Forget(forget::Arguments),
    /// Look at the memory, or move it to another database.
    Store(store::Arguments),
    /// Ask a running gateway whether it is ready; for container health checks.
    Healthcheck(healthcheck::Arguments),
    /// Write what a shell needs to complete these commands.
    Completions(completions::Arguments),
    /// Write the man pages.
    Man(manual::Arguments),
}

impl Cli {
    /// Reads the command line. Help, the version and wrong usage are told here, and end the
    /// process.
    #[must_use]
    pub fn from_command_line() -> Self {
        let matches = program().get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// Does what was asked.
    #[must_use]
    pub fn run(self) -> ExitCode {
        match self.command {
            Command::Serve(arguments) => serve::run(&arguments),
            Command::Convert(arguments) => convert::run(&arguments),
            Command::Discover(arguments) => discover::run(&arguments),
            Command::Opml(arguments) => opml::run(&arguments),
            Command::Check(arguments) => check::run(&arguments),
            Command::Sign(arguments) => sign::run(&arguments),
            Command::Forget(arguments) => forget::run(&arguments),
            Command::Store(arguments) => store::run(&arguments),
            Command::Healthcheck(arguments) => healthcheck::run(&arguments),
            Command::Completions(arguments) => completions::run(&arguments, program()),
            Command::Man(arguments) => manual::run(&arguments, program()),
        }
    }
}

/// The command line with all that its help says.
fn program() -> clap::Command {
    manual::explain(Cli::command())
}

/// What was asked could not be done.
const FAILED: u8 = 1;
/// The command line or the settings are wrong.
const WRONG: u8 = 2;

/// Says whose words these are, on each line.
fn say(message: &str) {
    for line in message.lines() {
        // Nobody can be told that standard error is closed.
        let _ = writeln!(io::stderr(), "mmsp-gateway: {line}");
    }
}
