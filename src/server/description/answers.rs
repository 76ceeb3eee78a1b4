//! The answers of an operation: what it sends when all is well, and each problem by its status.

use std::collections::BTreeMap;

use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::OperationBuilder;
use utoipa::openapi::{Content, RefOr, ResponseBuilder, Schema};

use super::schemas;
use crate::server::problem::Kind;

/// An answer that is no problem.
#[derive(Clone, Copy)]
pub(super) struct Good {
    pub(super) status: u16,
    pub(super) what: &'static str,
    pub(super) body: Body,
    pub(super) headers: &'static [&'static str],
}

/// What an answer holds.
#[derive(Clone, Copy)]
pub(super) enum Body {
    Nothing,
    /// A text of one of these media types.
    Text(&'static [&'static str]),
    /// An object of that media type and that schema.
    Schema(&'static str, &'static str),
}

/// How problems are told.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ToldTo {
    /// As JSON.
    Programs,
    /// As a page.
    People,
    /// As a page to a browser that sends a form, as JSON to anybody else.
    Both,
}

/// Whether the method has bodies in its answers.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Bodies {
    Sent,
    LeftOut,
}

/// What an operation can answer.
pub(super) struct Answers<'a> {
    pub(super) good: &'a [Good],
    pub(super) problems: &'a [&'a [Kind]],
    pub(super) told: ToldTo,
    pub(super) bodies: Bodies,
}

/// Adds all answers to an operation.
pub(super) fn add(operation: OperationBuilder, answers: &Answers<'_>) -> OperationBuilder {
    let Answers { good, problems, told, bodies } = *answers;
    let operation = good.iter().fold(operation, |operation, good| {
        let response = with_headers(ResponseBuilder::new().description(good.what), good.headers);
        let response = match good.body {
            Body::Text(media_types) if bodies == Bodies::Sent => {
                media_types.iter().fold(response, |response, media_type| {
                    response.content(*media_type, content(schemas::text()))
                })
            }
            Body::Schema(media_type, name) if bodies == Bodies::Sent => {
                response.content(media_type, content(schemas::reference(name)))
            }
            Body::Nothing | Body::Text(_) | Body::Schema(..) => response,
        };
        operation.response(good.status.to_string(), response)
    });
    by_status(problems).into_iter().fold(operation, |operation, (status, names)| {
        let headers: &[&str] = match status {
            401 => &["WWW-Authenticate"],
            429 | 503 => &["Retry-After"],
            _ => &[],
        };
        let response = ResponseBuilder::new().description(names.join(", "));
        let response = with_headers(response, headers);
        let response = if bodies == Bodies::Sent { with_problem(response, told) } else { response };
        operation.response(status.to_string(), response)
    })
}

fn with_problem(mut response: ResponseBuilder, told: ToldTo) -> ResponseBuilder {
    if told != ToldTo::People {
        let problem = schemas::reference(schemas::PROBLEM);
        response = response.content("application/problem+json", content(problem));
    }
    if told != ToldTo::Programs {
        response = response.content(HTML, content(schemas::text()));
    }
    response
}

pub(super) const HTML: &str = "text/html; charset=utf-8";

/// The names of the problems by their status: an operation has one answer for each.
fn by_status(problems: &[&[Kind]]) -> BTreeMap<u16, Vec<&'static str>> {
    let mut found: BTreeMap<u16, Vec<&'static str>> = BTreeMap::new();
    for kind in problems.iter().copied().flatten() {
        let names = found.entry(kind.status()).or_default();
        if !names.contains(&kind.name()) {
            names.push(kind.name());
        }
    }
    found
}

fn with_headers(response: ResponseBuilder, headers: &[&str]) -> ResponseBuilder {
    headers.iter().chain(&["X-Request-Id"]).fold(response, |response, name| {
        let header = HeaderBuilder::new().schema(Some(schemas::text()));
        response.header(*name, header.build())
    })
}

fn content(schema: impl Into<RefOr<Schema>>) -> Content {
    ContentBuilder::new().schema(Some(schema)).build()
}
