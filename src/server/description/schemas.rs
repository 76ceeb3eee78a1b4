//! The schemas that answers are described by.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use utoipa::openapi::schema::{KnownFormat, SchemaFormat, Type};
use utoipa::openapi::{ObjectBuilder, Ref, RefOr, Schema};

use crate::manifest::json_schemas;
use crate::server::problem::Kind;

/// Every schema, by its name.
pub(super) fn all() -> Result<BTreeMap<String, RefOr<Schema>>, serde_json::Error> {
    let mut schemas = json_schemas(ROOT);
    schemas.insert(PROBLEM.to_owned(), problem());
    schemas.insert(OFFERS.to_owned(), offers());
    schemas.insert(STATE.to_owned(), state());
    schemas.insert(
        DESCRIPTION.to_owned(),
        json!({"type": "object", "required": ["openapi", "paths"]}),
    );
    let schemas = schemas.into_iter();
    schemas.map(|(name, schema)| Ok((name, serde_json::from_value(schema)?))).collect()
}

/// A reference to one of them.
pub(super) fn reference(name: &str) -> Ref {
    Ref::new(format!("{ROOT}{name}"))
}

/// A text without a form of its own.
pub(super) fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

/// A whole number between two, which are in it.
pub(super) fn whole_number(least: u16, most: u16) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(least)).maximum(Some(most))
}

/// A form that sends one file under that name.
pub(super) fn form_with_file(name: &str) -> ObjectBuilder {
    let file = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)));
    ObjectBuilder::new().schema_type(Type::Object).property(name, file).required(name)
}

/// RFC 9457, with the members that problems of ours may have.
fn problem() -> Value {
    let mut types: Vec<&str> = Kind::ALL.iter().map(|kind| kind.path()).collect();
    types.sort_unstable();
    types.dedup();
    json!({
        "type": "object",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": {"type": "string", "enum": types},
            "title": {"type": "string"},
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "detail": {"type": "string", "description": "What to do next, in plain words."},
            "url": {"type": "string", "description": "The source that was asked for."},
            "parameter": {"type": "string", "description": "The parameter that is wrong."},
            "try": {"type": "string", "description": "The request as it was probably meant."},
            "limit": {"type": "integer", "description": "What is allowed at most, in bytes."},
            "retry_after_seconds": {"type": "integer", "minimum": 0},
        },
    })
}

fn offers() -> Value {
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "required": ["url", "manifest_url"],
            "properties": {
                "type": {"type": "string"},
                "url": {"type": "string", "format": "uri"},
                "title": {"type": "string"},
                "manifest_url": {"type": "string", "format": "uri"},
            },
        },
    })
}

fn state() -> Value {
    json!({
        "type": "object",
        "required": ["status"],
        "properties": {
            "status": {"type": "string", "enum": ["alive", "ready", "starting", "draining"]},
            "store": {"type": "string", "enum": ["degraded"]},
        },
    })
}

pub(super) const MANIFEST: &str = "Manifest";
pub(super) const PROBLEM: &str = "Problem";
pub(super) const OFFERS: &str = "Offers";
pub(super) const STATE: &str = "State";
pub(super) const DESCRIPTION: &str = "Description";
const ROOT: &str = "#/components/schemas/";
