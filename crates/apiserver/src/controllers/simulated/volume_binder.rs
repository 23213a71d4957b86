//! The binder of volumes: claims get volumes that fit, or new ones where their class has a provisioner.
//!
//! In: claims, volumes and classes. Out: bindings, new volumes, and the end of volumes whose claims are gone. Every
//! provisioner is simulated, but `kubernetes.io/no-provisioner`, which provisions nothing anywhere.

use serde_json::{Value, json};

use super::plan::{Built, Identity, Plan};
use super::scheduler::SELECTED_NODE;
use super::view::{View, annotation};
use crate::codec::object::Object;
use crate::registry::delete::Propagation;
use crate::registry::subresources::selector;
use crate::storage::store::StorageKey;

pub(super) fn reconcile_claim(view: &View<'_>, _: &StorageKey, claim: &Object) -> Plan {
    let mut plan = Plan::new(CONTROLLER);
    if claim.is_deleting() || claim.text_at("/status/phase") == "Lost" {
        return plan;
    }
    let named = claim.text_at("/spec/volumeName");
    if !named.is_empty() {
        match view.get(VOLUMES, None, named) {
            Some(volume) if is_of(&volume, claim) || volume.at("/spec/claimRef").is_none() => {
                bind(claim, &volume, &mut plan);
            }
            Some(_) => pending(claim, &mut plan),
            None if claim.text_at("/status/phase") == "Bound" => {
                plan.status(CLAIMS, claim, with_phase(claim, "Lost"));
                plan.warning(
                    claim,
                    "ClaimLost",
                    "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
                );
            }
            None => pending(claim, &mut plan),
        }
        return plan;
    }
    match fitting(view, claim) {
        Some(volume) => bind(claim, &volume, &mut plan),
        None => provision(view, claim, &mut plan),
    }
    plan
}

pub(super) fn reconcile_volume(view: &View<'_>, _: &StorageKey, volume: &Object) -> Plan {
    let mut plan = Plan::new(CONTROLLER);
    if volume.is_deleting() {
        return plan;
    }
    let Some(reference) =
        volume.at("/spec/claimRef").filter(|it| it["uid"].as_str().is_some_and(|uid| !uid.is_empty()))
    else {
        plan.status(VOLUMES, volume, json!({"phase": "Available"}));
        return plan;
    };
    let (namespace, name) = (reference["namespace"].as_str(), reference["name"].as_str().unwrap_or_default());
    let claim = view.get(CLAIMS, namespace, name).filter(|claim| reference["uid"] == claim.meta("uid"));
    if claim.is_some() {
        return plan;
    }
    let is_ours = !annotation(volume, PROVISIONED_BY).is_empty();
    let is_deleted = volume.text_at("/spec/persistentVolumeReclaimPolicy") == "Delete" && is_ours;
    if volume.text_at("/status/phase") != "Released" {
        plan.status(VOLUMES, volume, json!({"phase": "Released"}));
    } else if is_deleted {
        plan.delete(VOLUMES, volume, Propagation::Background, None);
    }
    plan
}

/// Whether a volume is bound to, or kept for, a claim.
fn is_of(volume: &Object, claim: &Object) -> bool {
    let Some(reference) = volume.at("/spec/claimRef") else { return false };
    let uid = reference["uid"].as_str().unwrap_or_default();
    reference["name"] == claim.name()
        && reference["namespace"] == claim.meta("namespace")
        && (uid.is_empty() || uid == claim.meta("uid"))
}

/// Binds both to each other: the volume first, so that no other claim takes it.
fn bind(claim: &Object, volume: &Object, plan: &mut Plan) {
    let mut bound = volume.clone();
    let reference = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": claim.meta("namespace"), "name": claim.name(),
        "uid": claim.meta("uid"),
    });
    let mut kept = volume.at("/spec/claimRef").cloned().unwrap_or_else(|| json!({}));
    if kept["uid"] != reference["uid"] {
        kept = reference;
        kept["resourceVersion"] = claim.meta("resourceVersion").into();
    }
    bound.change_field("spec", |spec| drop(spec.insert("claimRef".to_owned(), kept)));
    // One that was kept for its claim was bound by whoever kept it.
    if !is_of(volume, claim) {
        bound.change(|volume| volume["metadata"]["annotations"][BOUND_BY_CONTROLLER] = "yes".into());
    }
    if bound != *volume {
        return plan.update(VOLUMES, volume, bound);
    }
    if volume.text_at("/status/phase") != "Bound" {
        return plan.status(VOLUMES, volume, json!({"phase": "Bound"}));
    }
    let mut named = claim.clone();
    named.change_field("spec", |spec| drop(spec.insert("volumeName".to_owned(), volume.name().into())));
    named.change(|claim| claim["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"] = "yes".into());
    if claim.text_at("/spec/volumeName").is_empty() {
        named.change(|claim| claim["metadata"]["annotations"][BOUND_BY_CONTROLLER] = "yes".into());
    }
    if named != *claim {
        return plan.update(CLAIMS, claim, named);
    }
    let mut status = with_phase(claim, "Bound");
    status["accessModes"] = volume.at("/spec/accessModes").cloned().unwrap_or_default();
    status["capacity"] = volume.at("/spec/capacity").cloned().unwrap_or_default();
    plan.status(CLAIMS, claim, status);
}

fn pending(claim: &Object, plan: &mut Plan) {
    plan.status(CLAIMS, claim, with_phase(claim, "Pending"));
}

