//! What the program says of itself: help, man pages, completions, and how it behaves at a terminal.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::program::target;
use crate::support::{Answer, Origin, client, feed, until};

const PROGRAM: &str = env!("CARGO_BIN_EXE_mmsp-gateway");

fn run(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The commands that the help of one lists, each with the words that name it.
fn commands(of: &[&str]) -> Vec<Vec<String>> {
    let help = text(&run(&[of, &["--help"]].concat()).stdout);
    let Some((_, list)) = help.split_once("Commands:\n") else { return Vec::new() };
    let list = list.split("\n\n").next().unwrap();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.map(|line| line.split_whitespace().next().unwrap());
    let mut found = Vec::new();
    for name in names.filter(|name| *name != "help") {
        let path = [of, &[name]].concat();
        found.push(path.iter().map(|word| (*word).to_owned()).collect());
        found.extend(commands(&path));
    }
    found
}

/// The lines of a section of help, without their indent.
fn section(help: &str, title: &str) -> Vec<String> {
    let (_, section) =
        help.split_once(&format!("\n{title}:\n")).unwrap_or_else(|| panic!("{help}"));
    let section = section.split("\n\n").next().unwrap();
    section.lines().map(|line| line.trim().to_owned()).collect()
}

/// The examples of all commands.
fn examples() -> Vec<String> {
    let mut examples = Vec::new();
    for command in std::iter::once(Vec::new()).chain(commands(&[])) {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let help = text(&run(&[&words[..], &["--help"]].concat()).stdout);
        let lines = section(&help, "Examples").into_iter();
        let lines: Vec<_> = lines.filter(|line| line.starts_with("mmsp-gateway ")).collect();
        assert!(!lines.is_empty(), "{words:?} has no example");
        examples.extend(lines);
        let codes = section(&help, "Exit codes");
        let codes: Vec<_> = codes.iter().map(|line| line.split("  ").next().unwrap()).collect();
        assert_eq!(codes, ["0", "1", "2"], "{words:?}");
    }
    examples.sort();
    examples.dedup();
    examples
}

/// A folder in which every example finds what it names, and an origin for `example.org`.
pub struct Stage {
    folder: TempDir,
    origin: Origin,
    /// Of plain HTTP, in place of 8080.
    port: u16,
    /// Of HTTPS, in place of 8443.
    tls_port: u16,
}

impl Stage {
    pub fn set() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let origin = Origin::start(folder.path());
        let page = "<!doctype html><link rel=alternate type=application/rss+xml href=/feed.xml>";
        origin.set("/", Answer::status(200).header("Content-Type", "text/html").body(page));
        origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
        let manifest = json!({
            "mmsp": "1.0", "id": "urn:example:1", "title": "A feed", "items": [],
            "feed_url": origin.url("/mmsp.json"), "capabilities": ["conditional-get"],
        });
        let manifest = manifest.to_string();
        let well_known = manifest.replace("/mmsp.json", "/.well-known/mmsp.json");
        let answer = |body: String| {
            Answer::status(200)
                .header("Content-Type", "application/mmsp+json")
                .header("Cache-Control", "max-age=300")
                .header("Date", "Tue, 02 Jun 2026 11:00:00 GMT")
                .header("ETag", "\"1\"")
                .body(body)
        };
        origin.set("/mmsp.json", answer(manifest.clone()));
        origin.set("/.well-known/mmsp.json", answer(well_known));
        let [port, tls_port] = [(); 2].map(|()| port());
        let settings = format!(
            "[server]\nlisten = \"127.0.0.1:{port}\"\ntls_listen = \"\"\n\
             public_url = \"https://gateway.example\"\n[metrics]\nlisten = \"\"\n\
             [access]\nkeys = [\"0123456789abcdef0123456789abcdef\"]\n"
        );
        let list = format!("<opml><outline xmlUrl=\"{}\"/></opml>", origin.url("/feed.xml"));
        let place = folder.path();
        for (name, content) in [
            ("feed.xml", feed::rss(0..3)),
            ("page.html", page.to_owned()),
            ("manifest.json", manifest.replace(",\"capabilities\":[\"conditional-get\"]", "")),
            ("subscriptions.opml", list),
            ("gateway.toml", settings.clone()),
            ("new.toml", settings + "[store]\nurl = \"sqlite:./new.db\"\n"),
            ("feeds/a.xml", feed::rss(0..2)),
        ] {
            fs::create_dir_all(place.join(name).parent().unwrap()).unwrap();
            fs::write(place.join(name), content).unwrap();
        }
        Self { folder, origin, port, tls_port }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The text with what is here in its places: the origin for `example.org`, free ports for the
    /// usual ones.
    pub fn here(&self, text: &str) -> String {
        let host = self.origin.url("").replace("https://", "");
        text.replace("https://example.org", &self.origin.url(""))
            .replace("[\"example.org\"]", &format!("[\"{}\"]", host.split(':').next().unwrap()))
            .replace(":8080", &format!(":{}", self.port))
            .replace(":8443", &format!(":{}", self.tls_port))
    }

    /// Lines for the shell.
    fn shell(&self, line: &str) -> Command {
        let line = self.here(line);
        let programs = Path::new(PROGRAM).parent().unwrap().display();
        let mut command = Command::new("bash");
        command
            .args(["-euc", &line])
            .current_dir(self.folder.path())
            .env("PATH", format!("{programs}:{}", std::env::var("PATH").unwrap()))
            .env("MMSP_GATEWAY__FETCH__ALLOW_NETWORKS", "127.0.0.1")
            .env("MMSP_GATEWAY__FETCH__CA_FILE", self.origin.ca_file());
        command
    }

    fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    pub fn works(&self, line: &str) -> String {
        let output = self.shell(line).output().unwrap();
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}\n{}{told}", text(&output.stdout));
        text(&output.stdout)
    }

    /// Starts a gateway by a line, and waits until it is ready.
    pub fn serve(&self, line: &str) -> Serving {
        let mut command =
            self.shell(&line.replace("mmsp-gateway serve", "exec mmsp-gateway serve"));
        command.stderr(Stdio::null()).env("MMSP_GATEWAY__METRICS__LISTEN", "");
        if !line.contains("--config") {
            for (name, value) in [
                ("SERVER__LISTEN", format!("127.0.0.1:{}", self.port)),
                ("SERVER__TLS_LISTEN", format!("127.0.0.1:{}", self.tls_port)),
            ] {
                command.env(format!("MMSP_GATEWAY__{name}"), value);
            }
        }
        let serving = Serving(command.spawn().unwrap());
        until(|| TcpStream::connect(self.address()).is_ok());
        serving
    }

    /// Waits until the gateway has remembered a feed.
    pub fn wait_for_a_feed(&self) {
        until(|| !self.works("mmsp-gateway store info --json").contains("\"feeds\":0"));
    }
}

