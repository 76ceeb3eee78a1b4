//! The program: parses the command line, does what it says, and reports how that went.

use std::process::ExitCode;

use mmsp_gateway::cli::Cli;
use tikv_jemallocator::Jemalloc;

// Bodies and parsed documents are large, short-lived and made on many threads: glibc's arenas keep
// what was freed, and memory grows under a hostile load without being in use (ADR 40).
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    Cli::from_command_line().run()
}
