//! Where clients reach the gateway: what all addresses of ours begin with, and how they are signed.

use std::sync::Arc;

use super::{SignerId, SigningKeys};

/// The public URL, and in the mode `signed` the keys. Clones share both.
#[derive(Clone, Debug)]
pub struct PublicUrl {
    base: Arc<str>,
    keys: Option<Arc<SigningKeys>>,
}

impl PublicUrl {
    /// Takes the `https` address that clients know the gateway by, without a path of ours.
    #[must_use]
    pub fn new(base: &str) -> Self {
        Self { base: base.trim_end_matches('/').into(), keys: None }
    }

    /// Has every address of a feed signed.
    #[must_use]
    pub fn signing(self, keys: SigningKeys) -> Self {
        Self { keys: Some(Arc::new(keys)), ..self }
    }

    /// The address, without a slash at its end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.base
    }

    /// The keys, where addresses are signed.
    #[must_use]
    pub fn keys(&self) -> Option<&SigningKeys> {
        self.keys.as_deref()
    }

    /// Whose signatures its addresses have, where they are signed.
    #[must_use]
    pub fn signer(&self) -> Option<SignerId> {
        self.keys.as_deref().map(SigningKeys::signer)
    }
}

impl From<&str> for PublicUrl {
    fn from(base: &str) -> Self {
        Self::new(base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_signer_where_they_are_signed() {
        let keys = SigningKeys::new([&b"key"[..]]).unwrap();
        let signer = keys.signer();
        let url = PublicUrl::new("https://gw.example");
        assert_eq!(url.signer(), None);
        assert_eq!(url.signing(keys).signer(), Some(signer));
    }
}
