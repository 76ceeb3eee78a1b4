//! The gateway killed while it writes, again and again, on one SQLite file.

use std::env;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use tokio::runtime::Builder;

use crate::support::program::target;
use crate::support::{Answer, Origin, Program, client, feed, manifest};

/// How many rounds; `ROUNDS=200` is what was done once by hand.
fn rounds() -> u64 {
    env::var("ROUNDS").map_or(3, |rounds| rounds.parse().unwrap())
}

#[test]
fn a_kill_at_any_moment_loses_no_item_that_a_reader_saw() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let mut seen = Vec::new();
    for round in 0..rounds() {
        let mut program = Program::start(folder.path(), origin.ca_file(), &[]);
        let acknowledged = Mutex::new(Vec::new());
        let http = program.http;
        thread::scope(|scope| {
            for reader in 0..4 {
                let (origin, acknowledged) = (&origin, &acknowledged);
                scope.spawn(move || {
                    for n in 0.. {
                        let path = format!("/{round}/{reader}/{n}.xml");
                        let ids = n * 40..n * 40 + 40;
                        origin.set(&path, Answer::feed(feed::rss(ids.clone())));
                        let url = origin.url(&path);
                        let Some(answer) = client::try_get(http, &target(&url, "")) else { return };
                        assert_eq!(answer.status, 200, "{}", answer.text());
                        acknowledged.lock().unwrap().push((url, ids));
                    }
                });
            }
            // Some way into the writing, a little later each round.
            while acknowledged.lock().unwrap().is_empty() {
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(Duration::from_millis(round * 37 % 400));
            program.kill();
        });
        seen.extend(acknowledged.into_inner().unwrap());
        let file = folder.path().join("data/mmsp-gateway.db");
        judge(&file, &seen);
    }
    assert!(!seen.is_empty());
    eprintln!("{} rounds, {} feeds of 40 items acknowledged", rounds(), seen.len());
    let program = Program::start(folder.path(), origin.ca_file(), &[]);
    let (url, ids) = seen.last().unwrap();
    let requests = origin.connections();
    let shown = manifest::of(&program.feed(url, ""));
    assert_eq!(shown["items"].as_array().unwrap().len(), ids.len());
    assert_eq!(origin.connections(), requests, "the source is not asked again");
}

/// The file is whole, and holds every item of these feeds.
fn judge(file: &Path, seen: &[(String, std::ops::Range<u32>)]) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = SqliteConnectOptions::new().filename(file);
        let pool = SqlitePool::connect_with(options).await.unwrap();
        let verdict: (String,) =
            sqlx::query_as("PRAGMA integrity_check").fetch_one(&pool).await.unwrap();
        assert_eq!(verdict.0, "ok");
        for (url, ids) in seen {
            let stored: Vec<(String,)> = sqlx::query_as(
                "SELECT item.id FROM item JOIN alias ON alias.feed = item.feed \
                 WHERE alias.url = $1 ORDER BY published",
            )
            .bind(url)
            .fetch_all(&pool)
            .await
            .unwrap();
            let expected: Vec<_> = ids.clone().map(|n| (feed::id(n),)).collect();
            assert_eq!(stored, expected, "{url}");
        }
        let counts: Vec<(i64, i64)> = sqlx::query_as(
            "SELECT items, (SELECT count(*) FROM item WHERE item.feed = feed.key) FROM feed",
        )
        .fetch_all(&pool)
        .await
        .unwrap();
        assert!(counts.iter().all(|(counted, there)| counted == there));
        pool.close().await;
    });
}
