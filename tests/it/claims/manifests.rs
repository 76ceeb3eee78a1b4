//! Manifests read back: the check and the reader judge the same document alike.

use mmsp_gateway::manifest::{self, Findings, MAX_BYTES, Severity};

/// The check never panics, says the same twice, keeps its bounds, and rejects no document that the
/// reader takes for native, but for one nested too deeply to be read whole.
pub fn the_check_and_the_reader_agree(bytes: &[u8]) {
    let check = manifest::check(bytes);
    assert_eq!(check, manifest::check(bytes));
    assert!(check.findings.list().len() <= Findings::MAX_LISTED);
    assert!(check.skipped <= check.items);
    assert!(bytes.len() <= MAX_BYTES || !check.is_valid());
    for finding in check.findings.list() {
        assert!(finding.at.len() < 2_000 && finding.what.len() < 2_000, "{finding:?}");
        let printable = |text: &str| !text.chars().any(char::is_control);
        assert!(printable(&finding.at) && printable(&finding.what), "{finding:?}");
    }
    match manifest::read(bytes) {
        Ok(head) => {
            let is_whole = !check
                .findings
                .list()
                .iter()
                .any(|f| f.severity == Severity::Reject && !f.what.contains("not JSON"));
            assert!(is_whole, "{:?}", check.findings.list());
            assert!(check.items == head.items || check.items == 0);
        }
        Err(error) => assert!(check.findings.count(Severity::Reject) > 0, "{error}"),
    }
}
