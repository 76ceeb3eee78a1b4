//! The way from the address that was asked for to the one that answers.
//!
//! Every hop is a new target. `https` never leads to `http`; an `http` source on port 80 is tried
//! over `https` first. Written over an `ask` function, so that the rules stand apart from sockets.

use super::error::BadRedirect;
use super::error::FetchError;
use super::error::Unreachable;
use super::error::Wait;
use super::request::Https;
use super::target::Guard;
use crate::model::SourceUrl;

/// One step on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The address that was left.
    pub from: SourceUrl,
    /// The address that it named.
    pub to: SourceUrl,
    /// How it was left.
    pub kind: RedirectKind,
}

/// How an address was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectKind {
    /// 301 or 308: the source moved for good.
    Permanent,
    /// 302, 303 or 307.
    Temporary,
    /// We took `https` in place of `http`, and it answered.
    Upgrade,
}

/// What one address answered.
#[derive(Debug)]
pub(super) enum Step<T> {
    Arrived(T),
    Moved { kind: RedirectKind, location: Result<String, BadRedirect> },
}

/// What following redirects needs to know beforehand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules<'a> {
    pub(super) guard: &'a Guard,
    pub(super) https: Https,
    pub(super) allow_http: bool,
}

/// Asks address after address until one answers.
pub(super) async fn follow<T>(
    first: &SourceUrl,
    rules: Rules<'_>,
    mut ask: impl AsyncFnMut(&SourceUrl) -> Result<Step<T>, FetchError>,
) -> Result<(SourceUrl, Vec<Redirect>, T), FetchError> {
    let mut trail = Trail::default();
    let mut current = first.clone();
    let mut https = rules.https;
    loop {
        let step = match secure_twin(&current, https, rules.guard) {
            Some(twin) => match trail.step(&twin, ask(&twin).await) {
                Ok(step) => {
                    trail.left(&current, &twin, RedirectKind::Upgrade);
                    current = twin;
                    step
                }
                Err(error) if https == Https::Worked || !is_absence_of_https(&error) => {
                    return Err(error);
                }
                Err(_) => trail.plain(&current, rules, &mut ask).await?,
            },
            None if current.is_https() => {
                let answer = ask(&current).await;
                trail.step(&current, answer)?
            }
            None => trail.plain(&current, rules, &mut ask).await?,
        };
        match step {
            Next::Arrived(arrived) => return Ok((current, trail.redirects, arrived)),
            Next::To(to, kind) => {
                trail.hop(&current, &to, kind)?;
                current = to;
                https = Https::Untried;
            }
        }
    }
}

enum Next<T> {
    Arrived(T),
    To(SourceUrl, RedirectKind),
}

#[derive(Default)]
struct Trail {
    redirects: Vec<Redirect>,
    answered: Vec<SourceUrl>,
}

impl Trail {
    async fn plain<T>(
        &mut self,
        url: &SourceUrl,
        rules: Rules<'_>,
        ask: &mut impl AsyncFnMut(&SourceUrl) -> Result<Step<T>, FetchError>,
    ) -> Result<Next<T>, FetchError> {
        if !rules.allow_http {
            return Err(FetchError::PlainHttp);
        }
        let answer = ask(url).await;
        self.step(url, answer)
    }

    /// Reads an answer; an address that redirects is never asked again.
    fn step<T>(
        &mut self,
        asked: &SourceUrl,
        answer: Result<Step<T>, FetchError>,
    ) -> Result<Next<T>, FetchError> {
        let (kind, location) = match answer? {
            Step::Arrived(arrived) => return Ok(Next::Arrived(arrived)),
            Step::Moved { kind, location } => (kind, location),
        };
        self.answered.push(asked.clone());
        let to = location
            .and_then(|location| asked.join(&location).map_err(BadRedirect::Address))
            .map_err(FetchError::BadRedirect)?;
        if asked.is_https() && !to.is_https() {
            return Err(FetchError::Downgrade);
        }
        Ok(Next::To(to, kind))
    }

    fn hop(
        &mut self,
        from: &SourceUrl,
        to: &SourceUrl,
        kind: RedirectKind,
    ) -> Result<(), FetchError> {
        if self.answered.contains(to) {
            return Err(FetchError::RedirectLoop);
        }
        self.left(from, to, kind);
        let hops = self.redirects.iter().filter(|hop| hop.kind != RedirectKind::Upgrade).count();
        if hops > MAX_HOPS { Err(FetchError::TooManyRedirects) } else { Ok(()) }
    }

