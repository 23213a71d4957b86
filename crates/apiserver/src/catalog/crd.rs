//! CustomResourceDefinitions: the kinds that users add.
//!
//! In: stored definitions. Out: kinds that are served at once, in every served version, and the status that says so.
//! Deleting a definition deletes its objects first. Versions differ in apiVersion and schema alone (conversion None); a
//! conversion webhook is stored and not called; its author gets a warning.

pub(crate) mod custom_resource_validation;
mod definition;
mod definition_validation;
mod go_regexp;
mod naming;
pub(crate) mod prune_and_default;
mod schema_validation;
pub(crate) mod structural;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::catalog::kinds::Kind;
use crate::cluster::{Cluster, DryRun};
use crate::codec::object::Object;
use crate::registry::delete::Propagation;
use crate::response::status::{Answer, FieldError, forbidden, no_such_resource};
use crate::storage::entry::Entry;
use crate::storage::store::{Place, Resource};

pub(crate) use definition::{Definition, priority};
use structural::Structural;

/// The definitions that are served.
#[derive(Default, Clone)]
pub(crate) struct Definitions {
    served: BTreeMap<Resource, Definition>,
    /// The names that every definition has been given, served or not.
    names: BTreeMap<Resource, Value>,
    /// Counts changes, so that discovery knows when what it has printed is out of date.
    pub(crate) generation: u64,
}

impl Definitions {
    pub(crate) fn kind(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Kind>> {
        let definition = self.served.get(&Resource::new(group, plural))?;
        definition.kinds.iter().find(|kind| kind.version == version).cloned()
    }

    pub(crate) fn kind_named(&self, group: &str, name: &str) -> Option<Arc<Kind>> {
        self.all().find(|kind| kind.group == group && kind.kind == name).cloned()
    }

    /// The kind of a resource at its first version.
    pub(crate) fn any(&self, resource: &Resource) -> Option<Arc<Kind>> {
        self.served.get(resource)?.kinds.first().cloned()
    }

    /// The schemas of a resource, by apiVersion, served or not.
    pub(crate) fn schemas(&self, resource: &Resource) -> Vec<(String, Arc<Structural>)> {
        self.served.get(resource).map(|definition| definition.schemas.clone()).unwrap_or_default()
    }

    /// Every served kind, by group, plural and version priority.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Kind>> {
        self.served.values().flat_map(|definition| &definition.kinds)
    }

    /// While a definition goes, and when it has gone since the path was looked up, no objects of it come.
    pub(crate) fn check_not_terminating(&self, kind: &Kind, name: &str) -> Answer<()> {
        match self.served.get(&kind.resource()) {
            Some(definition) if definition.is_terminating => {
                Err(forbidden(kind, name, "create not allowed while custom resource definition is terminating"))
            }
            None if kind.is_custom() => Err(no_such_resource()),
            _ => Ok(()),
        }
    }

    /// The columns that a definition states for a version of its kind; none for a kind that is built in.
    pub(crate) fn printer_columns(&self, kind: &Kind) -> Option<Vec<Value>> {
        self.served
            .get(&kind.resource())
            .filter(|_| kind.is_custom())
            .map(|definition| definition.columns(&kind.version))
    }

    /// The schema that a definition states for a version of its kind.
    pub(crate) fn schema(&self, kind: &Kind) -> Option<Value> {
        self.served.get(&kind.resource()).filter(|_| kind.is_custom())?.schema(&kind.version)
    }

    /// What becomes of the names that a definition wants.
    fn settle_names(&self, definition: &Definition, wanted: &Value) -> naming::Outcome {
        let nothing = Value::Null;
        let of_group = self.names.iter().filter(|(resource, _)| *resource.group == *definition.group());
        let mut taken = naming::Taken::default();
        of_group.for_each(|(_, names)| taken.add(names));
        naming::settle(wanted, self.names.get(&definition.resource).unwrap_or(&nothing), &taken)
    }

