//! The inputs of `convert`: folders stand for the files in them, subscription lists for their
//! feeds.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use super::document::DocumentError;
use super::web;
use crate::model::SourceUrl;
use crate::opml;

/// What is to be converted, and the addresses of lists that cannot be.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// Files, addresses, and `-`.
    pub(super) names: Vec<String>,
    pub(super) left: Vec<DocumentError>,
}

impl Inputs {
    /// Looks at what was named.
    pub(super) fn find(named: &[String]) -> Result<Self, DocumentError> {
        let mut inputs = Self::default();
        for name in named {
            let path = Path::new(name);
            if path.is_dir() {
                inputs.names.extend(files(path)?);
            } else if !web::is_address(name) && begins_as_list(path) {
                inputs.add_list(name)?;
            } else {
                inputs.names.push(name.clone());
            }
        }
        Ok(inputs)
    }

    /// Adds the feeds of a list, each once.
    fn add_list(&mut self, name: &str) -> Result<(), DocumentError> {
        let bytes =
            fs::read(name).map_err(|error| DocumentError::of_file(Path::new(name), error))?;
        let outlines = opml::read(&opml::decode(&bytes))
            .map_err(|error| DocumentError::List(name.to_owned(), error))?;
        if outlines.is_empty() {
            return Err(DocumentError::EmptyList(name.to_owned()));
        }
        let mut seen = HashSet::new();
        for outline in outlines {
            match SourceUrl::parse(&outline.url) {
                Ok(url) => {
                    if seen.insert(url.clone()) {
                        self.names.push(url.to_string());
                    }
                }
                Err(error) => {
                    let url = outline.url.escape_debug().to_string();
                    self.left.push(DocumentError::Listed(name.to_owned(), url, error));
                }
            }
        }
        Ok(())
    }
}

/// The files of a folder; not those that an earlier run has written there.
fn files(folder: &Path) -> Result<Vec<String>, DocumentError> {
    let entries = fs::read_dir(folder).map_err(|error| DocumentError::of_file(folder, error))?;
    let mut files: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.path().to_string_lossy().into_owned())
        .filter(|name| !name.ends_with(MANIFEST))
        .collect();
    if files.is_empty() {
        return Err(DocumentError::EmptyFolder(folder.display().to_string()));
    }
    files.sort();
    Ok(files)
}

/// Whether a file looks like a subscription list: no feed has that tag so early.
fn begins_as_list(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    let tag = |window: &[u8]| window.eq_ignore_ascii_case(b"<opml");
    read.is_ok() && opml::decode(&head).as_bytes().windows(5).any(tag)
}

/// What the manifests of several inputs are called after their input's name.
pub(super) const MANIFEST: &str = ".mmsp.json";

const HEAD_BYTES: u64 = 2_048;
