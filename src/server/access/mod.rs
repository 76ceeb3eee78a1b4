//! Who may ask: everyone (`open`), who knows a token (`token`), or who has a signed address
//! (`signed`).
//!
//! One door for all routes: [`Access::admit`] is asked before any handler, and [`wanted`] has a
//! line for each route, so that a new one does not compile until it is decided whether strangers
//! may make us fetch by it. Whoever knows a token may also ask without a signature.

mod settings;
mod tokens;

use actix_web::dev::ServiceRequest;
use actix_web::http::Method;

use crate::metrics::{CallerRefusal, Route};
use crate::paging::SigningKeys;

use super::problem::{Kind, Problem};
use super::query_table::QueryTable;
use super::refusal::Refusal;
use tokens::{Presented, Tokens};

pub use settings::{AccessMode, AccessSettings};

/// The judge of callers.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    mode: AccessMode,
    keys: Option<SigningKeys>,
    tokens: Tokens,
}

/// By what a caller was let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// By the address alone, open or signed: any cache may keep the answer.
    Address,
    /// By a token: the answer is this caller's.
    Token,
}

/// What a route wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Nothing,
    Token,
    SignatureOrToken,
}

impl Access {
    pub(crate) fn new(settings: &AccessSettings) -> Self {
        Self {
            mode: settings.mode,
            keys: settings.signing_keys(),
            tokens: Tokens::new(settings.tokens.iter()),
        }
    }

    /// Lets a request in, or says what it lacks.
    pub(crate) fn admit(
        &self,
        route: Route,
        request: &ServiceRequest,
        queries: &QueryTable,
    ) -> Result<Admission, Box<Refusal>> {
        // A browser asks by OPTIONS what it may ask, without the token; nothing is fetched.
        if request.method() == Method::OPTIONS {
            return Ok(Admission::Address);
        }
        let wanted = wanted(self.mode, route);
        if wanted == Wanted::Nothing {
            return Ok(Admission::Address);
        }
        let presented = self.tokens.look_at(request.headers());
        match (wanted, presented) {
            (_, Presented::Good) => Ok(Admission::Token),
            (Wanted::SignatureOrToken, Presented::None) => self.admit_signed(request, queries),
            (_, presented) => Err(without_token(route, presented)),
        }
    }

    /// The signature is judged over the address as it is cleaned, which is what will be asked for.
    fn admit_signed(
        &self,
        request: &ServiceRequest,
        queries: &QueryTable,
    ) -> Result<Admission, Box<Refusal>> {
        let query = queries.read(request.query_string()).map_err(|error| Refusal {
            reason: CallerRefusal::Signature,
            problem: Problem::from(&error),
        })?;
        let keys = self.keys.as_ref();
        let is_good = |sig| keys.is_some_and(|keys| keys.verify(&query.url, sig));
        match query.sig.as_deref() {
            Some(sig) if is_good(sig) => Ok(Admission::Address),
            sig => Err(without_signature(sig)),
        }
    }
}

/// A browser asks its user for a name and a password, and cannot be told to ask for a token.
fn without_token(route: Route, presented: Presented) -> Box<Refusal> {
    let (detail, challenge) = match presented {
        _ if route == Route::Page => (
            "This gateway wants a token. Reload the page and give the token as the password, with \
             any user name. Whoever runs the gateway has one for you.",
            "Basic realm=\"mmsp-gateway\", charset=\"UTF-8\"",
        ),
        Presented::None => (
            "This gateway wants a token: send it as `Authorization: Bearer TOKEN`.",
            "Bearer realm=\"mmsp-gateway\"",
        ),
        Presented::Good | Presented::Bad => (
            "The token is not one of this gateway's. Ask whoever runs it for a new one.",
            "Bearer realm=\"mmsp-gateway\", error=\"invalid_token\"",
        ),
    };
    let problem = Problem::new(Kind::NoToken, detail).challenge(challenge);
    Box::new(Refusal { reason: CallerRefusal::Token, problem })
}

fn without_signature(sig: Option<&str>) -> Box<Refusal> {
    let detail = match sig {
        Some(_) => {
            "The signature `sig` is not one for this `url`. Take the address as the gateway's \
             operator gave it, unchanged."
        }
        None => {
            "This gateway answers signed addresses only. Ask whoever runs it for the address of \
             this feed; `mmsp-gateway sign URL` makes it."
        }
    };
    let problem = Problem::new(Kind::NotSigned, detail);
    Box::new(Refusal { reason: CallerRefusal::Signature, problem })
}

