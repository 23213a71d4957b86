//! StatefulSets: pods with names and volumes of their own, one after the other.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::apps::update_strategy::{Check, RollingUpdate, Unknown, UpdateStrategies};
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::immutable::{ImmutableFields, Printed};
use crate::registry::validation::names::NameRule;
use crate::registry::validation::{pod_template, pod_warnings, replica_counts};
use crate::response::status::FieldError;
use crate::response::table::columns::Column;
use crate::response::table::{cells, columns};

/// The strategy of StatefulSets.
#[derive(Debug)]
pub(super) struct StatefulSets;

impl Strategy for StatefulSets {
    fn name_rule(&self) -> NameRule {
        NameRule::Label
    }

    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        let spec = Field::of(object, "spec");
        let policy = spec.field("podManagementPolicy");
        let mut errors = Vec::new();
        if policy.one_of(&["OrderedReady", "Parallel"]).is_some() {
            errors.push(policy.wrong_text("must be 'OrderedReady' or 'Parallel'"));
        }
        errors.extend(STRATEGIES.errors(&spec.field("updateStrategy")));
        let retention = spec.field("persistentVolumeClaimRetentionPolicy");
        let policies = ["whenDeleted", "whenScaled"].map(|field| retention.field(field));
        errors.extend(policies.iter().filter_map(|policy| policy.one_of(&["Retain", "Delete"])));
        errors.extend(spec.none_negative(&["replicas", "minReadySeconds"]));
        errors.extend(spec.field("serviceName").label());
        let pods = pods_with_claims(&spec);
        let pods = Field { path: spec.field("template").field("spec").path, value: &pods };
        errors.extend(pod_template::selector_errors(&spec, "statefulset"));
        errors.extend(pod_template::errors_with(&spec.field("template"), &pods));
        errors.extend(pod_template::always_running(&pods, "StatefulSet"));
        errors
    }

    fn immutable_fields(&self) -> ImmutableFields {
        &[
            ("spec.serviceName", Printed::Value),
            ("spec.selector", Printed::Selector),
            ("spec.podManagementPolicy", Printed::Value),
            ("spec.volumeClaimTemplates", Printed::Value),
        ]
    }

    fn validate_status_update(&self, _: &Kind, _: &Object, object: &Object) -> Vec<FieldError> {
        let parts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
        replica_counts::errors(&Field::of(object, "status"), COUNTS, &parts)
    }

    fn warnings(&self, before: Option<&Object>, object: &Object) -> Vec<String> {
        pod_warnings::of_template(before, object, &["spec", "template"])
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        let own = vec![Column::name(), Column::computed("Ready", cells::ready_replicas), Column::age()];
        [own, columns::of_template()].concat()
    }
}

/// What the pods of a StatefulSet will be: each has a volume per claim, before those of the template and in place of one of
/// the same name, and a host name that its controller decides.
fn pods_with_claims(set: &Field<'_>) -> Value {
    let mut pods = set.field("template").field("spec").value.clone();
    let Some(fields) = pods.as_object_mut() else { return pods };
    fields.remove("hostname");
    fields.remove("subdomain");
    let claims = set.field("volumeClaimTemplates");
    let claimed: BTreeSet<&str> = claims.items().map(|claim| claim.field("metadata").field("name").text()).collect();
    let own = set.field("template").field("spec").field("volumes");
    let own = own.items().filter(|volume| !claimed.contains(volume.field("name").text()));
    let of_claim = |name: &&str| json!({"name": name, "persistentVolumeClaim": {"claimName": name}});
    let volumes: Vec<Value> = claimed.iter().map(of_claim).chain(own.map(|volume| volume.value.clone())).collect();
    fields.insert("volumes".to_owned(), volumes.into());
    pods
}

const STRATEGIES: UpdateStrategies = UpdateStrategies {
    types: &[
        ("RollingUpdate", RollingUpdate::Checked(ROLLING)),
        ("OnDelete", RollingUpdate::Invalid("only allowed for updateStrategy 'RollingUpdate'")),
    ],
    unknown: Unknown::Said("must be 'RollingUpdate' or 'OnDelete'"),
    shown: ["partition", "maxUnavailable"],
};

const ROLLING: &[Check] = &[
    Check::NotNegative("partition"),
    Check::Amount("maxUnavailable"),
    Check::NotZero("maxUnavailable", "cannot be 0"),
    Check::AtMostAll("maxUnavailable"),
];

const COUNTS: &[&str] = &[
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
];
