//! CustomResourceDefinitions, as objects that are written and deleted. What they say, and what is wrong with it, is in
//! `catalog/crd`: it makes kinds of them.

use serde_json::{Value, json};

use crate::catalog::crd::{self, CLEANUP, with_condition};
use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::managed_fields::ResetFields;
use crate::registry::delete::{Deleted, Propagation};
use crate::registry::strategy::Strategy;
use crate::registry::validation::metadata::FinalizerRule;
use crate::response::status::{Answer, FieldError};
use crate::response::table::cells;
use crate::response::table::columns::Column;

/// The strategy of CustomResourceDefinitions.
#[derive(Debug)]
pub(super) struct CustomResourceDefinitions;

impl Strategy for CustomResourceDefinitions {
    /// One has a finalizer of its own, whose name is not in a domain with a path.
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn complete_body(&self, _: &ResolvedTarget, object: &mut Object) {
        crd::fill_in(object);
    }

    fn prepare_for_create(&self, _: &ClusterSnapshot, _: &ResolvedTarget, object: &mut Object) -> Answer<()> {
        crd::note_stored_version(object);
        Ok(())
    }

    fn prepare_for_update(
        &self,
        _: &ClusterSnapshot,
        _: &ResolvedTarget,
        _: &Object,
        object: &mut Object,
    ) -> Answer<()> {
        crd::note_stored_version(object);
        Ok(())
    }

    fn status_reset_fields(&self) -> ResetFields {
        &[&["spec"], &["metadata"]]
    }

    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        crd::errors(None, object)
    }

    fn validate_update(&self, _: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
        crd::errors(Some(before), object)
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        let short_names = |crd: &Value| cells::joined(cells::items(crd, "/spec/names/shortNames").map(cells::text));
        let is_established = |crd: &Value| {
            let mut conditions = cells::items(crd, "/status/conditions");
            conditions.any(|condition| condition["type"] == "Established" && condition["status"] == "True").into()
        };
        vec![
            Column::name(),
            Column::text("Scope", ".spec.scope", ""),
            Column::computed("Versions", served_versions),
            Column::created_at(),
            Column::text("Group", ".spec.group", "").wide(),
            Column::text("Kind", ".spec.names.kind", "").wide(),
            Column::computed("ShortNames", short_names).wide(),
            Column::computed("Established", is_established).typed("boolean").wide(),
        ]
    }

    fn warnings(&self, _: Option<&Object>, object: &Object) -> Vec<String> {
        let sets = "x-kubernetes-list-type: set for items of type \"array\" is not supported by server-side apply or CEL \
                    validation rules";
        has_sets_of_lists(object.get("spec")).then(|| sets.to_owned()).into_iter().collect()
    }

    /// A definition that is deleted for the first time waits until its objects are gone, and nothing else about it changes.
    fn begin_deletion(&self, snapshot: &ClusterSnapshot, object: &Object, _: Propagation) -> Option<Deleted> {
        (!object.is_deleting()).then(|| Deleted::Marked(marked(snapshot, object)))
    }
}

fn marked(snapshot: &ClusterSnapshot, object: &Object) -> Object {
    let mut object = object.clone();
    let mut finalizers = object.finalizers();
    finalizers.retain(|finalizer| finalizer != CLEANUP);
    finalizers.push(CLEANUP.to_owned());
    object.set_finalizers(&finalizers);
    object.set_meta("deletionTimestamp", snapshot.clock.seconds_from_now(0));
    let why = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    let condition =
        json!({"type": "Terminating", "status": "True", "reason": "InstanceDeletionPending", "message": why});
    let status = crd::status(&object);
    object.set("status", with_condition(status, condition, &snapshot.clock.timestamp()));
    object
}

fn served_versions(crd: &Value) -> Value {
    let served = cells::items(crd, "/spec/versions").filter(|version| version["served"] == true);
    let mut names: Vec<String> = served
        .map(|version| {
            let mark = if version["storage"] == true { "(storage)" } else { "" };
            format!("{}{mark}", cells::said(version, "/name"))
        })
        .collect();
    names.sort();
    names.join(",").into()
}

fn has_sets_of_lists(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Object(fields)) => {
            let is_set = fields.get("x-kubernetes-list-type").is_some_and(|kind| kind == "set");
            let is_of_lists =
                fields.get("items").and_then(|items| items.get("type")).is_some_and(|kind| kind == "array");
            (is_set && is_of_lists) || fields.values().any(|value| has_sets_of_lists(Some(value)))
        }
        Some(Value::Array(items)) => items.iter().any(|value| has_sets_of_lists(Some(value))),
        _ => false,
    }
}
