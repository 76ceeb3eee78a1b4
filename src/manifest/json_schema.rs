//! The draft's tables as JSON Schema, for whoever describes an answer of ours.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::schema::{FEED, Form, ITEM, Kind};

/// A schema for each object of the draft, by its name; they refer to one another below `root`, such
/// as `#/components/schemas/`. `Manifest` is the whole.
#[must_use]
pub fn json_schemas(root: &str) -> BTreeMap<String, Value> {
    let mut schemas = Schemas { root, found: BTreeMap::new() };
    let item = schemas.object(&ITEM);
    schemas.object(&FEED);
    if let Some(Value::Object(manifest)) = schemas.found.get_mut(&name(&FEED)) {
        // The tables leave the items to the walk over them.
        add(manifest, "properties", |of| {
            if let Value::Object(of) = of {
                of.insert("items".to_owned(), json!({"type": "array", "items": item}));
            }
        });
        add(manifest, "required", |of| {
            if let Value::Array(of) = of {
                of.push("items".into());
            }
        });
    }
    schemas.found
}

fn add(schema: &mut Map<String, Value>, member: &str, change: impl FnOnce(&mut Value)) {
    if let Some(of) = schema.get_mut(member) {
        change(of);
    }
}

struct Schemas<'a> {
    root: &'a str,
    found: BTreeMap<String, Value>,
}

impl Schemas<'_> {
    /// Notes the schema of an object and gives a reference to it.
    fn object(&mut self, kind: &Kind) -> Value {
        let name = name(kind);
        let reference = json!({"$ref": format!("{}{name}", self.root)});
        if !self.found.contains_key(&name) {
            let mut properties = Map::new();
            for member in kind.members {
                properties.insert(member.name.to_owned(), self.form(&member.form));
            }
            let required = kind.members.iter().filter(|member| member.is_required);
            let required: Vec<&str> = required.map(|member| member.name).collect();
            let mut schema = json!({"type": "object", "properties": properties});
            if let Value::Object(schema) = &mut schema
                && !required.is_empty()
            {
                schema.insert("required".to_owned(), json!(required));
            }
            self.found.insert(name, schema);
        }
        reference
    }

    fn form(&mut self, form: &Form) -> Value {
        match form {
            Form::Text | Form::Type | Form::License => json!({"type": "string"}),
            Form::Title => json!({"type": "string", "minLength": 1}),
            Form::Version => json!({"type": "string", "pattern": "^1\\.[0-9]+$"}),
            Form::Uri => json!({"type": "string", "format": "uri"}),
            Form::HttpsUrl => json!({"type": "string", "format": "uri", "pattern": "^https://"}),
            Form::Time => json!({"type": "string", "format": "date-time"}),
            Form::Language => json!({
                "type": "string",
                "pattern": "^[A-Za-z]{2,8}(-[A-Za-z0-9]{2,8})*$",
            }),
            Form::Mail => json!({"type": "string", "pattern": "^[^\\s]+@[^\\s]+$"}),
            Form::MimeType => json!({
                "type": "string",
                "pattern": "^[A-Za-z0-9][A-Za-z0-9!#$&^_-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*$",
            }),
            Form::Country => json!({"type": "string", "pattern": "^[A-Z]{2}$"}),
            Form::Count(least) => json!({"type": "integer", "minimum": least}),
            Form::Flag => json!({"type": "boolean"}),
            Form::OneOf(words) => json!({"type": "string", "enum": words}),
            Form::List(form) => json!({"type": "array", "items": self.form(form)}),
            Form::Filled(form) => json!({"type": "array", "items": self.form(form), "minItems": 1}),
            Form::Object(kind) => self.object(kind),
            Form::Free => json!({"type": "object"}),
        }
    }
}

/// `a media object` becomes `MediaObject`.
fn name(kind: &Kind) -> String {
    let words = kind.name.split(' ').filter(|word| !["a", "an", "the"].contains(word));
    words
        .map(|word| {
            let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
            first.to_uppercase() + rest
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn validator() -> jsonschema::Validator {
        let mut document = json!({"$ref": "#/$defs/Manifest"});
        document["$defs"] = json!(json_schemas("#/$defs/"));
        jsonschema::validator_for(&document).unwrap()
    }

    fn everything() -> Value {
        serde_json::from_str(include_str!("../../fixtures/manifests/everything.json")).unwrap()
    }

    #[test]
    fn a_manifest_with_everything_passes() {
        let errors: Vec<_> =
            validator().iter_errors(&everything()).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }

    #[test]
    fn what_is_missing_or_of_another_form_does_not() {
        let validator = validator();
        for pointer in ["/mmsp", "/items", "/items/0/id", "/items/0/url"] {
            let mut manifest = everything();
            let (object, member) = pointer.rsplit_once('/').unwrap();
            manifest.pointer_mut(object).unwrap().as_object_mut().unwrap().remove(member).unwrap();
            assert!(!validator.is_valid(&manifest), "without {pointer}");
        }
        for (pointer, value) in [
            ("/mmsp", json!("2.0")),
            ("/feed_url", json!("http://a.example/")),
            ("/items/0/title", json!("")),
            ("/items/0/duration", json!(-1)),
            ("/items/0/media", json!({})),
        ] {
            let mut manifest = everything();
            let (object, member) = pointer.rsplit_once('/').unwrap();
            manifest.pointer_mut(object).unwrap()[member] = value;
            assert!(!validator.is_valid(&manifest), "{pointer}");
        }
    }
}
