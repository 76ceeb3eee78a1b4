//! A gateway under attack: bombs, drips, loops, garbage and made-up addresses from many clients,
//! while others read good feeds. A few seconds of it are a test; `benches/hostile_soak.rs` goes on
//! as long as one likes.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::documents;
use crate::support::origin::Manner;
use crate::support::program::target;
use crate::support::{Answer, Origin, Program, feed};

/// What is said of each poll is more than anybody wants to read.
const LOG: &str = "error,mmsp_gateway::cli=info";
const READERS: u64 = 4;
const GOOD_FEEDS: u64 = 50;
/// Answers that are no figure yet.
const FEWEST: usize = 100;
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn readers_are_answered_while_others_attack() {
    let told = run(8, Duration::from_secs(8), Duration::ZERO);
    assert_eq!(told["good_refused"], 0);
    assert_eq!(told["panics"], 0.0);
    assert!(told["good_answers"].as_u64().unwrap() > FEWEST as u64, "{told:#}");
    assert!(told["memory_mib"]["peak"].as_u64().unwrap() < 600, "{told:#}");
}

/// Has so many attack for so long, leaves alone for the rest, and tells how the readers fared and
/// what became of the memory.
pub fn run(attackers: u64, length: Duration, rest: Duration) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let bad = arm(&origin);
    for n in 0..GOOD_FEEDS {
        origin.set(&format!("/good/{n}"), Answer::feed(feed::rss(0..20 + n as u32)));
    }
    let program = Program::start(
        folder.path(),
        origin.ca_file(),
        &[
            ("LOG__LEVEL", LOG),
            // All that is hostile is one host here.
            ("POLL__MAX_IN_FLIGHT_PER_DOMAIN", "64"),
        ],
    );
    Soak::new(&origin, &program, &bad, length).run(attackers, rest)
}

/// Everything that a hostile source can do; gives the paths.
fn arm(origin: &Origin) -> Vec<String> {
    let mut answers = documents::coded_bombs();
    answers.extend(documents::entity_bombs());
    answers.extend(documents::piece_bombs(4 << 20));
    let feed = || Answer::feed(feed::rss(0..50));
    let to = |path: &str| Answer::status(302).header("Location", path);
    answers.extend([
        ("drip", feed().manner(Manner::Drip(Duration::from_secs(1)))),
        ("hang", feed().manner(Manner::Hang)),
        ("silent", feed().manner(Manner::Silent)),
        ("cut", feed().manner(Manner::Cut(2_000))),
        ("slow", feed().delay(Duration::from_secs(8))),
        ("loop", to("/loop")),
        ("ping", to("/pong")),
        ("pong", to("/ping")),
        ("inwards", to("https://127.0.0.2/")),
        ("metadata", to("https://169.254.169.254/latest/meta-data/")),
        ("garbage", Answer::feed((0..200_000u32).map(|n| (n * 31) as u8).collect::<Vec<_>>())),
        ("gone", Answer::status(410)),
        ("long-header", Answer::feed("").header("X-Long", &"x".repeat(1 << 20))),
    ]);
    let name = |(name, answer): (&str, Answer)| {
        origin.set(&format!("/{name}"), answer);
        format!("/{name}")
    };
    answers.into_iter().map(name).collect()
}

struct Soak<'a> {
    origin: &'a Origin,
    program: &'a Program,
    bad: &'a [String],
    length: Duration,
    begun: Instant,
    is_over: AtomicBool,
    next: AtomicU64,
    /// How often each status was answered to attackers.
    attacked: Mutex<BTreeMap<u16, u64>>,
    /// How long each good answer took.
    read: Mutex<Vec<Duration>>,
    refused: AtomicU64,
}

impl<'a> Soak<'a> {
    fn new(origin: &'a Origin, program: &'a Program, bad: &'a [String], length: Duration) -> Self {
        Self {
            origin,
            program,
            bad,
            length,
            begun: Instant::now(),
            is_over: AtomicBool::new(false),
            next: AtomicU64::new(0),
            attacked: Mutex::default(),
            read: Mutex::default(),
            refused: AtomicU64::new(0),
        }
    }

    fn run(&self, attackers: u64, rest: Duration) -> Value {
        (0..GOOD_FEEDS).for_each(|n| self.read_one(n));
        let mut memory = Vec::new();
        thread::scope(|scope| {
            for _ in 0..attackers {
                scope.spawn(|| self.until_over(|| self.attack_once()));
            }
            for reader in 0..READERS {
                scope.spawn(move || {
                    self.until_over(|| {
                        self.read_one((reader + self.next.load(Ordering::Relaxed)) % GOOD_FEEDS);
                        thread::sleep(Duration::from_millis(50));
                    });
                });
            }
            // A busy machine is given time to answer some.
            while self.begun.elapsed() < self.length
                || (self.read.lock().unwrap().len() <= FEWEST && self.begun.elapsed() < PATIENCE)
            {
                thread::sleep(Duration::from_secs(2));
                self.origin.forget();
                memory.push(self.program.memory().1 >> 20);
            }
            self.is_over.store(true, Ordering::Release);
        });
        // What is under way ends meanwhile; what is left then is kept.
        thread::sleep(rest);
        self.tell(&memory)
    }

    fn until_over(&self, work: impl Fn()) {
        while !self.is_over.load(Ordering::Acquire) {
            work();
        }
    }

    /// One request of one of many callers, for an address that nobody asked for before.
    fn attack_once(&self) {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let path = &self.bad[n as usize % self.bad.len()];
        let target = match n % 5 {
            0 => target(&format!("https://{n}.invalid/"), ""),
            1 => target(&format!("https://10.{}.0.1/{n}", n % 256), ""),
            2 => target(&self.origin.url(&format!("/made-up/{n}")), ""),
            _ => target(&self.origin.url(&format!("{path}?{n}")), ""),
        };
        let caller = format!("2001:db8:{:x}:{:x}::1", n >> 4 & 0xffff, n & 0xf);
        let response = self.program.request("GET", &target, &[("X-Forwarded-For", &caller)]);
        *self.attacked.lock().unwrap().entry(response.status).or_default() += 1;
    }

    fn read_one(&self, n: u64) {
        let begun = Instant::now();
        let response = self.program.feed(&self.origin.url(&format!("/good/{n}")), "");
        self.read.lock().unwrap().push(begun.elapsed());
        if response.status != 200 {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn tell(&self, memory: &[u64]) -> Value {
        let mut read = self.read.lock().unwrap();
        read.sort_unstable();
        let at = |share: f64| read[((read.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
        let mean = |part: &[u64]| part.iter().sum::<u64>() / part.len().max(1) as u64;
        let quarter = memory.len() / 4;
        let (early, late) = (mean(&memory[quarter..2 * quarter]), mean(&memory[3 * quarter..]));
        let refused = self.refused.load(Ordering::Relaxed);
        json!({
            "minutes": self.begun.elapsed().as_secs_f64() / 60.0,
            "attacks_by_status": *self.attacked.lock().unwrap(),
            "good_answers": read.len() as u64 - refused,
            "good_refused": refused,
            "good_ms": { "p50": at(0.5), "p99": at(0.99), "most": at(1.0) },
            "memory_mib": {
                "peak": self.program.memory().0 >> 20,
                "mean_of_second_quarter": early,
                "mean_of_last_quarter": late,
                "each_minute": memory.iter().step_by(30).collect::<Vec<_>>(),
                "after_a_rest": self.program.memory().1 >> 20,
            },
            "panics": self.program.metric("mmsp_gateway_panics_total"),
        })
    }
}
