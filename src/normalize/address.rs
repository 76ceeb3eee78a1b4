//! Addresses as feeds write them, made absolute and fit for a manifest.

use std::borrow::Cow;

use memchr::memmem;
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
    if let Some((url, was_http)) = HttpsUrl::of_plain(&text) {
        return Some(Address { url, was_http });
    }
    let base = reference.base.as_deref().unwrap_or(fallback);
    let text = if lacks_scheme(&text, base) { format!("https://{text}").into() } else { text };
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
    if memmem::find(text.as_bytes(), b"&amp;").is_some() {
        return Some(Cow::Owned(text.replace("&amp;", "&")));
    }
    Some(Cow::Borrowed(text))
}

/// Whether the text is an address of the same site that only lacks its scheme, not a path.
fn lacks_scheme(text: &str, base: &Url) -> bool {
    let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_ascii_lowercase();
    let first = text.split(['/', '?', '#']).next().unwrap_or_default();
    first.contains('.') && base.host_str().is_some_and(|host| bare(host) == bare(first))
}

/// The address of a site written without its scheme: a domain that is one, and no file.
pub(super) fn with_scheme(text: &str) -> Option<String> {
    let text = text.trim();
    let host = text.split(['/', '?', '#']).next()?;
    let is_name = host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
    let domain = psl::domain(host.as_bytes()).filter(|_| is_name && !host.starts_with('.'))?;
    domain.suffix().is_known().then(|| format!("https://{text}"))
}

/// A manifest is public: user names and passwords are no part of an address in it.
fn without_credentials(mut url: Url) -> Url {
    // Both fail only for URLs without a host, which have no credentials either.
    let _ = url.set_username("");
    let _ = url.set_password(None);
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
            ("https://user@a.example/x", Some("https://a.example/x")),
            ("https://:secret@a.example/x", Some("https://a.example/x")),
            ("www.example.com/x", Some("https://www.example.com/x")),
            ("example.com/x", Some("https://example.com/x")),
            ("index.html", Some("https://www.example.com/blog/index.html")),
            ("https://a.exa\nmple/x", Some("https://a.example/x")),
            ("mailto:a@example.com", None),
            ("javascript:alert(1)", None),
            ("https://", None),
            ("", None),
        ] {
            assert_eq!(resolved(text).as_deref(), want, "{text:?}");
        }
    }

    #[test]
    fn a_site_is_told_from_a_file() {
        for (text, want) in [
            ("example.org", Some("https://example.org")),
            (" blog.example.co.uk/x ", Some("https://blog.example.co.uk/x")),
            ("index.html", None),
            ("a_b.channel.link", None),
            ("/example.org", None),
            ("mailto:a@example.org", None),
            (".org", None),
            ("localhost", None),
            ("", None),
        ] {
            assert_eq!(with_scheme(text).as_deref(), want, "{text:?}");
        }
    }
}
