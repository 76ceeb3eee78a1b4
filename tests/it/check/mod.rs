//! `check`: files by themselves, addresses by how they behave.

mod answers;
mod files;
mod ways;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::origin::Manner;
use crate::support::{Answer, Origin};

fn run(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mmsp-gateway"))
        .arg("check")
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(folder)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn everything() -> Value {
    serde_json::from_str(include_str!("../../../fixtures/manifests/everything.json")).unwrap()
}

/// A publisher on loopback, and what `check` says of its addresses.
struct Bench {
    folder: tempfile::TempDir,
    origin: Origin,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let origin = Origin::start(folder.path());
        Self { folder, origin }
    }

    fn run(&self, url: &str, options: &[&str]) -> Output {
        let arguments: Vec<&str> = options.iter().copied().chain([url]).collect();
        let ca_file = self.origin.ca_file().to_str().unwrap();
        let variables = [
            ("MMSP_GATEWAY__FETCH__ALLOW_NETWORKS", "127.0.0.0/8"),
            ("MMSP_GATEWAY__FETCH__CA_FILE", ca_file),
        ];
        run(self.folder.path(), &arguments, &variables)
    }

    /// The judgement of a path, as JSON.
    fn judge(&self, path: &str, options: &[&str]) -> Value {
        let options: Vec<&str> = options.iter().copied().chain(["--json"]).collect();
        let output = self.run(&self.origin.url(path), &options);
        let judgement: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
        let code = if judgement["good"] == true { 0 } else { 1 };
        assert_eq!(output.status.code(), Some(code), "{judgement:#}");
        judgement
    }

    /// The findings of a path, as `severity clause`.
    fn findings(&self, path: &str) -> Vec<String> {
        brief(&self.judge(path, &[]))
    }

    /// A page of items by their day in June, with the path of the page behind it.
    fn page(&self, path: &str, days: &[u32], next: Option<&str>) -> Value {
        let items: Vec<Value> = days
            .iter()
            .map(|day| {
                json!({
                    "id": format!("urn:x:{day}"), "type": "article", "title": "A",
                    "url": "https://a.example/1", "published": format!("2026-06-{day:02}T00:00:00Z"),
                })
            })
            .collect();
        let mut manifest = json!({
            "mmsp": "1.0", "id": "urn:x", "title": "A", "feed_url": self.origin.url("/mmsp.json"),
            "capabilities": ["conditional-get", "pagination"],
            "pagination": { "cursor": path, "has_more": next.is_some() }, "items": items,
        });
        if let Some(next) = next {
            manifest["next_url"] = json!(self.origin.url(next));
        }
        manifest
    }

    fn set(&self, path: &str, manifest: &Value) {
        self.origin.set(path, good(manifest));
    }
}

fn brief(judgement: &Value) -> Vec<String> {
    let findings = judgement["findings"].as_array().unwrap();
    let brief = |f: &Value| {
        format!("{} {}", f["severity"].as_str().unwrap(), f["clause"].as_str().unwrap())
    };
    findings.iter().map(brief).collect()
}

/// An answer with which nothing is wrong.
fn good(manifest: &Value) -> Answer {
    unvalidated(manifest)
        .header("ETag", "\"1\"")
        .header("Last-Modified", "Tue, 02 Jun 2026 10:00:00 GMT")
        .manner(Manner::Validating)
}

fn unvalidated(manifest: &Value) -> Answer {
    Answer::status(200)
        .header("Content-Type", "application/mmsp+json")
        .header("Cache-Control", "max-age=300")
        .header("Date", "Tue, 02 Jun 2026 11:00:00 GMT")
        .body(manifest.to_string())
}
