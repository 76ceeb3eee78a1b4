//! Reads the query of a manifest request: strictly, since a parameter that is lost in silence
//! gives a reader another feed than the one that was meant.

use std::borrow::Cow;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use thiserror::Error;

use crate::model::{SourceUrl, SourceUrlError};
use crate::paging::{Limit, LimitError};

/// What a manifest request asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The feed.
    pub url: SourceUrl,
    /// Which page of it.
    pub page: PageQuery,
    /// The signature of `url`, to be judged by whoever wants one.
    pub sig: Option<String>,
}

/// Which page of a feed is asked for; all that is asked of one that has a name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageQuery {
    /// The place to go on from, as the client gave it: which feed's it is, the gateway knows.
    pub cursor: Option<String>,
    /// How many items at most.
    pub limit: Option<Limit>,
}

/// Why a query cannot be read.
#[derive(Debug, PartialEq, Error)]
pub enum QueryError {
    /// No `url`.
    #[error("say which feed: /mmsp/feed?url= and the feed's address, percent-encoded")]
    NoUrl,
    /// `url` is not the address of a source.
    #[error("{0}")]
    Url(#[from] SourceUrlError),
    /// `limit` is none.
    #[error("{0}")]
    Limit(#[from] LimitError),
    /// `cursor` is there without a value.
    #[error("the cursor is empty; leave it out to begin at the feed's first page")]
    EmptyCursor,
    /// A parameter twice: which one was meant?
    #[error("the parameter {0} is there twice")]
    Twice(Parameter),
    /// A `%` that begins no percent-encoding, or bytes that are not UTF-8.
    #[error("the value of {0} is not well percent-encoded")]
    Encoding(Parameter),
    /// A parameter that does not exist.
    #[error(
        "the parameter {name:?} is not known here; if it belongs to the feed's own address, \
         percent-encode that address"
    )]
    Unknown {
        /// Its name, cut to a length that can be shown.
        name: String,
        /// The query as it was probably meant.
        meant: Option<String>,
    },
    /// A parameter that a feed with a name does not take.
    #[error(
        "the parameter {0:?} is not known here: a feed with a name takes limit and cursor only"
    )]
    UnknownOfNamed(String),
}

/// A parameter that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// `url`.
    Url,
    /// `cursor`.
    Cursor,
    /// `limit`.
    Limit,
    /// `sig`.
    Sig,
}

impl Parameter {
    fn find(name: &str) -> Option<Self> {
        match name {
            "url" => Some(Self::Url),
            "cursor" => Some(Self::Cursor),
            "limit" => Some(Self::Limit),
            "sig" => Some(Self::Sig),
            _ => None,
        }
    }
}

impl std::fmt::Display for Parameter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Url => "url",
            Self::Cursor => "cursor",
            Self::Limit => "limit",
            Self::Sig => "sig",
        })
    }
}

impl Query {
    /// Reads a query as it stands behind the `?`.
    ///
    /// # Errors
    /// Says which rule the query breaks.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let [url, cursor, limit, sig] =
            read(text, |name| Parameter::find(name).ok_or_else(|| unknown(name, text)))?;
        let url = SourceUrl::parse(&url.ok_or(QueryError::NoUrl)?)?;
        Ok(Self { url, page: PageQuery::of(cursor, limit.as_deref())?, sig })
    }
}

impl PageQuery {
    /// Reads the query of a feed that has a name.
    ///
    /// # Errors
    /// Says which rule the query breaks.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let [_, cursor, limit, _] = read(text, |name| {
            let known = [Parameter::Cursor, Parameter::Limit];
            let found = Parameter::find(name).filter(|found| known.contains(found));
            found.ok_or_else(|| QueryError::UnknownOfNamed(shown(name)))
        })?;
        Self::of(cursor, limit.as_deref())
    }

    fn of(cursor: Option<String>, limit: Option<&str>) -> Result<Self, QueryError> {
        if cursor.as_deref() == Some("") {
            return Err(QueryError::EmptyCursor);
        }
        Ok(Self { cursor, limit: limit.map(Limit::parse).transpose()? })
    }
}

/// Takes a query apart: a value for each parameter, in the order of their enum.
fn read(
    text: &str,
    find: impl Fn(&str) -> Result<Parameter, QueryError>,
) -> Result<[Option<String>; 4], QueryError> {
    let mut values: [Option<String>; 4] = [None, None, None, None];
    for pair in text.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let parameter = find(&percent_decode_str(name).decode_utf8_lossy())?;
        let value = decode(value).ok_or(QueryError::Encoding(parameter))?;
        let Some(place) = values.get_mut(parameter as usize) else { continue };
        if place.replace(value).is_some() {
            return Err(QueryError::Twice(parameter));
        }
    }
    Ok(values)
}

/// Decodes a value as forms encode it: a space may be written as `+`.
fn decode(value: &str) -> Option<String> {
    let spaced: Cow<'_, str> =
        if value.contains('+') { value.replace('+', " ").into() } else { value.into() };
    if !is_well_encoded(&spaced) {
        return None;
    }
    percent_decode_str(&spaced).decode_utf8().ok().map(Cow::into_owned)
}

