//! How an address is written into a request: what is dialled, and what stands in `Host`.

use std::io;

use awc::http::Uri;

use super::error::FetchError;
use super::host_rule::bracketed;
use crate::model::SourceUrl;

/// The address as the client dials it: always `http`, since TLS is the connector's.
pub(super) fn dialled_uri(url: &SourceUrl) -> Result<Uri, FetchError> {
    let path = url.url().path();
    let query = url.url().query().map(|query| format!("?{query}")).unwrap_or_default();
    format!("http://{}:{}{path}{query}", bracketed(url.host()), url.port())
        .parse()
        .map_err(|error| FetchError::Protocol(io::Error::other(error)))
}

/// The host, with its port where that is not the usual one.
pub(super) fn host_field(url: &SourceUrl) -> String {
    let host = bracketed(url.host());
    url.url().port().map_or(host.clone(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cleaned_address_can_be_dialled() {
        for (text, dialled) in [
            ("https://a.example", "http://a.example:443/"),
            ("http://a.example/x?", "http://a.example:80/x?"),
            ("https://my_feed.a.example:8443/", "http://my_feed.a.example:8443/"),
            ("https://[2001:4860::8888]/", "http://[2001:4860::8888]:443/"),
            (
                "https://a.example/\u{e4} \"<>`{}|\\^[]?q='\"<>[]{}|\\^`%zz@:;,!$&()*+=~",
                "http://a.example:443/%C3%A4%20%22%3C%3E%60%7B%7D%7C/%5E%5B%5D\
                 ?q=%27%22%3C%3E%5B%5D%7B%7D%7C%5C%5E%60%25zz@:;,!$&()*+=~",
            ),
        ] {
            let uri = dialled_uri(&SourceUrl::parse(text).unwrap()).unwrap();
            assert_eq!(uri.to_string(), dialled);
        }
    }

    #[test]
    fn the_host_field_holds_the_port_only_where_it_is_not_the_usual_one() {
        for (text, field) in [
            ("https://A.example:443/", "a.example"),
            ("http://a.example/", "a.example"),
            ("https://a.example:80/", "a.example:80"),
            ("http://[::1]:8080/", "[::1]:8080"),
        ] {
            assert_eq!(host_field(&SourceUrl::parse(text).unwrap()), field);
        }
    }
}
