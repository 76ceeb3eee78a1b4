//! The parameters that requests may have.

use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{ObjectBuilder, Required};

use super::schemas;
use crate::paging::Limit;

fn parameter(
    name: &str,
    is_in: ParameterIn,
    about: &str,
    schema: ObjectBuilder,
) -> ParameterBuilder {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(is_in)
        .description(Some(about))
        .schema(Some(schema))
}

/// The feed, without which there is no answer.
pub(super) fn url() -> Parameter {
    address().required(Required::True).build()
}

/// Without it the page has a form.
pub(super) fn optional_url() -> Parameter {
    address().required(Required::False).build()
}

fn address() -> ParameterBuilder {
    let about = "The feed's address, percent-encoded: with http, https or feed:, or without a scheme; \
                 no user name and password, and 2048 characters at most.";
    let example = Some("https://blog.rust-lang.org/feed.xml".into());
    parameter("url", ParameterIn::Query, about, schemas::text().min_length(Some(1)))
        .example(example)
}

pub(super) fn filter() -> Parameter {
    let about = "An expression of MMSP Appendix A that items have to pass.";
    let filter = parameter("filter", ParameterIn::Query, about, schemas::text());
    filter.required(Required::False).example(Some("type:article".into())).build()
}

pub(super) fn limit() -> Parameter {
    let schema = schemas::whole_number(1, Limit::MAX);
    let about = "How many items at most; without it the gateway chooses.";
    parameter("limit", ParameterIn::Query, about, schema).required(Required::False).build()
}

/// A form sends what was left empty, too.
pub(super) fn limit_of_form() -> Parameter {
    let about = "How many items at most, from 1 to 500; empty for as many as the page chooses.";
    let schema = schemas::text().pattern(Some("^([1-9][0-9]?|[1-4][0-9][0-9]|500)?$"));
    parameter("limit", ParameterIn::Query, about, schema).required(Required::False).build()
}

/// A form sends what was left empty, too.
pub(super) fn cursor_of_form() -> Parameter {
    let about = "The place to go on from: follow the page's own links, do not make one.";
    parameter("cursor", ParameterIn::Query, about, schemas::text())
        .required(Required::False)
        .build()
}

pub(super) fn cursor() -> Parameter {
    let about = "The place to go on from: follow next_url, do not make one.";
    let schema = schemas::text().pattern(Some("^[A-Za-z0-9_-]+$"));
    parameter("cursor", ParameterIn::Query, about, schema).required(Required::False).build()
}

pub(super) fn sig() -> Parameter {
    let about = "The signature of the address, where access.mode is signed.";
    parameter("sig", ParameterIn::Query, about, schemas::text()).required(Required::False).build()
}

pub(super) fn name(about: &str) -> Parameter {
    let schema = schemas::text().min_length(Some(1));
    parameter("name", ParameterIn::Path, about, schema).required(Required::True).build()
}
