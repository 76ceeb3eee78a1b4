//! Reads what the page is asked for.
//!
//! As strict as for a manifest, but for what forms do: a field that is left empty was not asked
//! for.

use url::form_urlencoded;

use crate::server::query::{PageQuery, Query, QueryError};

/// What the page is asked for.
#[derive(Debug)]
pub(crate) enum Asked {
    /// Nothing yet.
    Nothing {
        /// Whether the form was sent without an address.
        is_sent: bool,
    },
    /// A feed.
    Feed(Wish),
}

/// A feed, and how to show it.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    /// Which page of which feed.
    pub(crate) query: Query,
    /// The address as it was typed.
    pub(crate) typed: String,
    /// An expression that items have to pass; empty for none.
    pub(crate) filter: String,
}

impl Asked {
    /// Reads a query as it stands behind the `?`.
    pub(crate) fn parse(text: &str) -> Result<Self, QueryError> {
        let mut filters = Vec::new();
        let mut rest = Vec::new();
        let mut is_sent = false;
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            is_sent |= name == "url";
            match name {
                "filter" => filters.push(decoded(value).trim().to_owned()),
                "url" | "limit" | "cursor" if decoded(value).trim().is_empty() => {}
                _ => rest.push(pair),
            }
        }
        if rest.is_empty() {
            return Ok(Self::Nothing { is_sent });
        }
        let rest = rest.join("&");
        let query = match Query::parse(&rest) {
            // How to show a feed, and no feed: the form is shown all the same.
            Err(QueryError::NoUrl) => {
                PageQuery::parse(&rest)?;
                return Ok(Self::Nothing { is_sent });
            }
            query => query?,
        };
        Ok(Self::Feed(Wish { query, typed: typed(text), filter: joined(&filters) }))
    }
}

/// The address of a query as it was typed, whatever is wrong with it.
pub(super) fn typed(text: &str) -> String {
    let pairs = form_urlencoded::parse(text.as_bytes());
    let urls = pairs.filter(|(name, _)| name == "url").map(|(_, value)| value.trim().to_owned());
    urls.into_iter().find(|url| !url.is_empty()).unwrap_or_default()
}

/// What has to pass all of them; none that was left empty.
fn joined(filters: &[String]) -> String {
    let said: Vec<&str> = filters.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
    match said.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        several => format!("({})", several.join(") AND (")),
    }
}

fn decoded(value: &str) -> String {
    let pair = ["v=", value].concat();
    let mut pairs = form_urlencoded::parse(pair.as_bytes());
    pairs.next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

impl Wish {
    /// The address of the page that shows it, from another place on.
    pub(super) fn href(&self, cursor: Option<&str>) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("url", &self.typed);
        if let Some(limit) = self.query.page.limit {
            query.append_pair("limit", &limit.to_string());
        }
        if !self.filter.is_empty() {
            query.append_pair("filter", &self.filter);
        }
        if let Some(cursor) = cursor {
            query.append_pair("cursor", cursor);
        }
        format!("?{}", query.finish())
    }
}

/// The address of the page that shows another feed.
pub(super) fn href_of(url: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("url", url);
    format!("?{}", query.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_were_left_empty_were_not_asked_for() {
        let nothing = [("", false), ("url=", true), ("url=+&filter=&limit=", true)];
        for (text, sent) in nothing.into_iter().chain([("limit=3&filter=a", false)]) {
            let Ok(Asked::Nothing { is_sent }) = Asked::parse(text) else { panic!("{text}") };
            assert_eq!(is_sent, sent, "{text}");
        }
        let Ok(Asked::Feed(wish)) = Asked::parse("url=x.example%2Ff&cursor=&limit=&filter=+")
        else {
            panic!("nothing")
        };
        assert_eq!((wish.typed.as_str(), wish.filter.as_str()), ("x.example/f", ""));
        assert_eq!((wish.query.page.limit, wish.query.page.cursor.as_deref()), (None, None));
    }

    #[test]
    fn several_filters_narrow_one_another() {
        let filter = |query: &str| match Asked::parse(&format!("url=x.example&{query}")) {
            Ok(Asked::Feed(wish)) => wish.filter,
            other => panic!("{other:?}"),
        };
        assert_eq!(filter("filter=type:audio&filter="), "type:audio");
        let both = filter("filter=type:audio+OR+lang:en&filter=rating:teen");
        assert_eq!(both, "(type:audio OR lang:en) AND (rating:teen)");
        assert!(both.parse::<crate::filter::Filter>().is_ok());
    }

    #[test]
    fn an_address_of_the_page_leads_back_to_the_same_wish() {
        let text = "url=x.example%2Ff%3Fa%3D1%26b%3D%C3%A9&limit=7&filter=tag%3A%22a+%26+b%22";
        let Ok(Asked::Feed(wish)) = Asked::parse(text) else { panic!("nothing") };
        let Ok(Asked::Feed(again)) = Asked::parse(wish.href(Some("AQ")).trim_start_matches('?'))
        else {
            panic!("nothing")
        };
        assert_eq!(again.filter, "tag:\"a & b\"");
        assert_eq!((again.typed, again.query.url), (wish.typed, wish.query.url));
        assert_eq!(again.query.page.cursor.as_deref(), Some("AQ"));
    }

    #[test]
    fn what_the_page_does_not_know_is_refused_with_what_was_meant() {
        let error = Asked::parse("url=https://x.example/f?a=1&b=2").unwrap_err();
        let QueryError::Unknown { name, meant: Some(meant) } = error else { panic!("{error}") };
        assert_eq!(name, "b");
        assert!(matches!(Asked::parse(&meant), Ok(Asked::Feed(_))));
        assert_eq!(typed("url=%zz&b"), "%zz");
    }
}