/// What each route wants in each mode. Whatever makes us fetch, or signs, is guarded: a manifest
/// by signature or token, anything else by token. Open whatever the mode: what fetches nothing,
/// and feeds that the operator named in the settings.
fn wanted(mode: AccessMode, route: Route) -> Wanted {
    match (route, mode) {
        (
            Route::Asset
            | Route::Problem
            | Route::Health
            | Route::Ready
            | Route::Robots
            | Route::Description
            | Route::Unknown
            | Route::Named
            | Route::WellKnown,
            _,
        ) => Wanted::Nothing,
        (_, AccessMode::Open) => Wanted::Nothing,
        (Route::Feed, AccessMode::Signed) => Wanted::SignatureOrToken,
        (Route::Feed, AccessMode::Token) => Wanted::Token,
        (Route::Page | Route::Discover | Route::Opml, AccessMode::Signed | AccessMode::Token) => {
            Wanted::Token
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::AUTHORIZATION;
    use actix_web::test::TestRequest;

    use super::*;
    use crate::model::SourceUrl;

    fn access(mode: &str) -> Access {
        let settings = serde_json::json!({
            "mode": mode,
            "keys": ["first-key", "second-key"],
            "tokens": "sesame, open-2",
        });
        Access::new(&serde_json::from_value(settings).unwrap())
    }

    /// The kind of problem, or how the caller was let in.
    fn check(mode: &str, request: TestRequest) -> Result<Admission, Kind> {
        let (request, queries) = (request.to_srv_request(), QueryTable::new());
        let admitted = access(mode).admit(Route::Feed, &request, &queries);
        admitted.map_err(|refusal| refusal.problem.kind())
    }

    fn get(query: &str) -> TestRequest {
        TestRequest::with_uri(&format!("/mmsp/feed?{query}"))
    }

    fn bearer(token: &str) -> TestRequest {
        get("url=x.example").insert_header((AUTHORIZATION, format!("Bearer {token}")))
    }

    fn sig(url: &str, key: &str) -> String {
        let keys = SigningKeys::new([key.as_bytes()]).unwrap();
        keys.sign(&SourceUrl::parse(url).unwrap())
    }

    #[test]
    fn an_open_gateway_wants_nothing() {
        assert_eq!(check("open", get("url=x.example")), Ok(Admission::Address));
        assert_eq!(check("open", bearer("wrong")), Ok(Admission::Address));
    }

    #[test]
    fn the_mode_token_wants_one_of_its_tokens() {
        assert_eq!(check("token", get("url=x.example")), Err(Kind::NoToken));
        for good in ["sesame", "open-2"] {
            assert_eq!(check("token", bearer(good)), Ok(Admission::Token), "{good}");
        }
        for bad in ["", "sesam", "sesame2", "Sesame", "sesame,open-2"] {
            assert_eq!(check("token", bearer(bad)), Err(Kind::NoToken), "{bad}");
        }
        let signed = get(&format!("url=x.example&sig={}", sig("x.example", "first-key")));
        assert_eq!(check("token", signed), Err(Kind::NoToken));
    }

    #[test]
    fn the_mode_signed_wants_a_signature_of_any_key_or_a_token() {
        assert_eq!(check("signed", get("url=x.example")), Err(Kind::NotSigned));
        for key in ["first-key", "second-key"] {
            let sig = sig("https://x.example/", key);
            for query in ["url=X.example", "url=https%3A%2F%2Fx.example%2F%23f&limit=3"] {
                let request = get(&format!("{query}&sig={sig}"));
                assert_eq!(check("signed", request), Ok(Admission::Address));
            }
            let other = get(&format!("url=y.example&sig={sig}"));
            assert_eq!(check("signed", other), Err(Kind::NotSigned));
        }
        let withdrawn = sig("x.example", "old-key");
        let withdrawn = get(&format!("url=x.example&sig={withdrawn}"));
        assert_eq!(check("signed", withdrawn), Err(Kind::NotSigned));
        assert_eq!(check("signed", bearer("sesame")), Ok(Admission::Token));
        assert_eq!(check("signed", bearer("wrong")), Err(Kind::NoToken));
    }

    #[test]
    fn a_query_that_cannot_be_read_is_not_let_past_the_door() {
        let sig = sig("x.example", "first-key");
        for query in [
            "sig=A".to_owned(),
            format!("url=x.example&sig={sig}&sig={sig}"),
            format!("url=x.example&url=y.example&sig={sig}"),
            format!("url=x.example&sig={sig}&b=1"),
        ] {
            assert!(check("signed", get(&query)).is_err(), "{query}");
        }
    }

    #[test]
    fn a_browser_may_ask_what_it_may_ask() {
        let options = get("url=x.example").method(Method::OPTIONS);
        assert_eq!(check("token", options), Ok(Admission::Address));
        let head = get("url=x.example").method(Method::HEAD);
        assert_eq!(check("token", head), Err(Kind::NoToken));
    }

    #[test]
    fn only_routes_that_fetch_nothing_are_open_whatever_the_mode() {
        let open = [
            Route::Asset,
            Route::Named,
            Route::WellKnown,
            Route::Problem,
            Route::Health,
            Route::Ready,
            Route::Robots,
            Route::Description,
            Route::Unknown,
        ];
        for route in Route::ALL {
            for mode in [AccessMode::Token, AccessMode::Signed] {
                let is_open = wanted(mode, *route) == Wanted::Nothing;
                assert_eq!(is_open, open.contains(route), "{route:?}");
            }
        }
    }

    #[test]
    fn nothing_secret_is_shown() {
        let shown = format!("{:?}", access("signed"));
        for secret in ["sesame", "open-2", "first-key", "second-key"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
}
