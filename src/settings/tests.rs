//! The settings as a whole, by files and variables as an operator writes them.

use std::fs;

use super::*;

fn variables(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

fn check(file: &str, pairs: &[(&str, &str)]) -> Result<Settings, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    fs::write(&path, file).unwrap();
    load(&[path], variables(pairs), Depth::Values)
        .map(|loaded| loaded.settings)
        .map_err(|error| error.to_string())
}

fn known() -> Vec<String> {
    let defaults = file::defaults(DEFAULT_TOML).unwrap();
    let known = merge(vec![defaults], &Table::default()).unwrap();
    // The names of [feeds] are the operator's.
    assert!(DEFAULT_TOML.contains("# [feeds.blog]\n# url = \""));
    known.values.keys().filter(|key| known.is_value(key)).cloned().collect()
}

#[test]
fn the_documented_defaults_are_the_built_in_ones() {
    let documented = load(&[], [], Depth::Values).unwrap().settings;
    assert_eq!(format!("{documented:#?}"), format!("{:#?}", Settings::default()));
}

#[test]
fn every_setting_is_documented_and_every_documented_one_exists() {
    let mut settings: Vec<String> = in_force::sections(&Settings::default())
        .into_iter()
        .flat_map(|(section, names)| {
            names.into_iter().map(move |(name, _)| in_force::key(&section, &name))
        })
        .chain(secret_keys().into_iter().map(str::to_owned))
        .collect();
    settings.sort();
    assert_eq!(settings, known());
}

#[test]
fn every_documented_setting_says_what_it_is_for() {
    let mut told = "";
    for line in DEFAULT_TOML.lines() {
        if line.contains(" = ") && !line.starts_with('#') {
            // Keys that belong together stand below one comment.
            assert!(told.starts_with('#') || told.contains(" = "), "{line} is not explained");
        }
        told = line;
    }
}

#[test]
fn the_readme_names_settings_that_exist_with_their_defaults() {
    let readme = include_str!("../../README.md");
    let table = readme.split("## Settings").nth(1).unwrap().split("## ").next().unwrap();
    let defaults = load(&[], [], Depth::Values).unwrap().in_force.to_toml();
    let mut named = 0;
    for row in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let in_ticks =
            |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
        let (keys, values) = (in_ticks(cells[0]), in_ticks(cells[1]));
        let is_named = |key: &&String| key.contains(".NAME.");
        for (place, key) in keys.iter().enumerate().filter(|(_, key)| !is_named(key)) {
            assert!(known().contains(key), "README names {key}, which is not a setting");
            named += 1;
            if let Some(value) = values.get(place).filter(|_| values.len() == keys.len()) {
                let name = key.split_once('.').unwrap().1;
                let is_so = |line: &str| {
                    line.strip_prefix(name).and_then(|rest| rest.strip_prefix(" = ")).is_some_and(
                        |rest| {
                            rest.trim_matches('"').starts_with(value.as_str())
                                || rest.starts_with(&format!("\"{value}"))
                        },
                    )
                };
                let is_secret = secret_keys().contains(&key.as_str());
                assert!(is_secret || defaults.lines().any(is_so), "{key} is not {value}");
            }
        }
    }
    assert!(named > 20, "{named}");
}

#[test]
fn feeds_are_named_in_files_and_in_the_environment() {
    let file = "well_known = \"blog\"\n[feeds.blog]\nurl = \"blog.example/feed\"";
    let settings =
        check(file, &[("MMSP_GATEWAY__FEEDS__NEWS__URL", "https://news.example")]).unwrap();
    let named = settings.named_feeds().unwrap();
    let all: Vec<_> = named.iter().map(|(name, url)| (name.to_string(), url.as_str())).collect();
    let [blog, news] = ["https://blog.example/feed", "https://news.example/"];
    assert_eq!(all, [("blog".to_owned(), blog), ("news".to_owned(), news)]);
    assert_eq!(named.well_known().unwrap().1.as_str(), blog);
    assert_eq!(Settings::default().named_feeds().unwrap().iter().count(), 0);
}

#[test]
fn the_environment_wins_over_files_and_files_over_defaults() {
    let file = "[server]\nworkers = 3\nmax_connections = 5";
    let settings = check(file, &[("MMSP_GATEWAY__SERVER__WORKERS", "4")]).unwrap();
    assert_eq!(settings.server.workers, 4);
    assert_eq!(settings.server.max_connections, 5);
    assert_eq!(settings.server.keep_alive_seconds, 60);
}

#[test]
fn what_the_environment_has_is_text_whatever_it_looks_like() {
    let settings = check(
        "",
        &[
            ("MMSP_GATEWAY__FETCH__ALLOW_PORTS", "8080"),
            ("MMSP_GATEWAY__FETCH__ALLOW_HTTP", "false"),
            ("MMSP_GATEWAY__FETCH__ONLY_HOSTS", " a.example, b.example,"),
            ("MMSP_GATEWAY__SERVER__LISTEN", ""),
            ("mmsp_gateway__server__workers", " 2 "),
        ],
    )
    .unwrap();
    assert_eq!(settings.fetch.allow_ports, [8080]);
    assert!(!settings.fetch.allow_http);
    assert_eq!(settings.fetch.only_hosts.len(), 2);
    assert_eq!(settings.server.listen, None);
    assert_eq!(settings.server.workers, 2);
}

