//! The store on a real server.

use super::server::Server;
use super::*;
use crate::store::{Store, story};

fn settings(server: &Server) -> Settings {
    Settings { url: server.new_database().into(), ..Settings::default() }
}

async fn open(settings: &Settings) -> Store {
    Store::open(settings).await.unwrap()
}

#[tokio::test]
async fn the_store_keeps_its_promises() {
    let settings = settings(Server::shared());
    let store = open(&settings).await;
    story::tell(&store).await;
    store.close().await;
    story::recall(&open(&settings).await).await;
}

#[tokio::test]
async fn many_may_start_at_once() {
    let settings = settings(Server::shared());
    let starts = (0..8).map(|_| Store::open(&settings));
    for store in futures_util::future::join_all(starts).await {
        store.unwrap().check().await.unwrap();
    }
}

#[tokio::test]
async fn a_schema_of_a_newer_program_is_refused() {
    let settings = settings(Server::shared());
    let store = Postgres::open(&settings).await.unwrap();
    let newer = "INSERT INTO _sqlx_migrations \
         (version, description, success, checksum, execution_time) VALUES (9999, '', true, '', 0)";
    sqlx::query(newer).execute(&store.pool).await.unwrap();
    let error = Store::open(&settings).await.unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 9999 }), "{error}");
}

#[tokio::test]
async fn a_page_is_found_by_the_index_without_sorting() {
    let store = Postgres::open(&settings(Server::shared())).await.unwrap();
    // A hundred feeds of two hundred items, and one of twenty thousand.
    let fill = "INSERT INTO item (feed, id, published, hash, twin, mended, changed_at, json) \
         SELECT decode(md5((n % 100)::text), 'hex'), 'x:' || n, n, ''::bytea, 0, 0, 0, '{}' \
         FROM generate_series(1, 20000) AS n UNION ALL \
         SELECT '\\x00'::bytea, 'x:' || n, n, ''::bytea, 0, 0, 0, '{}' FROM generate_series(1, 20000) AS n";
    let prepare = format!("PREPARE page (bytea, bigint, text, bigint) AS {}", sql::PAGE);
    let mut connection = store.pool.acquire().await.unwrap();
    for statement in [fill, "ANALYZE item", &prepare] {
        let statement = sqlx::AssertSqlSafe(statement.to_owned());
        sqlx::raw_sql(statement).execute(&mut *connection).await.unwrap();
    }
    for mode in ["force_custom_plan", "force_generic_plan"] {
        let set = sqlx::AssertSqlSafe(format!("SET plan_cache_mode = {mode}"));
        sqlx::raw_sql(set).execute(&mut *connection).await.unwrap();
        let explain = r"EXPLAIN EXECUTE page ('\x00', 9000, 'x:9000', 101)";
        let plan: Vec<(String,)> =
            sqlx::query_as(explain).fetch_all(&mut *connection).await.unwrap();
        let plan: Vec<&str> = plan.iter().map(|(line,)| line.trim()).collect();
        assert!(plan[0].starts_with("Limit "), "{plan:#?}");
        assert!(plan[1].starts_with("->  Index Scan using item_page on item "), "{plan:#?}");
        assert!(plan[2].contains("AND (ROW(published, id) < ROW("), "{plan:#?}");
        assert_eq!(plan.len(), 3, "nothing is sorted or filtered: {plan:#?}");
    }
}

/// The lines of a store.
async fn lines(store: &Store) -> Vec<u8> {
    let mut lines = Vec::new();
    store.export(&mut lines).await.unwrap();
    lines
}

#[tokio::test]
async fn a_store_moves_from_sqlite_and_back_without_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let url = format!("sqlite:{}", folder.path().join(name).display()).into();
        Settings { url, ..Settings::default() }
    };
    let from = open(&file("from.db")).await;
    story::tell(&from).await;
    let told = lines(&from).await;
    let to = open(&settings(Server::shared())).await;
    to.import(told.as_slice()).await.unwrap();
    assert_eq!(lines(&to).await, told);
    story::recall(&to).await;
    let back = open(&file("back.db")).await;
    back.import(told.as_slice()).await.unwrap();
    assert_eq!(lines(&back).await, told);
    for store in [&to, &back] {
        assert_eq!(store.info().await.unwrap(), from.info().await.unwrap());
        assert_eq!(store.sizes(None, 99).await.unwrap(), from.sizes(None, 99).await.unwrap());
    }
    let error = back.import(told.as_slice()).await.unwrap_err();
    assert!(matches!(error, StoreError::NotEmpty), "{error}");
}

/// As in the gateway: asked on event loops of workers and pollers, which end before the store.
#[test]
fn connections_outlive_the_event_loop_that_first_used_them() {
    let settings = settings(Server::shared());
    let own_loop = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let store = own_loop().block_on(open(&settings));
    for _ in 0..3 {
        let checks = futures_util::future::join_all((0..4).map(|_| store.check()));
        own_loop().block_on(checks).into_iter().for_each(|checked| checked.unwrap());
    }
}

#[tokio::test]
async fn a_server_that_went_away_and_came_back_is_used_again() {
    let server = Server::start();
    let store = open(&settings(&server)).await;
    store.check().await.unwrap();
    server.stop();
    assert!(store.check().await.is_err());
    server.start_again();
    store.check().await.unwrap();
}
