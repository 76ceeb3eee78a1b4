//! What operations can end in: good answers, and the problems that go together.

use super::answers::{Body, Good, HTML};
use super::schemas;
use crate::server::problem::Kind;

pub(super) const MANIFEST: Good = Good {
    status: 200,
    what: "A page of the manifest",
    body: Body::Schema("application/mmsp+json; version=1.0", schemas::MANIFEST),
    headers: &[
        "ETag",
        "Last-Modified",
        "Cache-Control",
        "Cache-Status",
        "Age",
        "Vary",
        "Link",
        "Access-Control-Allow-Origin",
    ],
};
pub(super) const NATIVE: Good = Good {
    status: 302,
    what: "The source is a manifest already, or offers one",
    body: Body::Nothing,
    headers: &["Location", "Cache-Control"],
};
pub(super) const UNCHANGED: Good = Good {
    status: 304,
    what: "The client has it already",
    body: Body::Nothing,
    headers: &["ETag", "Cache-Control"],
};
pub(super) const PAGE: Good = Good {
    status: 200,
    what: "The page, or the form where no feed is asked for",
    body: Body::Text(&[HTML]),
    headers: &["Content-Security-Policy", "Cache-Control", "Vary"],
};
pub(super) const ASSET: Good = Good {
    status: 200,
    what: "The file",
    body: Body::Text(&[
        "text/css; charset=utf-8",
        "text/javascript; charset=utf-8",
        "image/svg+xml",
    ]),
    headers: &["Cache-Control", "Vary"],
};
pub(super) const OFFERS: Good = Good {
    status: 200,
    what: "The feeds, with their manifests",
    body: Body::Schema("application/json", schemas::OFFERS),
    headers: &["Cache-Control", "Access-Control-Allow-Origin"],
};
pub(super) const LIST: Good = Good {
    status: 200,
    what: "The list, with manifests for feeds and everything else as it was",
    body: Body::Text(&["text/x-opml; charset=utf-8"]),
    headers: &["Content-Disposition"],
};
pub(super) const EXPLANATION: Good = Good {
    status: 200,
    what: "The explanation",
    body: Body::Text(&["text/plain; charset=utf-8"]),
    headers: &["Cache-Control"],
};
pub(super) const ALIVE: Good = Good {
    status: 200,
    what: "It is; \"store\": \"degraded\" where the store does not answer",
    body: Body::Schema("application/json", schemas::STATE),
    headers: &["Cache-Control"],
};
pub(super) const DRAINING: Good = Good {
    status: 503,
    what: "Not yet, or not any more",
    body: Body::Schema("application/json", schemas::STATE),
    headers: &["Cache-Control"],
};
pub(super) const RULES: Good = Good {
    status: 200,
    what: "The rules",
    body: Body::Text(&["text/plain; charset=utf-8"]),
    headers: &["Cache-Control"],
};
pub(super) const DESCRIPTION: Good = Good {
    status: 200,
    what: "An OpenAPI document",
    body: Body::Schema("application/json", schemas::DESCRIPTION),
    headers: &["ETag", "Cache-Control"],
};
pub(super) const PREFLIGHT: Good = Good {
    status: 204,
    what: "The methods and headers",
    body: Body::Nothing,
    headers: &["Allow", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers"],
};

/// Of every request.
pub(super) const LONG: &[Kind] = &[Kind::TargetTooLong, Kind::HeadTooLong, Kind::BodyTooLong];
/// Of every request but those of whoever balances.
pub(super) const BUSY: &[Kind] = &[Kind::TooManyRequests];
/// Of what has a body.
pub(super) const BODY: &[Kind] = &[Kind::NotOpml, Kind::TooSlow];
pub(super) const QUERY: &[Kind] =
    &[Kind::InvalidCursor, Kind::InvalidLimit, Kind::UnknownParameter];
/// Of the page alone.
pub(super) const FILTER: &[Kind] = &[Kind::InvalidFilter];
pub(super) const ADDRESS: &[Kind] = &[Kind::InvalidUrl];
pub(super) const ACCESS: &[Kind] = &[Kind::NoToken];
pub(super) const SIGNATURE: &[Kind] = &[Kind::NotSigned];
pub(super) const MISSING: &[Kind] = &[Kind::NotFound];
pub(super) const PAGES: &[Kind] = &[Kind::Overloaded, Kind::Internal];
/// Of whatever asks a source.
pub(super) const SOURCE: &[Kind] = &[
    Kind::AddressNotAllowed,
    Kind::HostNotAllowed,
    Kind::Loop,
    Kind::NoFeedFound,
    Kind::NotAFeed,
    Kind::SourceEmpty,
    Kind::SourceMalformed,
    Kind::SourceChallenge,
    Kind::SourceUndecodable,
    Kind::SourceTruncated,
    Kind::SourceNotFound,
    Kind::SourceGone,
    Kind::SourceRefused,
    Kind::SourceUnavailable,
    Kind::SourceTooLarge,
    Kind::SourceTooDeep,
    Kind::SourceTimeout,
    Kind::SourceBackingOff,
    Kind::Overloaded,
    Kind::Internal,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_described_but_that_of_a_method_that_is_not() {
        let groups = [LONG, BUSY, QUERY, FILTER, ADDRESS, ACCESS, SIGNATURE, MISSING, SOURCE, BODY];
        for kind in Kind::ALL {
            let is_described = groups.iter().any(|group| group.contains(kind));
            assert_eq!(is_described, *kind != Kind::MethodNotAllowed, "{kind:?}");
        }
    }
}
