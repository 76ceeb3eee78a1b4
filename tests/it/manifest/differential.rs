//! Ours and theirs over thousands of changed manifests: what one calls valid the other does too,
//! but for the differences that are listed here with their reasons.
//!
//! Theirs is `validate_manifest.py` with the protocol's schemas, beside the project. Where that
//! or its Python packages are missing there is nothing to compare with.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mmsp_gateway::manifest::{self, Severity};
use serde_json::Value;

use super::changes;

/// Where we find fault and they do not, by clause and the end of the place.
const STRICTER: [(&str, &str); 5] = [
    // "Only valid for livestream type" (6.2): the schema cannot say it.
    ("6.2", "live_status"),
    ("6.2", "scheduled_start"),
    // A page that names itself as the next one.
    ("5.5.3", "next_url"),
    // Reserved for a later revision.
    ("12.5", "signature"),
    // A feed of which clients skip every item.
    ("6.15", "items"),
];

/// Where they find fault and we only advise: the draft orders pages, not the items of one.
const MILDER: &str = "newer than the item before it";

/// The folder beside the project, or beside the folder of its work trees.
fn shared() -> Option<PathBuf> {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1).take(2);
    let mut folders = folders.map(|folder| folder.join("shared/mmsp"));
    folders.find(|folder| folder.join("validate_manifest.py").exists())
}

/// Whether the validator and the packages that it needs are here.
fn runs_here() -> Option<PathBuf> {
    let folder = shared()?;
    let needs = "import jsonschema, referencing, rfc3986_validator, rfc3339_validator";
    let status = Command::new("python3").args(["-c", needs]).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success()).then_some(folder)
}

/// What the protocol's validator says to each text; none where it cannot run here.
fn theirs(texts: &[String]) -> Option<Vec<Vec<String>>> {
    const DRIVER: &str = "import sys, json, pathlib\n\
        sys.dont_write_bytecode = True\n\
        sys.path.insert(0, sys.argv[1])\n\
        import validate_manifest as v\n\
        for line in sys.stdin:\n\
        \x20   try:\n\
        \x20       doc, dup = v.load_strict(json.loads(line).encode('utf-8', 'surrogatepass'))\n\
        \x20       out = v.validate(doc)\n\
        \x20       try:\n\
        \x20           out += v.semantic(doc, dup) if isinstance(doc, dict) else []\n\
        \x20       except TypeError:\n\
        \x20           assert out, 'it trips over what its schema lets through'\n\
        \x20   except (ValueError, RecursionError) as error:\n\
        \x20       out = [str(error)]\n\
        \x20   print(json.dumps(out))\n";
    let folder = runs_here()?;
    let mut child = Command::new("python3")
        .args(["-c", DRIVER, folder.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines: String =
        texts.iter().map(|text| format!("{}\n", Value::from(text.as_str()))).collect();
    let writing = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Vec<String>> =
        said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), texts.len());
    Some(answers)
}

/// Compares the two on each text; gives the differences that nobody listed.
fn compare(texts: &[String]) -> Option<Vec<String>> {
    let answers = theirs(texts)?;
    let mut differences = Vec::new();
    for (text, theirs) in texts.iter().zip(answers) {
        let check = manifest::check(text.as_bytes());
        let ours: Vec<_> =
            check.findings.list().iter().filter(|f| f.severity != Severity::Advice).collect();
        let is_listed = |f: &&manifest::Finding| {
            STRICTER.iter().any(|(clause, end)| f.clause == *clause && f.at.ends_with(end))
        };
        let is_valid_to_them = theirs.iter().all(|line| line.contains(MILDER));
        let do_agree = if is_valid_to_them { ours.iter().all(is_listed) } else { !ours.is_empty() };
        if !do_agree {
            differences.push(format!("theirs {theirs:?}\nours {ours:?}\n{text}"));
        }
        assert_eq!(check.is_valid(), ours.is_empty());
    }
    Some(differences)
}

fn all_agree(texts: &[String]) {
    let Some(differences) = compare(texts) else { return };
    let shown = differences.iter().take(20).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(differences.is_empty(), "{} differences\n{shown}", differences.len());
}

#[test]
fn every_value_in_every_place_is_judged_as_the_protocols_validator_judges_it() {
    let (feed, item) = changes::halves();
    let mut texts = BTreeSet::from([changes::everything().to_string()]);
    let values = changes::values();
    for base in [feed, item] {
        for place in changes::places(&base) {
            texts.insert(changes::removed(&base, &place).to_string());
            let is_text = base.pointer(&place).unwrap().is_string();
            // Of texts in the place of anything else some are enough.
            for value in
                values.iter().filter(|value| is_text || !value.is_string() || value == &"x")
            {
                texts.insert(changes::replaced(&base, &place, value.clone()).to_string());
            }
        }
    }
    assert!(texts.len() > 5_000, "{}", texts.len());
    all_agree(&texts.into_iter().collect::<Vec<_>>());
}

#[test]
fn manifests_of_ours_and_texts_that_are_none_are_judged_alike() {
    let mut texts: Vec<String> = [
        "",
        "[]",
        "1",
        "null",
        "{",
        "{}",
        "{} {}",
        "\u{feff}{}",
        "NaN",
        "{\"mmsp\": NaN}",
        "{\"mmsp\":\"1.0\",}",
        "// x\n{}",
        "{'a':1}",
        "{\"a\":1,\"a\":1}",
    ]
    .map(str::to_owned)
    .to_vec();
    let base = changes::everything().to_string();
    texts.push(base.replacen("\"id\"", "\"id\":\"urn:y\",\"id\"", 1));
    texts.push(base.replacen("\"urn:item:1\"", "\"urn:item:2\"", 1));
    texts.push(base.replacen("2026-06-01", "2026-06-09", 1));
    texts.push(base.replacen("{", "{\"surprise\":{\"a\":[1]},", 1));
    for kind in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/feeds")).unwrap()
    {
        for file in fs::read_dir(kind.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.to_string_lossy().ends_with(".mmsp.json") {
                texts.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    all_agree(&texts);
}

#[test]
fn the_protocols_own_examples_pass() {
    let Some(folder) = shared() else { return };
    for name in ["minimal-feed.json", "full-feed.json"] {
        let check = manifest::check(&fs::read(folder.join(name)).unwrap());
        assert!(check.is_valid(), "{name}: {:?}", check.findings);
    }
}

#[test]
fn every_manifest_of_the_fixtures_is_valid_by_our_own_check() {
    let mut seen = 0;
    for kind in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/feeds")).unwrap()
    {
        for file in fs::read_dir(kind.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.to_string_lossy().ends_with(".mmsp.json") {
                let check = manifest::check(&fs::read(&path).unwrap());
                assert!(check.is_valid(), "{}: {:?}", path.display(), check.findings.list());
                seen += 1;
            }
        }
    }
    assert!(seen > 50);
}
