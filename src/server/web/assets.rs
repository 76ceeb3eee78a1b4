//! The files that the page loads, built in. Their names tell their content, so that browsers may
//! keep them for good.

use std::fmt::Write as _;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::paging::Coding;

/// Every file.
#[derive(Debug)]
pub(crate) struct Assets {
    pub(super) style: Asset,
    pub(super) script: Asset,
    pub(super) icon: Asset,
}

/// A file, with its coded forms.
#[derive(Debug)]
pub(crate) struct Asset {
    /// Its address beside the page's own: `assets/NAME`.
    pub(super) path: String,
    /// Its media type.
    pub(crate) media_type: &'static str,
    body: Bytes,
    coded: [Option<Bytes>; Coding::ALL.len()],
}

impl Assets {
    pub(crate) fn new() -> Self {
        let style = include_bytes!("assets/page.css");
        let script = include_bytes!("assets/page.js");
        let icon = include_bytes!("assets/icon.svg");
        Self {
            style: Asset::new("page", "css", "text/css; charset=utf-8", style),
            script: Asset::new("page", "js", "text/javascript; charset=utf-8", script),
            icon: Asset::new("icon", "svg", "image/svg+xml", icon),
        }
    }

    /// The file of that name, as it is today.
    pub(crate) fn find(&self, name: &str) -> Option<&Asset> {
        let all = [&self.style, &self.script, &self.icon];
        all.into_iter().find(|asset| asset.path.strip_prefix(FOLDER) == Some(name))
    }
}

impl Asset {
    fn new(stem: &str, ending: &str, media_type: &'static str, body: &'static [u8]) -> Self {
        let mut path = format!("{FOLDER}{stem}-");
        for byte in Sha256::digest(body).iter().take(HASH_BYTES) {
            // Writing to a string cannot fail.
            let _ = write!(path, "{byte:02x}");
        }
        let _ = write!(path, ".{ending}");
        let coded = Coding::ALL.map(|coding| coding.encode(body));
        Self { path, media_type, body: Bytes::from_static(body), coded }
    }

    /// Its bytes in that coding, or as they are where it does not make them fewer.
    pub(crate) fn body(&self, coding: Option<Coding>) -> (Bytes, Option<Coding>) {
        let coded = coding.and_then(|coding| self.coded.get(coding as usize)?.clone());
        match coded {
            Some(coded) => (coded, coding),
            None => (self.body.clone(), None),
        }
    }
}

const FOLDER: &str = "assets/";
/// As much of a digest as keeps two versions of a file apart.
const HASH_BYTES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_by_a_name_that_tells_its_content() {
        let assets = Assets::new();
        for asset in [&assets.style, &assets.script, &assets.icon] {
            let name = asset.path.strip_prefix("assets/").unwrap();
            assert_eq!(assets.find(name).unwrap().body(None), (asset.body.clone(), None));
        }
        assert!(assets.find("page.css").is_none());
        let (coded, coding) = assets.style.body(Some(Coding::Gzip));
        assert_eq!(coding, Some(Coding::Gzip));
        assert!(coded.len() * 2 < assets.style.body.len());
    }
}
