//! Every metric, label and value that rules, dashboard, runbook and autoscaler name is shown.

use std::collections::BTreeMap;

use serde_json::Value;

use super::exposition::{self, Shown, family};
use super::promql::{groupings, selectors};
use super::{alerts, documents, read, yaml};

/// Every query, with the file that it stands in.
pub(super) fn queries() -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for rule in alerts() {
        found.push(("rules.yaml", rule["expr"].as_str().unwrap().to_owned()));
        let annotations = rule["annotations"].as_object().unwrap().values();
        // `$labels.instance` of an annotation is a label as `instance` of a legend is.
        let texts = annotations.map(|text| text.as_str().unwrap().replace("$labels.", ""));
        found.extend(texts.map(|text| ("rules.yaml", text.replace("{{ $value }}", ""))));
    }
    let tests = yaml("deploy/prometheus/rules_test.yaml");
    for test in tests["tests"].as_array().unwrap() {
        let series = test["input_series"].as_array().into_iter().flatten();
        let series = series.map(|series| series["series"].as_str().unwrap().to_owned());
        found.extend(series.map(|series| ("rules_test.yaml", series)));
    }
    let dashboard: Value = serde_json::from_str(&read("deploy/grafana/dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    for target in panels.iter().flat_map(|panel| panel["targets"].as_array()).flatten() {
        for part in ["expr", "legendFormat"] {
            found.push(("dashboard.json", target[part].as_str().unwrap().to_owned()));
        }
    }
    for variable in dashboard["templating"]["list"].as_array().unwrap() {
        if let Some(query) = variable["query"]["query"].as_str() {
            found.push(("dashboard.json", query.to_owned()));
        }
    }
    let spans = read("docs/runbook.md");
    found.extend(spans.split('`').map(|span| ("runbook.md", span.to_owned())));
    let scaler = read("deploy/kubernetes/overlays/production/autoscaler.yaml");
    for scaler in documents(&scaler) {
        let metrics = scaler["spec"]["metrics"].as_array().unwrap().clone();
        let named = metrics.iter().flat_map(|metric| {
            ["pods", "object", "external"].map(|kind| metric[kind]["metric"]["name"].as_str())
        });
        found.extend(named.flatten().map(|name| ("autoscaler.yaml", name.to_owned())));
    }
    found
}

/// Labels that Prometheus adds.
const ADDED: [&str; 3] = ["instance", "job", "le"];

fn faults(query: &str, families: &BTreeMap<String, Shown>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut known: Vec<String> = ADDED.map(str::to_owned).to_vec();
    let selectors = selectors(query);
    for selector in &selectors {
        let name = &selector.name;
        let shown = families.get(family(name)).or_else(|| families.get(name));
        if shown.is_none() && name != "up" {
            faults.push(format!("no metric {name}"));
        }
        let labels = shown.map(|shown| shown.labels.clone()).unwrap_or_default();
        known.extend(labels.keys().cloned());
        for (label, values) in &selector.labels {
            match labels.get(label) {
                Some(there) => {
                    let missing = values.iter().filter(|value| !there.contains(*value));
                    faults.extend(missing.map(|value| format!("no {label}={value} of {name}")));
                }
                None if ADDED.contains(&label.as_str()) => {}
                None => faults.push(format!("no label {label} of {name}")),
            }
        }
    }
    if selectors.is_empty() {
        known.extend(families.values().flat_map(|shown| shown.labels.keys().cloned()));
    }
    let groupings = groupings(query).into_iter().filter(|label| !known.contains(label));
    faults.extend(groupings.map(|label| format!("no label {label}")));
    faults
}

#[test]
fn every_metric_and_label_that_is_watched_is_shown_by_the_program() {
    let families = exposition::families(&exposition::text());
    let queries = queries();
    assert!(queries.len() > 150, "{}", queries.len());
    let faults = queries.iter().flat_map(|(file, query)| {
        faults(query, &families).into_iter().map(move |fault| format!("{file}: {fault} in {query}"))
    });
    let faults: Vec<_> = faults.collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_name_that_is_not_shown_is_found() {
    let families =
        exposition::families("# TYPE mmsp_gateway_a counter\nmmsp_gateway_a{b=\"c\"} 0\n");
    for (query, count) in [
        ("sum by (b) (mmsp_gateway_a{b=\"c\",job=\"x\"})", 0),
        ("mmsp_gateway_gone", 1),
        ("mmsp_gateway_a{gone=\"c\"}", 1),
        ("mmsp_gateway_a{b=~\"c|gone\"}", 1),
        ("sum by (gone) (mmsp_gateway_a)", 1),
        ("{{gone}}", 1),
    ] {
        assert_eq!(faults(query, &families).len(), count, "{query}");
    }
}
