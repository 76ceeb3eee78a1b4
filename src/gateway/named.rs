//! Feeds that the settings name: short addresses that are open to everybody, for a publisher or a
//! team. They are polled when they are due though nobody asks, and kept whatever the limits say.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::fault::Fault;
use crate::model::{FeedName, FeedNameError, SourceUrl, SourceUrlError};

/// Section `feeds.NAME` of the settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FeedSettings {
    /// The address of the feed, or of a page that offers it.
    pub url: String,
}

/// What is wrong with the named feeds, under the key that says so.
#[derive(Debug, PartialEq, Error)]
pub enum NamedFault {
    /// A name that cannot be one.
    #[error("feeds.{name}: {cause}")]
    Name {
        /// As it was written.
        name: String,
        /// What is wrong with it.
        cause: FeedNameError,
    },
    /// A name without an address.
    #[error("feeds.{0}.url is missing: set it to the address of the feed")]
    NoUrl(String),
    /// An address that cannot be a source's.
    #[error("feeds.{name}.url: {cause}")]
    Url {
        /// The name of the feed.
        name: String,
        /// What is wrong with its address.
        cause: SourceUrlError,
    },
    /// Two names for one feed, which has one address (MMSP 5.1).
    #[error("feeds.{0}.url and feeds.{1}.url are the same address: give the feed one name")]
    Twice(String, String),
    /// A feed for the well-known address that is not there.
    #[error("well_known is {0:?}, and no feed has that name: add [feeds.{0}] with its url")]
    WellKnown(String),
}

impl From<&NamedFault> for Fault {
    fn from(fault: &NamedFault) -> Self {
        match fault {
            NamedFault::Name { name, .. } => Self::of(&[&format!("feeds.{name}")], fault),
            NamedFault::NoUrl(name) | NamedFault::Url { name, .. } => {
                Self::of(&[&format!("feeds.{name}.url")], fault)
            }
            NamedFault::Twice(one, other) => {
                Self::of(&[&format!("feeds.{one}.url"), &format!("feeds.{other}.url")], fault)
            }
            NamedFault::WellKnown(_) => Self::of(&["well_known"], fault),
        }
    }
}

/// The feeds that have names, and which of them stands for the whole site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedFeeds {
    feeds: BTreeMap<FeedName, SourceUrl>,
    well_known: Option<FeedName>,
}

impl NamedFeeds {
    /// Reads the settings; an empty `well_known` stands for none.
    ///
    /// # Errors
    /// Names every fault.
    pub fn parse(
        settings: &BTreeMap<String, FeedSettings>,
        well_known: &str,
    ) -> Result<Self, Vec<NamedFault>> {
        let mut faults = Vec::new();
        let mut named = Self::default();
        for (name, feed) in settings {
            match parse_feed(name, feed) {
                Ok((name, url)) => {
                    if let Some(first) = named.name_of(&url) {
                        faults.push(NamedFault::Twice(first.to_string(), name.to_string()));
                    }
                    named.feeds.insert(name, url);
                }
                Err(fault) => faults.push(fault),
            }
        }
        if !well_known.is_empty() {
            // One whose own settings are wrong has its fault already.
            if !settings.contains_key(well_known) {
                faults.push(NamedFault::WellKnown(well_known.to_owned()));
            }
            named.well_known = FeedName::parse(well_known).ok();
        }
        if faults.is_empty() { Ok(named) } else { Err(faults) }
    }

    /// The source of the feed of that name.
    #[must_use]
    pub fn find(&self, name: &FeedName) -> Option<&SourceUrl> {
        self.feeds.get(name)
    }

    /// The name of a source.
    #[must_use]
    pub fn name_of(&self, url: &SourceUrl) -> Option<&FeedName> {
        self.feeds.iter().find(|(_, source)| *source == url).map(|(name, _)| name)
    }

    /// The feed that stands at `/.well-known/mmsp.json`.
    #[must_use]
    pub fn well_known(&self) -> Option<(&FeedName, &SourceUrl)> {
        self.feeds.get_key_value(self.well_known.as_ref()?)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&FeedName, &SourceUrl)> {
        self.feeds.iter()
    }
}

fn parse_feed(name: &str, feed: &FeedSettings) -> Result<(FeedName, SourceUrl), NamedFault> {
    let parsed = FeedName::parse(name);
    let parsed = parsed.map_err(|cause| NamedFault::Name { name: name.to_owned(), cause })?;
    if feed.url.trim().is_empty() {
        return Err(NamedFault::NoUrl(name.to_owned()));
    }
    let url = SourceUrl::parse(&feed.url);
    let url = url.map_err(|cause| NamedFault::Url { name: name.to_owned(), cause })?;
    Ok((parsed, url))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(feeds: &[(&str, &str)], well_known: &str) -> Result<NamedFeeds, Vec<String>> {
        let settings = feeds
            .iter()
            .map(|(name, url)| ((*name).to_owned(), FeedSettings { url: (*url).to_owned() }));
        NamedFeeds::parse(&settings.collect(), well_known)
            .map_err(|faults| faults.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_feed_is_found_by_its_name_with_its_address_cleaned() {
        let named = check(&[("blog", "Blog.example/feed#x"), ("b", "b.example")], "blog").unwrap();
        let name = FeedName::parse("blog").unwrap();
        assert_eq!(named.find(&name).unwrap().as_str(), "https://blog.example/feed");
        assert_eq!(named.well_known().unwrap().0, &name);
        assert_eq!(named.name_of(named.find(&name).unwrap()), Some(&name));
        assert_eq!(named.find(&FeedName::parse("other").unwrap()), None);
        assert_eq!(check(&[("b", "b.example")], "").unwrap().well_known(), None);
    }

    #[test]
    fn every_fault_is_named_with_its_key() {
        let feeds = [
            ("Blog", "a.example"),
            ("feed", "a.example"),
            ("empty", " "),
            ("ftp", "ftp://a.example/"),
            ("login", "https://a:b@a.example/"),
            ("good", "a.example"),
        ];
        let faults = check(&feeds, "other").unwrap_err();
        let keys = ["feeds.Blog:", "feeds.empty.url", "feeds.feed:", "feeds.ftp.url:"];
        for key in [&keys[..], &["feeds.login.url:", "well_known is \"other\""]].concat() {
            assert!(faults.iter().any(|fault| fault.starts_with(key)), "{key} not in {faults:?}");
        }
        assert_eq!(faults.len(), 6);
    }

    #[test]
    fn a_feed_has_one_name_however_its_address_is_written() {
        let faults = check(&[("a", "a.example/f"), ("b", "https://A.example/f#x")], "");
        let said = "feeds.a.url and feeds.b.url are the same address: give the feed one name";
        assert_eq!(faults.unwrap_err(), [said]);
    }

    #[test]
    fn a_feed_that_is_wrong_is_told_once_though_it_is_the_well_known_one() {
        assert_eq!(check(&[("blog", "")], "blog").unwrap_err().len(), 1);
    }
}
