//! The way from the address that was asked for to the one that answers.
//!
//! Every hop is a new target. `https` never leads to `http`; an `http` source on port 80 is tried
//! over `https` first. Written over an `ask` function, so that the rules stand apart from sockets.

use super::error::{BadRedirect, FetchError, Unreachable, Wait};
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
                Err(error) if !is_absence_of_https(&error) => {
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
pub(super) fn secure_twin(url: &SourceUrl, https: Https, guard: &Guard) -> Option<SourceUrl> {
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
mod tests;
