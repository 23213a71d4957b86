//! Namespaces: they carry their name as a label, and wait for their content when they are deleted. How that goes is in
//! `controllers/namespace.rs`.

use serde_json::{Value, json};

use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::registry::delete::{Deleted, Propagation, finalizers};
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::metadata::STANDARD_FINALIZERS;
use crate::registry::validation::names::NameRule;
use crate::registry::validation::qualified_names;
use crate::response::status::{Answer, FieldError};
use crate::response::table::columns::Column;

/// The strategy of Namespaces.
#[derive(Debug)]
pub(super) struct Namespaces;

impl Strategy for Namespaces {
    fn name_rule(&self) -> NameRule {
        NameRule::Label
    }

    fn complete_body(&self, _: &ResolvedTarget, namespace: &mut Object) {
        label(namespace);
    }

    fn prepare_for_create(&self, _: &ClusterSnapshot, _: &ResolvedTarget, namespace: &mut Object) -> Answer<()> {
        label(namespace);
        if namespace.at("/spec/finalizers").is_none() {
            namespace.set("spec", json!({"finalizers": [OWN_FINALIZER]}));
        }
        Ok(())
    }

    /// What it waits for is written by `finalize` alone.
    fn prepare_for_update(
        &self,
        _: &ClusterSnapshot,
        _: &ResolvedTarget,
        before: &Object,
        namespace: &mut Object,
    ) -> Answer<()> {
        label(namespace);
        namespace.put("spec", before.get("spec").cloned());
        Ok(())
    }

    /// The only one is `finalize`: the namespace as it was, but for what it waits for.
    fn prepare_for_subresource_update(
        &self,
        _: &ClusterSnapshot,
        _: &ResolvedTarget,
        before: &Object,
        new: Object,
    ) -> Answer<Object> {
        let mut namespace = before.clone();
        set_spec_finalizers(&mut namespace, &spec_finalizers(&new));
        Ok(namespace)
    }

    fn validate(&self, _: &Kind, namespace: &Object) -> Vec<FieldError> {
        errors(namespace)
    }

    fn begin_deletion(&self, snapshot: &ClusterSnapshot, namespace: &Object, how: Propagation) -> Option<Deleted> {
        if namespace.is_deleting() {
            return Some(Deleted::Unchanged);
        }
        let mut marked = namespace.clone();
        marked.set_finalizers(&finalizers(namespace, how));
        marked.set_meta("deletionTimestamp", snapshot.clock.timestamp());
        marked.set("status", json!({"phase": "Terminating"}));
        Some(Deleted::Marked(marked))
    }

    /// By the finalizers of its spec, which other kinds do not have.
    fn is_held(&self, namespace: &Object) -> bool {
        !spec_finalizers(namespace).is_empty()
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![Column::name(), Column::text("Status", ".status.phase", ""), Column::age()]
    }
}

/// A namespace carries its own name as a label.
fn label(namespace: &mut Object) {
    let name = namespace.name().to_owned();
    if !name.is_empty() {
        namespace.set_label("kubernetes.io/metadata.name", &name);
    }
}

/// What is wrong with the finalizers in the spec of a Namespace.
fn errors(object: &Object) -> Vec<FieldError> {
    let finalizers = Field::of(object, "spec").field("finalizers");
    let mut errors = Vec::new();
    for finalizer in finalizers.items() {
        let finalizer = Field { path: finalizers.path.clone(), ..finalizer };
        errors.extend(finalizer.named(qualified_names::key));
        if !finalizer.text().contains('/') && !STANDARD_FINALIZERS.contains(&finalizer.text()) {
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(finalizer.wrong_text(why));
        }
    }
    errors
}

/// What a namespace waits for before it goes.
pub(crate) fn spec_finalizers(object: &Object) -> Vec<String> {
    let list = object.get("spec").and_then(|spec| spec.get("finalizers")).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Sets what a namespace waits for; an empty list leaves no field behind.
pub(crate) fn set_spec_finalizers(object: &mut Object, finalizers: &[String]) {
    object.set("spec", if finalizers.is_empty() { json!({}) } else { json!({"finalizers": finalizers}) });
}

/// The finalizer under which a namespace waits for its content.
pub(crate) const OWN_FINALIZER: &str = "kubernetes";
