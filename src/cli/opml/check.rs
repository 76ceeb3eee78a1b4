//! Tries all feeds of a list: several at once, and one at a time of each domain.

use std::collections::{HashMap, HashSet};

use futures_util::stream::{self, StreamExt as _};
use tokio::runtime::Builder;
use tokio::task::LocalSet;

use super::ListError;
use super::attempt::{Attempt, Outcome, attempt};
use crate::cli::progress::Progress;
use crate::clock::Clock;
use crate::fetch::{Fetcher, Rests, Settings};
use crate::gateway::registrable_domain;
use crate::model::SourceUrl;
use crate::opml::Outline;
use crate::server::problem::{Kind, Problem};

/// A feed to be tried, and its place in the list.
type Task = (usize, SourceUrl);

/// Tries the feeds, and gives what became of each, in the order of the list. A host that asks to be
/// left alone is, for the rest of them.
pub(super) fn try_all(
    outlines: Vec<Outline>,
    settings: &Settings,
) -> Result<Vec<Attempt>, ListError> {
    let (mut outcomes, domains) = sort(&outlines);
    let progress = Progress::of(domains.iter().map(Vec::len).sum());
    let runtime = Builder::new_current_thread().enable_all().build().map_err(ListError::Runtime)?;
    let clock = Clock::system();
    let tried = LocalSet::new().block_on(&runtime, async {
        let clocked = clock.clone();
        let fetcher = Fetcher::for_user(settings)?.sharing(Rests::new(move || clocked.now()));
        let domains = domains.into_iter();
        let tried = domains.map(|tasks| try_domain(&fetcher, tasks, &clock, &progress));
        Ok::<_, ListError>(stream::iter(tried).buffer_unordered(AT_ONCE).concat().await)
    })?;
    progress.end();
    outcomes.extend(tried);
    let attempt = |(place, Outline { title, url }): (usize, Outline)| {
        Some(Attempt { title, url, outcome: outcomes.remove(&place)? })
    };
    Ok(outlines.into_iter().enumerate().filter_map(attempt).collect())
}

/// Sorts the feeds by the domain that is asked; what need not be tried has its outcome.
fn sort(outlines: &[Outline]) -> (HashMap<usize, Outcome>, Vec<Vec<Task>>) {
    let mut outcomes = HashMap::new();
    let mut seen = HashSet::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut domains: Vec<Vec<Task>> = Vec::new();
    for (place, outline) in outlines.iter().enumerate() {
        let url = match SourceUrl::parse(&outline.url) {
            Ok(url) => url,
            Err(error) => {
                let problem = Problem::new(Kind::InvalidUrl, format!("{error}."));
                outcomes.insert(place, Outcome::Failed(Box::new(problem)));
                continue;
            }
        };
        if !seen.insert(url.upgraded().unwrap_or_else(|| url.clone())) {
            outcomes.insert(place, Outcome::Duplicate);
            continue;
        }
        let next = domains.len();
        let domain = *places.entry(registrable_domain(&url)).or_insert(next);
        if domain == next {
            domains.push(Vec::new());
        }
        if let Some(tasks) = domains.get_mut(domain) {
            tasks.push((place, url));
        }
    }
    (outcomes, domains)
}

async fn try_domain(
    fetcher: &Fetcher,
    tasks: Vec<Task>,
    clock: &Clock,
    progress: &Progress,
) -> Vec<(usize, Outcome)> {
    let mut outcomes = Vec::new();
    for (place, url) in tasks {
        progress.begin(url.as_str());
        outcomes.push((place, attempt(fetcher, &url, clock.now()).await));
    }
    outcomes
}

/// Domains that are asked at the same time.
const AT_ONCE: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_of_one_domain_wait_for_one_another_and_what_is_there_twice_is_tried_once() {
        let urls = [
            "https://a.example.org/1",
            "https://b.example.net/",
            "http://b.example.org/2",
            "mailto:a@example.org",
            "http://a.example.org/1#x",
        ];
        let outline = |url: &str| Outline { title: String::new(), url: url.to_owned() };
        let (outcomes, domains) = sort(&urls.map(outline));
        let places: Vec<Vec<usize>> =
            domains.iter().map(|tasks| tasks.iter().map(|(place, _)| *place).collect()).collect();
        assert_eq!(places, [vec![0, 2], vec![1]]);
        assert!(matches!(outcomes[&3], Outcome::Failed(_)));
        assert!(matches!(outcomes[&4], Outcome::Duplicate));
    }
}
