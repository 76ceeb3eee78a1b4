//! What each route takes and gives: a row for each.

use serde_json::{Value, json};
use utoipa::openapi::path::{
    HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{ContentBuilder, Required};

use super::answers::{self, Bodies, Body, Good, HTML, ToldTo};
use super::{BEARER, schemas};
use crate::discovery::WELL_KNOWN_PATH;
use crate::metrics::Route;
use crate::paging::Limit;
use crate::server::problem::Kind;
use crate::server::router;

/// A path and its operations.
pub(super) struct Described {
    pub(super) path: &'static str,
    pub(super) operations: Vec<(HttpMethod, OperationBuilder)>,
}

/// Describes a route; none where nothing is served.
pub(super) fn describe(route: Route) -> Option<Described> {
    let described = match route {
        Route::Feed => Row {
            path: router::FEED,
            id: "feed",
            summary: "The manifest of a feed, by the feed's address",
            parameters: vec![url(), limit(), cursor(), sig()],
            good: &[MANIFEST, NATIVE, UNCHANGED],
            problems: &[LONG, BUSY, QUERY, ADDRESS, ACCESS, SIGNATURE, SOURCE, PAGES],
            access: Access::Token,
        }
        .for_browsers(),
        Route::Named => Row {
            path: router::NAMED,
            id: "named",
            summary: "The manifest of a feed that the operator named; open to everybody",
            parameters: vec![name("The name of the feed."), limit(), cursor()],
            good: &[MANIFEST, NATIVE, UNCHANGED],
            problems: &[LONG, BUSY, QUERY, SOURCE, PAGES, MISSING],
            access: Access::Open,
        }
        .for_browsers(),
        Route::WellKnown => Row {
            path: WELL_KNOWN_PATH,
            id: "well_known",
            summary: "The manifest of the site's own feed, if the operator named one",
            parameters: vec![limit(), cursor()],
            good: &[MANIFEST, NATIVE, UNCHANGED],
            problems: &[LONG, BUSY, QUERY, SOURCE, PAGES, MISSING],
            access: Access::Open,
        }
        .for_browsers(),
        Route::Discover => Row {
            path: router::DISCOVER,
            id: "discover",
            summary: "The feeds that a page offers, the best first (MMSP 9.3)",
            parameters: vec![url()],
            good: &[OFFERS],
            problems: &[LONG, BUSY, QUERY, ADDRESS, ACCESS, SIGNATURE, SOURCE],
            access: Access::Token,
        }
        .for_browsers(),
        Route::Page => Row {
            path: router::PAGE,
            id: "page",
            summary: "The page for people: what a client will see of a feed",
            parameters: vec![optional_url(), limit(), cursor(), filter()],
            good: &[PAGE],
            problems: &[LONG, BUSY, QUERY, ADDRESS, ACCESS, SIGNATURE, SOURCE],
            access: Access::Token,
        }
        .for_all(),
        Route::Asset => Row {
            path: router::ASSET,
            id: "asset",
            summary: "A file that the page loads; its name tells its content",
            parameters: vec![name("The name of the file, as the page has it.")],
            good: &[ASSET],
            problems: &[LONG, BUSY, MISSING],
            access: Access::Open,
        }
        .for_all(),
        Route::Opml => Row {
            path: router::OPML,
            id: "opml",
            summary: "A subscription list (OPML) with manifests for feeds; nothing is kept of it",
            parameters: Vec::new(),
            good: &[LIST],
            problems: &[LONG, BUSY, ACCESS, &[Kind::NotOpml]],
            access: Access::Token,
        }
        .for_lists(),
        Route::Problem => Row {
            path: router::PROBLEM,
            id: "problem",
            summary: "What a problem of that name means, and what to do about it",
            parameters: vec![name("The name of the problem, the end of its type.")],
            good: &[EXPLANATION],
            problems: &[LONG, BUSY, MISSING],
            access: Access::Open,
        }
        .for_all(),
        Route::Health => Row {
            path: router::HEALTHZ,
            id: "alive",
            summary: "Whether the process answers",
            parameters: Vec::new(),
            good: &[ALIVE],
            problems: &[LONG],
            access: Access::Open,
        }
        .for_all(),
        Route::Ready => Row {
            path: router::READYZ,
            id: "ready",
            summary: "Whether requests should be sent here",
            parameters: Vec::new(),
            good: &[ALIVE, DRAINING],
            problems: &[LONG],
            access: Access::Open,
        }
        .for_all(),
        Route::Robots => Row {
            path: router::ROBOTS,
            id: "robots",
            summary: "Nothing here is for crawlers",
            parameters: Vec::new(),
            good: &[RULES],
            problems: &[LONG, BUSY],
            access: Access::Open,
        }
        .for_all(),
        Route::Description => Row {
            path: router::DESCRIPTION,
            id: "description",
            summary: "This description",
            parameters: Vec::new(),
            good: &[DESCRIPTION, UNCHANGED],
            problems: &[LONG, BUSY],
            access: Access::Open,
        }
        .for_all(),
        Route::Unknown => return None,
    };
    Some(described)
}

/// What there is to say of a path, whatever the method.
struct Row {
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    parameters: Vec<Parameter>,
    good: &'static [Good],
    problems: &'static [&'static [Kind]],
    access: Access,
}