/// A port for a text that has to name it before anybody listens there: below those that the system
/// gives to whoever asks for any, as other tests do at the same time.
fn port() -> u16 {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    let first = u16::try_from(std::process::id() * 20 % 10_000).unwrap();
    let mut next = || 20_000 + (first + TAKEN.fetch_add(1, Ordering::Relaxed)) % 10_000;
    std::iter::repeat_with(&mut next)
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .unwrap()
}

pub struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status();
        let _ = self.0.wait();
    }
}

#[test]
fn every_command_explains_its_exit_codes_and_its_examples_work() {
    let stage = Stage::set();
    let examples = examples();
    assert!(examples.len() > 20, "{examples:?}");
    let (serving, others): (Vec<_>, Vec<_>) =
        examples.iter().partition(|line| line.starts_with("mmsp-gateway serve"));
    let (healthchecks, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|line| line.starts_with("mmsp-gateway healthcheck"));
    for line in serving {
        let _serving = stage.serve(line);
        // What the gateway remembers is what the commands of the store look at.
        let asked = target(&stage.origin.url("/feed.xml"), "");
        assert_eq!(client::request(stage.address(), "GET", &asked, &[]).status, 200);
        healthchecks.iter().for_each(|line| drop(stage.works(line)));
    }
    // What is remembered is exported before it is imported and forgotten.
    let rank =
        |line: &str| ["export", "import", "forget"].iter().position(|word| line.contains(word));
    let mut others = others;
    others.sort_by_key(|line| rank(line).map_or(0, |rank| rank + 1));
    for line in others {
        let told = stage.works(line);
        let is_quiet = ["import", "forget", "--out", "> "].iter().any(|word| line.contains(word));
        assert!(is_quiet || !told.is_empty(), "{line} says nothing");
    }
}

