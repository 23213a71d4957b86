//! Nodes: their taints differ from each other, and their networks are CIDRs.

mod columns;

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::{cidr, qualified_names};
use crate::response::status::FieldError;
use crate::response::table::columns::Column;
use crate::storage::selectable_fields;

/// The strategy of Nodes.
#[derive(Debug)]
pub(super) struct Nodes;

impl Strategy for Nodes {
    fn validate(&self, _: &Kind, node: &Object) -> Vec<FieldError> {
        errors(node)
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        columns::all()
    }

    fn selectable_field(&self, node: &Value, field: &str) -> String {
        selectable_fields::text_or(node, field, "spec.unschedulable", "false")
    }
}

/// What is wrong with a Node.
fn errors(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let mut errors = Vec::new();
    let taints = spec.field("taints");
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (place, taint) in taints.items().enumerate() {
        // Its path is not the document's.
        let taint = Field { path: format!("metadata.taints[{place}]").into(), value: taint.value };
        let (key, value, effect) = (taint.field("key"), taint.field("value"), taint.field("effect"));
        errors.extend(key.named(qualified_names::key));
        errors.extend(value.named(qualified_names::label_value));
        errors.extend(effect.one_of(&["NoSchedule", "PreferNoSchedule", "NoExecute"]));
        if seen.contains(&(key.text(), effect.text())) {
            let text = |spot: &Field<'_>| Value::from(spot.text());
            let shown = format!(
                "{{\"Key\":{},\"Value\":{},\"Effect\":{},\"TimeAdded\":{}}}: taints must be unique by key and effect pair",
                text(&key),
                text(&value),
                text(&effect),
                taint.field("timeAdded").value
            );
            errors.push(FieldError::duplicate(&taint.path, &shown));
        }
        seen.push((key.text(), effect.text()));
    }
    errors.extend(spec.field("podCIDRs").items().filter_map(|network| cidr::error(&network)));
    errors
}
