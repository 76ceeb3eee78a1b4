//! The table of problem types: what `/problems/NAME` says, and what never changes of an answer.

/// Writes the enum and its table, so that no kind is without a row.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident { $status:literal $name:literal $cached:ident
        $title:literal $advice:literal })+) => {
        /// A type of problem. Names are kept for ever: programs decide by them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[$doc])* $kind,)+
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            fn row(self) -> Row {
                match self {
                    $(Self::$kind => Row {
                        status: $status,
                        path: concat!("/problems/", $name),
                        cached: Cached::$cached,
                        title: $title,
                        advice: $advice,
                    },)+
                }
            }
        }
    };
}

kinds! {
    /// The `url` parameter is not the address of a feed.
    InvalidUrl { 400 "invalid-url" Briefly "The url parameter is not a feed's address"
        "Give the address of the feed as `url`, percent-encoded, with http or https and without \
         user name and password: /mmsp/feed?url=https%3A%2F%2Fexample.org%2Ffeed.xml" }
    /// The `cursor` parameter cannot be read, or belongs to another feed.
    InvalidCursor { 400 "invalid-cursor" Briefly "The cursor cannot be read"
        "Cursors are not made by clients. Begin again at the feed's first page and follow \
         `next_url` (MMSP 5.5.2)." }
    /// The `limit` parameter is no number from 1 to 500.
    InvalidLimit { 400 "invalid-limit" Briefly "The limit cannot be used"
        "Give a whole number of items from 1 to 500, or leave `limit` out." }
    /// A parameter that does not exist here.
    UnknownParameter { 400 "unknown-parameter" Briefly "The parameter is not known here"
        "If it belongs to the feed's own address, percent-encode that address: an unencoded `&` \
         ends it. `https://x.example/f?a=1&b=2` is written \
         `https%3A%2F%2Fx.example%2Ff%3Fa%3D1%26b%3D2`." }
    /// The `filter` of the page is no expression of MMSP Appendix A.
    InvalidFilter { 400 "invalid-filter" Briefly "The filter cannot be read"
        "Write an expression of MMSP Appendix A, such as type:audio AND lang:en, or leave it out. The \
         page marks the place where it stops being one." }
    /// A token that is missing or wrong.
    NoToken { 401 "not-authorized" Never "The caller may not ask"
        "Whoever runs this gateway decides who may ask it. Send the token you were given as \
         `Authorization: Bearer TOKEN`, or use the signed address you were given, unchanged." }
    /// A signature that is missing or wrong.
    NotSigned { 403 "not-authorized" Never "The caller may not ask"
        "Whoever runs this gateway decides who may ask it. Send the token you were given as \
         `Authorization: Bearer TOKEN`, or use the signed address you were given, unchanged." }
    /// More than one caller may ask.
    TooManyRequests { 429 "too-many-requests" Never "This caller asks too much"
        "Ask again after `Retry-After`, and then no more often than the manifest recommends." }
    /// The guard refuses the address.
    AddressNotAllowed { 403 "address-not-allowed" Briefly "The address may not be read"
        "Only feeds on the public internet are read. Whoever runs the gateway can open a private \
         network with `fetch.allow_networks`, a host whatever it resolves to with `fetch.allow_hosts`, and a port \
         with `fetch.allow_ports`." }
    /// The operator refuses the host.
    HostNotAllowed { 403 "host-not-allowed" Briefly "The host may not be read"
        "Whoever runs this gateway has closed it to this host." }
    /// The gateway would ask itself.
    Loop { 403 "loop" Briefly "The gateway would ask itself"
        "The address is one of the gateway's own manifests, or the request came from a gateway. \
         Give the address of the feed itself." }
    /// Nothing is served under this path.
    NotFound { 404 "not-found" Briefly "There is nothing here"
        "Manifests are at /mmsp/feed?url=URL." }
    /// The path exists, but not for this method.
    MethodNotAllowed { 405 "method-not-allowed" Briefly "The method is not allowed here"
        "`Allow` names the methods that are." }
    /// The target of the request is too long.
    TargetTooLong { 414 "too-long" Briefly "The request is too long"
        "A feed's address may have 2048 characters, and a whole request must stay under the \
         gateway's limits for target, headers and body." }
    /// The head of the request is too long.
    HeadTooLong { 431 "too-long" Briefly "The request is too long"
        "A feed's address may have 2048 characters, and a whole request must stay under the \
         gateway's limits for target, headers and body." }
    /// The body of the request is too long.
    BodyTooLong { 413 "too-long" Briefly "The request is too long"
        "A feed's address may have 2048 characters, and a whole request must stay under the \
         gateway's limits for target, headers and body." }
    /// The body of the request does not come to its end.
    TooSlow { 408 "too-slow" Never "The request took too long"
        "Send it again. `server.body_timeout_seconds` is how long a body may take." }
    /// A list that is none.
    NotOpml { 422 "not-opml" Briefly "The document is not a subscription list"
        "Send an OPML file as feed readers export it, as the body of the request." }
    /// A page that offers no feed.
    NoFeedFound { 422 "no-feed-found" Briefly "The page has no feed"
        "The address leads to a web page that names no feed. Look for the feed's own address on \
         the page and give that." }
    /// Something else altogether.
    NotAFeed { 422 "not-a-feed" Briefly "The document is not a feed"
        "RSS, Atom, RDF and JSON Feed are read. Check that the address is the feed's." }
    /// Nothing came.
    SourceEmpty { 422 "source-empty" Briefly "The source sent an empty document"
        "The feed's server answered with nothing in it. Tell its publisher, or try again later." }
    /// Beyond mending.
    SourceMalformed { 422 "source-malformed" Briefly "The document is beyond mending"
        "It begins as a feed, but nothing in it can be read. Tell its publisher." }
    /// A bot check answered in the feed's place.
    SourceChallenge { 502 "source-challenge" Briefly "A bot check answered in the feed's place"
        "The publisher's CDN asks programs to prove that they are people. Only the publisher can \
         open the feed to readers." }
    /// A content coding that is broken or cut.
    SourceUndecodable { 502 "source-undecodable" Briefly
        "The source's content coding is broken"
        "The feed's server sent a compressed document that cannot be unpacked. Tell its \
         publisher, or try again later." }
    /// Cut off before the first complete item.
    SourceTruncated { 502 "source-truncated" Briefly "The source's document is cut off"
        "The feed's server broke off before the first complete item. Try again later." }
    /// 404 at the source.
    SourceNotFound { 404 "source-not-found" Briefly "The source does not exist"
        "The feed's server knows nothing under this address. Check the address." }
    /// 410 at the source.
    SourceGone { 410 "source-gone" Briefly "The source is gone for good"
        "The publisher has taken the feed down. Unsubscribe." }
    /// 401 or 403 at the source.
    SourceRefused { 502 "source-refused" Briefly "The source refuses to be read"
        "The feed's server wants a login, or turns programs away. Feeds behind a login cannot be \
         read through a gateway." }
    /// Nothing usable from the source.
    SourceUnavailable { 502 "source-unavailable" Briefly "The source cannot be read at present"
        "The feed's server cannot be reached, breaks HTTP, or fails. Try again later." }
    /// Over the size or expansion limit.
    SourceTooLarge { 502 "source-too-large" Briefly "The source's document is too large"
        "It is over the gateway's limit of size or of expansion (`fetch.max_body_bytes`)." }
    /// Over the depth limit.
    SourceTooDeep { 502 "source-too-deep" Briefly "The source's document is nested too deeply"
        "No feed nests its elements like this. Check that the address is the feed's." }
    /// Slower than we wait.
    SourceTimeout { 504 "source-timeout" Briefly "The source is too slow"
        "The feed's server did not answer in time. The gateway goes on trying: ask again in a \
         minute." }
    /// We are full.
    Overloaded { 503 "overloaded" Never "The gateway is full"
        "Ask again after `Retry-After`." }
    /// The source asked to be left alone, or failed too often.
    SourceBackingOff { 503 "source-backing-off" Never
        "The source is being left alone for a while"
        "It failed, or asked for fewer requests, and nothing of it is stored yet. Ask again \
         after `Retry-After`." }
    /// Our own fault.
    Internal { 500 "internal" Never "The gateway failed"
        "It is not your request's fault. Tell whoever runs the gateway, with the request id." }
}

