//! What an operator may say about who may ask.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::paging::{PublicUrl, SigningKeys};

/// Section `access`: who may ask.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AccessSettings {
    /// How callers show that they may.
    pub mode: AccessMode,
    /// Keys that sign addresses: the first signs, all verify.
    #[serde(deserialize_with = "secrets", skip_serializing)]
    pub keys: Vec<SecretString>,
    /// Tokens that are good.
    #[serde(deserialize_with = "secrets", skip_serializing)]
    pub tokens: Vec<SecretString>,
    /// Lets `open` mode listen beyond loopback: whoever reaches the port can make the gateway
    /// fetch. For a private network, or a proxy in front that decides who may ask.
    pub dangerously_open_beyond_loopback: bool,
}

/// How callers show that they may ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessMode {
    /// They need not.
    #[default]
    Open,
    /// By a bearer token.
    Token,
    /// By a signature in the address, or a bearer token.
    Signed,
}

impl AccessSettings {
    /// Every secret of the section, under its full key.
    #[must_use]
    pub fn secrets(&self) -> [(&'static str, &[SecretString]); 2] {
        [("access.keys", &self.keys), ("access.tokens", &self.tokens)]
    }

    /// The keys, ready to sign with.
    #[must_use]
    pub fn signing_keys(&self) -> Option<SigningKeys> {
        SigningKeys::new(self.keys.iter().map(|key| key.expose_secret().as_bytes()))
    }

    /// The public URL as this section has it: its addresses are signed in the mode `signed`.
    #[must_use]
    pub fn public_url(&self, base: &str) -> PublicUrl {
        let public_url = PublicUrl::new(base);
        match (self.mode, self.signing_keys()) {
            (AccessMode::Signed, Some(keys)) => public_url.signing(keys),
            (AccessMode::Open | AccessMode::Token | AccessMode::Signed, _) => public_url,
        }
    }

    /// Whether a token could not stand in an `Authorization` header (RFC 6750 2.1).
    pub(crate) fn has_unsendable_token(&self) -> bool {
        let is_sendable = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
        !self.tokens.iter().all(|token| token.expose_secret().bytes().all(is_sendable))
    }

    /// What works, and is hardly what was meant: sentences for the log at the start.
    pub fn doubts(&self) -> impl Iterator<Item = String> {
        let is_weak = |secrets: &[SecretString]| {
            secrets.iter().any(|secret| secret.expose_secret().len() < STRONG_BYTES)
        };
        let weak = self.secrets().into_iter().filter(|(_, secrets)| is_weak(secrets));
        let weak: Vec<String> = weak
            .map(|(key, _)| format!("{key} holds one so short that it can be guessed"))
            .collect();
        let is_unasked = self.mode == AccessMode::Open && !self.tokens.is_empty();
        let unasked = is_unasked.then(|| {
            "access.tokens are set, but access.mode is open, so nobody is asked for one".to_owned()
        });
        let is_unsigned = self.mode != AccessMode::Signed && !self.keys.is_empty();
        let unsigned = is_unsigned.then(|| {
            "access.keys are set, but access.mode is not signed, so no address needs a signature"
                .to_owned()
        });
        let is_closed = self.mode != AccessMode::Open && self.dangerously_open_beyond_loopback;
        let closed = is_closed.then(|| {
            "access.dangerously_open_beyond_loopback is true, but access.mode is not open, so it \
             opens nothing"
                .to_owned()
        });
        weak.into_iter().chain(unasked).chain(unsigned).chain(closed)
    }
}

/// A secret of as many hexadecimal digits has 128 bits.
const STRONG_BYTES: usize = 32;

/// Reads a list, or a text with commas or lines. Says nothing of what stands there when it is
/// wrong.
fn secrets<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<SecretString>, D::Error> {
    let hidden = Unexpected::Other("something else");
    source.deserialize_any(Secrets).map_err(|_| D::Error::invalid_type(hidden, &EXPECTED))
}

const EXPECTED: &str = "a list of texts, or one text with commas";

struct Secrets;

impl<'de> Visitor<'de> for Secrets {
    type Value = Vec<SecretString>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        let secrets = text.split([',', '\n']).map(str::trim).filter(|secret| !secret.is_empty());
        Ok(secrets.map(SecretString::from).collect())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut secrets = Vec::new();
        while let Some(secret) = seq.next_element::<String>()? {
            secrets.push(secret);
        }
        let empty = secrets.iter().any(|secret| secret.trim().is_empty());
        if empty {
            return Err(A::Error::custom(EXPECTED));
        }
        Ok(secrets.into_iter().map(SecretString::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<AccessSettings, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    fn tokens(json: &str) -> Vec<String> {
        let tokens = read(json).unwrap().tokens;
        tokens.iter().map(|token| token.expose_secret().to_owned()).collect()
    }

    #[test]
    fn secrets_are_a_list_or_a_text_with_commas_or_lines() {
        for json in [
            r#"{"tokens": ["a", "007"]}"#,
            r#"{"tokens": "a, 007,"}"#,
            r#"{"tokens": "a\r\n007\n"}"#,
        ] {
            assert_eq!(tokens(json), ["a", "007"], "{json}");
        }
        assert!(tokens(r#"{"tokens": ""}"#).is_empty());
    }

    #[test]
    fn a_secret_that_cannot_be_read_is_not_quoted() {
        for json in [
            r#"{"keys": 31337}"#,
            r#"{"keys": [31337]}"#,
            r#"{"keys": {"31337": 1}}"#,
            r#"{"tokens": ["31337", ""]}"#,
        ] {
            let error = read(json).unwrap_err();
            assert!(error.contains("list of texts") && !error.contains("31337"), "{error}");
        }
    }

    #[test]
    fn weak_secrets_and_tokens_that_nobody_is_asked_for_are_told() {
        let doubts = |json: &str| read(json).unwrap().doubts().collect::<Vec<_>>().join("\n");
        let strong = "0123456789abcdef0123456789abcdef";
        let token = |rest: &str| format!(r#"{{"mode": "token", "tokens": "{strong}"{rest}}}"#);
        assert_eq!(doubts(&token("")), "");
        assert!(doubts(&token(r#", "keys": "a""#)).starts_with("access.keys holds one so short"));
        let open = doubts(&format!(r#"{{"tokens": "{strong},b"}}"#));
        assert!(open.starts_with("access.tokens holds one so short"), "{open}");
        assert!(open.ends_with("nobody is asked for one"), "{open}");
    }

    #[test]
    fn a_token_can_stand_in_a_header() {
        assert!(!read(r#"{"tokens": "aZ0-._~+/="}"#).unwrap().has_unsendable_token());
        assert!(read(r#"{"tokens": ["a", "b c"]}"#).unwrap().has_unsendable_token());
    }
}
