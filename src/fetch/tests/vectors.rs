//! Our table of targets, and a larger one where it lies beside the project: every row, from the
//! text of the URL to the verdict, nothing dialled.

use std::net::IpAddr;
use std::path::Path;

use futures_util::FutureExt;

use super::super::redirect::{self, Rules, Step};
use super::*;

#[test]
fn every_row_of_the_tables_is_judged_as_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ours = std::fs::read_to_string(root.join("fixtures/targets.tsv")).unwrap();
    let shared = std::fs::read_to_string(root.join("../shared/ssrf_vectors.tsv"));
    let shared = shared.unwrap_or_default();
    let wrong: Vec<&str> = [ours.as_str(), shared.as_str()]
        .into_iter()
        .flat_map(|table| table.lines().skip(1))
        .filter(|line| {
            let row: Vec<&str> = line.split('\t').collect();
            let is_other_question = ELSEWHERE.iter().any(|(id, _)| *id == row[0]);
            !is_other_question && is_open(row[1], &unescaped(row[2]), row[3]) != (row[4] == "allow")
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Rows that ask something else than the verdict on a cleaned URL.
const ELSEWHERE: &[(&str, &str)] = &[
    ("v007", "`feed:` is rewritten to https when the URL is cleaned"),
    ("v009", "a scheme is put in front when the URL is cleaned"),
    ("v010", "a scheme is put in front when the URL is cleaned"),
    ("v222", "the verdict of a second fetch: each connection looks the name up again"),
    ("v223", "a connection is tried with the judged addresses only, and fails with them"),
];

fn is_open(kind: &str, input: &str, answers: &str) -> bool {
    let own = [url("https://gateway.example/v1/")];
    let guard = Guard::new(&Settings::default()).refusing(&own);
    match kind {
        "redirect" => is_way_open(&guard, input, answers),
        "self" | "rebind" => {
            let input = input.split(' ').next().unwrap_or_default();
            is_target_open(&guard, input, answers.split(';').next().unwrap_or_default())
        }
        _ => is_target_open(&guard, input, answers),
    }
}

fn is_target_open(guard: &Guard, input: &str, answers: &str) -> bool {
    SourceUrl::parse(input).is_ok_and(|url| judge(guard, &url, answers).is_ok())
}

/// `first => 302 second => 302 third`, each step judged as the fetcher does.
fn is_way_open(guard: &Guard, input: &str, answers: &str) -> bool {
    let mut steps = input.split(" => ");
    let first = url(steps.next().unwrap());
    let rules = Rules { guard, https: Https::Untried, allow_http: true };
    let way = redirect::follow(&first, rules, async |url: &SourceUrl| {
        judge(guard, url, answers)?;
        let Some(step) = steps.next() else { return Ok(Step::Arrived(())) };
        let location = match step.split_once(' ').unwrap().1 {
            "(no Location header)" => Err(BadRedirect::Missing),
            "(two differing Location headers)" => Err(BadRedirect::Ambiguous),
            location => Ok(location.to_owned()),
        };
        Ok(Step::Moved { kind: RedirectKind::Temporary, location })
    });
    way.now_or_never().unwrap().is_ok()
}

fn judge(guard: &Guard, url: &SourceUrl, answers: &str) -> Result<(), FetchError> {
    guard.judge_url(url).map_err(FetchError::Refused)?;
    let answers = match url.host().parse::<IpAddr>() {
        Ok(_) => Vec::new(),
        Err(_) => addresses_of(url.host(), answers),
    };
    if answers.is_empty() && url.host().parse::<IpAddr>().is_err() {
        return Err(Unreachable::NoSuchHost.into());
    }
    guard.judge(url, &answers).map_err(FetchError::Refused)
}

/// Reads `1.2.3.4, ::1`, `CNAME b => 1.2.3.4`, `1st: 1.2.3.4` and `a=1.2.3.4; b=…`.
fn addresses_of(host: &str, answers: &str) -> Vec<IpAddr> {
    let by_name = answers.split("; ").find_map(|answer| answer.strip_prefix(&format!("{host}=")));
    let list = by_name.unwrap_or(answers);
    let words = list.split([' ', ',']).filter(|word| !word.is_empty());
    words.filter_map(|word| word.parse().ok()).collect()
}

fn unescaped(text: &str) -> String {
    [("\\t", "\t"), ("\\r", "\r"), ("\\n", "\n"), ("\\u00ad", "\u{ad}"), ("\\\\", "\\")]
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}
