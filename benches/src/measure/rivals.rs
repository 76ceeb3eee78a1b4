//! Our converter and its rivals in turns, so that what else the machine does meets all of them alike.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

use mmsp_gateway_benches::feeds::{self, Sample};
use mmsp_gateway_benches::readers::{READERS, Read};
use serde_json::{Map, Value, json};

use crate::timing::seconds;

/// Seconds that each reader takes for each feed of ours, in each round.
pub(crate) fn feeds(rounds: usize) -> Value {
    feeds::all()
        .iter()
        .map(|sample| {
            json!({
                "feed": sample.name,
                "bytes": sample.body.len(),
                "seconds": in_turns(sample, rounds),
            })
        })
        .collect()
}

fn in_turns(sample: &Sample, rounds: usize) -> Value {
    let able = READERS.iter().filter(|(_, read)| read(sample).is_some_and(|entries| entries > 0));
    let mut turns: Vec<_> =
        able.map(|(name, read)| (name, read, times(sample, *read), Vec::new())).collect();
    for _ in 0..rounds {
        for (_, read, times, taken) in &mut turns {
            let all = seconds(|| (0..*times).filter_map(|_| read(sample)).count());
            taken.push(all / f64::from(*times));
        }
    }
    turns.into_iter().map(|(name, _, _, taken)| ((*name).to_owned(), json!(taken))).collect()
}

/// So often that it can be measured.
fn times(sample: &Sample, read: Read) -> u32 {
    let mut times = 1;
    while seconds(|| (0..times).filter_map(|_| read(sample)).count()) < SHORTEST {
        times *= 2;
    }
    times
}

/// Seconds of a turn, at least.
const SHORTEST: f64 = 0.01;

/// How each rival does over the documents of the corpus that it and ours can read: the best of some
/// rounds for each document.
pub(crate) fn corpus(rounds: usize) -> Value {
    let Some(folder) = feeds::folder() else { return Value::Null };
    let samples = feeds::corpus(&folder).unwrap();
    // A rival may break over a document; that is for it to tell, not for us.
    set_hook(Box::new(|_| {}));
    let mut told = Map::new();
    let mut taken: Vec<Vec<Option<f64>>> = vec![Vec::new(); READERS.len()];
    for sample in &samples {
        for ((_, read), taken) in READERS.iter().zip(&mut taken) {
            taken.push(best(sample, *read, rounds));
        }
    }
    let [raw, sanitizing, rivals @ ..] = taken.as_slice() else { return Value::Null };
    let names = READERS.iter().skip(2).map(|(name, _)| *name);
    for (name, theirs) in names.zip(rivals) {
        let ours = if name == "feedparser-rs" { sanitizing } else { raw };
        told.insert(name.to_owned(), beside(ours, theirs, &samples));
    }
    json!({ "documents": samples.len(), "rivals": told })
}

fn best(sample: &Sample, read: Read, rounds: usize) -> Option<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let mut entries = None;
        let taken = seconds(|| entries = catch_unwind(AssertUnwindSafe(|| read(sample))).ok());
        if entries.flatten()? == 0 {
            return None;
        }
        best = best.min(taken);
    }
    Some(best)
}

fn beside(ours: &[Option<f64>], theirs: &[Option<f64>], samples: &[Sample]) -> Value {
    let both = ours.iter().zip(theirs).zip(samples);
    let both: Vec<_> = both
        .filter_map(|((ours, theirs), sample)| Some(((*ours)?, (*theirs)?, sample.body.len())))
        .collect();
    let logarithms: f64 = both.iter().map(|(ours, theirs, _)| (theirs / ours).ln()).sum();
    json!({
        "documents": both.len(),
        "bytes": both.iter().map(|(_, _, bytes)| bytes).sum::<usize>(),
        "our_seconds": both.iter().map(|(ours, ..)| ours).sum::<f64>(),
        "their_seconds": both.iter().map(|(_, theirs, _)| theirs).sum::<f64>(),
        "mean_ratio": (logarithms / both.len() as f64).exp(),
        "faster": both.iter().filter(|(ours, theirs, _)| ours < theirs).count(),
    })
}
