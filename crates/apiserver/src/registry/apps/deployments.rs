//! Deployments: a number of pods of one template, replaced step by step when it changes.

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::managed_fields::ResetFields;
use crate::registry::apps::update_strategy;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::immutable::{ImmutableFields, Printed};
use crate::registry::validation::{pod_template, pod_warnings, replica_counts};
use crate::response::status::FieldError;
use crate::response::table::columns::Column;
use crate::response::table::{cells, columns};

/// The strategy of Deployments.
#[derive(Debug)]
pub(super) struct Deployments;

impl Strategy for Deployments {
    fn status_reset_fields(&self) -> ResetFields {
        &[&["spec"], &["metadata", "labels"]]
    }

    /// Its annotations count as wanted: its controller copies them.
    fn is_new_generation(&self, before: &Object, object: &Object) -> bool {
        before.metadata().get("annotations") != object.metadata().get("annotations")
    }

    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        let spec = Field::of(object, "spec");
        let mut errors = spec.none_negative(&["replicas"]);
        errors.extend(pod_template::selected(&spec, "deployment", "ReplicaSet"));
        errors.extend(strategy(&spec.field("strategy")));
        errors.extend(spec.none_negative(&["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"]));
        errors
    }

    fn immutable_fields(&self) -> ImmutableFields {
        &[("spec.selector", Printed::Selector)]
    }

    fn validate_status_update(&self, _: &Kind, _: &Object, object: &Object) -> Vec<FieldError> {
        let parts = ["updatedReplicas", "readyReplicas", "availableReplicas"];
        replica_counts::errors(&Field::of(object, "status"), COUNTS, &parts)
    }

    fn warnings(&self, before: Option<&Object>, object: &Object) -> Vec<String> {
        pod_warnings::of_controller(before, object, &["spec", "template"])
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        let own = vec![
            Column::name(),
            Column::computed("Ready", cells::ready_replicas),
            Column::number("Up-to-date", ".status.updatedReplicas").typed("string"),
            Column::number("Available", ".status.availableReplicas").typed("string"),
            Column::age(),
        ];
        [own, columns::of_template(), vec![columns::selector()]].concat()
    }
}

fn strategy(strategy: &Field<'_>) -> Vec<FieldError> {
    // An object without a spec: the defaults that it would have are right.
    if strategy.field("type").value.is_null() {
        return Vec::new();
    }
    let rolling = strategy.field("rollingUpdate");
    match strategy.field("type").text() {
        "Recreate" if !rolling.value.is_null() => {
            vec![rolling.forbidden("may not be specified when strategy `type` is 'Recreate'")]
        }
        "Recreate" => Vec::new(),
        "RollingUpdate" => {
            let (surge, unavailable) = (rolling.field("maxSurge"), rolling.field("maxUnavailable"));
            let mut errors: Vec<FieldError> =
                [&unavailable, &surge].into_iter().filter_map(Field::count_or_percentage).collect();
            let is_zero = Field::is_zero_or_none;
            if is_zero(&surge) && is_zero(&unavailable) {
                errors.push(unavailable.wrong("may not be 0 when `maxSurge` is 0"));
            }
            errors.extend(unavailable.at_most_all());
            errors
        }
        _ => vec![update_strategy::unknown(strategy, &["Recreate", "RollingUpdate"])],
    }
}

const COUNTS: &[&str] = &[
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "collisionCount",
];
