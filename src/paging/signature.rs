//! Signatures over a source's address: whoever has one may ask for that feed, and for no other.
//!
//! HMAC-SHA-256 over the cleaned URL, in base64url without padding (RFC 2104, RFC 4648 5). `limit`
//! and `cursor` are no part of it, so all pages of a feed carry the same one.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::digest::KeyInit;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use subtle::{Choice, ConstantTimeEq};

use crate::model::SourceUrl;

/// Keys in force at one time, for a change of keys without broken subscriptions: the first signs,
/// all verify.
#[derive(Clone)]
pub struct SigningKeys {
    first: Hmac<Sha256>,
    others: Vec<Hmac<Sha256>>,
}

impl SigningKeys {
    /// Takes keys of any length. None where there are none.
    pub fn new<'a>(keys: impl IntoIterator<Item = &'a [u8]>) -> Option<Self> {
        // HMAC takes keys of any length, so none is lost here.
        let mut keys = keys.into_iter().filter_map(|key| Hmac::new_from_slice(key).ok());
        Some(Self { first: keys.next()?, others: keys.collect() })
    }

    /// The key that signs, without anything of the key.
    #[must_use]
    pub fn signer(&self) -> SignerId {
        let mut id = [0; 8];
        let mac = self.first.clone().chain_update(SIGNER).finalize().into_bytes();
        id.iter_mut().zip(mac).for_each(|(to, from)| *to = from);
        SignerId(id)
    }

    /// Signs an address with the first key.
    #[must_use]
    pub fn sign(&self, source: &SourceUrl) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(mac(&self.first, source))
    }

    /// Whether a signature is one of any key for that address. Takes the same time wherever it is
    /// wrong, and whichever key it is of.
    #[must_use]
    pub fn verify(&self, source: &SourceUrl, signature: &str) -> bool {
        let Ok(signature) = BASE64_URL_SAFE_NO_PAD.decode(signature) else { return false };
        let keys = std::iter::once(&self.first).chain(&self.others);
        let is_of = |key| mac(key, source).ct_eq(signature.as_slice());
        keys.fold(Choice::from(0), |found, key| found | is_of(key)).into()
    }
}

/// Tells keys apart: what one has signed is not what another one would have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignerId([u8; 8]);

/// No address begins like this.
const SIGNER: &[u8] = b"which key is this?";

impl fmt::Debug for SigningKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKeys({})", 1 + self.others.len())
    }
}

fn mac(key: &Hmac<Sha256>, source: &SourceUrl) -> Vec<u8> {
    key.clone().chain_update(source.as_str()).finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(keys: &[&str]) -> SigningKeys {
        SigningKeys::new(keys.iter().map(|key| key.as_bytes())).unwrap()
    }

    fn source() -> SourceUrl {
        SourceUrl::parse("Example.com:443/f?a=1&b=\u{e9}#part").unwrap()
    }

    /// Made by Python's `hmac` over `https://example.com/f?a=1&b=%C3%A9`.
    const OF_FIRST: &str = "L-nKSdRpBYVXtH0J8dpU16BxtfHZohnf2EY7vgY2U2c";
    const OF_SECOND: &str = "RzRIszxeTnnBMFSwJjmJtQTjn-3OuWHMDJJMzCT4YMU";

    #[test]
    fn the_cleaned_address_is_signed_by_the_first_key() {
        assert_eq!(keys(&["first-key", "second-key"]).sign(&source()), OF_FIRST);
        assert_eq!(keys(&["second-key", "first-key"]).sign(&source()), OF_SECOND);
    }

    #[test]
    fn the_first_key_is_told_from_others() {
        let [first, second] = [keys(&["first-key", "second-key"]), keys(&["second-key"])];
        assert_eq!(first.signer(), keys(&["first-key"]).signer());
        assert_ne!(first.signer(), second.signer());
    }

    #[test]
    fn every_key_in_force_verifies_and_a_withdrawn_one_does_not() {
        let both = keys(&["second-key", "first-key"]);
        assert!(both.verify(&source(), OF_FIRST));
        assert!(both.verify(&source(), OF_SECOND));
        assert!(!keys(&["second-key"]).verify(&source(), OF_FIRST));
        assert!(keys(&["first-key", "first-key"]).verify(&source(), OF_FIRST), "given twice");
    }

    #[test]
    fn a_signature_is_good_for_one_address_in_one_spelling() {
        let keys = keys(&["first-key"]);
        let other = SourceUrl::parse("https://example.com/f?a=1&b=2").unwrap();
        assert!(!keys.verify(&other, OF_FIRST));
        let with_last = |letter: char| format!("{}{letter}", &OF_FIRST[..OF_FIRST.len() - 1]);
        let spellings = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['-', '_']);
        let good = spellings.filter(|letter| keys.verify(&source(), &with_last(*letter)));
        assert_eq!(good.count(), 1);
        for wrong in ["", "A", &OF_FIRST[1..], &format!("{OF_FIRST}="), &format!("{OF_FIRST}A")] {
            assert!(!keys.verify(&source(), wrong), "{wrong}");
        }
    }

    #[test]
    fn keys_are_never_shown() {
        let keys = keys(&["first-key", "second-key"]);
        assert_eq!(format!("{keys:?}"), "SigningKeys(2)");
        assert!(SigningKeys::new([]).is_none());
    }
}
