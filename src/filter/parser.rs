//! Reads an expression, rule by rule as the ABNF of MMSP A.1 has them.

use std::ops::RangeInclusive;

use super::expression::{Condition, Expression};
use super::moment::{self, End};
use super::{Expected, FilterError};
use crate::model::{ITEM_TYPES, Timestamp};

/// Reads a whole text as a filter.
pub(super) fn parse(text: &str) -> Result<Expression, FilterError> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    if text.len() > MAX_BYTES {
        return parser.fail(Expected::LessText);
    }
    let expression = parser.expression()?;
    if parser.at < text.len() {
        return parser.fail(Expected::Operator);
    }
    Ok(expression)
}

const MAX_BYTES: usize = 4096;
/// Parentheses in one another: more than anybody reads.
const MAX_DEPTH: usize = 64;

struct Parser<'t> {
    text: &'t str,
    /// Bytes read.
    at: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    /// `expr`: alternatives of terms that are joined by `AND`.
    fn expression(&mut self) -> Result<Expression, FilterError> {
        let mut alternatives = Vec::new();
        let mut joined = vec![self.term()?];
        loop {
            if self.take(" AND ") {
                joined.push(self.term()?);
            } else if self.take(" OR ") {
                alternatives.push(one_or(Expression::All, joined));
                joined = vec![self.term()?];
            } else {
                alternatives.push(one_or(Expression::All, joined));
                return Ok(one_or(Expression::Any, alternatives));
            }
        }
    }

    /// `term`: a condition, with or without `NOT`, or an expression in parentheses.
    fn term(&mut self) -> Result<Expression, FilterError> {
        if self.take("NOT ") {
            return self.condition(Expected::OneCondition).map(Expression::Not);
        }
        if !self.take("(") {
            return self.condition(Expected::Condition).map(Expression::Is);
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail(Expected::LessDepth);
        }
        let inside = self.expression()?;
        self.depth -= 1;
        if self.take(")") { Ok(inside) } else { self.fail(Expected::Closing) }
    }

    /// `atom`.
    fn condition(&mut self, expected: Expected) -> Result<Condition, FilterError> {
        for (name, read) in CONDITIONS {
            if self.take(name) {
                return read(self);
            }
        }
        self.fail(expected)
    }

    /// One of a list of words.
    fn one_of(
        &mut self,
        words: &[&'static str],
        expected: Expected,
    ) -> Result<&'static str, FilterError> {
        let word = self.word();
        match words.iter().find(|known| known.eq_ignore_ascii_case(word)) {
            Some(known) => {
                self.at += word.len();
                Ok(known)
            }
            None => self.fail(expected),
        }
    }

    /// `language-code`.
    fn language(&mut self) -> Result<Condition, FilterError> {
        let end = self.rest().find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        let tag = self.rest().get(..end.unwrap_or(self.rest().len())).unwrap_or_default();
        let is_part = |part: &str| (2..=8).contains(&part.len());
        let mut parts = tag.split('-');
        let is_tag = parts
            .next()
            .is_some_and(|first| is_part(first) && first.bytes().all(|b| b.is_ascii_alphabetic()))
            && parts.all(is_part);
        if !is_tag {
            return self.fail(Expected::Language);
        }
        self.at += tag.len();
        Ok(Condition::Language(tag.to_owned()))
    }

    /// `string-val`.
    fn string(&mut self) -> Result<String, FilterError> {
        if !self.take("\"") {
            return self.fail(Expected::Text);
        }
        let end = self.rest().find(|c: char| c == '"' || !matches!(c, ' '..='~'));
        let value = self.rest().get(..end.unwrap_or(self.rest().len())).unwrap_or_default();
        self.at += value.len();
        if self.take("\"") { Ok(value.to_owned()) } else { self.fail(Expected::Text) }
    }

    /// `range-expr`.
    fn seconds(&mut self) -> Result<RangeInclusive<f64>, FilterError> {
        self.range((0.0, f64::INFINITY), |parser, _| {
            let end = parser.rest().find(|c: char| !c.is_ascii_digit() && c != '.');
            let number = parser.rest().get(..end.unwrap_or(parser.rest().len()))?;
            let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
            let is_number = !whole.is_empty() && !part.is_empty() && !part.contains('.');
            let value = number.parse().ok().filter(|_| is_number)?;
            parser.at += number.len();
            Some(value)
        })
        .map_or_else(|| self.fail(Expected::Seconds), Ok)
    }

    /// `date-range-expr`.
    fn dates(&mut self) -> Result<RangeInclusive<Timestamp>, FilterError> {
        self.range(
            (Timestamp::saturating(i64::MIN), Timestamp::saturating(i64::MAX)),
            |parser, end| {
                let stop = parser.rest().find([' ', ')', ',', ']']).unwrap_or(parser.rest().len());
                let text = parser.rest().get(..stop)?;
                let value = moment::parse(text, end)?;
                parser.at += stop;
                Some(value)
            },
        )
        .map_or_else(|| self.fail(Expected::Date), Ok)
    }

    /// One side, or both in brackets. Leaves the place where it failed.
    fn range<T: Copy>(
        &mut self,
        (least, most): (T, T),
        value: impl Fn(&mut Self, End) -> Option<T>,
    ) -> Option<RangeInclusive<T>> {
        if self.take(">=") {
            return Some(value(self, End::First)?..=most);
        }
        if self.take("<=") {
            return Some(least..=value(self, End::Last)?);
        }
        if !self.take("[") {
            return None;
        }
        let first = value(self, End::First)?;
        let has_second = self.take(",");
        let last = has_second.then(|| value(self, End::Last)).flatten()?;
        self.take("]").then_some(first..=last)
    }

    fn word(&self) -> &'t str {
        let end = self.rest().find(|c: char| !c.is_ascii_alphabetic());
        self.rest().get(..end.unwrap_or(self.rest().len())).unwrap_or_default()
    }

    /// Takes these words, in any case, if they are next.
    fn take(&mut self, words: &str) -> bool {
        let next = self.rest().get(..words.len());
        let is_next = next.is_some_and(|next| next.eq_ignore_ascii_case(words));
        if is_next {
            self.at += words.len();
        }
        is_next
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn fail<T>(&self, expected: Expected) -> Result<T, FilterError> {
        let position = self.text.get(..self.at).map_or(0, |read| read.chars().count());
        Err(FilterError { position, expected })
    }
}

