//! The program: parses the command line, does what it says, and reports how that went.

use std::process::ExitCode;

use clap::Parser;
use mmsp_gateway::cli::Cli;

fn main() -> ExitCode {
    Cli::parse().run()
}