#[derive(Clone, Copy, PartialEq)]
enum Access {
    /// To everybody.
    Open,
    /// A token may be wanted, as `access.mode` says.
    Token,
}

impl Row {
    /// `GET` and `HEAD`.
    fn for_all(self) -> Described {
        let get = self.operation(self.id.to_owned(), Bodies::Sent);
        let head = self.operation(format!("{}_head", self.id), Bodies::LeftOut);
        let operations = vec![(HttpMethod::Get, get), (HttpMethod::Head, head)];
        Described { path: self.path, operations }
    }

    /// With `OPTIONS`, which browsers send before they ask.
    fn for_browsers(self) -> Described {
        let options = OperationBuilder::new()
            .operation_id(Some(format!("{}_options", self.id)))
            .summary(Some("What a script in a browser may ask here"))
            .parameters(self.parameters_of_path());
        let of_path: &[&[Kind]] = match self.parameters_of_path() {
            Some(_) => &[LONG, BUSY, MISSING],
            None => &[LONG, BUSY],
        };
        let options =
            answers::add(options, &[PREFLIGHT], (of_path, ToldTo::Programs), Bodies::Sent);
        let mut described = self.for_all();
        described.operations.push((HttpMethod::Options, options));
        described
    }

    /// `POST` of a list.
    fn for_lists(self) -> Described {
        let list = json!({"type": "string", "pattern": LISTS});
        let text = || {
            let list = answers::schema(list.clone());
            ContentBuilder::new().schema(Some(list)).build()
        };
        let form = json!({"type": "object", "required": ["list"], "properties": {"list": list}});
        let form = ContentBuilder::new().schema(Some(answers::schema(form))).build();
        let body = RequestBodyBuilder::new()
            .description(Some("The list, of whatever media type, or a form with it as `list`."))
            .required(Some(Required::True))
            .content("text/x-opml", text())
            .content("text/plain", text())
            .content("multipart/form-data", form);
        let post = self.operation(self.id.to_owned(), Bodies::Sent);
        let post = post.request_body(Some(body.build()));
        Described { path: self.path, operations: vec![(HttpMethod::Post, post)] }
    }

    fn operation(&self, id: String, bodies: Bodies) -> OperationBuilder {
        let operation = OperationBuilder::new()
            .operation_id(Some(id))
            .summary(Some(self.summary))
            .parameters(Some(self.parameters.clone()));
        let operation = match self.access {
            Access::Open => operation,
            Access::Token => operation
                .security(SecurityRequirement::default())
                .security(SecurityRequirement::new(BEARER, [""; 0])),
        };
        answers::add(operation, self.good, (self.problems, self.told()), bodies)
    }

    fn told(&self) -> ToldTo {
        match self.path {
            router::PAGE => ToldTo::People,
            router::OPML => ToldTo::Both,
            _ => ToldTo::Programs,
        }
    }

    fn parameters_of_path(&self) -> Option<Vec<Parameter>> {
        let of_path = self.parameters.iter().filter(|it| it.parameter_in == ParameterIn::Path);
        let of_path: Vec<Parameter> = of_path.cloned().collect();
        (!of_path.is_empty()).then_some(of_path)
    }
}

fn parameter(name: &str, is_in: ParameterIn, about: &str, schema: Value) -> ParameterBuilder {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(is_in)
        .description(Some(about))
        .schema(Some(answers::schema(schema)))
}

fn url() -> Parameter {
    address().required(Required::True).build()
}

/// Without it the page has a form.
fn optional_url() -> Parameter {
    address().required(Required::False).build()
}

fn address() -> ParameterBuilder {
    let about = "The feed's address, percent-encoded; http, https, feed: or without a scheme. More is \
                 understood than the pattern says, such as names in other scripts and IP addresses.";
    let schema = json!({"type": "string", "pattern": ADDRESSES});
    let example = Some("https://blog.rust-lang.org/feed.xml".into());
    parameter("url", ParameterIn::Query, about, schema).example(example)
}

fn filter() -> Parameter {
    let about = "An expression of MMSP Appendix A that items have to pass.";
    let filter = parameter("filter", ParameterIn::Query, about, schemas::text());
    filter.required(Required::False).example(Some("type:article".into())).build()
}

fn limit() -> Parameter {
    let schema = json!({"type": "integer", "minimum": 1, "maximum": Limit::MAX});
    let about = "How many items at most; without it the gateway chooses.";
    parameter("limit", ParameterIn::Query, about, schema).required(Required::False).build()
}

