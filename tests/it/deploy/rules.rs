//! The alert rules: right by Prometheus's own tool, tried both ways, and explained.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::Stdio;

use super::tools::{good, tool};
use super::{alerts, exposition, hold, path, read, yaml};

#[test]
fn promtool_finds_nothing_wrong_with_what_the_program_shows() {
    let text = exposition::text();
    let mut checking = tool("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    checking.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = checking.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success() && said.is_empty(), "{}", String::from_utf8_lossy(&said));
}

#[test]
fn the_rules_and_their_stories_hold() {
    for arguments in [
        ["check", "config", "deploy/prometheus/prometheus.yml"],
        ["test", "rules", "deploy/prometheus/rules_test.yaml"],
    ] {
        good(tool("promtool").args(arguments).current_dir(path("")));
    }
}

#[test]
fn every_alert_has_a_story_in_which_it_fires_and_one_in_which_it_does_not() {
    let stories = yaml("deploy/prometheus/rules_test.yaml");
    let stories: Vec<(String, bool)> = stories["tests"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|story| story["promql_expr_test"].as_array().unwrap())
        .map(|test| {
            let fires = !test["exp_samples"].as_array().unwrap().is_empty();
            (test["expr"].as_str().unwrap().to_owned(), fires)
        })
        .collect();
    for alert in alerts() {
        let name = alert["alert"].as_str().unwrap();
        for fires in [true, false] {
            let quoted = format!("alertname=\"{name}\"");
            let is_told =
                stories.iter().any(|(query, fired)| query.contains(&quoted) && *fired == fires);
            assert!(is_told, "{name} has no story in which it fires: {fires}");
        }
    }
}

#[test]
fn every_alert_says_how_urgent_it_is_and_leads_to_its_chapter_of_the_runbook() {
    let runbook = read("docs/runbook.md");
    let chapters = runbook.lines().filter_map(|line| line.strip_prefix("## MmspGateway"));
    let mut chapters: BTreeSet<&str> = chapters.collect();
    for alert in alerts() {
        let name = alert["alert"].as_str().unwrap();
        let short = name.strip_prefix("MmspGateway").unwrap();
        assert!(chapters.remove(short), "{name} has no chapter");
        let annotations = &alert["annotations"];
        let link = format!("docs/runbook.md#{}", name.to_lowercase());
        assert_eq!(annotations["runbook_url"], link);
        let severity = alert["labels"]["severity"].as_str().unwrap();
        assert!(["page", "ticket"].contains(&severity), "{name}: {severity}");
        let begins = format!("## {name}\n\n{severity}. ");
        assert!(
            runbook.contains(&begins),
            "the chapter of {name} does not begin with \"{severity}.\""
        );
        for text in ["summary", "description"] {
            assert!(annotations[text].as_str().is_some_and(|text| text.ends_with('.')), "{name}");
        }
    }
    assert!(chapters.is_empty(), "no alert leads to {chapters:?}");
    for link in runbook.split("](#").skip(1).filter_map(|rest| rest.split_once(')')) {
        let is_there = runbook
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .any(|title| title.to_lowercase() == link.0);
        assert!(is_there, "#{}", link.0);
    }
}

#[test]
fn kubernetes_gets_the_same_rules() {
    let rules = read("deploy/prometheus/rules.yaml");
    let (_, groups) = rules.split_once("\ngroups:").unwrap();
    let mut text =
        "# The rules of deploy/prometheus/rules.yaml, for the Prometheus operator. Written by \
                    `./dev bless`.\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\n\
                    metadata:\n  name: mmsp-gateway\nspec:\n"
            .to_owned();
    for line in format!("groups:{groups}").lines() {
        let indent = if line.is_empty() { "" } else { "  " };
        text.push_str(&format!("{indent}{line}\n"));
    }
    let name = "deploy/kubernetes/monitoring/prometheusrule.yaml";
    hold(name, &text);
    assert_eq!(yaml(name)["spec"], yaml("deploy/prometheus/rules.yaml"));
}
