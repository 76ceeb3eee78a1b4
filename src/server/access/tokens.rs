//! Tokens, kept as digests and compared in constant time: behind `Bearer` (RFC 6750), and as the
//! password of `Basic` (RFC 7617), which is all that browsers can send by themselves.

use std::borrow::Cow;
use std::fmt;

use actix_web::http::header::{AUTHORIZATION, HeaderMap, HeaderName};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
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
        let value = value.as_bytes();
        let bearer = behind(BEARER, value).map(Cow::Borrowed);
        let token = bearer.or_else(|| password(value, headers)).filter(|_| second.is_none());
        if token.is_some_and(|token| self.has(&token)) { Presented::Good } else { Presented::Bad }
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

/// What stands behind the scheme, which is read in any case (RFC 9110 11.1).
fn behind<'v>(wanted: &[u8], value: &'v [u8]) -> Option<&'v [u8]> {
    let (scheme, token) = value.split_at_checked(wanted.len())?;
    let token = token.trim_ascii();
    (scheme.eq_ignore_ascii_case(wanted) && !token.is_empty()).then_some(token)
}

/// The password behind `Basic`, whoever the user is. A browser adds it to whatever any site, or the
/// pictures of a feed on our own page, have it ask: it counts where the user is led here.
fn password(value: &[u8], headers: &HeaderMap) -> Option<Cow<'static, [u8]>> {
    if headers.get(&SEC_FETCH_DEST).is_some_and(|destination| destination != "document") {
        return None;
    }
    let mut pair = BASE64_STANDARD.decode(behind(BASIC, value)?).ok()?;
    let colon = pair.iter().position(|byte| *byte == b':')?;
    Some(Cow::Owned(pair.split_off(colon + 1)))
}

const BEARER: &[u8] = b"Bearer ";
const BASIC: &[u8] = b"Basic ";
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

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
    fn a_token_may_be_the_password_of_a_browsers_user() {
        let look = |user: &str, destination: Option<&'static str>| {
            let value = format!("basic {}", BASE64_STANDARD.encode(user));
            let mut headers = HeaderMap::new();
            headers.append(AUTHORIZATION, HeaderValue::from_str(&value).unwrap());
            if let Some(destination) = destination {
                headers.append(SEC_FETCH_DEST, HeaderValue::from_static(destination));
            }
            let tokens: [SecretString; 1] = ["sesame".into()];
            Tokens::new(tokens.iter()).look_at(&headers)
        };
        for good in ["ada:sesame", ":sesame"] {
            assert_eq!(look(good, None), Presented::Good, "{good}");
        }
        for bad in ["sesame", "sesame:", "ada:Sesame", "a:b:sesame", ""] {
            assert_eq!(look(bad, None), Presented::Bad, "{bad}");
        }
        assert_eq!(look(":sesame", Some("document")), Presented::Good);
        for elsewhere in ["image", "iframe", "audio", "empty", ""] {
            assert_eq!(look(":sesame", Some(elsewhere)), Presented::Bad, "{elsewhere}");
        }
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
