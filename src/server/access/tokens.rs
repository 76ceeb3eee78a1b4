//! Bearer tokens (RFC 6750), kept as digests and compared in constant time.

use std::fmt;

use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

/// The tokens that are good.
#[derive(Clone)]
pub(super) struct Tokens(Vec<[u8; 32]>);

/// What a request brings along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presented {
    None,
    Good,
    Bad,
}

impl Tokens {
    pub(super) fn new<'a>(tokens: impl Iterator<Item = &'a SecretString>) -> Self {
        Self(tokens.map(|token| digest(token.expose_secret().as_bytes())).collect())
    }

    /// Looks at the token of a request. Two of them are none that is good.
    pub(super) fn look_at(&self, headers: &HeaderMap) -> Presented {
        let mut values = headers.get_all(AUTHORIZATION);
        let (value, second) = (values.next(), values.next());
        let Some(value) = value else { return Presented::None };
        let token = bearer(value.as_bytes()).filter(|_| second.is_none());
        if token.is_some_and(|token| self.has(token)) { Presented::Good } else { Presented::Bad }
    }

    /// All are compared, by their digests: the time tells neither which nor how much was right.
    fn has(&self, token: &[u8]) -> bool {
        let token = digest(token);
        let is_found = |found: Choice, known: &[u8; 32]| found | known.ct_eq(&token);
        self.0.iter().fold(Choice::from(0), is_found).into()
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokens({})", self.0.len())
    }
}

fn digest(token: &[u8]) -> [u8; 32] {
    Sha256::digest(token).into()
}

/// The token behind the scheme, which is read in any case (RFC 9110 11.1).
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(SCHEME.len())?;
    let token = token.trim_ascii();
    (scheme.eq_ignore_ascii_case(SCHEME) && !token.is_empty()).then_some(token)
}

const SCHEME: &[u8] = b"Bearer ";

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn check(values: &[&'static str]) -> Presented {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_static(value));
        }
        let tokens: [SecretString; 2] = ["sesame".into(), "other".into()];
        Tokens::new(tokens.iter()).look_at(&headers)
    }

    #[test]
    fn a_token_stands_alone_behind_its_scheme() {
        assert_eq!(check(&[]), Presented::None);
        for good in ["Bearer sesame", "bearer sesame", "BEARER  other "] {
            assert_eq!(check(&[good]), Presented::Good, "{good}");
        }
        for bad in ["", "Bearer", "Bearer ", "sesame", "Basic sesame", "Bearer sesame other"] {
            assert_eq!(check(&[bad]), Presented::Bad, "{bad}");
        }
        assert_eq!(check(&["Bearer sesame", "Bearer other"]), Presented::Bad);
    }
}