#[test]
fn a_secret_can_stand_in_a_file_and_is_never_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    fs::write(&path, "sqlite:/elsewhere/hidden.db\n").unwrap();
    let pairs = [("MMSP_GATEWAY__STORE__URL_FILE", path.to_str().unwrap())];
    let loaded = load(&[], variables(&pairs), Depth::Values).unwrap();
    let shown = loaded.in_force.to_toml() + &loaded.in_force.to_json_lines();
    let line =
        format!("# url: set, not shown # MMSP_GATEWAY__STORE__URL_FILE ({})", path.display());
    assert!(shown.lines().any(|shown| shown == line), "{shown}");
    assert!(!format!("{loaded:?}{shown}").contains("hidden"));
}

#[test]
fn what_is_in_force_is_a_settings_file_that_means_the_same() {
    let file = "[server]\nworkers = 3\npublic_url = \"https://x.example/\"\n\
                [feeds.blog]\nurl = \"https://a.example/\"\n\
                [fetch]\nallow_hosts = \"Intranet:8080\"\ndeny_hosts = [\"b.example\"]\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    fs::write(&path, file).unwrap();
    let first = load(std::slice::from_ref(&path), [], Depth::Values).unwrap();
    let text = first.in_force.to_toml();
    let origin = format!("{}:2", path.display());
    assert!(text.lines().any(|line| line == format!("workers = 3 # {origin}")), "{text}");
    assert!(text.contains("allow_hosts = [\"intranet:8080\"] # "), "{text}");
    fs::write(&path, &text).unwrap();
    let second = load(&[path], [], Depth::Values).unwrap();
    assert_eq!(first.settings.changed_keys(&second.settings), [""; 0]);
}

#[test]
fn the_address_that_follows_from_other_settings_is_shown_as_it_is_in_force() {
    let pairs = [("MMSP_GATEWAY__SERVER__TLS_LISTEN", "127.0.0.1:9443")];
    let shown = load(&[], variables(&pairs), Depth::Values).unwrap().in_force.to_toml();
    let line = "public_url = \"https://localhost:9443\" # default";
    assert!(shown.lines().any(|shown| shown == line), "{shown}");
}

#[test]
fn changes_are_named_by_their_keys_secrets_too() {
    let old = check("[log]\nlevel = \"info\"", &[("MMSP_GATEWAY__ACCESS__KEYS", "a,b")]).unwrap();
    let new = check("[log]\nlevel = \"warn\"", &[("MMSP_GATEWAY__ACCESS__KEYS", "b,a")]).unwrap();
    assert_eq!(old.changed_keys(&new), ["access.keys", "log.level"]);
    assert_eq!(old.changed_keys(&old), [""; 0]);
}

#[test]
fn every_secret_is_hidden_and_its_change_is_told() {
    let mark = "s3cr3t-w0rd";
    for key in secret_keys() {
        let value = match key {
            "store.url" => format!("postgres://a:{mark}@b.example/c"),
            _ => mark.to_owned(),
        };
        let variable = format!("MMSP_GATEWAY__{}", key.to_ascii_uppercase().replace('.', "__"));
        let loaded = load(&[], variables(&[(&variable, &value)]), Depth::Values).unwrap();
        let shown = loaded.in_force.to_toml() + &loaded.in_force.to_json_lines();
        let shown =
            format!("{loaded:?}{shown}{}", serde_json::to_string(&loaded.settings).unwrap());
        assert!(!shown.contains(mark), "{key}: {shown}");
        assert_eq!(Settings::default().changed_keys(&loaded.settings), [key]);
    }
}

#[test]
fn every_fault_between_settings_names_keys_that_exist_in_its_sentence_too() {
    let mut settings = Settings::default();
    settings.fetch.total_timeout_ms = 1;
    settings.poll.reader_wait_ms = 1;
    settings.poll.max_in_flight = 1;
    settings.poll.stop_wait_ms = 3_600_000;
    settings.retention.max_bytes = 1;
    settings.retention.keep_unasked_days = 1;
    settings.server.tls_cert = "c.pem".into();
    settings.server.public_url = "http://x.example".to_owned();
    settings.server.listen = "0.0.0.0:9464".parse().ok();
    settings.callers.requests_burst = 0;
    settings.access.tokens = vec!["a b".into()];
    settings.log.level = "loud".to_owned();
    let faults = settings.faults(Depth::Values);
    assert!(faults.len() >= 14, "{faults:#?}");
    for fault in faults {
        assert!(!fault.keys.is_empty(), "{fault:?}");
        for key in &fault.keys {
            assert!(known().contains(key), "{key} is not a setting");
            assert!(fault.sentence.contains(key.as_str()), "{key} is not in: {}", fault.sentence);
        }
    }
}
