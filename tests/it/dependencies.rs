//! What the program is built of: from where, under which licences, and what is never among it.

use std::env;
use std::process::Command;

use serde_json::Value;

/// Licences that ask for no more than their text to be kept.
const LICENCES: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Zlib",
];

/// Packages that do over what is done by another here: TLS is rustls's, by ring.
const BANNED: [&str; 6] =
    ["aws-lc-rs", "aws-lc-sys", "curl", "native-tls", "openssl", "openssl-sys"];

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[test]
fn every_dependency_is_of_the_registry_and_under_a_licence_that_we_can_keep() {
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100);
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_default();
        let source = package["source"].as_str();
        assert!(source.is_none_or(|source| source == REGISTRY), "{name} is from {source:?}");
        assert!(source.is_some() || name == "mmsp-gateway", "{name} has no source");
        assert!(is_kept(licence), "{name} is under {licence:?}");
        assert!(!BANNED.contains(&name), "{name} is among the dependencies");
    }
}

/// Whether an SPDX expression has a choice of licences that are all among ours.
fn is_kept(expression: &str) -> bool {
    let expression = expression.trim();
    for (operator, is_enough) in [(" OR ", true), ("/", true), (" AND ", false)] {
        let parts = split(expression, operator);
        if parts.len() > 1 {
            let mut kept = parts.iter().map(|part| is_kept(part));
            return if is_enough { kept.any(|kept| kept) } else { kept.all(|kept| kept) };
        }
    }
    match expression.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => is_kept(inner),
        None => LICENCES.contains(&expression),
    }
}

/// Splits at an operator that stands outside of brackets.
fn split<'a>(expression: &'a str, operator: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for (at, _) in expression.match_indices(operator) {
        let before = &expression[..at];
        if before.matches('(').count() == before.matches(')').count() {
            parts.push(&expression[begin..at]);
            begin = at + operator.len();
        }
    }
    parts.push(&expression[begin..]);
    parts
}

#[test]
fn licences_are_read_as_spdx_has_them() {
    for (expression, kept) in [
        ("MIT", true),
        ("GPL-3.0-only", false),
        ("", false),
        ("MIT OR GPL-3.0-only", true),
        ("MIT AND GPL-3.0-only", false),
        ("Apache-2.0 / MIT", true),
        ("(MIT OR GPL-3.0-only) AND Unicode-3.0", true),
        ("(MIT AND GPL-3.0-only) OR Zlib", true),
        ("MIT AND (GPL-3.0-only OR AGPL-3.0-only)", false),
    ] {
        assert_eq!(is_kept(expression), kept, "{expression}");
    }
}