impl Kind {
    /// The status code of its answers.
    #[must_use]
    pub fn status(self) -> u16 {
        self.row().status
    }

    /// Its `type`: the path of the page that explains it.
    #[must_use]
    pub fn path(self) -> &'static str {
        self.row().path
    }

    /// The last part of its path.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.path().trim_start_matches("/problems/")
    }

    /// What happened, the same for each time it happens.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// What a person can do about it.
    #[must_use]
    pub fn advice(self) -> &'static str {
        self.row().advice
    }

    /// Whether a shared cache may keep an answer of this kind for a moment.
    pub(super) fn may_be_cached(self) -> bool {
        self.row().cached == Cached::Briefly
    }
}

struct Row {
    status: u16,
    path: &'static str,
    cached: Cached,
    title: &'static str,
    advice: &'static str,
}

#[derive(PartialEq)]
enum Cached {
    Briefly,
    Never,
}

#[cfg(test)]
mod tests {
    use crate::metrics::{Metrics, Route};

    use super::*;

    #[test]
    fn a_name_with_several_statuses_has_one_explanation() {
        for (place, kind) in Kind::ALL.iter().enumerate() {
            for other in &Kind::ALL[..place] {
                if kind.name() == other.name() {
                    assert!(["too-long", "not-authorized"].contains(&kind.name()));
                    assert_eq!(kind.advice(), other.advice());
                }
            }
        }
    }

    #[test]
    fn every_status_has_a_metric_label_of_its_own() {
        let metrics = Metrics::new().unwrap();
        Kind::ALL.iter().for_each(|kind| metrics.request(Route::Feed, kind.status(), 0.0));
        let text = metrics.text().unwrap();
        assert!(text.contains("requests_total{route=\"feed\",status=\"other\"} 0\n"));
    }

    #[test]
    fn names_can_stand_in_a_path() {
        for kind in Kind::ALL {
            let name = kind.name();
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{name}");
        }
    }
}
