//! StorageObjectInUseProtection: what is in use is not gone when it is deleted.
//!
//! In: a new volume, claim or class of volume attributes. Out: the same with a finalizer, which
//! `controllers::in_use_protection` takes off when the object is no longer in use.

use crate::admission::{Attributes, Operation};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::controllers::in_use_protection::finalizer;
use crate::response::status::Answer;

/// Gives a new object the finalizer of its kind, if it has one.
pub(super) fn mutate(_: &ClusterSnapshot, attributes: &Attributes<'_>, object: &mut Object) -> Answer<()> {
    let kind = &attributes.target.kind;
    let finalizer = finalizer(&kind.group, &kind.plural).filter(|_| attributes.operation == Operation::Create);
    let Some(finalizer) = finalizer else { return Ok(()) };
    let mut finalizers = object.finalizers();
    if !finalizers.iter().any(|known| known == finalizer) {
        finalizers.push(finalizer.to_owned());
        object.set_finalizers(&finalizers);
    }
    Ok(())
}
