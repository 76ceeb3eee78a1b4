//! `man`: the man pages, made of the same words as the help.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};

use super::{Example, Manual, TABLE};
use crate::cli::{FAILED, Unwritten, print, say};

/// `man [--out DIR]`
#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// The folder for a page of each command, made where it is missing; else the program's page
    /// goes to standard output.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Writes the page of the program, or all pages into a folder.
pub(in crate::cli) fn run(arguments: &Arguments, program: Command) -> ExitCode {
    let pages = match pages(program) {
        Ok(pages) => pages,
        Err(error) => return ExitCode::from(Unwritten(error).told()),
    };
    let Some(folder) = &arguments.out else {
        let page = pages.first().map(|(_, page)| page.as_slice()).unwrap_or_default();
        return Unwritten::code_of(print(page));
    };
    match write_all(folder, &pages) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{}: {error}", folder.display()));
            ExitCode::from(FAILED)
        }
    }
}

fn write_all(folder: &Path, pages: &[(String, Vec<u8>)]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    pages.iter().try_for_each(|(name, page)| fs::write(folder.join(name), page))
}

/// The name of each page and the page, the program's first.
fn pages(mut program: Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    program.build();
    TABLE
        .iter()
        .map(|manual| {
            let mut path = manual.command.split_whitespace();
            let command = path.try_fold(&program, |command, name| command.find_subcommand(name));
            let command = command.ok_or(io::ErrorKind::NotFound)?;
            let name = ["mmsp-gateway", manual.command].join(" ");
            let name = name.trim_end().replace(' ', "-");
            Ok((format!("{name}.1"), page(command.clone(), &name, manual)?))
        })
        .collect()
}

fn page(command: Command, name: &str, manual: &Manual) -> io::Result<Vec<u8>> {
    let version = env!("CARGO_PKG_VERSION");
    let inner = commands(&command, name);
    let man = Man::new(command.version(version))
        .title(name)
        .section("1")
        .date(REVISED)
        .source(format!("mmsp-gateway {version}"))
        .manual("mmsp-gateway");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    inner.to_writer(&mut page)?;
    sections(manual).to_writer(&mut page)?;
    Ok(page)
}

/// The commands of a command, each with its page; clap's own would name one of `help`, which has
/// none.
fn commands(command: &Command, name: &str) -> Roff {
    let mut roff = Roff::default();
    let inner = command.get_subcommands().filter(|inner| inner.get_name() != "help");
    for (place, inner) in inner.enumerate() {
        if place == 0 {
            roff.control("SH", ["COMMANDS"]);
        }
        let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
        item(&mut roff, bold(format!("{name}-{}(1)", inner.get_name())), &about);
    }
    roff
}

/// What the table says, and where settings come from.
fn sections(manual: &Manual) -> Roff {
    let mut roff = Roff::default();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in manual.exit_codes {
        item(&mut roff, bold(code.to_string()), meaning);
    }
    roff.control("SH", ["EXAMPLES"]);
    for Example { line, does } in manual.examples {
        item(&mut roff, roman(format!("{does}:")), line);
    }
    roff.control("SH", ["ENVIRONMENT"]);
    let variable = bold("MMSP_GATEWAY__SECTION__KEY");
    item(
        &mut roff,
        variable,
        "The setting section.key, over what files say; lists parted by commas. config/default.toml is \
         the list of all settings.",
    );
    item(&mut roff, bold("NO_COLOR, CLICOLOR, CLICOLOR_FORCE"), "Whether terminals get colours.");
    if manual.command.is_empty() {
        roff.control("SH", ["SEE ALSO"]);
        let others = TABLE.iter().filter(|other| !other.command.is_empty());
        let name = |other: &Manual| format!("mmsp-gateway-{}(1)", other.command.replace(' ', "-"));
        roff.text([roman(others.map(name).collect::<Vec<_>>().join(", "))]);
    }
    roff
}

/// When these words were last gone over: pages bear a date, and a build has none.
const REVISED: &str = "2026-12-01";

fn item(roff: &mut Roff, tag: Inline, text: &str) {
    roff.control("TP", []).text([tag]).text([roman(text)]);
}
