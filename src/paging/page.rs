//! A rendered page: the bytes to send and what the headers say of them.

use std::sync::OnceLock;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::{Coding, Manifest};
use crate::model::{HttpsUrl, Timestamp};

/// A manifest ready to be sent, to many callers at once. Coded bodies are made once, when the
/// first caller wants them.
#[derive(Debug)]
pub struct Page {
    /// The document, `application/mmsp+json`.
    pub body: Bytes,
    /// SHA-256 of the body.
    pub digest: [u8; 32],
    /// When the content of this page last changed.
    pub last_modified: Timestamp,
    /// The address of the feed's first page, with the same limit.
    pub feed_url: String,
    /// The address of this page.
    pub self_url: String,
    /// The address of the next older page, exactly where there is one.
    pub next_url: Option<String>,
    /// How many items it has.
    pub items: usize,
    /// Where the feed comes from.
    pub origin: Origin,
    coded: [OnceLock<Option<Bytes>>; Coding::ALL.len()],
}

/// The legacy feed behind a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its address.
    pub url: String,
    /// Its media type, such as `application/rss+xml`.
    pub media_type: String,
    /// The web page that it belongs to.
    pub page_url: Option<HttpsUrl>,
    /// The address of this very page under the feed's own address, where it was asked for by
    /// another one.
    pub manifest_url: Option<String>,
}

impl Page {
    /// Takes a written manifest.
    #[must_use]
    pub fn new(manifest: Manifest, origin: Origin, last_modified: Timestamp) -> Self {
        Self {
            digest: Sha256::digest(&manifest.body).into(),
            body: manifest.body.into(),
            last_modified,
            feed_url: manifest.feed_url,
            self_url: manifest.self_url,
            next_url: manifest.next_url,
            items: manifest.items,
            origin,
            coded: Default::default(),
        }
    }

    /// The body in that coding; none if it cannot be coded, or if coding does not make it smaller.
    ///
    /// The first call does the work, tens of milliseconds for the largest page.
    #[must_use]
    pub fn coded(&self, coding: Coding) -> Option<Bytes> {
        let place = self.coded.get(coding as usize)?;
        place.get_or_init(|| coding.encode(&self.body)).clone()
    }

    /// Whether [`Page::coded`] has done its work for that coding already.
    #[must_use]
    pub fn is_coded(&self, coding: Coding) -> bool {
        self.coded.get(coding as usize).is_some_and(|place| place.get().is_some())
    }

    /// How much memory the page takes, about, all codings counted as made.
    #[must_use]
    pub fn weight_bytes(&self) -> usize {
        let addresses = self.feed_url.len() + self.self_url.len() + self.origin.url.len();
        self.body.len() * 2 + addresses + size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(body: &[u8], address: &str) -> Page {
        let manifest = Manifest {
            body: body.to_vec(),
            feed_url: address.to_owned(),
            self_url: address.to_owned(),
            next_url: None,
            items: 1,
        };
        let origin = Origin {
            url: address.to_owned(),
            media_type: "application/rss+xml".to_owned(),
            page_url: None,
            manifest_url: None,
        };
        Page::new(manifest, origin, Timestamp::EPOCH)
    }

    #[test]
    fn its_weight_is_the_body_coded_and_not_with_what_is_said_of_it() {
        let empty = page(b"", "").weight_bytes();
        assert!(empty >= size_of::<Page>());
        assert_eq!(page(&[b' '; 1_000], "").weight_bytes() - empty, 2_000);
        let address = "a".repeat(1_000);
        assert_eq!(page(b"", &address).weight_bytes() - empty, 3_000);
    }

    #[test]
    fn coded_bodies_are_made_once_and_decode_to_the_body() {
        let body = br#"{"items":["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]}"#;
        let page = page(body, "https://a.example/");
        for coding in Coding::ALL {
            assert!(!page.is_coded(coding));
            let coded = page.coded(coding).unwrap();
            assert!(page.is_coded(coding));
            assert_eq!(Some(&coded), coding.encode(body).as_ref());
            assert!(coded.len() < body.len());
            assert_eq!(coded.as_ptr(), page.coded(coding).unwrap().as_ptr());
        }
    }
}
