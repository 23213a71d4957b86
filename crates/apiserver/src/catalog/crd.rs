//! CustomResourceDefinitions: the kinds that users add.
//!
//! In: stored definitions. Out: kinds that are served at once, in every served version, and the status that says so.
//! Deleting a definition deletes its objects first. Versions differ in apiVersion and schema alone, or a webhook converts
//! them (`converter`).

pub(crate) mod conversion_webhook;
pub(crate) mod converter;
pub(crate) mod custom_resource_validation;
mod definition;
mod definition_validation;
mod go_regexp;
mod naming;
pub(crate) mod prune_and_default;
mod schema_validation;
pub(crate) mod stated_schema;
pub(crate) mod structural;
mod validation_rules;

use std::sync::Arc;

use serde_json::{Value, json};

use crate::catalog::Catalog;
use crate::catalog::kinds;
use crate::cluster::{Cluster, ResolvedTarget};
use crate::codec::object::Object;
use crate::registry::delete::Propagation;
use crate::storage::entry::{ChangeKind, Encoded, Entry};
use crate::storage::store::{Resource, StorageKey};

use definition::Outline;
pub(crate) use definition::{Definition, errors, fill_in, note_stored_version, priority};

impl Catalog {
    /// What becomes of the names that a definition wants.
    fn settle_names(&self, outline: &Outline) -> naming::Outcome {
        let nothing = Value::Null;
        let of_group = self.names.iter().filter(|(resource, _)| resource.group == outline.resource.group);
        let mut taken = naming::Taken::default();
        of_group.for_each(|(_, names)| taken.add(names));
        let accepted = self.names.get(&outline.resource).map_or(&nothing, |names| names);
        naming::settle(&outline.names, accepted, &taken)
    }

    /// Serves a definition; says whether that changes anything.
    fn install(&mut self, definition: Definition) -> bool {
        let changed = self.served.get(&definition.resource).map(|it| &**it) != Some(&definition);
        if changed {
            self.changed();
            self.served.insert(definition.resource.clone(), Arc::new(definition));
        }
        changed
    }
}

impl Cluster {
    /// The catalog, to be changed; readers keep the one they have.
    fn catalog_mut(&mut self) -> &mut Catalog {
        Arc::make_mut(&mut self.catalog)
    }

    /// Serves exactly the definitions that are stored, after the store was changed as a whole.
    pub(crate) fn serve_stored_definitions(&mut self) {
        let definitions = Resource::new("apiextensions.k8s.io", "customresourcedefinitions");
        let mut catalog = Catalog { memo: self.catalog.memo.clone(), ..Catalog::default() };
        catalog.changed();
        for (_, entry) in self.store.snapshot(&definitions) {
            let object = entry.object();
            let Some(outline) = Outline::of(&object) else { continue };
            catalog.names.insert(outline.resource, accepted_names(&object).into());
            if let Some(definition) = Definition::of_accepted(object, &entry) {
                catalog.install(definition);
            }
        }
        self.catalog = Arc::new(catalog);
    }

    /// Serves a definition as it is stored; one that is being deleted takes no more objects.
    pub(crate) fn note_definition(&mut self, place: &StorageKey, entry: &Arc<Entry>) {
        if !is_definition(&place.resource) {
            return;
        }
        let object = entry.object();
        let Some(outline) = Outline::of(&object) else { return };
        if !object.is_deleting() {
            self.accept(place, entry, object, &outline);
        } else if let Some(served) = self.catalog_mut().served.get_mut(&outline.resource) {
            Arc::make_mut(served).is_terminating = true;
        }
    }

    /// Goes on with a definition that is being deleted, or that waits for its names.
    pub(crate) fn continue_definition(&mut self, place: &StorageKey) {
        if !is_definition(&place.resource) {
            return;
        }
        let Some(entry) = self.store.get(&place.resource, &place.key) else { return };
        let (plural, group) = place.key.split_once('.').unwrap_or((&place.key, ""));
        let served = self.catalog.served.get(&Resource::new(group, plural));
        if !entry.head.is_deleting() && served.is_some_and(|served| served.is_of(&entry)) {
            return;
        }
        let object = entry.object();
        match Outline::of(&object) {
            Some(outline) if object.is_deleting() => self.clean_up(place, &outline.resource),
            // The names it wants may be free now.
            Some(outline) => self.accept(place, &entry, object, &outline),
            None => {}
        }
    }