#[test]
fn a_command_mistyped_is_answered_with_the_one_that_was_meant() {
    for (typed, meant) in [
        (&["serv"][..], "serve"),
        (&["chekc"], "check"),
        (&["convert", "--filtre", "x", "y"], "--filter"),
        (&["store", "exprot"], "export"),
    ] {
        let output = run(typed);
        assert_eq!(output.status.code(), Some(2), "{typed:?}");
        assert!(text(&output.stderr).contains(&format!("'{meant}'")), "{}", text(&output.stderr));
    }
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("Commands:"));
}

#[test]
fn the_man_pages_are_there_for_every_command_and_well_formed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("man1");
    assert!(run(&["man", "--out", out.to_str().unwrap()]).status.success());
    let mut pages = vec!["mmsp-gateway.1".to_owned()];
    pages.extend(commands(&[]).iter().map(|words| format!("mmsp-gateway-{}.1", words.join("-"))));
    for page in &pages {
        let file = out.join(page);
        let lint = Command::new("mandoc").args(["-T", "lint", "-W", "warning"]).arg(&file).output();
        let lint = lint.expect("mandoc is needed: apt-get install mandoc");
        assert!(lint.status.success(), "{}", text(&lint.stdout));
        let shown = Command::new("mandoc").args(["-T", "ascii"]).arg(&file).output().unwrap();
        let shown = without_overstrikes(&text(&shown.stdout));
        for part in ["NAME", "SYNOPSIS", "EXIT STATUS", "EXAMPLES", "mmsp-gateway"] {
            assert!(shown.contains(part), "{part} is not in {page}:\n{shown}");
        }
    }
    assert_eq!(fs::read_dir(&out).unwrap().count(), pages.len());
    // Pages lead to one another, and to none that is not there.
    let all: String =
        pages.iter().map(|page| fs::read_to_string(out.join(page)).unwrap()).collect();
    let all = all.replace("\\-", "-");
    for led in all.split("mmsp-gateway-").skip(1).filter_map(|rest| rest.split_once("(1)")) {
        if led.0.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') {
            assert!(pages.contains(&format!("mmsp-gateway-{}.1", led.0)), "{}", led.0);
        }
    }
    assert!(all.contains("mmsp-gateway-store-export(1)"));
    assert_eq!(run(&["man"]).stdout, fs::read(out.join("mmsp-gateway.1")).unwrap());
}

/// What is printed, where a terminal of paper prints letters over one another to make them bold.
fn without_overstrikes(text: &str) -> String {
    let mut shown = String::new();
    for letter in text.chars() {
        match letter {
            '\u{8}' => drop(shown.pop()),
            letter => shown.push(letter),
        }
    }
    shown
}

#[test]
fn bash_completes_commands_options_and_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a-feed.xml"), "").unwrap();
    let script = folder.path().join("completions");
    fs::write(&script, run(&["completions", "bash"]).stdout).unwrap();
    let complete = |words: &[&str]| {
        let line = format!(
            "source completions; \
             [[ $(complete -p mmsp-gateway) =~ -F\\ ([^ ]+) ]]; COMP_WORDS=({}); COMP_CWORD={}; \
             \"${{BASH_REMATCH[1]}}\" mmsp-gateway \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
            words.len() - 1
        );
        let mut bash = Command::new("bash");
        let output = bash.args(["-c", &line]).current_dir(folder.path()).output().unwrap();
        assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
        text(&output.stdout).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(complete(&["mmsp-gateway", "con"]), ["convert"]);
    assert_eq!(complete(&["mmsp-gateway", "convert", "--fi"]), ["--filter"]);
    assert_eq!(complete(&["mmsp-gateway", "store", "ex"]), ["export"]);
    assert_eq!(complete(&["mmsp-gateway", "opml", "--config", "a-"]), ["a-feed.xml"]);
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]);
        assert!(script.status.success(), "{shell}");
        assert!(text(&script.stdout).contains("healthcheck"), "{shell}");
    }
    assert_eq!(run(&["completions", "csh"]).status.code(), Some(2));
}

