//! Addresses as feeds write them, made absolute and fit for a manifest.

use std::borrow::Cow;

use memchr::{memchr2, memmem};
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

/// White space around and line breaks inside an address mean nothing, nor does a scheme before a
/// scheme; `&amp;` written twice means `&`.
fn clean(text: &str) -> Option<Cow<'_, str>> {
    let text = without_doubled_scheme(text.trim());
    if text.is_empty() {
        return None;
    }
    if memchr2(b'\n', b'\r', text.as_bytes()).is_some() {
        let joined: String = text.lines().map(str::trim).collect();
        return Some(Cow::Owned(joined.replace("&amp;", "&")));
    }
    if memmem::find(text.as_bytes(), b"&amp;").is_some() {
        return Some(Cow::Owned(text.replace("&amp;", "&")));
    }
    Some(Cow::Borrowed(text))
}

/// `http://https://example.com` is what a form makes of a whole address.
fn without_doubled_scheme(text: &str) -> &str {
    let web = |text: &str| text.starts_with("http://") || text.starts_with("https://");
    match text.split_once("://") {
        Some((_, rest)) if web(text) && web(rest) => rest,
        _ => text,
    }
}

/// Whether the text is an address of the same site, or of a `www`, that only lacks its scheme, not
/// a path.
fn lacks_scheme(text: &str, base: &Url) -> bool {
    if text.starts_with("www.") && with_scheme(text).is_some() {
        return true;
    }
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
            ("https://a.example/\n    x/\r\n\ty", Some("https://a.example/x/y")),
            ("http://https://a.example/x", Some("https://a.example/x")),
            (
                "https://a.example/?to=http://b.example",
                Some("https://a.example/?to=http://b.example"),
            ),
            ("www.example.org/x", Some("https://www.example.org/x")),
            ("www.a_b", Some("https://www.example.com/blog/www.a_b")),
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
