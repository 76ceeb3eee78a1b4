//! axe, the judge of accessibility, as npm has it: the version that the lock file pins.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use super::browser::Browser;

/// The violations that axe finds on the page that a browser shows, one a line.
pub fn violations(browser: &Browser) -> Vec<String> {
    browser.run(script());
    let told = browser.run_until_told(
        "const done = arguments[arguments.length - 1];
         axe.run({ resultTypes: ['violations'] }).then(done, error => done(String(error)));",
    );
    let found = told["violations"].as_array().unwrap_or_else(|| panic!("axe failed: {told}"));
    assert!(told["passes"].as_array().is_some_and(|passes| passes.len() > 10), "axe saw nothing");
    found.iter().flat_map(lines).collect()
}

fn lines(violation: &Value) -> Vec<String> {
    let rule = violation["id"].as_str().unwrap_or_default();
    let nodes = violation["nodes"].as_array().unwrap();
    nodes
        .iter()
        .map(|node| format!("{rule}: {} {}", node["html"], node["failureSummary"]))
        .collect()
}

/// The text of `axe.min.js`, fetched once.
fn script() -> &'static str {
    static SCRIPT: OnceLock<String> = OnceLock::new();
    SCRIPT.get_or_init(|| {
        let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/page/axe");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("axe");
        let lock = "package-lock.json";
        let is_current = || {
            let same = fs::read(folder.join(lock)).ok() == fs::read(ours.join(lock)).ok();
            same && folder.join("done").exists()
        };
        if !is_current() {
            fs::create_dir_all(&folder).unwrap();
            for name in ["package.json", lock] {
                fs::copy(ours.join(name), folder.join(name)).unwrap();
            }
            let fetched = Command::new("npm")
                .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
                .current_dir(&folder)
                .status()
                .expect("npm is missing: `./dev test` installs it, or `apt-get install npm`");
            assert!(fetched.success(), "npm does not fetch axe-core");
            fs::write(folder.join("done"), "").unwrap();
        }
        fs::read_to_string(folder.join("node_modules/axe-core/axe.min.js")).unwrap()
    })
}
