//! Shapes as JSON Schema, draft 2020-12.

use serde_json::{Map, Value, json};

use super::Document;
use super::shape::{Definition, Definitions, Field, Shape};

/// The schema of a document, with the definitions that it needs.
pub(super) fn of(document: &Document, root: &str, definitions: &Definitions) -> Value {
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("title".to_owned(), json!(document.name));
    schema.insert("description".to_owned(), json!(document.about));
    schema.insert("$ref".to_owned(), json!(format!("#/$defs/{root}")));
    let definitions =
        definitions.iter().map(|(name, definition)| (name.clone(), of_definition(definition, document, name == root)));
    schema.insert("$defs".to_owned(), Value::Object(definitions.collect()));
    Value::Object(schema)
}

fn of_definition(definition: &Definition, document: &Document, is_root: bool) -> Value {
    let mut value = of_shape(&definition.shape);
    if let Value::Object(object) = &mut value {
        if !definition.about.is_empty() {
            object.insert("description".to_owned(), json!(definition.about));
        }
        // The document itself says which one it is.
        if is_root
            && document.is_json()
            && let Some(tag) = object.get_mut("properties").and_then(|properties| properties.get_mut("schema"))
        {
            *tag = json!({ "const": document.name });
        }
    }
    value
}

fn of_shape(shape: &Shape) -> Value {
    match shape {
        Shape::Text => json!({ "type": "string" }),
        Shape::Integer => json!({ "type": "integer" }),
        Shape::Number => json!({ "type": ["number", "null"] }),
        Shape::Boolean => json!({ "type": "boolean" }),
        Shape::Word(word) => json!({ "const": word }),
        Shape::List(item) => json!({ "type": "array", "items": of_shape(item) }),
        Shape::Tuple(items) => {
            let items: Vec<Value> = items.iter().map(of_shape).collect();
            json!({ "type": "array", "prefixItems": items, "minItems": items.len(), "maxItems": items.len() })
        }
        Shape::Map(value) => json!({ "type": "object", "additionalProperties": of_shape(value) }),
        Shape::Object(fields, is_closed) => of_object(fields, *is_closed),
        Shape::Joined(fields, cases) => {
            let mut object = of_object(fields, false);
            object["allOf"] = cases.iter().map(of_shape).collect();
            object
        }
        Shape::Nullable(inner) => json!({ "anyOf": [of_shape(inner), { "type": "null" }] }),
        Shape::OneOf(cases) => of_cases(cases),
        Shape::Named(name) => json!({ "$ref": format!("#/$defs/{name}") }),
        Shape::Anything => json!({}),
    }
}

fn of_object(fields: &[Field], is_closed: bool) -> Value {
    let mut properties = Map::new();
    for field in fields {
        let mut value = of_shape(&field.shape);
        if let Value::Object(object) = &mut value
            && !field.about.is_empty()
        {
            object.insert("description".to_owned(), json!(field.about));
        }
        for alias in &field.aliases {
            properties.insert(alias.clone(), json!({ "description": format!("The former name of `{}`.", field.name) }));
        }
        properties.insert(field.name.clone(), value);
    }
    // A field with a former name may be given under that one.
    let is_required = |field: &&Field| field.is_required && field.aliases.is_empty();
    let required: Vec<&str> = fields.iter().filter(is_required).map(|field| field.name.as_str()).collect();
    let mut object = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    if is_closed {
        object["additionalProperties"] = json!(false);
    }
    object
}

/// Words alone are an enumeration, everything else a choice.
fn of_cases(cases: &[(String, Shape)]) -> Value {
    let words: Option<Vec<&str>> =
        cases.iter().map(|(_, shape)| if let Shape::Word(word) = shape { Some(word.as_str()) } else { None }).collect();
    if let Some(words) = words {
        return json!({ "enum": words });
    }
    let case = |(about, shape): &(String, Shape)| {
        let mut value = of_shape(shape);
        if let Value::Object(object) = &mut value
            && !about.is_empty()
        {
            object.insert("description".to_owned(), json!(about));
        }
        value
    };
    json!({ "anyOf": cases.iter().map(case).collect::<Vec<_>>() })
}
