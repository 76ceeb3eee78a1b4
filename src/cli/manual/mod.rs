//! What help and man pages say of a command beside its options: examples that run as they stand,
//! and exit codes. One table for both, so that neither is forgotten.

mod pages;
mod table;

use clap::Command;
use clap::builder::StyledStr;
use clap::builder::styling::{AnsiColor, Styles};

pub(super) use pages::{Arguments, run};
use table::TABLE;

/// What there is to say of a command.
struct Manual {
    /// Its name behind that of the program, such as `store info`.
    command: &'static str,
    examples: &'static [Example],
    exit_codes: &'static [(u8, &'static str)],
}

/// A line for the shell, and what it does.
struct Example {
    line: &'static str,
    does: &'static str,
}

/// Adds to each command what the table says of it.
pub(super) fn explain(command: Command) -> Command {
    TABLE.iter().fold(command.styles(STYLES), |command, manual| {
        let path: Vec<&str> = manual.command.split_whitespace().collect();
        add(command, &path, manual)
    })
}

fn add(command: Command, path: &[&str], manual: &Manual) -> Command {
    match path {
        [] => command.after_help(help(manual)),
        [first, rest @ ..] => command.mut_subcommand(first, |inner| add(inner, rest, manual)),
    }
}

fn help(manual: &Manual) -> StyledStr {
    let header = STYLES.get_header();
    let mut text = format!("{header}Examples:{header:#}\n");
    for Example { line, does } in manual.examples {
        text += &format!("  {does}:\n    {line}\n");
    }
    text += &format!("\n{header}Exit codes:{header:#}\n");
    for (code, meaning) in manual.exit_codes {
        text += &format!("  {code}  {meaning}\n");
    }
    text.into()
}

/// Colours of help; clap leaves them out where there is no terminal, or none are wanted.
const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    /// All commands by their names behind that of the program.
    fn commands(of: &Command, name: &str) -> Vec<String> {
        let inner = of.get_subcommands().filter(|inner| inner.get_name() != "help");
        let inner = inner
            .flat_map(|inner| commands(inner, format!("{name} {}", inner.get_name()).trim_start()));
        std::iter::once(name.to_owned()).chain(inner).collect()
    }

    #[test]
    fn every_command_has_examples_and_exit_codes_and_nothing_else_has() {
        let commands = commands(&Cli::command(), "");
        assert!(commands.len() > 10, "{commands:?}");
        for command in &commands {
            let manual = TABLE.iter().find(|manual| manual.command == command);
            let manual = manual.unwrap_or_else(|| panic!("{command} has no examples"));
            assert!(!manual.examples.is_empty(), "{command}");
            let codes: Vec<u8> = manual.exit_codes.iter().map(|(code, _)| *code).collect();
            assert_eq!(codes, [0, 1, 2], "{command}");
        }
        for Manual { command, .. } in TABLE {
            assert!(commands.iter().any(|known| known == command), "{command} does not exist");
        }
    }

    #[test]
    fn every_option_is_explained_in_a_line() {
        fn look(command: &Command) {
            for argument in command.get_arguments().filter(|argument| argument.get_id() != "help") {
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                assert!(help.len() > 10, "{} {}", command.get_name(), argument.get_id());
            }
            command.get_subcommands().for_each(look);
        }
        look(&Cli::command());
    }

    #[test]
    fn lines_of_help_fit_a_terminal() {
        for manual in TABLE {
            let longest = help(manual).to_string().lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(96), "{}: {longest:?}", manual.command);
        }
    }
}
