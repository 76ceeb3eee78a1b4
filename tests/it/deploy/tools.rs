//! The tools that judge. `./dev tools` installs them; a test without its tool fails.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A tool of the system, or one that `./dev test` has put beside the target folder's tests.
pub(super) fn tool(name: &str) -> Command {
    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../tools/bin").join(name);
    let system = std::env::var_os("PATH").unwrap_or_default();
    let found = std::iter::once(own)
        .chain(std::env::split_paths(&system).map(|folder| folder.join(name)))
        .find(|path| path.is_file());
    let missing = || panic!("{name} is missing: `./dev tools` installs what the tests need");
    Command::new(found.unwrap_or_else(missing))
}

/// What a tool says that finds nothing wrong.
pub(super) fn good(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{command:?}\n{}", said.join("\n"));
    said.join("\n")
}

/// The built program.
pub(super) fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_mmsp-gateway"))
}
