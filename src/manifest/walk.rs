//! Goes through a manifest along the tables of the draft.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::finding::{Findings, Severity};
use super::form;
use super::path::{Path, shown};
use super::schema::{FEED, Form, Kind, LEAST_INTERVAL, Member};
use crate::model::ITEM_TYPES;

/// A walk and what it has found so far.
#[derive(Default)]
pub(super) struct Walk {
    pub(super) findings: Findings,
    /// Members that the draft does not know: of what, by which name, first seen where, how often.
    unknown: BTreeMap<(&'static str, String), (String, usize)>,
}

/// What a client loses with a required member: the document, the item, or the object around it.
#[derive(Clone, Copy)]
pub(super) enum Loss {
    Document,
    Item,
    Object,
}

impl Loss {
    fn severity(self) -> Severity {
        match self {
            Self::Document => Severity::Reject,
            Self::Item => Severity::Skip,
            Self::Object => Severity::Drop,
        }
    }
}

impl Walk {
    /// Judges the members of an object, each by its row.
    pub(super) fn object(
        &mut self,
        map: &Map<String, Value>,
        kind: &Kind,
        path: Path<'_>,
        loss: Loss,
    ) {
        for member in kind.members {
            self.member(map, member, path, loss);
        }
        for name in map.keys() {
            let is_known = kind.members.iter().any(|member| member.name == name);
            if !is_known && !NOT_LISTED.contains(&name.as_str()) {
                self.note_unknown(kind, name, path);
            }
        }
    }

    fn member(&mut self, map: &Map<String, Value>, member: &Member, path: Path<'_>, loss: Loss) {
        let severity = if member.is_required { loss.severity() } else { Severity::Drop };
        let here = path.member(member.name);
        match map.get(member.name) {
            Some(value) => self.value(value, member.form, here, (severity, member.clause)),
            None if member.is_required => {
                let what = format!("it is missing; it must be {}", expected(member.form));
                self.findings.add(severity, member.clause, here, what);
            }
            None => {}
        }
    }

    fn value(&mut self, value: &Value, form: Form, path: Path<'_>, rule: (Severity, &'static str)) {
        let (severity, clause) = rule;
        match (form, value) {
            (Form::Object(kind), Value::Object(map)) => self.object(map, kind, path, Loss::Object),
            (Form::Free, Value::Object(_)) => {}
            (Form::List(inner) | Form::Filled(inner), Value::Array(list))
                if !list.is_empty() || matches!(form, Form::List(_)) =>
            {
                for (at, element) in list.iter().enumerate() {
                    self.value(element, *inner, path.element(at), (Severity::Drop, clause));
                }
            }
            (Form::Count(least), Value::Number(_)) => self.count(value, least, path, rule),
            (_, Value::String(text)) if fits(form, text) => self.advise(text, form, path, clause),
            (Form::Version, Value::String(text)) => {
                let what = format!("version {} is not one of MMSP 1; write \"1.0\"", shown(text));
                self.findings.add(severity, "5.7", path, what);
            }
            (Form::Flag, Value::Bool(_)) => {}
            // These two do not cost more than their own value. A title that is a text does not
            // fit where it is empty.
            (Form::Title, Value::String(_)) => {
                self.findings.add(Severity::Breach, clause, path, "it is empty; write a text");
            }
            (Form::Type, Value::String(text)) => {
                let what = format!(
                    "{} is not an item type of the draft; clients show it as an article",
                    shown(text)
                );
                self.findings.add(Severity::Breach, clause, path, what);
            }
            _ => {
                let what = format!("it is {}; it must be {}", said(value), expected(form));
                self.findings.add(severity, clause, path, what);
            }
        }
    }

