//! A real Prometheus with our configuration and rules watches the real program.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::names::queries;
use super::promql::selectors;
use super::read;
use super::tools::tool;
use crate::support::{Answer, Origin, Program, client, feed};

/// A running Prometheus.
struct Prometheus {
    child: Child,
    address: SocketAddr,
}

impl Prometheus {
    /// Starts it with our files, only quicker: it looks every second, and alerts that want to see
    /// something for minutes take the first sight of it.
    fn start(folder: &Path, target: SocketAddr) -> Self {
        let config = read("deploy/prometheus/prometheus.yml")
            .replace("gateway:9464", &target.to_string())
            .replace("_interval: 15s", "_interval: 1s");
        assert!(config.contains(&target.to_string()) && !config.contains("15s"));
        let rules = read("deploy/prometheus/rules.yaml");
        let rules = rules.lines().filter(|line| !line.trim_start().starts_with("for: "));
        fs::write(folder.join("prometheus.yml"), config).unwrap();
        fs::write(folder.join("rules.yaml"), rules.collect::<Vec<_>>().join("\n")).unwrap();
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let child = tool("prometheus")
            .arg(format!("--config.file={}", folder.join("prometheus.yml").display()))
            .arg(format!("--storage.tsdb.path={}", folder.join("tsdb").display()))
            .arg(format!("--web.listen-address={address}"))
            .stdout(Stdio::null())
            .stderr(fs::File::create(folder.join("prometheus.log")).unwrap())
            .spawn()
            .unwrap();
        let prometheus = Self { child, address };
        wait_for("Prometheus to be ready", || {
            TcpStream::connect(address).is_ok()
                && client::request(address, "GET", "/-/ready", &[]).status == 200
        });
        prometheus
    }

    /// What a query gives, a few series at the most: their values.
    fn query(&self, query: &str) -> Vec<f64> {
        let target =
            format!("/api/v1/query?query={}", utf8_percent_encode(query, NON_ALPHANUMERIC));
        let answer: Value = client::request(self.address, "GET", &target, &[]).json();
        assert_eq!(answer["status"], "success", "{query}: {answer}");
        let series = answer["data"]["result"].as_array().unwrap();
        series.iter().map(|it| it["value"][1].as_str().unwrap().parse().unwrap()).collect()
    }

    fn fires(&self, alert: &str) -> bool {
        let query = format!("ALERTS{{alertname=\"MmspGateway{alert}\",alertstate=\"firing\"}}");
        !self.query(&query).is_empty()
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for what has to come, looking now and then.
fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(200));
    }
}

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_real_prometheus_sees_all_that_is_watched_and_alerts_when_the_origin_and_the_gateway_die() {
    let folder = tempfile::tempdir().unwrap();
    let origin = Origin::start(folder.path());
    let mut program = Program::start(folder.path(), origin.ca_file(), &[]);
    let prometheus = Prometheus::start(folder.path(), program.metrics);
    wait_for("the first look", || prometheus.query("up{job=\"mmsp-gateway\"}") == [1.0]);
    assert_eq!(prometheus.query("count(up)"), [1.0]);

    origin.set("/feed.xml", Answer::feed(feed::rss(0..3)));
    assert_eq!(program.feed(&origin.url("/feed.xml"), "").status, 200);
    wait_for("the poll", || {
        prometheus.query("sum(mmsp_gateway_polls_total{outcome=\"changed\"})") == [1.0]
    });
    let files = ["rules.yaml", "dashboard.json"];
    for (file, query) in queries().into_iter().filter(|(file, _)| files.contains(file)) {
        for selector in selectors(&query) {
            let labels = selector.labels.iter().filter(|(label, _)| label != "instance");
            let labels = labels.map(|(label, values)| format!("{label}=~\"{}\"", values.join("|")));
            let asked = format!("{}{{{}}}", selector.name, labels.collect::<Vec<_>>().join(","));
            let is_there = !prometheus.query(&format!("count({asked})")).is_empty();
            assert!(is_there, "{file}: nothing for {asked}");
        }
    }
    for query in queries().iter().filter(|(file, _)| *file == "dashboard.json").map(|(_, it)| it) {
        // What Grafana puts in; a legend and its list of gateways are no queries.
        let query = query.replace("$instance", ".*").replace("$__rate_interval", "1m");
        if query.contains("job=") && !query.starts_with("label_values") {
            prometheus.query(&format!("count({query})"));
        }
    }
    for alert in ["Down", "EgressDead", "NoSourceReached", "StoreDegraded", "NotSweeping"] {
        assert!(!prometheus.fires(alert), "{alert} fires though all is well");
    }

    origin.die();
    for number in 0..30 {
        let answer = program.feed(&origin.url(&format!("/{number}.xml")), "");
        assert_eq!(answer.status, 502);
    }
    wait_for("the alert of the origin", || prometheus.fires("EgressDead"));
    assert_eq!(program.feed(&origin.url("/feed.xml"), "").status, 200, "what was seen is served");
    assert!(!prometheus.fires("Down") && !prometheus.fires("AnswersFailing"));

    program.kill();
    wait_for("the alert of the gateway", || prometheus.fires("Down"));
}