#[test]
fn a_reader_that_leaves_ends_a_command_quietly_and_a_full_disk_does_not() {
    let stage = Stage::set();
    // More than one write takes.
    let many = feed::rss(0..300);
    fs::write(stage.folder.path().join("feed.xml"), many).unwrap();
    for line in [
        "mmsp-gateway convert feed.xml",
        "mmsp-gateway check",
        "mmsp-gateway check feed.xml feed.xml",
        "mmsp-gateway opml subscriptions.opml",
        "mmsp-gateway opml --check --json subscriptions.opml",
        "mmsp-gateway discover https://example.org/",
        "mmsp-gateway completions zsh",
        "mmsp-gateway man",
        "mmsp-gateway --help",
        "mmsp-gateway sign --config gateway.toml https://example.org/feed.xml",
    ] {
        // The reader is gone before anything is written.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = stage.shell(line).stdout(writer).output().unwrap();
        assert_eq!(
            (output.status.code(), text(&output.stderr)),
            (Some(0), String::new()),
            "{line}"
        );
        if line.contains("--help") {
            continue; // clap's own
        }
        let full = stage.shell(&format!("{line} > /dev/full")).output().unwrap();
        assert_eq!(full.status.code(), Some(1), "{line}");
        assert!(text(&full.stderr).contains("standard output: No space left"), "{line}");
    }
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let stage = Stage::set();
    fs::write(stage.folder.path().join("bad.json"), "{\"mmsp\":\"1.0\"}").unwrap();
    let lines = ["mmsp-gateway check bad.json", "mmsp-gateway --help"];
    for (variables, expected) in [
        (&[][..], true),
        (&[("NO_COLOR", "1")], false),
        (&[("CLICOLOR", "0")], false),
        (&[("TERM", "dumb")], false),
    ] {
        for line in lines {
            // A terminal of its own, by `script`.
            let mut command = stage.shell(&format!("script -qec '{line}' /dev/null || true"));
            command.env("TERM", "xterm-256color").envs(variables.iter().copied());
            // Where `CI` is set, colours are wanted of whatever terminal.
            for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
                if !variables.iter().any(|(known, _)| *known == name) {
                    command.env_remove(name);
                }
            }
            let shown = text(&command.output().unwrap().stdout);
            assert!(shown.contains("mmsp-gateway") || shown.contains("bad.json"), "{shown}");
            assert_eq!(shown.contains("\u{1b}["), expected, "{line} {variables:?} {shown:?}");
        }
    }
    for line in lines {
        let piped = stage.shell(&format!("{line} || true")).output().unwrap();
        assert!(!text(&piped.stdout).contains('\u{1b}'), "{line}");
    }
}

#[test]
fn a_report_and_a_manifest_do_not_share_standard_output() {
    let stage = Stage::set();
    let output = stage.shell("mmsp-gateway convert --report - feed.xml").output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(
        text(&output.stderr).contains("name a file for the report"),
        "{}",
        text(&output.stderr)
    );
    let report = stage.works("mmsp-gateway convert --report - --out out feed.xml");
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["output"], "out/feed.xml.mmsp.json");
    // Who has read enough of the report still gets the manifests.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let line = "mmsp-gateway convert --report - --out others feeds feed.xml";
    let output = stage.shell(line).stdout(writer).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(fs::read_dir(stage.folder.path().join("others")).unwrap().count(), 2);
}

#[test]
fn what_is_remembered_is_told_as_json_too() {
    let stage = Stage::set();
    drop(stage.serve("mmsp-gateway serve --config gateway.toml"));
    let told = stage.works("mmsp-gateway store info --json --config gateway.toml");
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told, json!({ "feeds": 0, "items": 0, "bytes": 0 }));
}
