//! The dashboard: its rows, its places, and that each panel can be understood.

use std::collections::BTreeSet;

use serde_json::Value;

use super::read;

#[test]
fn the_dashboard_has_a_row_for_each_subject_and_no_panel_lies_on_another() {
    let dashboard: Value = serde_json::from_str(&read("deploy/grafana/dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let rows = panels.iter().filter(|panel| panel["type"] == "row");
    let rows: Vec<_> = rows.map(|row| row["title"].as_str().unwrap()).collect();
    assert_eq!(rows, ["Traffic", "Cache", "Polls", "Sources", "Store", "Memory"]);
    let (mut ids, mut places) = (BTreeSet::new(), BTreeSet::new());
    for panel in panels {
        let title = panel["title"].as_str().unwrap();
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{title} has the id of another");
        let at = |key: &str| panel["gridPos"][key].as_u64().unwrap();
        assert!(at("x") + at("w") <= 24, "{title} is beyond the edge");
        for x in at("x")..at("x") + at("w") {
            for y in at("y")..at("y") + at("h") {
                assert!(places.insert((x, y)), "{title} lies on another panel");
            }
        }
        if panel["type"] != "row" {
            assert_eq!(panel["datasource"]["uid"], "${datasource}", "{title}");
            assert!(panel["fieldConfig"]["defaults"]["unit"].is_string(), "{title} has no unit");
            assert!(!panel["targets"].as_array().unwrap().is_empty(), "{title} asks for nothing");
        }
    }
}
