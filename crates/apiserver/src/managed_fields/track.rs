//! What any write does to the managers of an object.
//!
//! A writer that changes a field takes it from all other managers; a removed field has no manager. The writer is noted
//! with what it set. A writer that only removed something, or changed nothing, leaves its entry and its time unchanged.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Writer;
use super::managers::{Manager, Managers, Share};
use super::versions::Versions;
use crate::managed_fields::merge::{Changes, FieldSet};

/// Notes a write that is not an apply.
pub(super) fn update(managers: &mut Managers, versions: &Versions, writer: &Writer, old: &Value, new: &Value) {
    let mut seen = Comparison::new(versions, writer, old, new);
    for (manager, lost) in seen.taken(managers, None) {
        take(managers, &manager, &lost);
    }
    seen.settle(managers, None);
    let mut set = seen.changes(&writer.api_version).map(Changes::set).unwrap_or_default();
    set.subtract(&stripped());
    if set.is_empty() {
        return;
    }
    let share = managers.0.entry(Manager::of(writer)).or_insert_with(|| Share {
        api_version: writer.api_version.clone(),
        fields: FieldSet::default(),
        time: None,
    });
    share.fields.add(set);
    share.time.clone_from(&writer.now);
}

/// The difference between two states, at each version that a manager wrote in.
pub(super) struct Comparison<'a> {
    versions: &'a Versions,
    writer: &'a Writer,
    old: &'a Value,
    new: &'a Value,
    known: BTreeMap<String, Option<Changes>>,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(versions: &'a Versions, writer: &'a Writer, old: &'a Value, new: &'a Value) -> Comparison<'a> {
        Comparison { versions, writer, old, new, known: BTreeMap::new() }
    }

    /// The difference at a version; none where that version is gone.
    pub(super) fn changes(&mut self, api_version: &str) -> Option<&Changes> {
        if !self.known.contains_key(api_version) {
            let changes = self.changes_at(api_version).map(|changes| changes.without(&self.writer.reset));
            self.known.insert(api_version.to_owned(), changes);
        }
        self.known.get(api_version)?.as_ref()
    }

    /// Whether the states are the same at a version, in what the path does not write as well.
    pub(super) fn is_same(&self, api_version: &str) -> bool {
        self.changes_at(api_version).is_none_or(|changes| changes == Changes::default())
    }

    fn changes_at(&self, api_version: &str) -> Option<Changes> {
        let schema = self.versions.schema(api_version)?;
        let (old, new) = (self.versions.at(api_version, self.old), self.versions.at(api_version, self.new));
        // Where one of them is yet to be converted, this comparison is made again.
        Some(Changes::between(schema, &*old?, &*new?))
    }

    /// What each manager besides `me` had of what is new or changed.
    pub(super) fn taken(&mut self, managers: &Managers, me: Option<&Manager>) -> Vec<(Manager, FieldSet)> {
        let others = managers.0.iter().filter(|(manager, _)| Some(*manager) != me);
        let taken = others.map(|(manager, share)| {
            let changes = self.changes(&share.api_version);
            (manager.clone(), changes.map(|changes| share.fields.intersection(&changes.set())).unwrap_or_default())
        });
        taken.filter(|(_, fields)| !fields.is_empty()).collect()
    }

    /// Takes removed fields from all managers except `me`; drops managers without fields or whose version is gone.
    pub(super) fn settle(&mut self, managers: &mut Managers, me: Option<&Manager>) {
        for (_, share) in managers.0.iter_mut().filter(|(manager, _)| Some(*manager) != me) {
            match self.changes(&share.api_version) {
                Some(changes) => share.fields.subtract(&changes.removed),
                None => share.fields = FieldSet::default(),
            }
        }
        managers.drop_idle();
    }
}

/// Takes fields from a manager.
pub(super) fn take(managers: &mut Managers, manager: &Manager, fields: &FieldSet) {
    if let Some(share) = managers.0.get_mut(manager) {
        share.fields.subtract(fields);
    }
}

/// The fields without a manager: those that identify the object, and those that only the server sets.
pub(super) fn stripped() -> FieldSet {
    FieldSet::of_fields(&[
        &["apiVersion"],
        &["kind"],
        &["metadata"],
        &["metadata", "name"],
        &["metadata", "namespace"],
        &["metadata", "creationTimestamp"],
        &["metadata", "selfLink"],
        &["metadata", "uid"],
        &["metadata", "clusterName"],
        &["metadata", "generation"],
        &["metadata", "managedFields"],
        &["metadata", "resourceVersion"],
    ])
}
