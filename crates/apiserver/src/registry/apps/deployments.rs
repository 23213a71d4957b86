//! Deployments: a number of pods of one template, replaced step by step when it changes.

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::managed_fields::ResetFields;
use crate::registry::apps::update_strategy::{Check, RollingUpdate, Unknown, UpdateStrategies, Words};
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
        errors.extend(STRATEGIES.errors(&spec.field("strategy")));
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

const STRATEGIES: UpdateStrategies = UpdateStrategies {
    types: &[
        ("RollingUpdate", RollingUpdate::Checked(ROLLING)),
        ("Recreate", RollingUpdate::Forbidden("may not be specified when strategy `type` is 'Recreate'")),
    ],
    unknown: Unknown::Listed(&["Recreate", "RollingUpdate"]),
    shown: ["maxUnavailable", "maxSurge"],
};

const ROLLING: &[Check] = &[
    Check::Amount("maxUnavailable"),
    Check::Amount("maxSurge"),
    Check::OneMoves("maxUnavailable", "maxSurge", Words::Invalid("may not be 0 when `maxSurge` is 0")),
    Check::AtMostAll("maxUnavailable"),
];

const COUNTS: &[&str] = &[
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "collisionCount",
];
