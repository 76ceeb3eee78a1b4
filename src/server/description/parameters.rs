//! The parameters that requests may have.

use serde_json::{Value, json};
use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};

use super::{answers, schemas};
use crate::paging::Limit;

fn parameter(name: &str, is_in: ParameterIn, about: &str, schema: Value) -> ParameterBuilder {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(is_in)
        .description(Some(about))
        .schema(Some(answers::schema(schema)))
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
    let about = "The feed's address, percent-encoded; http, https, feed: or without a scheme. More is \
                 understood than the pattern says, such as names in other scripts and IP addresses.";
    let schema = json!({"type": "string", "pattern": ADDRESSES});
    let example = Some("https://blog.rust-lang.org/feed.xml".into());
    parameter("url", ParameterIn::Query, about, schema).example(example)
}

pub(super) fn filter() -> Parameter {
    let about = "An expression of MMSP Appendix A that items have to pass.";
    let filter = parameter("filter", ParameterIn::Query, about, schemas::text());
    filter.required(Required::False).example(Some("type:article".into())).build()
}

pub(super) fn limit() -> Parameter {
    let schema = json!({"type": "integer", "minimum": 1, "maximum": Limit::MAX});
    let about = "How many items at most; without it the gateway chooses.";
    parameter("limit", ParameterIn::Query, about, schema).required(Required::False).build()
}

/// A form sends what was left empty, too.
pub(super) fn limit_of_form() -> Parameter {
    let about = "How many items at most, from 1 to 500; empty for as many as the page chooses.";
    let schema = json!({"type": "string", "pattern": "^([1-9][0-9]?|[1-4][0-9][0-9]|500)?$"});
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
    let schema = json!({"type": "string", "pattern": "^[A-Za-z0-9_-]+$"});
    parameter("cursor", ParameterIn::Query, about, schema).required(Required::False).build()
}

pub(super) fn sig() -> Parameter {
    let about = "The signature of the address, where access.mode is signed.";
    parameter("sig", ParameterIn::Query, about, schemas::text()).required(Required::False).build()
}

pub(super) fn name(about: &str) -> Parameter {
    let schema = json!({"type": "string", "minLength": 1});
    parameter("name", ParameterIn::Path, about, schema).required(Required::True).build()
}

/// Whatever is like this can be read as an address.
const ADDRESSES: &str = "^(feed:)?(https?://)?([A-Za-z0-9](-?[A-Za-z0-9]){0,20}\\.){0,4}\
                         [A-Za-z](-?[A-Za-z0-9]){0,20}(/[!-~]{0,1000})?$";