    /// Serves a definition; says whether that changes anything.
    fn install(&mut self, definition: Definition) -> bool {
        let changed = self.served.get(&definition.resource) != Some(&definition);
        if changed {
            self.generation += 1;
            self.served.insert(definition.resource.clone(), definition);
        }
        changed
    }
}

impl Cluster {
    /// Serves exactly the definitions that are stored, after the store was changed as a whole.
    pub(crate) fn serve_stored_definitions(&mut self) {
        let definitions = Resource::new("apiextensions.k8s.io", "customresourcedefinitions");
        self.definitions.served.clear();
        self.definitions.names.clear();
        self.definitions.generation += 1;
        for (_, entry) in self.store.snapshot(&definitions) {
            let object = entry.object();
            let Some(definition) = Definition::read(&object) else { continue };
            self.definitions.names.insert(definition.resource.clone(), accepted_names(&object));
            if let Some(definition) = Definition::of_accepted(object) {
                self.definitions.install(definition);
            }
        }
    }

    /// A definition that is deleted for the first time: it waits until its objects are gone, and nothing else about it
    /// changes.
    pub(crate) fn marked_definition(&self, kind: &Kind, object: &Object) -> Option<Object> {
        if !is_definition(&kind.resource()) || object.is_deleting() {
            return None;
        }
        let mut object = object.clone();
        let mut finalizers = object.finalizers();
        finalizers.retain(|finalizer| finalizer != CLEANUP);
        finalizers.push(CLEANUP.to_owned());
        object.set_finalizers(&finalizers);
        object.set_meta("deletionTimestamp", self.clock.seconds_from_now(0));
        let why = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
        let condition =
            json!({"type": "Terminating", "status": "True", "reason": "InstanceDeletionPending", "message": why});
        let status = status(&object);
        object.set("status", with_condition(status, condition, &self.clock.timestamp()));
        Some(object)
    }

    /// Gives a custom resource the version that its definition stores, and what that version's schema has no place for is
    /// gone: versions are not converted but by their name.
    pub(crate) fn keep_at_storage_version(&self, kind: &Kind, object: &mut Object) {
        let definition = self.definitions.served.get(&kind.resource()).filter(|_| kind.is_custom());
        let Some(stored) = definition.map(|definition| &definition.stored).filter(|it| it.version != kind.version)
        else {
            return;
        };
        if let Some(schema) = &stored.schema {
            object.change(|value| drop(prune_and_default::prune_and_default(schema, value)));
        }
        object.set("apiVersion", stored.api_version().into());
    }

    /// Serves a definition that was just stored, or goes on with its deletion.
    pub(crate) fn establish(&mut self, place: &Place) {
        if !is_definition(&place.resource) {
            return;
        }
        let Some(entry) = self.store.get(&place.resource, &place.key) else {
            return;
        };
        let object = entry.object();
        let Some(definition) = Definition::read(&object) else {
            return;
        };
        if object.is_deleting() {
            self.clean_up(place, &definition);
        } else {
            self.accept(place, object, &definition);
        }
    }

    fn accept(&mut self, place: &Place, mut object: Object, definition: &Definition) {
        let wanted = object.get("spec").and_then(|spec| spec.get("names")).cloned().unwrap_or_default();
        let outcome = self.definitions.settle_names(definition, &wanted);
        let status = self.status_of(&object, definition, &outcome);
        self.definitions.names.insert(definition.resource.clone(), outcome.accepted);
        if object.get("status") != Some(&status) {
            object.set("status", status);
            if let Err(refusal) = self.put(place, object.clone()) {
                tracing::warn!("{}", refusal.message);
            }
        }
        let resource = definition.resource.clone();
        if let Some(definition) = Definition::of_accepted(object)
            && self.definitions.install(definition)
        {
            self.store.restart_feed(&resource);
        }
    }

