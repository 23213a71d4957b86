//! Two steps of the rewriting on their own, under kube's names, for schemas that are put together by hand.
//!
//! In: any schema of schemars. Out: the same with every `Option` of an enum, or of an integer-or-string, in the form
//! the API server takes. [`StructuralSchemaRewriter`](super::StructuralSchemaRewriter) does both by itself.

use schemars::Schema;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::Value;

use super::{let_optional_int_or_string_be_null, make_null_a_flag, variants};

/// A schemars transform that writes an `Option` of an enum as the enum with `nullable: true`.
#[derive(Clone, Debug, Default)]
pub struct OptionalEnum;

/// A schemars transform that writes an optional integer-or-string with `nullable: true`.
#[derive(Clone, Debug, Default)]
pub struct OptionalIntOrString;

impl Transform for OptionalEnum {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(node) = schema.as_object_mut() else {
            return;
        };
        let alternatives = node.get("anyOf").and_then(Value::as_array);
        let is_enum = |alternative: &Value| alternative.get("enum").is_some() || alternative.get("oneOf").is_some();
        if alternatives.is_some_and(|alternatives| alternatives.iter().any(is_enum)) {
            variants::take_null_out(node);
            make_null_a_flag(node);
        }
    }
}

impl Transform for OptionalIntOrString {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        if let Some(node) = schema.as_object_mut() {
            let_optional_int_or_string_be_null(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use schemars::transform::Transform;
    use schemars::{Schema, json_schema};
    use serde_json::{Value, json};

    use super::{OptionalEnum, OptionalIntOrString};

    fn after(mut transform: impl Transform, mut schema: Schema) -> Value {
        transform.transform(&mut schema);
        schema.to_value()
    }

    #[test]
    fn an_optional_enum_is_the_enum_with_a_flag_wherever_it_stands() {
        let schema = json_schema!({
            "type": "object",
            "properties": {
                "mode": {
                    "description": "The field's.",
                    "anyOf": [{ "type": "string", "enum": ["a", "b"] }, { "type": "null" }],
                },
                "other": { "anyOf": [{ "$ref": "#/$defs/Other" }, { "type": "null" }] },
            },
        });
        assert_eq!(
            after(OptionalEnum, schema)["properties"],
            json!({
                "mode": { "description": "The field's.", "type": "string", "enum": ["a", "b"], "nullable": true },
                "other": { "anyOf": [{ "$ref": "#/$defs/Other" }, { "type": "null" }] },
            })
        );
    }

    #[test]
    fn an_integer_or_string_that_is_not_required_may_be_null() {
        let port = json!({ "x-kubernetes-int-or-string": true });
        let schema = json_schema!({
            "items": { "properties": { "from": port, "to": port }, "required": ["from"] },
        });
        assert_eq!(
            after(OptionalIntOrString, schema)["items"]["properties"],
            json!({ "from": port, "to": { "x-kubernetes-int-or-string": true, "nullable": true } })
        );
    }
}
