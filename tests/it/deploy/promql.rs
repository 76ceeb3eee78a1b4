//! As much of PromQL as it takes to find what a query asks for.

/// A metric that a query asks for, and what it says of its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Selector {
    pub(super) name: String,
    /// Each with the values that it compares with.
    pub(super) labels: Vec<(String, Vec<String>)>,
}

/// The metrics of a query.
pub(super) fn selectors(query: &str) -> Vec<Selector> {
    let mut found = Vec::new();
    let mut rest = query;
    while let Some((name, after)) = next_word(rest) {
        rest = after;
        let is_metric = name == "up"
            || ["mmsp_gateway_", "process_"].iter().any(|prefix| name.starts_with(prefix));
        if is_metric {
            let inside = after.strip_prefix('{').and_then(|after| after.split_once('}'));
            let labels = inside.map(|(inside, _)| matchers(inside)).unwrap_or_default();
            found.push(Selector { name: name.to_owned(), labels });
        }
    }
    found
}

/// The labels that a query groups by, or that a legend shows.
pub(super) fn groupings(query: &str) -> Vec<String> {
    let by = query.split("by (").skip(1).filter_map(|rest| rest.split_once(')'));
    let shown = query.split("{{").skip(1).filter_map(|rest| rest.split_once("}}"));
    let labels = by.chain(shown).flat_map(|(labels, _)| labels.split(','));
    labels.map(|label| label.trim().to_owned()).collect()
}

/// The next word outside of a text in quotes, and what follows it.
fn next_word(query: &str) -> Option<(&str, &str)> {
    let mut rest = query;
    loop {
        let start = rest.find(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '"')?;
        rest = &rest[start..];
        if let Some(text) = rest.strip_prefix('"') {
            rest = text.split_once('"')?.1;
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        return Some(rest.split_at(end.unwrap_or(rest.len())));
    }
}

fn matchers(text: &str) -> Vec<(String, Vec<String>)> {
    let each = text.split("\",").map(|matcher| matcher.trim().trim_end_matches('"'));
    each.filter(|matcher| !matcher.is_empty())
        .map(|matcher| {
            let (label, values) = matcher.split_once('"').unwrap();
            let label = label.trim_end_matches(['=', '!', '~', ' ']);
            (label.to_owned(), values.split('|').map(str::to_owned).collect())
        })
        .collect()
}

#[test]
fn the_metrics_and_labels_of_a_query_are_found() {
    let query =
        r#"sum by (le, route) (rate(mmsp_gateway_a_bucket{route=~"feed|opml",le!="1"}[5m])) > up"#;
    let own = |text: &str| text.to_owned();
    assert_eq!(
        selectors(query),
        [
            Selector {
                name: own("mmsp_gateway_a_bucket"),
                labels: vec![
                    (own("route"), vec![own("feed"), own("opml")]),
                    (own("le"), vec![own("1")])
                ],
            },
            Selector { name: own("up"), labels: Vec::new() },
        ]
    );
    assert_eq!(groupings(query), ["le", "route"]);
    assert_eq!(groupings("limit of {{instance}}"), ["instance"]);
}
