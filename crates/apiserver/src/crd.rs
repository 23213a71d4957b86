//! CustomResourceDefinitions: the kinds which users add.
//!
//! In: stored definitions. Out: kinds that are served at once, in every served version, and the status that says so.
//! Deleting a definition deletes its objects first. Versions differ in apiVersion alone (conversion None); webhook
//! conversion is refused by name. Schemas are stored, and not applied yet.

mod check;
mod definition;
mod names;
mod schema_check;
pub(crate) mod shape;
pub(crate) mod structural;
pub(crate) mod validate;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::cluster::{Cluster, Run, Subject};
use crate::entry::Entry;
use crate::kinds::Kind;
use crate::object::Object;
use crate::status::{Answer, forbidden, no_such_resource};
use crate::store::{Place, Resource};
use crate::write::delete::Propagation;

pub(crate) use definition::{Definition, priority};
use structural::Structural;

/// The definitions that are served.
#[derive(Default, Clone)]
pub(crate) struct Definitions {
    served: BTreeMap<Resource, Definition>,
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
    pub(crate) fn check_not_terminating(&self, kind: &Kind) -> Answer<()> {
        match self.served.get(&kind.resource()) {
            Some(definition) if definition.is_terminating => {
                Err(forbidden(kind, "", "create not allowed while custom resource definition is terminating"))
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

    fn conflicts(&self, definition: &Definition) -> Vec<names::Conflict> {
        let others = self.served.iter().filter(|(resource, _)| **resource != definition.resource);
        let kinds = others.filter(|(_, other)| other.group() == definition.group());
        names::conflicts(definition, kinds.map(|(_, other)| &*other.stored))
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
        self.definitions.generation += 1;
        for (_, entry) in self.store.snapshot(&definitions) {
            let object = entry.object();
            let is_established = check::is_established(&object);
            if let Some(definition) = Definition::read(&object).filter(|_| is_established) {
                self.definitions.install(definition);
            }
        }
    }

    /// Checks a definition before it is stored, and fills in what it may leave out.
    pub(crate) fn prepare_definition(
        &mut self,
        subject: &Subject,
        before: Option<&Object>,
        object: &mut Object,
    ) -> Answer<()> {
        if is_definition(&subject.kind.resource()) {
            definition::prepare(&subject.kind, before, object)
        } else {
            Ok(())
        }
    }

    /// What a delete adds to a definition: the finalizer that deletes its objects first.
    pub(crate) fn mark_definition(&self, kind: &Kind, object: &mut Object) {
        let mut finalizers = object.finalizers();
        if !is_definition(&kind.resource()) || object.is_deleting() {
            return;
        }
        finalizers.retain(|finalizer| finalizer != CLEANUP);
        finalizers.push(CLEANUP.to_owned());
        object.set_finalizers(&finalizers);
        let why = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
        let condition =
            json!({"type": "Terminating", "status": "True", "reason": "InstanceDeletionPending", "message": why});
        let status = status(object);
        object.set("status", with_condition(status, condition, &self.clock.timestamp()));
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
            self.accept(place, object, definition);
        }
    }

    fn accept(&mut self, place: &Place, mut object: Object, definition: Definition) {
        let conflicts = self.definitions.conflicts(&definition);
        let status = self.status_of(&object, &definition, &conflicts);
        if object.get("status") != Some(&status) {
            object.set("status", status);
            if let Err(refusal) = self.put(place, object) {
                tracing::warn!("{}", refusal.message);
            }
        }
        let resource = definition.resource.clone();
        if conflicts.is_empty() && self.definitions.install(definition) {
            self.store.restart_feed(&resource);
        }
    }

    fn status_of(&self, object: &Object, definition: &Definition, conflicts: &[names::Conflict]) -> Value {
        let now = self.clock.timestamp();
        let mut status = status(object);
        for condition in names::conditions(conflicts) {
            status = with_condition(status, condition, &now);
        }
        if conflicts.is_empty() {
            status["acceptedNames"] =
                object.get("spec").and_then(|spec| spec.get("names")).cloned().unwrap_or_default();
        } else if status.get("acceptedNames").is_none() {
            status["acceptedNames"] = json!({"plural": "", "kind": ""});
        }
        let mut stored: Vec<Value> =
            status.get("storedVersions").and_then(Value::as_array).cloned().unwrap_or_default();
        let storage = Value::from(definition.stored.version.as_str());
        if !stored.contains(&storage) {
            stored.push(storage);
        }
        status["storedVersions"] = stored.into();
        status
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
                self.delete_entry(&place, &definition.stored, &entry, Propagation::Unsaid, None, Run::Real)
            {
                tracing::warn!("{}", refusal.message);
            }
        }
        if self.store.snapshot(&resource).is_empty() {
            self.drop_finalizer(place, CLEANUP);
        }
    }

    /// Ends the service of a definition that was removed, and lets one that waited for its objects or its names go on.
    pub(crate) fn withdraw(&mut self, place: &Place, entry: &Entry) {
        let definitions = Resource::new("apiextensions.k8s.io", "customresourcedefinitions");
        if !is_definition(&place.resource) {
            let terminating = self.definitions.served.get(&place.resource).is_some_and(|it| it.is_terminating);
            if terminating && self.store.snapshot(&place.resource).is_empty() {
                let key = format!("{}.{}", place.resource.plural, place.resource.group).into();
                self.revisit(Place { resource: definitions, key });
            }
            return;
        }
        let Some(definition) = Definition::read(&entry.object()) else {
            return;
        };
        if self.definitions.served.remove(&definition.resource).is_some() {
            self.definitions.generation += 1;
            self.store.restart_feed(&definition.resource);
        }
        for (key, _) in self.store.snapshot(&definitions) {
            self.revisit(Place { resource: definitions.clone(), key });
        }
    }
}

fn is_definition(resource: &Resource) -> bool {
    &*resource.plural == "customresourcedefinitions" && &*resource.group == "apiextensions.k8s.io"
}

/// The status, which anybody may write, or an empty one if it is no object.
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
