//! `completions`: what a shell needs to complete a command line.

use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

use super::{Unwritten, print};

/// `completions SHELL`
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The shell: bash, elvish, fish, powershell or zsh.
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    shell: Shell,
}

/// Writes the completions to standard output.
pub(super) fn run(arguments: &Arguments, mut program: Command) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "mmsp-gateway", &mut script);
    if arguments.shell == Shell::Bash {
        script = with_one_spelling(&script);
    }
    Unwritten::code_of(print(&script))
}

/// clap_complete (clap-rs/clap issue 6421) writes the hyphen of a program's name in two ways, and
/// then no command's options are found. A version that does not is left as it is.
fn with_one_spelling(script: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(script).replace("mmsp__subcmd__gateway", "mmsp__gateway").into_bytes()
}