    fn left(&mut self, from: &SourceUrl, to: &SourceUrl, kind: RedirectKind) {
        self.redirects.push(Redirect { from: from.clone(), to: to.clone(), kind });
    }
}

/// The `https` address to try before a plain one. Where the operator named the host for plain
/// `http` alone, that is what was meant.
fn secure_twin(url: &SourceUrl, https: Https, guard: &Guard) -> Option<SourceUrl> {
    let is_worth_it = !url.is_https() && https != Https::Absent;
    let twin = is_worth_it.then(|| url.upgraded()).flatten()?;
    (guard.is_named(&twin) || !guard.is_named(url)).then_some(twin)
}

/// Whether an attempt over `https` says that there is none. A bad certificate says no such thing.
fn is_absence_of_https(error: &FetchError) -> bool {
    matches!(
        error,
        FetchError::Downgrade
            | FetchError::Timeout(Wait::Connect)
            | FetchError::Unreachable(Unreachable::Connect(_) | Unreachable::Tls(_))
    )
}

const MAX_HOPS: usize = 5;

#[cfg(test)]
mod tests {
    use std::io;

    use futures_util::FutureExt;

    use super::*;
    use crate::fetch::Settings;
    use crate::fetch::Verdict;

    #[derive(Clone, Copy)]
    struct Knowing(Https, bool);

    const UNTRIED: Knowing = Knowing(Https::Untried, true);

    type Script<'a> = &'a [(&'a str, &'a str)];