type Read = fn(&mut Parser<'_>) -> Result<Condition, FilterError>;

const CONDITIONS: [(&str, Read); 8] = [
    ("type:", |parser| parser.one_of(&ITEM_TYPES, Expected::Type).map(Condition::Type)),
    ("tag:", |parser| parser.string().map(Condition::Tag)),
    ("author:", |parser| parser.string().map(Condition::Author)),
    ("lang:", |parser| parser.language()),
    ("duration:", |parser| parser.seconds().map(Condition::Duration)),
    ("published:", |parser| parser.dates().map(Condition::Published)),
    ("keyword:", |parser| parser.string().map(Condition::Keyword)),
    ("rating:", |parser| parser.one_of(&RATINGS, Expected::Rating).map(Condition::Rating)),
];

/// `rating-val`.
const RATINGS: [&str; 4] = ["general", "teen", "mature", "explicit"];

/// A single expression by itself, several together.
fn one_or(join: fn(Vec<Expression>) -> Expression, mut terms: Vec<Expression>) -> Expression {
    match (terms.len(), terms.pop()) {
        (1, Some(only)) => only,
        (_, Some(last)) => {
            terms.push(last);
            join(terms)
        }
        (_, None) => join(terms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(text: &str, position: usize, expected: Expected) {
        assert_eq!(parse(text), Err(FilterError { position, expected }), "{text}");
    }

    #[test]
    fn an_error_says_where_and_what_could_stand_there() {
        use Expected::*;
        fails("", 0, Condition);
        fails("video", 0, Condition);
        fails("type:", 5, Type);
        fails("type:film", 5, Type);
        fails("type:videos", 5, Type);
        fails("type:video  AND type:audio", 10, Operator);
        fails("type:video type:audio", 10, Operator);
        fails("type:video AND", 10, Operator);
        fails("type:video AND ", 15, Condition);
        fails(" type:video", 0, Condition);
        fails("type:video ", 10, Operator);
        fails("NOT NOT type:video", 4, OneCondition);
        fails("NOT (type:video)", 4, OneCondition);
        fails("NOT", 0, Condition);
        fails("(type:video", 11, Closing);
        fails("(type:video))", 12, Operator);
        fails("( type:video)", 1, Condition);
        fails("()", 1, Condition);
        fails("tag:sea", 4, Text);
        fails("tag:\"sea", 8, Text);
        fails("tag:\"m\u{e4}h\"", 6, Text);
        fails("tag:\"a\"b\"", 7, Operator);
        fails("lang:e", 5, Language);
        fails("lang:en-a", 5, Language);
        fails("lang:englishish", 5, Language);
        fails("duration:300", 9, Seconds);
        fails("duration:>=", 11, Seconds);
        fails("duration:>=-1", 11, Seconds);
        fails("duration:>300", 9, Seconds);
        fails("duration:[1,2", 13, Seconds);
        fails("duration:[1 ,2]", 11, Seconds);
        fails("published:>=yesterday", 12, Date);
        fails("published:2026-01-01", 10, Date);
        fails("published:>=2026-02-30", 12, Date);
        fails("published:[2026-01-01 ,2026-01-02]", 21, Date);
        fails("published:[2026-01-01]", 21, Date);
        fails("type:", 5, Type);
        fails("type:video AND type:", 20, Type);
        fails("type:video XOR type:audio", 10, Operator);
        fails("type:video\tAND type:audio", 10, Operator);
        fails("type:video AND  type:audio", 15, Condition);
        fails("type:video AND\u{a0}type:audio", 10, Operator);
        fails("type :video", 0, Condition);
        fails("type: video", 5, Type);
        fails("title:\"x\"", 0, Condition);
        fails("NOT  type:video", 4, OneCondition);
        fails("(type:video )", 11, Closing);
        fails("(type:video)AND type:audio", 12, Operator);
        fails("((type:video)", 13, Closing);
        fails("tag:'sea'", 4, Text);
        fails("tag:\"a\\\"b\"", 8, Operator);
        fails("lang:en_GB", 7, Operator);
        fails("lang:123", 5, Language);
        fails("duration:>= 300", 11, Seconds);
        fails("duration:>=1e3", 12, Operator);
        fails("duration:>=.5", 11, Seconds);
        fails("duration:[,2]", 10, Seconds);
        fails("duration:[1;2]", 11, Seconds);
        fails("rating:pg", 7, Rating);
    }

    #[test]
    fn a_position_counts_characters() {
        let text = "tag:\"a\" AND \u{e4}\u{e4}";
        fails(text, 12, Expected::Condition);
        let shown = parse(text).unwrap_err().to_string();
        assert!(shown.starts_with("at character 13: expected a condition"), "{shown}");
    }

    #[test]
    fn depth_and_length_are_bounded() {
        let nested = |depth: usize| format!("{}type:video{}", "(".repeat(depth), ")".repeat(depth));
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        fails(&nested(MAX_DEPTH + 1), MAX_DEPTH + 1, Expected::LessDepth);
        let side_by_side = vec!["(type:video)"; MAX_DEPTH + 1].join(" OR ");
        assert!(parse(&side_by_side).is_ok());
        let long = format!("keyword:\"{}\"", "x".repeat(MAX_BYTES - "keyword:\"\"".len()));
        assert!(parse(&long).is_ok());
        fails(&format!("{long} "), 0, Expected::LessText);
    }
}
