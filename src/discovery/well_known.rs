//! Where a host keeps its own manifest (MMSP 9.1).

use crate::model::SourceUrl;

/// The address to ask before the page's own links, which is there for the root of a host only: on
/// a shared host the well-known file speaks for the host and not for `/~someone/` (a deviation
/// from MMSP 9.3). Always `https`, as MMSP 11 wants it.
#[must_use]
pub fn well_known(page: &SourceUrl) -> Option<SourceUrl> {
    let is_root = page.url().path() == "/" && page.url().query().is_none();
    is_root.then(|| page.upgraded()).flatten()?.join(WELL_KNOWN_PATH).ok()
}

/// The path of a site's own manifest (MMSP 9.1).
pub const WELL_KNOWN_PATH: &str = "/.well-known/mmsp.json";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_root_of_a_host_has_one() {
        for (page, want) in [
            ("https://a.example/", Some("https://a.example/.well-known/mmsp.json")),
            ("http://a.example", Some("https://a.example/.well-known/mmsp.json")),
            ("https://a.example:8443/", Some("https://a.example:8443/.well-known/mmsp.json")),
            ("http://a.example:8080/", None),
            ("https://a.example/~someone/", None),
            ("https://a.example/?p=1", None),
        ] {
            let found = well_known(&SourceUrl::parse(page).unwrap());
            assert_eq!(found.as_ref().map(SourceUrl::as_str), want, "{page}");
        }
    }
}
