//! NamespaceLifecycle: an object needs a namespace that is there and stays, and a cluster its first namespaces.
//!
//! In: creates and deletes. Out: a refusal where the namespace is missing or going, or where it is one that stays for ever.

use crate::admission::{Attributes, Notes, Operation};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::controllers::namespace::NAMESPACES;
use crate::registry::storage_key;
use crate::response::status::{Answer, internal, missing, namespace_terminating};

/// An object is created only in a namespace that exists and is to stay.
pub(super) fn mutate(snapshot: &ClusterSnapshot, attributes: &Attributes<'_>, object: &mut Object) -> Answer<()> {
    let Some(namespace) = attributes.target.namespace.as_deref() else { return Ok(()) };
    // A client may ask what a user may do in a namespace that does not exist.
    if attributes.operation != Operation::Create || attributes.target.kind.plural == "localsubjectaccessreviews" {
        return Ok(());
    }
    if let Some(why) = storage_key::no_segment(namespace) {
        // It asks for the namespace by a path, which cannot be made.
        return Err(internal(&format!("invalid resource name {namespace:?}: [{why}]")));
    }
    match snapshot.objects.get(&*NAMESPACES).and_then(|all| all.get(namespace)) {
        Some(entry) if entry.head.is_deleting() => {
            Err(namespace_terminating(&attributes.target.kind, attributes.name(Some(object)), namespace))
        }
        Some(_) => Ok(()),
        None => Err(missing("namespaces", "", namespace)),
    }
}

/// The first namespaces are not deleted.
pub(super) fn validate(
    _: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    _: Option<&Object>,
    _: &mut Notes,
) -> Answer<()> {
    let is_delete = attributes.operation == Operation::Delete && attributes.is_about("", "namespaces");
    if is_delete && IMMORTAL.contains(&attributes.target.name()) {
        return Err(attributes.forbidden(None, "this namespace may not be deleted"));
    }
    Ok(())
}

/// The namespaces that stay for ever.
const IMMORTAL: [&str; 3] = ["default", "kube-public", "kube-system"];