fn cursor() -> Parameter {
    let about = "The place to go on from: follow next_url, do not make one.";
    let schema = json!({"type": "string", "pattern": "^[A-Za-z0-9_-]+$"});
    parameter("cursor", ParameterIn::Query, about, schema).required(Required::False).build()
}

fn sig() -> Parameter {
    let about = "The signature of the address, where access.mode is signed.";
    parameter("sig", ParameterIn::Query, about, schemas::text()).required(Required::False).build()
}

fn name(about: &str) -> Parameter {
    let schema = json!({"type": "string", "minLength": 1});
    parameter("name", ParameterIn::Path, about, schema).required(Required::True).build()
}

/// Whatever is like this can be read as an address.
const ADDRESSES: &str = "^(feed:)?(https?://)?([A-Za-z0-9](-?[A-Za-z0-9]){0,20}\\.){0,4}\
                         [A-Za-z](-?[A-Za-z0-9]){0,20}(/[!-~]{0,1000})?$";

/// Whatever is like this can be read as a list; any OPML file is.
const LISTS: &str = "^[^<&]*<opml>[^<&]*(</opml>[^<&]*)?$";

const MANIFEST: Good = Good {
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
const NATIVE: Good = Good {
    status: 302,
    what: "The source is a manifest already, or offers one",
    body: Body::Nothing,
    headers: &["Location", "Cache-Control"],
};
const UNCHANGED: Good = Good {
    status: 304,
    what: "The client has it already",
    body: Body::Nothing,
    headers: &["ETag", "Cache-Control"],
};
const PAGE: Good = Good {
    status: 200,
    what: "The page, or the form where no feed is asked for",
    body: Body::Text(&[HTML]),
    headers: &["Content-Security-Policy", "Cache-Control", "Vary"],
};
const ASSET: Good = Good {
    status: 200,
    what: "The file",
    body: Body::Text(&[
        "text/css; charset=utf-8",
        "text/javascript; charset=utf-8",
        "image/svg+xml",
    ]),
    headers: &["Cache-Control", "Vary"],
};
const OFFERS: Good = Good {
    status: 200,
    what: "The feeds, with their manifests",
    body: Body::Schema("application/json", schemas::OFFERS),
    headers: &["Cache-Control", "Access-Control-Allow-Origin"],
};
const LIST: Good = Good {
    status: 200,
    what: "The list, with manifests for feeds and everything else as it was",
    body: Body::Text(&["text/x-opml; charset=utf-8"]),
    headers: &["Content-Disposition"],
};
const EXPLANATION: Good = Good {
    status: 200,
    what: "The explanation",
    body: Body::Text(&["text/plain; charset=utf-8"]),
    headers: &["Cache-Control"],
};
const ALIVE: Good = Good {
    status: 200,
    what: "It is; \"store\": \"degraded\" where the store does not answer",
    body: Body::Schema("application/json", schemas::STATE),
    headers: &["Cache-Control"],
};
const DRAINING: Good = Good {
    status: 503,
    what: "Not yet, or not any more",
    body: Body::Schema("application/json", schemas::STATE),
    headers: &["Cache-Control"],
};
const RULES: Good = Good {
    status: 200,
    what: "The rules",
    body: Body::Text(&["text/plain; charset=utf-8"]),
    headers: &["Cache-Control"],
};
const DESCRIPTION: Good = Good {
    status: 200,
    what: "An OpenAPI document",
    body: Body::Text(&["application/json"]),
    headers: &["ETag", "Cache-Control"],
};
const PREFLIGHT: Good = Good {
    status: 204,
    what: "The methods and headers",
    body: Body::Nothing,
    headers: &["Allow", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers"],
};

/// Of every request.
const LONG: &[Kind] = &[Kind::TargetTooLong, Kind::HeadTooLong, Kind::BodyTooLong];
/// Of every request but those of whoever balances.
const BUSY: &[Kind] = &[Kind::TooManyRequests];
const QUERY: &[Kind] = &[Kind::InvalidCursor, Kind::InvalidLimit, Kind::UnknownParameter];
const ADDRESS: &[Kind] = &[Kind::InvalidUrl];
const ACCESS: &[Kind] = &[Kind::NoToken];
const SIGNATURE: &[Kind] = &[Kind::NotSigned];
const MISSING: &[Kind] = &[Kind::NotFound];
const PAGES: &[Kind] = &[Kind::Overloaded, Kind::Internal];
/// Of whatever asks a source.
const SOURCE: &[Kind] = &[
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
        let groups =
            [LONG, BUSY, QUERY, ADDRESS, ACCESS, SIGNATURE, MISSING, SOURCE, &[Kind::NotOpml]];
        for kind in Kind::ALL {
            let is_described = groups.iter().any(|group| group.contains(kind));
            assert_eq!(is_described, *kind != Kind::MethodNotAllowed, "{kind:?}");
        }
    }
}