    fn count(&mut self, value: &Value, least: u64, path: Path<'_>, rule: (Severity, &'static str)) {
        let (severity, clause) = rule;
        if let Some(number) = value.as_u64() {
            if number < least && least == LEAST_INTERVAL {
                let what =
                    format!("{number} is below the floor of 300 seconds; clients wait longer");
                self.findings.add(Severity::Breach, clause, path, what);
            } else if number < least {
                let what = format!("{number} is too small; it must be {least} or more");
                self.findings.add(severity, clause, path, what);
            } else if i64::try_from(number).is_err() {
                let what = "clients that count in 64 bits refuse a number from 2^63 on";
                self.findings.add(Severity::Advice, clause, path, what);
            }
            return;
        }
        let number = value.as_f64().unwrap_or(f64::NAN);
        #[expect(clippy::cast_precision_loss, reason = "the bounds of the draft are small")]
        let is_whole = number.fract() == 0.0 && number >= least as f64;
        if is_whole {
            let what =
                "write whole numbers without a point or an exponent: typed readers refuse it";
            self.findings.add(Severity::Advice, clause, path, what);
        } else {
            let what = format!("it is {value}; it must be {}", expected(Form::Count(least)));
            self.findings.add(severity, clause, path, what);
        }
    }

    /// What is right by the schema and could still be better.
    fn advise(&mut self, text: &str, form: Form, path: Path<'_>, clause: &'static str) {
        let what = match form {
            Form::License if !form::is_license(text) => {
                "it is neither an SPDX identifier nor a URI; clients cannot tell which license is meant"
            }
            _ => return,
        };
        self.findings.add(Severity::Advice, clause, path, what);
    }

    fn note_unknown(&mut self, kind: &Kind, name: &str, path: Path<'_>) {
        let key = (kind.name, name.chars().take(LONGEST_NAME).collect());
        if let Some((_, count)) = self.unknown.get_mut(&key) {
            *count += 1;
        } else if self.unknown.len() < MAX_UNKNOWN {
            self.unknown.insert(key, (path.member(name).to_string(), 1));
        }
    }

    /// Says which members nobody will read.
    pub(super) fn tell_unknown(&mut self) {
        for ((kind, _), (at, count)) in std::mem::take(&mut self.unknown) {
            let times = if count > 1 { format!(", {count} times") } else { String::new() };
            let what = format!(
                "the draft knows no such member of {kind}; clients ignore it{times}. Is it a slip of the pen?"
            );
            let clause = if kind == FEED.name { "5.6" } else { "6.15" };
            self.findings.add(Severity::Advice, clause, at, what);
        }
    }
}

/// Members that are spoken of elsewhere: items are walked by themselves, `signature` is reserved.
const NOT_LISTED: [&str; 2] = ["items", "signature"];
/// Names of unknown members that are told apart.
const MAX_UNKNOWN: usize = 100;
/// Of the name of an unknown member, in characters.
const LONGEST_NAME: usize = 60;

fn fits(form: Form, text: &str) -> bool {
    match form {
        Form::Text | Form::License => true,
        Form::Title => !text.is_empty(),
        Form::Version => form::is_version_1(text),
        Form::Uri => form::is_uri(text),
        Form::HttpsUrl => form::is_https_url(text),
        Form::Time => form::is_time(text),
        Form::Language => form::is_language(text),
        Form::Mail => form::is_mail(text),
        Form::MimeType => form::is_mime_type(text),
        Form::Country => form::is_country(text),
        Form::Type => ITEM_TYPES.contains(&text),
        Form::OneOf(words) => words.contains(&text),
        Form::Count(_)
        | Form::Flag
        | Form::List(_)
        | Form::Filled(_)
        | Form::Object(_)
        | Form::Free => false,
    }
}

/// What a member must be, in words.
fn expected(form: Form) -> String {
    match form {
        Form::Text | Form::License => "a text".to_owned(),
        Form::Title => "a text that is not empty".to_owned(),
        Form::Version => "the text \"1.0\"".to_owned(),
        Form::Uri => "an absolute URI, such as urn:uuid:\u{2026} or https://\u{2026}".to_owned(),
        Form::HttpsUrl => "an https:// address, percent-encoded where it is not ASCII".to_owned(),
        Form::Time => "a time with its zone, such as 2026-06-01T12:00:00Z".to_owned(),
        Form::Language => "a language tag, such as en or pt-BR".to_owned(),
        Form::Mail => "a mail address".to_owned(),
        Form::MimeType => "a media type without parameters, such as audio/mpeg".to_owned(),
        Form::Country => "a country code of two capital letters, such as DE".to_owned(),
        Form::Type => format!("one of {}", ITEM_TYPES.join(", ")),
        Form::Count(least) => format!("a whole number, {least} or more"),
        Form::Flag => "true or false".to_owned(),
        Form::OneOf(words) => format!("one of {}", words.join(", ")),
        Form::List(_) => "an array".to_owned(),
        Form::Filled(_) => "an array that is not empty".to_owned(),
        Form::Object(_) | Form::Free => "an object".to_owned(),
    }
}

/// What a value is, in words.
pub(super) fn said(value: &Value) -> String {
    match value {
        Value::Null => "null (leave out what has no value)".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => shown(text),
        Value::Array(list) if list.is_empty() => "an empty array".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