    /// Follows a script of `address → answer`; gives the addresses asked and how it ended.
    fn play(
        first: &str,
        Knowing(https, allow_http): Knowing,
        script: Script<'_>,
    ) -> (Vec<String>, Result<String, String>) {
        let mut asked = Vec::new();
        let guard = Guard::new(&serde_json::from_str(r#"{"allow_hosts": "plain:80"}"#).unwrap());
        let rules = Rules { guard: &guard, https, allow_http };
        let first = SourceUrl::parse(first).unwrap();
        let end = follow(&first, rules, async |url: &SourceUrl| {
            asked.push(url.to_string());
            let answer = script.iter().find(|(from, _)| *from == url.as_str());
            match answer.map_or("refused", |(_, answer)| *answer) {
                "ok" => Ok(Step::Arrived(())),
                "404" => Err(FetchError::Status { status: 404, retry_after: None }),
                "refused" => Err(Unreachable::Connect(io::Error::other("refused")).into()),
                "denied" => Err(FetchError::Refused(Verdict::Private)),
                "certificate" => Err(FetchError::Certificate(io::Error::other("expired"))),
                "nowhere" => moved(RedirectKind::Temporary, Err(BadRedirect::Missing)),
                to => match to.strip_prefix("301 ") {
                    Some(to) => moved(RedirectKind::Permanent, Ok(to.to_owned())),
                    None => moved(RedirectKind::Temporary, Ok(to.to_owned())),
                },
            }
        });
        let end = end.now_or_never().unwrap();
        (asked, end.map(|(url, ..)| url.to_string()).map_err(|error| format!("{error:?}")))
    }

    fn moved(
        kind: RedirectKind,
        location: Result<String, BadRedirect>,
    ) -> Result<Step<()>, FetchError> {
        Ok(Step::Moved { kind, location })
    }

    #[track_caller]
    fn check(first: &str, script: Script<'_>, expected: Result<&str, &str>) {
        let (_, end) = play(first, UNTRIED, script);
        match (&end, expected) {
            (Ok(url), Ok(expected)) => assert_eq!(url, expected),
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
            _ => panic!("{end:?}"),
        }
    }

    #[test]
    fn locations_are_resolved_against_the_address_that_sent_them() {
        for (location, to) in [
            ("/moved.xml", "https://a.example/moved.xml"),
            ("other?x=1", "https://a.example/d/other?x=1"),
            ("//b.example/f", "https://b.example/f"),
            ("https:g", "https://a.example/d/g"),
            ("/\u{e4} b", "https://a.example/%C3%A4%20b"),
            ("301 https://b.example/f#x", "https://b.example/f"),
        ] {
            check(
                "https://a.example/d/f",
                &[("https://a.example/d/f", location), (to, "ok")],
                Ok(to),
            );
        }
    }

    #[test]
    fn locations_that_lead_nowhere_are_errors() {
        for (location, why) in [
            ("file:///etc/passwd", "Scheme"),
            ("https://user:pw@b.example/", "Credentials"),
            ("https://b.example:99999/", "Port"),
            ("nowhere", "Missing"),
            ("http://b.example/f", "Downgrade"),
            ("http:10.0.0.1/x", "Downgrade"),
        ] {
            check("https://a.example/f", &[("https://a.example/f", location)], Err(why));
        }
    }

    #[test]
    fn five_hops_are_followed_and_six_are_not() {
        let script = [
            ("https://a.example/0", "/1"),
            ("https://a.example/1", "/2"),
            ("https://a.example/2", "/3"),
            ("https://a.example/3", "/4"),
            ("https://a.example/4", "/5"),
            ("https://a.example/5", "/6"),
            ("https://a.example/6", "ok"),
        ];
        check("https://a.example/1", &script, Ok("https://a.example/6"));
        check("https://a.example/0", &script, Err("TooManyRedirects"));
    }

    #[test]
    fn circles_end_at_once() {
        check("https://a.example/", &[("https://a.example/", "/")], Err("RedirectLoop"));
        let script = [("https://a.example/1", "/2"), ("https://a.example/2", "/1")];
        let (asked, end) = play("https://a.example/1", UNTRIED, &script);
        assert_eq!(asked.len(), 2);
        assert!(end.unwrap_err().contains("RedirectLoop"));
    }

    #[test]
    fn http_is_tried_over_https_first() {
        let script = [("https://a.example/f", "ok"), ("http://a.example/f", "ok")];
        let (asked, end) = play("http://a.example/f", UNTRIED, &script);
        assert_eq!((asked.len(), end.as_deref()), (1, Ok("https://a.example/f")));
    }

    #[test]
    fn plain_http_is_read_where_https_does_not_connect_or_leads_back() {
        check("http://a.example/f", &[("http://a.example/f", "ok")], Ok("http://a.example/f"));
        let back = [("https://a.example/f", "http://a.example/f"), ("http://a.example/f", "ok")];
        check("http://a.example/f", &back, Ok("http://a.example/f"));
    }

    #[test]
    fn plain_http_is_not_read_for_any_other_reason() {
        let plain = ("http://a.example/f", "ok");
        for (answer, why) in [("certificate", "Certificate"), ("404", "404"), ("denied", "Refused")]
        {
            check("http://a.example/f", &[("https://a.example/f", answer), plain], Err(why));
        }
        let worked = Knowing(Https::Worked, true);
        assert!(play("http://a.example/f", worked, &[plain]).1.unwrap_err().contains("Connect"));
        let never = Knowing(Https::Untried, false);
        assert!(play("http://a.example/f", never, &[plain]).1.unwrap_err().contains("PlainHttp"));
        let port = [("http://a.example:8080/f", "ok")];
        assert!(play("http://a.example:8080/f", never, &port).1.unwrap_err().contains("PlainHttp"));
    }

    #[test]
    fn known_absence_of_https_and_other_ports_are_taken_as_they_are() {
        let script = [("http://a.example/f", "ok"), ("https://a.example/f", "ok")];
        let absent = Knowing(Https::Absent, true);
        assert_eq!(play("http://a.example/f", absent, &script).0, ["http://a.example/f"]);
        for url in ["http://a.example:8080/f", "http://plain/f"] {
            assert_eq!(play(url, UNTRIED, &[(url, "ok")]).0, [url]);
        }
    }

    #[test]
    fn the_way_is_told_hop_by_hop() {
        let script = [("https://a.example/f", "301 /g"), ("https://a.example/g", "ok")];
        let first = SourceUrl::parse("http://a.example/f").unwrap();
        let guard = Guard::new(&Settings::default());
        let rules = Rules { guard: &guard, https: Https::Untried, allow_http: true };
        let end = follow(&first, rules, async |url: &SourceUrl| {
            let (_, answer) = script.iter().find(|(from, _)| *from == url.as_str()).unwrap();
            match answer.strip_prefix("301 ") {
                Some(to) => moved(RedirectKind::Permanent, Ok(to.to_owned())),
                None => Ok(Step::Arrived(())),
            }
        });
        let (_, redirects, ()) = end.now_or_never().unwrap().unwrap();
        let kinds: Vec<_> = redirects.iter().map(|hop| hop.kind).collect();
        assert_eq!(kinds, [RedirectKind::Upgrade, RedirectKind::Permanent]);
        assert_eq!(redirects[1].to.as_str(), "https://a.example/g");
    }
}