    fn status_of(&self, object: &Object, definition: &Definition, outcome: &naming::Outcome) -> Value {
        let now = self.clock.timestamp();
        let mut status = with_condition(status(object), outcome.names_accepted(), &now);
        if let Some(condition) = outcome.established(definition_validation::is_established(object)) {
            status = with_condition(status, condition, &now);
        }
        status["acceptedNames"] = outcome.accepted.clone();
        definition::with_stored_version(status, &definition.stored.version)
    }

    /// Deletes the objects of a definition; when there are none left, the definition goes.
    fn clean_up(&mut self, place: &Place, definition: &Definition) {
        let resource = definition.resource.clone();
        if let Some(served) = self.definitions.served.get_mut(&resource) {
            served.is_terminating = true;
        }
        for (key, entry) in self.store.snapshot(&resource) {
            let place = Place { resource: resource.clone(), key };
            if let Err(refusal) =
                self.delete_entry(&place, &definition.stored, &entry, Propagation::Unsaid, None, DryRun::No)
            {
                tracing::warn!("{}", refusal.message);
            }
        }
        if self.store.snapshot(&resource).is_empty() {
            self.drop_finalizer(place, CLEANUP);
        }
    }

    /// Ends the service of a definition that was removed, and lets one that waited for its objects or its names go on.
    pub(crate) fn unregister_definition(&mut self, place: &Place, entry: &Entry) {
        let definitions = Resource::new("apiextensions.k8s.io", "customresourcedefinitions");
        if !is_definition(&place.resource) {
            let terminating = self.definitions.served.get(&place.resource).is_some_and(|it| it.is_terminating);
            if terminating && self.store.snapshot(&place.resource).is_empty() {
                let key = format!("{}.{}", place.resource.plural, place.resource.group).into();
                self.requeue(Place { resource: definitions, key });
            }
            return;
        }
        let Some(definition) = Definition::read(&entry.object()) else {
            return;
        };
        self.definitions.names.remove(&definition.resource);
        if self.definitions.served.remove(&definition.resource).is_some() {
            self.definitions.generation += 1;
            self.store.restart_feed(&definition.resource);
        }
        for (key, _) in self.store.snapshot(&definitions) {
            self.requeue(Place { resource: definitions.clone(), key });
        }
    }
}

/// Fills in what a definition may leave out; other objects stay as they are.
pub(crate) fn fill_in(kind: &Kind, object: &mut Object) {
    if is_definition(&kind.resource()) {
        definition::fill_in(object);
    }
}

/// What is wrong with a definition, new or in the place of the one before; nothing, of other objects.
pub(crate) fn errors(kind: &Kind, before: Option<&Object>, object: &Object) -> Vec<FieldError> {
    if is_definition(&kind.resource()) { definition::errors(before, object) } else { Vec::new() }
}

fn accepted_names(object: &Object) -> Value {
    object.get("status").and_then(|status| status.get("acceptedNames")).cloned().unwrap_or_default()
}

fn is_definition(resource: &Resource) -> bool {
    &*resource.plural == "customresourcedefinitions" && &*resource.group == "apiextensions.k8s.io"
}

/// The status, which anybody may write, or an empty one if it is not an object.
fn status(object: &Object) -> Value {
    object.get("status").filter(|status| status.is_object()).cloned().unwrap_or_else(|| json!({}))
}

/// The status with this condition set; the time of the last transition changes only with the condition's status.
pub(crate) fn with_condition(mut status: Value, mut condition: Value, now: &str) -> Value {
    let mut conditions = status.get("conditions").and_then(Value::as_array).cloned().unwrap_or_default();
    let same_type = |it: &&mut Value| it["type"] == condition["type"];
    match conditions.iter_mut().find(same_type) {
        Some(known) => {
            let unchanged = known["status"] == condition["status"];
            condition["lastTransitionTime"] = if unchanged { known["lastTransitionTime"].clone() } else { now.into() };
            *known = condition;
        }
        None => {
            condition["lastTransitionTime"] = now.into();
            conditions.push(condition);
        }
    }
    status["conditions"] = conditions.into();
    status
}

/// The finalizer under which a definition waits for its objects.
const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";
