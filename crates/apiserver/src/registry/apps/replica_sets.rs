//! ReplicaSets: a number of pods of one template.

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::immutable::{ImmutableFields, Printed};
use crate::registry::validation::{pod_template, pod_warnings, replica_counts};
use crate::response::status::FieldError;
use crate::response::table::columns::{self, Column};
use crate::storage::selectable_fields;

/// The strategy of ReplicaSets.
#[derive(Debug)]
pub(super) struct ReplicaSets;

impl Strategy for ReplicaSets {
    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        let spec = Field::of(object, "spec");
        let mut errors = spec.none_negative(&["replicas", "minReadySeconds"]);
        // Its sentence is the deployment's.
        errors.extend(pod_template::selected(&spec, "deployment", "ReplicaSet"));
        errors
    }

    fn immutable_fields(&self) -> ImmutableFields {
        &[("spec.selector", Printed::Selector)]
    }

    fn validate_status_update(&self, _: &Kind, _: &Object, object: &Object) -> Vec<FieldError> {
        let parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
        replica_counts::errors(&Field::of(object, "status"), COUNTS, &parts)
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

const COUNTS: &[&str] =
    &["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"];
