//! `namespaceObject`: the namespace of a write as expressions see it.

use serde_json::Value;

use crate::admission::Attributes;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::controllers::namespace::NAMESPACES;
use crate::storage::store::{StorageKey, key};

/// The namespace of a write, if it has one; a namespace itself is in none.
pub(super) fn namespace_object(snapshot: &ClusterSnapshot, attributes: &Attributes<'_>) -> Option<Value> {
    let name = attributes.target.namespace.as_deref()?;
    let entry = snapshot.get(&StorageKey { resource: NAMESPACES.clone(), key: key(None, name) })?;
    let mut namespace = entry.object().into_value();
    let fields = namespace.as_object_mut()?;
    fields.remove("apiVersion");
    fields.remove("kind");
    let metadata = fields.get_mut("metadata")?.as_object_mut()?;
    ["managedFields", "ownerReferences", "selfLink"].into_iter().for_each(|field| drop(metadata.remove(field)));
    Some(namespace)
}
