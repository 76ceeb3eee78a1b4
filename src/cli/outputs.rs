//! Where the manifests of several inputs go: a file each, named after its input.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::document::DocumentError;
use super::inputs::MANIFEST;
use super::web;

/// The file for each input, in their order; no two share one.
pub(super) fn plan(inputs: &[String], folder: &Path) -> Result<Vec<PathBuf>, DocumentError> {
    let mut taken: HashMap<PathBuf, &String> = HashMap::new();
    let mut outputs = Vec::new();
    for input in inputs {
        let output = folder.join(format!("{}{MANIFEST}", stem(input)));
        if let Some(first) = taken.insert(output.clone(), input) {
            return Err(DocumentError::SameOutput(first.clone(), input.clone(), output));
        }
        outputs.push(output);
    }
    Ok(outputs)
}

/// The name of a file stays; that of an address is made of what any file system takes.
fn stem(input: &str) -> String {
    if input == "-" {
        return "stdin".to_owned();
    }
    if !web::is_address(input) {
        let name = Path::new(input).file_name().unwrap_or_default();
        return name.to_string_lossy().into_owned();
    }
    let address = input.split_once(':').map_or(input, |(_, rest)| rest);
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-');
    let parts = address.split(|letter| !plain(letter)).filter(|part| !part.is_empty());
    let name = parts.collect::<Vec<_>>().join("_");
    name.trim_start_matches('.').chars().take(LONGEST_STEM).collect()
}

/// In letters; most file systems take names of 255 bytes.
const LONGEST_STEM: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_made_of_addresses_are_safe() {
        for (input, name) in [
            ("https://example.org/a/feed.xml", "example.org_a_feed.xml"),
            ("https://example.org/../../etc/x?a=1&b=/c#d", "example.org_.._.._etc_x_a_1_b_c_d"),
            ("feed:example.org/", "example.org"),
            ("http://[::1]:80/", "1_80"),
            ("https://../x", "_x"),
            ("a/b/feed.xml", "feed.xml"),
            ("-", "stdin"),
        ] {
            assert_eq!(stem(input), name, "{input}");
        }
        let long = format!("https://example.org/{}", "a".repeat(1_000));
        assert_eq!(stem(&long).len(), LONGEST_STEM);
    }

    #[test]
    fn two_inputs_of_one_name_are_refused() {
        let inputs = ["a/feed.xml", "b/feed.xml"].map(str::to_owned);
        let error = plan(&inputs, Path::new("out")).unwrap_err().to_string();
        let want = "a/feed.xml and b/feed.xml would both be written to out/feed.xml.mmsp.json";
        assert_eq!(error, want);
    }
}
