//! Discovery: what a page or its header offers is an address, a few of them, once each.

use std::collections::HashSet;

use mmsp_gateway::discovery::{self, Candidate, MAX_CANDIDATES, Page};
use mmsp_gateway::model::SourceUrl;

/// `Link` fields, one a line.
pub fn link_fields_give_addresses(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let fields: Vec<String> = text.lines().map(str::to_owned).collect();
    judge(&find(b"", None, &fields));
}

/// A page; its first byte chooses what its header says of it.
pub fn pages_give_addresses(bytes: &[u8]) {
    let Some((&first, body)) = bytes.split_first() else { return };
    let types = ["text/html; charset=shift_jis", "text/html", "application/xhtml+xml"];
    let content_type = types.get(usize::from(first) % 4).copied();
    judge(&find(body, content_type, &[]));
}

fn find(body: &[u8], content_type: Option<&str>, link_fields: &[String]) -> Vec<Candidate> {
    let url = SourceUrl::parse("https://site.example/blog/").unwrap();
    discovery::find(&Page { body, content_type, url: &url, link_fields })
}

fn judge(candidates: &[Candidate]) {
    assert!(candidates.len() <= MAX_CANDIDATES);
    let urls: HashSet<&SourceUrl> = candidates.iter().map(|candidate| &candidate.url).collect();
    assert_eq!(urls.len(), candidates.len());
    for candidate in candidates {
        let again = SourceUrl::parse(candidate.url.as_str());
        assert_eq!(again.as_ref(), Ok(&candidate.url));
        if let Some(title) = &candidate.title {
            assert!(!title.trim().is_empty() && title.chars().count() <= 300);
            assert!(!title.contains('\n'));
        }
    }
}
