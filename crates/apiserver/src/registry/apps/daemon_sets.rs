//! DaemonSets: one pod per node.

use serde_json::{Value, json};

use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::codec::typed;
use crate::registry::apps::update_strategy::{Check, RollingUpdate, Unknown, UpdateStrategies, Words};
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::immutable::{ImmutableFields, Printed};
use crate::registry::validation::{pod_template, pod_warnings};
use crate::response::status::{Answer, FieldError};
use crate::response::table::columns::Column;
use crate::response::table::{cells, columns};

/// The strategy of DaemonSets.
#[derive(Debug)]
pub(super) struct DaemonSets;

impl Strategy for DaemonSets {
    /// In every body there is a number of templates, whoever wrote it; which one, the server decides.
    fn complete_body(&self, _: &ResolvedTarget, set: &mut Object) {
        count_templates(set, templates(set));
    }

    fn prepare_for_create(&self, _: &ClusterSnapshot, _: &ResolvedTarget, set: &mut Object) -> Answer<()> {
        count_templates(set, templates(set).max(1));
        Ok(())
    }

    fn prepare_for_update(
        &self,
        _: &ClusterSnapshot,
        target: &ResolvedTarget,
        before: &Object,
        set: &mut Object,
    ) -> Answer<()> {
        let mut printed = set.clone();
        typed::finish(&target.kind, &mut printed);
        let is_other = before.at("/spec/template") != printed.at("/spec/template");
        count_templates(set, templates(before) + i64::from(is_other));
        Ok(())
    }

    fn validate(&self, _: &Kind, set: &Object) -> Vec<FieldError> {
        let spec = Field::of(set, "spec");
        let mut errors = pod_template::selected(&spec, "daemonset", "DaemonSet");
        errors.extend(spec.none_negative(&["minReadySeconds"]));
        errors.extend(STRATEGIES.errors(&spec.field("updateStrategy")));
        errors.extend(spec.none_negative(&["revisionHistoryLimit"]));
        errors
    }

    fn immutable_fields(&self) -> ImmutableFields {
        &[("spec.selector", Printed::Selector)]
    }

    fn validate_status_update(&self, _: &Kind, _: &Object, set: &Object) -> Vec<FieldError> {
        Field::of(set, "status").none_negative(COUNTS)
    }

    fn warnings(&self, before: Option<&Object>, object: &Object) -> Vec<String> {
        let is_same = |before: &Object| before.at("/spec/template") == object.at("/spec/template");
        if before.is_some_and(is_same) {
            Vec::new()
        } else {
            pod_warnings::of_template(before, object, &["spec", "template"])
        }
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        let own = vec![
            Column::name(),
            Column::number("Desired", ".status.desiredNumberScheduled"),
            Column::number("Current", ".status.currentNumberScheduled"),
            Column::number("Ready", ".status.numberReady"),
            Column::number("Up-to-date", ".status.updatedNumberScheduled"),
            Column::number("Available", ".status.numberAvailable"),
            Column::computed("Node Selector", |set| cells::labels(&set["spec"]["template"]["spec"]["nodeSelector"])),
            Column::age(),
        ];
        [own, columns::of_template(), vec![columns::selector()]].concat()
    }
}

/// How many templates a DaemonSet has had, which it says in an annotation since its field is gone.
fn templates(set: &Object) -> i64 {
    let annotations = set.metadata().get("annotations");
    let said = annotations.and_then(|all| all.get(TEMPLATES)).and_then(Value::as_str);
    said.and_then(|said| said.parse().ok()).unwrap_or_default()
}

fn count_templates(set: &mut Object, count: i64) {
    let mut annotations =
        set.metadata().get("annotations").filter(|all| all.is_object()).cloned().unwrap_or_else(|| json!({}));
    annotations[TEMPLATES] = count.to_string().into();
    set.set_meta("annotations", annotations);
}

const TEMPLATES: &str = "deprecated.daemonset.template.generation";

const STRATEGIES: UpdateStrategies = UpdateStrategies {
    types: &[("RollingUpdate", RollingUpdate::Checked(ROLLING)), ("OnDelete", RollingUpdate::Ignored)],
    unknown: Unknown::Listed(&["RollingUpdate", "OnDelete"]),
    shown: ["maxUnavailable", "maxSurge"],
};

const ROLLING: &[Check] = &[
    Check::Amount("maxUnavailable"),
    Check::Amount("maxSurge"),
    Check::AtMostAll("maxUnavailable"),
    Check::AtMostAll("maxSurge"),
    Check::OnlyOneMoves("maxSurge", "maxUnavailable", "may not be set when maxUnavailable is non-zero"),
    Check::OneMoves("maxUnavailable", "maxSurge", Words::Required("cannot be 0 when maxSurge is 0")),
];

const COUNTS: &[&str] = &[
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
];
