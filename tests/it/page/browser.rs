//! Chromium, without a window, as a user would have it: driven by WebDriver, and by Chromium's own
//! commands where that has none.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// A browser of its own, with a profile of its own.
pub struct Browser {
    driver: Child,
    address: SocketAddr,
    runtime: Runtime,
    client: Option<Client>,
    session: String,
    profile: TempDir,
}

/// Whether pages may run scripts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scripts {
    Run,
    Off,
}

impl Browser {
    pub fn start() -> Self {
        Self::start_with(Scripts::Run)
    }

    pub fn start_with(scripts: Scripts) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let (driver, address) = start_driver(profile.path());
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let capabilities = capabilities(profile.path(), scripts);
        let (client, session) = runtime.block_on(async {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            let builder = builder.capabilities(capabilities.as_object().unwrap().clone());
            let client = builder.connect(&format!("http://{address}")).await.unwrap();
            let session = client.session_id().await.unwrap().unwrap();
            (client, session)
        });
        Self { driver, address, runtime, client: Some(client), session, profile }
    }

    fn client(&self) -> &Client {
        self.client.as_ref().unwrap()
    }

    pub fn go(&self, url: &str) {
        self.runtime.block_on(self.client().goto(url)).unwrap();
    }

    /// The only element of that selector.
    fn find(&self, selector: &str) -> fantoccini::elements::Element {
        let found = self.runtime.block_on(self.client().find(Locator::Css(selector)));
        found.unwrap_or_else(|error| panic!("{selector}: {error}"))
    }

    pub fn type_into(&self, selector: &str, text: &str) {
        self.runtime.block_on(self.find(selector).send_keys(text)).unwrap();
    }

    /// Clicks, and waits for the page that it leads to, if it leads to one.
    pub fn click(&self, selector: &str) {
        self.runtime.block_on(self.find(selector).click()).unwrap();
    }

    pub fn text(&self, selector: &str) -> String {
        self.runtime.block_on(self.find(selector).text()).unwrap()
    }

    pub fn property(&self, selector: &str, name: &str) -> Option<String> {
        self.runtime.block_on(self.find(selector).prop(name)).unwrap()
    }

    pub fn is_displayed(&self, selector: &str) -> bool {
        self.runtime.block_on(self.find(selector).is_displayed()).unwrap()
    }

    pub fn count(&self, selector: &str) -> usize {
        let found = self.runtime.block_on(self.client().find_all(Locator::Css(selector)));
        found.unwrap().len()
    }

    /// Waits until a selector finds something; fails the test where it never does.
    pub fn wait_for(&self, selector: &str) {
        let wait = self.client().wait().for_element(Locator::Css(selector));
        self.runtime.block_on(wait).unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    /// What a script of ours returns; the page's policy does not hold for it.
    pub fn run(&self, script: &str) -> Value {
        self.runtime.block_on(self.client().execute(script, Vec::new())).unwrap()
    }

    /// The same of a script that calls back.
    pub fn run_until_told(&self, script: &str) -> Value {
        self.runtime.block_on(self.client().execute_async(script, Vec::new())).unwrap()
    }

    /// What a user with these wishes sees on a screen of that width, in pixels.
    pub fn show_as(&self, scheme: &str, width: u32, height: u32) {
        let features = json!([
            {"name": "prefers-color-scheme", "value": scheme},
            // Nothing is judged on its way from one colour to another.
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]);
        self.command("Emulation.setEmulatedMedia", json!({"features": features}));
        let screen = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
        });
        self.command("Emulation.setDeviceMetricsOverride", screen);
    }

    /// A picture of the whole page.
    pub fn picture(&self) -> Vec<u8> {
        let told = self.command("Page.captureScreenshot", json!({"captureBeyondViewport": true}));
        BASE64_STANDARD.decode(told["data"].as_str().unwrap()).unwrap()
    }

    /// Has files saved into its profile without asking.
    pub fn save_files(&self) {
        let folder = self.profile.path().join("saved");
        std::fs::create_dir(&folder).unwrap();
        let order = json!({"behavior": "allow", "downloadPath": folder, "eventsEnabled": true});
        self.command("Browser.setDownloadBehavior", order);
    }

    /// The file that was saved under that name, once it is whole.
    pub fn saved(&self, name: &str) -> String {
        let path = self.profile.path().join("saved").join(name);
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            // A moment before it has what it holds, it may have its name.
            match std::fs::read_to_string(&path) {
                Ok(text) if !text.is_empty() => return text,
                _ => thread::sleep(Duration::from_millis(20)),
            }
        }
        panic!("nothing was saved as {name}")
    }

    /// What the console has said since the last time: what the policy stopped, what failed.
    pub fn complaints(&self) -> Vec<String> {
        let told = self.ask("se/log", &json!({"type": "browser"}));
        let entries = told["value"].as_array().unwrap_or_else(|| panic!("{told}"));
        entries.iter().map(|entry| entry["message"].as_str().unwrap().to_owned()).collect()
    }

    /// Gives one of Chromium's own commands.
    pub fn command(&self, name: &str, parameters: Value) -> Value {
        let told = self.ask("goog/cdp/execute", &json!({"cmd": name, "params": parameters}));
        assert!(told["value"]["error"].is_null(), "{name}: {told}");
        told["value"].clone()
    }

    fn ask(&self, what: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (session, body) = (&self.session, body.to_string());
        let head = format!(
            "POST /session/{session}/{what} HTTP/1.1\r\nHost: {}\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(&[head, body].concat().into_bytes()).unwrap();
        // The driver never closes a connection: its length says where an answer ends.
        let mut answer = BufReader::new(stream);
        let mut length = 0;
        let mut line = String::new();
        while answer.read_line(&mut line).unwrap() > 2 {
            let lower = line.to_ascii_lowercase();
            if let Some(bytes) = lower.strip_prefix("content-length:") {
                length = bytes.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut body = vec![0; length];
        answer.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }
}

const PATIENCE: Duration = Duration::from_secs(30);

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            let _ = self.runtime.block_on(client.close());
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Starts the driver on a port that is free, which it tells.
fn start_driver(profile: &Path) -> (Child, SocketAddr) {
    // It chooses a port and then listens there for both versions of IP: somebody else may have
    // come first, and then it ends.
    let found = (0..5).find_map(|_| try_driver(profile));
    found.expect("chromedriver finds no port to listen on")
}

fn try_driver(profile: &Path) -> Option<(Child, SocketAddr)> {
    let started = Command::new("chromedriver")
        .arg("--port=0")
        .env("HOME", profile)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut driver = started.expect(
        "chromedriver is missing: `./dev test` installs it, or `apt-get install chromium \
         chromium-driver`",
    );
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines().map_while(Result::ok);
    let told = lines.find_map(|line| {
        let (_, port) = line.split_once("successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    });
    let Some(port) = told else {
        driver.wait().unwrap();
        return None;
    };
    // It goes on talking.
    thread::spawn(move || lines.for_each(drop));
    Some((driver, SocketAddr::from(([127, 0, 0, 1], port))))
}

fn capabilities(profile: &Path, scripts: Scripts) -> Value {
    let mut prefs = json!({});
    if scripts == Scripts::Off {
        prefs["profile.managed_default_content_settings.javascript"] = 2.into();
    }
    let profile = format!("--user-data-dir={}", profile.join("profile").display());
    json!({
        "acceptInsecureCerts": true,
        "goog:loggingPrefs": {"browser": "ALL"},
        "goog:chromeOptions": {
            "prefs": prefs,
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic",
                "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--disable-default-apps",
                // Nothing but loopback is asked.
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
                "--window-size=1280,900", profile,
            ],
        },
    })
}