fn with_phase(claim: &Object, phase: &str) -> Value {
    let mut status = claim.get("status").filter(|it| it.is_object()).cloned().unwrap_or_else(|| json!({}));
    status["phase"] = phase.into();
    status
}

/// The smallest volume that a claim can have.
fn fitting(view: &View<'_>, claim: &Object) -> Option<Object> {
    let asked = bytes(claim.text_at("/spec/resources/requests/storage"));
    let volumes = view.all(VOLUMES, None);
    if let Some(kept) = volumes.iter().find(|volume| is_of(volume, claim)) {
        return Some(kept.clone());
    }
    let selects = claim.at("/spec/selector");
    let is_fitting = |volume: &&Object| {
        let has_mode = |mode: &Value| volume.items_at("/spec/accessModes").any(|known| known == mode);
        volume.at("/spec/claimRef").is_none()
            && !volume.is_deleting()
            && volume.text_at("/spec/storageClassName") == claim.text_at("/spec/storageClassName")
            && mode(volume) == mode(claim)
            && bytes(volume.text_at("/spec/capacity/storage")) >= asked
            && claim.items_at("/spec/accessModes").all(has_mode)
            && selects.is_none_or(|selects| selector::matches(selects, volume.metadata().get("labels")))
    };
    let size = |volume: &&Object| bytes(volume.text_at("/spec/capacity/storage"));
    volumes.iter().filter(is_fitting).min_by_key(size).cloned()
}

fn mode(object: &Object) -> &str {
    match object.text_at("/spec/volumeMode") {
        "" => "Filesystem",
        mode => mode,
    }
}

fn bytes(quantity: &str) -> u128 {
    let digits = quantity.find(|character: char| !character.is_ascii_digit()).unwrap_or(quantity.len());
    let number: u128 = quantity[..digits].parse().unwrap_or_default();
    let unit = UNITS.iter().find(|(name, _)| *name == &quantity[digits..]).map_or(1, |(_, unit)| *unit);
    number.saturating_mul(unit)
}

/// Makes a volume for a claim whose class has a provisioner.
fn provision(view: &View<'_>, claim: &Object, plan: &mut Plan) {
    let class = class_of(view, claim);
    let provisioner = class.as_ref().map(|class| class.text("provisioner").to_owned());
    let waits = waits_for_consumer(view, claim) && annotation(claim, SELECTED_NODE).is_empty();
    let (Some(class), Some(provisioner)) = (class, provisioner.filter(|it| it != NO_PROVISIONER && !waits)) else {
        pending(claim, plan);
        if !plan.changes_nothing() && waits {
            plan.normal(claim, "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
        }
        return;
    };
    let name = format!("pvc-{}", claim.meta("uid"));
    let policy = match class.text("reclaimPolicy") {
        "" => "Delete",
        policy => policy,
    };
    let body = json!({
        "metadata": {"name": name, "annotations": {PROVISIONED_BY: provisioner}},
        "spec": {
            "capacity": {"storage": claim.at("/spec/resources/requests/storage").cloned().unwrap_or_else(|| json!("1Gi"))},
            "accessModes": claim.at("/spec/accessModes").cloned().unwrap_or_else(|| json!(["ReadWriteOnce"])),
            "volumeMode": mode(claim),
            "persistentVolumeReclaimPolicy": policy,
            "storageClassName": class.name(),
            "hostPath": {"path": format!("/var/lib/pintle/{name}"), "type": "DirectoryOrCreate"},
            "claimRef": {
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": claim.meta("namespace"),
                "name": claim.name(), "uid": claim.meta("uid"), "resourceVersion": claim.meta("resourceVersion"),
            },
        },
    });
    plan.create(VOLUMES, None, body);
    plan.normal(claim, "ProvisioningSucceeded", format!("Successfully provisioned volume {name} using {provisioner}"));
}

/// Whether a claim is bound only when a pod that uses it has a node.
pub(super) fn waits_for_consumer(view: &View<'_>, claim: &Object) -> bool {
    let class = class_of(view, claim);
    class.is_some_and(|class| class.text("volumeBindingMode") == "WaitForFirstConsumer")
}

fn class_of(view: &View<'_>, claim: &Object) -> Option<Object> {
    let name = claim.text_at("/spec/storageClassName");
    (!name.is_empty()).then(|| view.get(CLASSES, None, name)).flatten()
}

/// The class that claims get which name none.
pub(super) fn standard_class() -> Value {
    json!({
        "metadata": {"name": "standard", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        "provisioner": "pintle.dev/simulated",
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "WaitForFirstConsumer",
    })
}

pub(super) const CLAIMS: Built = Built::new("", "v1", "persistentvolumeclaims");
pub(super) const VOLUMES: Built = Built::new("", "v1", "persistentvolumes");
pub(super) const CLASSES: Built = Built::new("storage.k8s.io", "v1", "storageclasses");

const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

const CONTROLLER: Identity = Identity::controller("persistent-volume-binder", "persistentvolume-controller");

/// The units of quantities that sizes of volumes have.
const UNITS: &[(&str, u128)] = &[
    ("k", 1000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
    ("T", 1_000_000_000_000),
    ("P", 1_000_000_000_000_000),
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
    ("Ti", 1 << 40),
    ("Pi", 1 << 50),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_compared_as_bytes() {
        assert!(bytes("1Gi") > bytes("1G") && bytes("1G") == bytes("1000M") && bytes("2048Mi") == bytes("2Gi"));
    }
}
