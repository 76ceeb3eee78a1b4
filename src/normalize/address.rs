//! Addresses as feeds write them, made absolute and fit for a manifest.

use std::borrow::Cow;

use url::Url;

use crate::model::HttpsUrl;
use crate::syndication::source_feed::Reference;

/// An address of the source, resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) url: HttpsUrl,
    /// Whether the source spelled it with `http:`.
    pub(super) was_http: bool,
}

/// Resolves an address against its own base or, without one, against `fallback`.
/// Only `http` and `https` make an address (MMSP 12.3); `http` is written as `https` (12.1).
pub(super) fn resolve(reference: &Reference<'_>, fallback: &Url) -> Option<Address> {
    let text = clean(&reference.value)?;
    let base = reference.base.as_ref().unwrap_or(fallback);
    let url = base.join(&text).ok()?;
    let was_http = url.scheme() == "http";
    HttpsUrl::upgrade(&without_credentials(url)).map(|url| Address { url, was_http })
}

/// White space around and line breaks inside an address mean nothing; `&amp;` written twice
/// means `&`.
fn clean(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    if text.contains("&amp;") {
        return Some(Cow::Owned(text.replace("&amp;", "&")));
    }
    Some(Cow::Borrowed(text))
}

/// A manifest is public: user names and passwords are no part of an address in it.
fn without_credentials(mut url: Url) -> Url {
    if !url.username().is_empty() || url.password().is_some() {
        // Both fail only for URLs without a host, which have no credentials either.
        let _ = url.set_username("");
        let _ = url.set_password(None);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str) -> Option<String> {
        let fallback = Url::parse("https://www.example.com/blog/").unwrap();
        let reference = Reference { value: text.into(), base: None };
        resolve(&reference, &fallback).map(|address| address.url.as_str().to_owned())
    }

    #[test]
    fn addresses_are_resolved_and_upgraded() {
        for (text, want) in [
            ("https://a.example/x", Some("https://a.example/x")),
            (" http://a.example/x \n", Some("https://a.example/x")),
            ("//a.example/x", Some("https://a.example/x")),
            ("post/1", Some("https://www.example.com/blog/post/1")),
            ("/a b?q=c d", Some("https://www.example.com/a%20b?q=c%20d")),
            ("https://a.example/?a=1&amp;b=2", Some("https://a.example/?a=1&b=2")),
            ("https://user:secret@a.example/x", Some("https://a.example/x")),
            ("https://a.exa\nmple/x", Some("https://a.example/x")),
            ("mailto:a@example.com", None),
            ("javascript:alert(1)", None),
            ("https://", None),
            ("", None),
        ] {
            assert_eq!(resolved(text).as_deref(), want, "{text:?}");
        }
    }
}
