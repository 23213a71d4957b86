//! PersistentVolumeClaimResize: a claim grows only where its class can make volumes bigger.
//!
//! In: changes of claims. Out: a refusal of one that asks for more storage than before, unless it is bound and its class
//! allows it.

use serde_json::Value;

use super::default_storage_class::CLASSES;
use crate::admission::{Attributes, Notes, Operation};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::codec::typed::quantity::Quantity;
use crate::response::status::Answer;

/// Refuses a claim that cannot grow.
pub(super) fn validate(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: Option<&Object>,
    _: &mut Notes,
) -> Answer<()> {
    let is_change = attributes.operation == Operation::Update && attributes.is_about("", "persistentvolumeclaims");
    let (Some(new), Some(old)) = (object.filter(|_| is_change), attributes.old) else { return Ok(()) };
    let size = |claim: &Object| {
        let text = claim.at("/spec/resources/requests/storage").and_then(Value::as_str);
        text.and_then(Quantity::parse).unwrap_or(Quantity::ZERO)
    };
    if size(new) <= size(old) {
        return Ok(());
    }
    if old.text_at("/status/phase") != "Bound" {
        return Err(attributes.forbidden(Some(new), "Only bound persistent volume claims can be expanded"));
    }
    let class = snapshot.objects.get(&*CLASSES).and_then(|all| all.get(new.text_at("/spec/storageClassName")));
    let can_grow = class.is_some_and(|class| class.object().get("allowVolumeExpansion") == Some(&Value::Bool(true)));
    if can_grow { Ok(()) } else { Err(attributes.forbidden(Some(new), CANNOT_GROW)) }
}

const CANNOT_GROW: &str =
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