fn is_well_encoded(value: &str) -> bool {
    value.split('%').skip(1).all(|rest| {
        let mut digits = rest.bytes().take(2);
        digits.by_ref().filter(u8::is_ascii_hexdigit).count() == 2
    })
}

fn unknown(name: &str, query: &str) -> QueryError {
    QueryError::Unknown { name: shown(name), meant: meant(query) }
}

fn shown(name: &str) -> String {
    name.chars().take(SHOWN_CHARS).collect()
}

/// Takes all that follows `url=` for the address, where it was plainly written unencoded.
fn meant(query: &str) -> Option<String> {
    let address = query.strip_prefix("url=").filter(|address| address.contains("://"))?;
    SourceUrl::parse(address).ok()?;
    Some(format!("url={}", utf8_percent_encode(address, NON_ALPHANUMERIC)))
}

const SHOWN_CHARS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<(String, Option<String>, Option<usize>), QueryError> {
        Query::parse(text).map(|query| {
            (query.url.as_str().to_owned(), query.page.cursor, query.page.limit.map(Limit::items))
        })
    }

    #[test]
    fn the_url_is_read_encoded_or_not_as_long_as_nothing_is_lost() {
        for text in [
            "url=https%3A%2F%2Fx.example%2Ff%3Fa%3D1",
            "url=https://x.example/f?a=1",
            "&url=+X.example/f?a=1+&",
            "%75rl=x.example/f%3fa=1#part",
        ] {
            assert_eq!(check(text).unwrap().0, "https://x.example/f?a=1", "{text}");
        }
        assert_eq!(check("url=https://x.example/a%2Bb").unwrap().0, "https://x.example/a+b");
    }

    #[test]
    fn limit_and_cursor_come_along() {
        let read = check("limit=3&url=x.example&cursor=AQ").unwrap();
        assert_eq!(read, ("https://x.example/".to_owned(), Some("AQ".to_owned()), Some(3)));
    }

    #[test]
    fn a_parameter_of_the_feeds_own_is_not_lost_in_silence() {
        let error = check("url=https://x.example/f?a=1&b=2&c=3").unwrap_err();
        let QueryError::Unknown { name, meant: Some(meant) } = error else { panic!("{error}") };
        assert_eq!(name, "b");
        assert_eq!(check(&meant).unwrap().0, "https://x.example/f?a=1&b=2&c=3");
    }

    #[test]
    fn a_feed_with_a_name_takes_limit_and_cursor_and_nothing_else() {
        let read = PageQuery::parse("limit=3&cursor=AQ").unwrap();
        assert_eq!((read.cursor.as_deref(), read.limit.map(Limit::items)), (Some("AQ"), Some(3)));
        assert_eq!(PageQuery::parse(""), Ok(PageQuery::default()));
        for name in ["url", "sig", "debug"] {
            let error = PageQuery::parse(&format!("{name}=x"));
            assert_eq!(error, Err(QueryError::UnknownOfNamed(name.to_owned())));
        }
        assert_eq!(PageQuery::parse("cursor="), Err(QueryError::EmptyCursor));
        assert_eq!(PageQuery::parse("limit=0"), Err(QueryError::Limit(LimitError)));
    }

    #[test]
    fn every_broken_query_says_what_is_broken() {
        for (text, error) in [
            ("", QueryError::NoUrl),
            ("limit=3", QueryError::NoUrl),
            ("url", QueryError::Url(SourceUrlError::Empty)),
            ("url=ftp://x.example/", QueryError::Url(SourceUrlError::Scheme)),
            ("url=https://a:b@x.example/", QueryError::Url(SourceUrlError::Credentials)),
            ("url=x.example&url=y.example", QueryError::Twice(Parameter::Url)),
            ("url=x.example&limit=3&limit=3", QueryError::Twice(Parameter::Limit)),
            ("url=x.example&limit=0", QueryError::Limit(LimitError)),
            ("url=x.example&limit=", QueryError::Limit(LimitError)),
            ("url=x.example&cursor=", QueryError::EmptyCursor),
            ("url=x.example/%", QueryError::Encoding(Parameter::Url)),
            ("url=x.example/%2", QueryError::Encoding(Parameter::Url)),
            ("url=x.example/%ff", QueryError::Encoding(Parameter::Url)),
            ("url=x.example&debug", QueryError::Unknown { name: "debug".to_owned(), meant: None }),
        ] {
            assert_eq!(check(text), Err(error), "{text}");
        }
    }

    #[test]
    fn the_name_of_an_unknown_parameter_is_shown_up_to_a_length() {
        let QueryError::Unknown { name, .. } = check(&"é".repeat(500)).unwrap_err() else {
            panic!("known")
        };
        assert_eq!(name.chars().count(), SHOWN_CHARS);
    }
}
