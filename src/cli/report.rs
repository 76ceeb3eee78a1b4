//! The report of `convert`: a JSON object for an input, one a line for several.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::document::DocumentError;
use crate::convert::{Conversion, Fate, Remark};
use crate::model::SourceUrl;

/// A report file, written as the inputs are done.
pub(super) struct ReportFile {
    path: PathBuf,
    out: RefCell<Box<dyn Write>>,
}

impl ReportFile {
    /// Makes the file, or empties it; `-` is standard output.
    pub(super) fn create(path: &Path) -> Result<Self, DocumentError> {
        let out: Box<dyn Write> = if path == Path::new("-") {
            Box::new(io::stdout())
        } else {
            let file = File::create(path).map_err(|error| DocumentError::of_file(path, error))?;
            Box::new(BufWriter::new(file))
        };
        Ok(Self { path: path.to_owned(), out: RefCell::new(out) })
    }

    /// Adds what became of an input, with its name and its manifest's where there may be several.
    pub(super) fn add(
        &self,
        names: Option<(&str, &Path)>,
        result: &Result<(SourceUrl, Conversion), DocumentError>,
    ) -> Result<(), DocumentError> {
        let mut line = Map::new();
        if let Some((input, output)) = names {
            line.insert("input".to_owned(), input.into());
            let output = result.is_ok().then(|| output.display().to_string());
            line.extend(output.map(|output| ("output".to_owned(), output.into())));
        }
        match result {
            Ok((_, conversion)) => {
                if let Ok(Value::Object(report)) = serde_json::to_value(&conversion.report) {
                    line.extend(report);
                }
            }
            Err(error) => {
                let problem = error.problem().map(|problem| problem.json());
                line.insert("problem".to_owned(), problem.unwrap_or_default());
                line.insert("error".to_owned(), error.to_string().into());
            }
        }
        let mut out = self.out.borrow_mut();
        let written = writeln!(out, "{}", Value::Object(line)).and_then(|()| out.flush());
        match written {
            // Who has read enough of the report still wants the manifests.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|error| DocumentError::of_file(&self.path, error)),
        }
    }
}

/// A remark on an input as a line for its publisher.
pub(super) fn told(input: &str, remark: &Remark) -> String {
    format!("{input}: {}", said(remark))
}

/// A remark in one sentence, and what to do in another.
pub(super) fn said(remark: &Remark) -> String {
    let fate = match remark.fate {
        Fate::Skipped => "skipped",
        Fate::Dropped => "dropped",
        Fate::Mended => "mended",
    };
    let times = if remark.count > 1 { format!("{} times", remark.count) } else { String::new() };
    let places = remark.place().unwrap_or_default();
    let where_and_how_often = match (times.is_empty(), places.is_empty()) {
        (true, true) => String::new(),
        (false, false) => format!(" ({times}, {places})"),
        _ => format!(" ({times}{places})"),
    };
    format!("{fate}: {}{where_and_how_often}. To do: {}.", remark.what, remark.advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_says_what_where_how_often_and_what_to_do() {
        let mut remark = Remark {
            fate: Fate::Mended,
            what: "an item has no title; made",
            advice: "give it one",
            count: 3,
            positions: vec![2, 5],
        };
        assert_eq!(
            told("feed.xml", &remark),
            "feed.xml: mended: an item has no title; made (3 times, first in entry 3). \
             To do: give it one."
        );
        remark.count = 1;
        remark.positions = vec![0];
        assert_eq!(
            said(&remark),
            "mended: an item has no title; made (in entry 1). To do: give it one."
        );
        remark.positions.clear();
        assert_eq!(said(&remark), "mended: an item has no title; made. To do: give it one.");
    }
}
