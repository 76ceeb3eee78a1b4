//! The grammar once more, read and asked in the plainest way there is: words from left to right,
//! `OR` split off first, nothing shared with the parser. Tests hold the two against each other.

use serde_json::{Value, json};

use super::*;

/// Whether an item passes, by a text that is known to be a filter without strings that hold
/// spaces or parentheses.
fn passes(text: &str, item: &Value) -> bool {
    any(&words(text), item)
}

fn words(text: &str) -> Vec<String> {
    let spaced = text.replace('(', "( ").replace(')', " )");
    spaced.split(' ').map(str::to_owned).collect()
}

fn any(words: &[String], item: &Value) -> bool {
    split(words, "OR").iter().any(|words| split(words, "AND").iter().all(|w| one(w, item)))
}

/// Splits at a word that stands in no parentheses.
fn split<'w>(words: &'w [String], at: &str) -> Vec<&'w [String]> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (index, word) in words.iter().enumerate() {
        match word.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            word if word == at && depth == 0 => {
                parts.push(&words[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&words[start..]);
    parts
}

fn one(words: &[String], item: &Value) -> bool {
    match words {
        [not, condition] if not == "NOT" => !holds(condition, item),
        [condition] => holds(condition, item),
        [open, inside @ .., close] if open == "(" && close == ")" => any(inside, item),
        other => panic!("{other:?}"),
    }
}

fn holds(condition: &str, item: &Value) -> bool {
    let (name, value) = condition.split_once(':').unwrap();
    let value = value.trim_matches('"');
    match name {
        "type" => item["type"] == value,
        "rating" => item["content_rating"]["rating"] == value,
        "tag" => item["tags"].as_array().unwrap().iter().any(|tag| tag == value),
        "keyword" => item["title"].as_str().unwrap().contains(value),
        "lang" => item["language"].as_str().unwrap().starts_with(value),
        "author" => item["authors"].as_array().unwrap().iter().any(|it| it["name"] == value),
        "duration" => item["duration"].as_f64().is_some_and(|duration| {
            let (least, most) = ends(value);
            least.is_none_or(|least| duration >= least.parse::<f64>().unwrap())
                && most.is_none_or(|most| duration <= most.parse::<f64>().unwrap())
        }),
        // Texts of one form are in the order of what they say.
        "published" => {
            let (least, most) = ends(value);
            let published = item["published"].as_str().unwrap();
            least.is_none_or(|least| published >= least)
                && most.is_none_or(|most| published <= most)
        }
        other => panic!("{other}"),
    }
}

fn ends(range: &str) -> (Option<&str>, Option<&str>) {
    if let Some(least) = range.strip_prefix(">=") {
        return (Some(least), None);
    }
    if let Some(most) = range.strip_prefix("<=") {
        return (None, Some(most));
    }
    let (least, most) = range.trim_matches(['[', ']']).split_once(',').unwrap();
    (Some(least), Some(most))
}

/// Conditions that some of the items meet.
const CONDITIONS: [&str; 14] = [
    "type:video",
    "type:article",
    "tag:\"a\"",
    "tag:\"b\"",
    "keyword:\"fog\"",
    "lang:en",
    "duration:>=300",
    "duration:<=300",
    "duration:[10,299.5]",
    "rating:teen",
    "author:\"ada\"",
    "published:>=2026-01-01T00:00:00Z",
    "published:<=2025-12-31T23:59:59Z",
    "published:[2025-06-01T00:00:00Z,2026-01-01T00:00:00Z]",
];

fn items() -> Vec<Value> {
    let mut items = Vec::new();
    for (kind, duration) in [("video", Some(300)), ("video", Some(10)), ("article", None)] {
        for tags in [json!([]), json!(["a"]), json!(["a", "b"])] {
            for (title, language, rating, year) in
                [("fog", "en", "teen", 2026), ("sun", "de", "general", 2025)]
            {
                let mut item = json!({
                    "type": kind, "tags": tags, "title": title, "language": language,
                    "content_rating": {"rating": rating},
                    "published": format!("{year}-01-01T00:00:00Z"),
                    "authors": [{"name": if title == "fog" { "ada" } else { "bo" }}],
                });
                if let Some(duration) = duration {
                    item["duration"] = duration.into();
                }
                items.push(item);
            }
        }
    }
    items
}

fn expressions() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let condition = (proptest::sample::select(&CONDITIONS[..]), any::<bool>())
        .prop_map(|(name, not)| if not { format!("NOT {name}") } else { name.to_owned() });
    condition.prop_recursive(4, 24, 4, |inner| {
        let joined = proptest::collection::vec((inner, any::<bool>()), 1..4);
        joined.prop_map(|terms| {
            let mut text = String::new();
            for (at, (term, and)) in terms.into_iter().enumerate() {
                if at > 0 {
                    text.push_str(if and { " AND " } else { " OR " });
                }
                let is_joined = term.contains(" AND ") || term.contains(" OR ");
                text.push_str(&if is_joined { format!("({term})") } else { term });
            }
            text
        })
    })
}

proptest::proptest! {
    #[test]
    fn both_ways_of_reading_say_the_same(text in expressions()) {
        let filter: Filter = text.parse().unwrap();
        for item in items() {
            let feed = Value::Null;
            proptest::prop_assert_eq!(filter.matches(&item, &feed), passes(&text, &item), "{}", item);
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[ -~\u{e9}]{0,60}") {
        let _ = text.parse::<Filter>();
    }
}
