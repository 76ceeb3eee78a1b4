//! Feeds that others collected, where there are some: every document below a folder.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use super::Sample;

/// The folder that `MMSP_CORPUS` names, or `../shared/corpus` beside the project; none where neither
/// is there.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let folder = env::var_os("MMSP_CORPUS").map_or(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// The documents of a folder that look like feeds by their names, in the order of their names.
///
/// # Errors
/// The folder cannot be read.
pub fn corpus(folder: &Path) -> io::Result<Vec<Sample>> {
    let mut samples = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if is_feed(&path) {
                let name = path.strip_prefix(folder).unwrap_or(&path);
                samples.push(Sample {
                    name: name.display().to_string(),
                    body: fs::read(&path)?,
                    content_type: "application/xml",
                });
            }
        }
    }
    samples.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(samples)
}

fn is_feed(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| matches!(extension, "xml" | "rss" | "atom" | "rdf"))
}