    /// Gives a definition its names and its status, which is stored where it is new, and serves it.
    fn accept(&mut self, place: &StorageKey, entry: &Arc<Entry>, mut object: Object, outline: &Outline) {
        let mut entry = Arc::clone(entry);
        loop {
            let outcome = self.catalog.settle_names(outline);
            let status = self.status_of(&object, outline, &outcome);
            self.catalog_mut().names.insert(outline.resource.clone(), outcome.accepted.into());
            if object.get("status") == Some(&status) {
                break;
            }
            self.write_status(&mut object, status);
            // Not by way of `put`, which would read it all again to get here.
            match self.put_unserved(place, Encoded::new(ChangeKind::Modified, &object)) {
                Ok(stored) => entry = stored,
                Err(refusal) => return tracing::warn!("{}", refusal.message),
            }
        }
        if let Some(definition) = Definition::of_accepted(object, &entry)
            && self.catalog_mut().install(definition)
        {
            self.store.restart_watches(&outline.resource);
        }
    }

    /// Sets a status as kube-apiserver writes it: by its path, as a manager.
    fn write_status(&self, object: &mut Object, status: Value) {
        let kind = kinds::built_in("apiextensions.k8s.io", "v1", "customresourcedefinitions");
        let target = ResolvedTarget {
            kind: kind.expect("the table of kinds has definitions"),
            namespace: None,
            name: Some(object.name().to_owned()),
            subresource: Some("status".to_owned()),
            manager: CONTROLLER.to_owned(),
        };
        let before = object.clone();
        object.set("status", status);
        self.snapshot().tracker(&target.kind).track(&target, Some(&before), object);
    }

    fn status_of(&self, object: &Object, outline: &Outline, outcome: &naming::Outcome) -> Value {
        let now = self.clock.timestamp();
        let mut status = status(object);
        if let Some(condition) = definition_validation::approval(object) {
            status = with_condition(status, condition, &now);
        }
        status = with_condition(status, outcome.names_accepted(), &now);
        if let Some(condition) = outcome.established(definition_validation::is_established(object)) {
            status = with_condition(status, condition, &now);
        }
        status["acceptedNames"] = outcome.accepted.clone();
        definition::with_stored_version(status, &outline.stored_version)
    }

    /// Deletes the objects of a definition. It goes once they are gone, and what they owned has been looked at: until then
    /// its kind is known as that of an owner.
    fn clean_up(&mut self, place: &StorageKey, resource: &Resource) {
        let objects = self.store.snapshot(resource);
        if objects.is_empty() {
            self.drop_finalizer(CONTROLLER, place, CLEANUP);
        }
        for (key, _) in objects {
            let place = StorageKey { resource: resource.clone(), key };
            if let Err(refusal) = self.delete_at(CONTROLLER, &place, Propagation::Unsaid, None) {
                tracing::warn!("{}", refusal.message);
            }
        }
    }

    /// Ends the service of a definition that is removed.
    pub(crate) fn forget_definition(&mut self, place: &StorageKey, entry: &Arc<Entry>) {
        if !is_definition(&place.resource) {
            return;
        }
        let Some(Outline { resource, .. }) = Outline::of(&entry.object()) else { return };
        let catalog = self.catalog_mut();
        catalog.names.remove(&resource);
        if catalog.served.remove(&resource).is_some() {
            catalog.changed();
            self.store.restart_watches(&resource);
        }
    }

    /// Lets a definition go on that waited for its last object, which was removed, or for the names of another one.
    pub(crate) fn requeue_definitions(&mut self, place: &StorageKey) {
        let definitions = Resource::new("apiextensions.k8s.io", "customresourcedefinitions");
        if is_definition(&place.resource) {
            for (key, _) in self.store.snapshot(&definitions) {
                self.requeue(StorageKey { resource: definitions.clone(), key });
            }
            return;
        }
        let terminating = self.catalog.served.get(&place.resource).is_some_and(|it| it.is_terminating);
        if terminating && self.store.snapshot(&place.resource).is_empty() {
            let key = format!("{}.{}", place.resource.plural, place.resource.group).into();
            self.requeue(StorageKey { resource: definitions, key });
        }
    }
}

fn accepted_names(object: &Object) -> Value {
    object.get("status").and_then(|status| status.get("acceptedNames")).cloned().unwrap_or_default()
}

fn is_definition(resource: &Resource) -> bool {
    &*resource.plural == "customresourcedefinitions" && &*resource.group == "apiextensions.k8s.io"
}

/// The status, which any client may write, or an empty one if it is not an object.
pub(crate) fn status(object: &Object) -> Value {
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

/// Who accepts definitions and cleans up after them: kube-apiserver itself.
const CONTROLLER: &str = "kube-apiserver";

/// The finalizer under which a definition waits for its objects.
pub(crate) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";
