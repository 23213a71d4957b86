//! ReplicationControllers: what ReplicaSets were before.

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::{pod_template, pod_warnings};
use crate::response::status::FieldError;
use crate::response::table::columns::{self, Column};
use crate::storage::selectable_fields;

/// The strategy of ReplicationControllers.
#[derive(Debug)]
pub(super) struct ReplicationControllers;

impl Strategy for ReplicationControllers {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        let spec = Field::of(object, "spec");
        let mut errors = spec.none_negative(&["minReadySeconds", "replicas"]);
        let (selector, template) = (spec.field("selector"), spec.field("template"));
        errors.extend(selector.required());
        errors.extend(template.required());
        if !template.is_empty() {
            errors.extend(pod_template::errors(&template));
        }
        errors
    }

    fn warnings(&self, before: Option<&Object>, object: &Object) -> Vec<String> {
        pod_warnings::of_controller(before, object, &["spec", "template"])
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        columns::of_replicas()
    }

    fn selectable_field(&self, object: &Value, field: &str) -> String {
        selectable_fields::text_or(object, field, "status.replicas", "0")
    }
}
