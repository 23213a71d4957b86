//! PersistentVolumes: each is one thing, and that in full; what it is stays, how it is used may change.

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::{Object, put_if_absent};
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::response::status::{Answer, FieldError};
use crate::response::table::cells::{items, joined, said};
use crate::response::table::columns::Column;

/// The strategy of PersistentVolumes.
#[derive(Debug)]
pub(super) struct PersistentVolumes;

impl Strategy for PersistentVolumes {
    fn prepare_for_create(&self, snapshot: &ClusterSnapshot, _: &ResolvedTarget, volume: &mut Object) -> Answer<()> {
        let now = snapshot.clock.timestamp();
        volume.change_field("status", |status| put_if_absent(status, "lastPhaseTransitionTime", now.into()));
        Ok(())
    }

    fn validate(&self, _: &Kind, volume: &Object) -> Vec<FieldError> {
        errors(volume)
    }

    fn validate_update(&self, kind: &Kind, before: &Object, volume: &Object) -> Vec<FieldError> {
        let mut errors = self.validate(kind, volume);
        errors.extend(source_change(before, volume));
        errors
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::text("Capacity", ".spec.capacity.storage", ""),
            Column::computed("Access Modes", |volume| access_modes(volume, "/spec/accessModes")),
            Column::text("Reclaim Policy", ".spec.persistentVolumeReclaimPolicy", ""),
            Column::computed("Status", phase),
            Column::computed("Claim", claim),
            Column::text("StorageClass", ".spec.storageClassName", ""),
            Column::text("VolumeAttributesClass", ".spec.volumeAttributesClassName", "<unset>"),
            Column::text("Reason", ".status.reason", ""),
            Column::age(),
            Column::text("VolumeMode", ".spec.volumeMode", "<unset>").wide(),
        ]
    }
}

/// What is wrong with a PersistentVolume.
fn errors(object: &Object) -> Vec<FieldError> {
    let spec = Field::of(object, "spec");
    let (modes, capacity) = (spec.field("accessModes"), spec.field("capacity"));
    let mut errors: Vec<FieldError> = modes.required().into_iter().collect();
    errors.extend(modes.items().filter_map(|mode| Field { path: modes.path.clone(), ..mode }.one_of(ACCESS_MODES)));
    errors.extend(capacity.required());
    let has_storage = capacity.value.get("storage").is_some();
    if !has_storage || (capacity.value.as_object().is_some_and(|all| all.len() > 1)) {
        errors.push(FieldError::none_of(&capacity.path, &capacity.value.to_string(), &["storage"]));
    }
    let size = capacity.field("storage");
    if size.value.is_string() && (size.text() == "0" || size.text().starts_with('-')) {
        let at = format!("{}[storage]", capacity.path);
        errors.push(FieldError::invalid(&at, &size.value.to_string(), "must be greater than zero"));
    }
    let policy = spec.field("persistentVolumeReclaimPolicy");
    errors.extend(policy.one_of(&["Delete", "Recycle", "Retain"]));
    errors.extend(sources(&spec));
    let path = spec.field("hostPath").field("path");
    if path.text() == "/" && policy.text() == "Recycle" {
        errors.push(policy.forbidden("may not be 'recycle' for a hostPath mount of '/'"));
    }
    errors.extend(spec.field("storageClassName").subdomain());
    errors.extend(spec.field("volumeMode").one_of(&["Block", "Filesystem"]));
    errors
}

/// A volume is one thing, and that in full.
fn sources(spec: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut found = 0;
    for name in SOURCES {
        let source = spec.field(name);
        if source.value.is_null() {
            continue;
        }
        found += 1;
        if found > 1 {
            errors.push(source.forbidden("may not specify more than 1 volume type"));
            continue;
        }
        let (path, server) = (source.field("path"), source.field("server"));
        match *name {
            "hostPath" | "local" => {
                errors.extend(path.required());
                if path.text().split('/').any(|step| step == "..") {
                    errors.push(path.wrong_text("must not contain '..'"));
                }
            }
            "nfs" => {
                errors.extend(server.required());
                errors.extend(path.required());
                if !path.is_empty() && !path.text().starts_with('/') {
                    errors.push(path.wrong_text("must be an absolute path"));
                }
            }
            "csi" => {
                errors.extend(["driver", "volumeHandle"].iter().filter_map(|field| source.field(field).required()));
            }
            _ => {}
        }
    }
    if found == 0 {
        errors.push(FieldError::required(&spec.path, "must specify a volume type"));
    }
    errors
}

/// What a volume is stays.
fn source_change(before: &Object, object: &Object) -> Option<FieldError> {
    let source = |volume: &Object| {
        let mut spec = volume.get("spec").cloned().unwrap_or_default();
        if let Some(fields) = spec.as_object_mut() {
            fields.retain(|name, _| SOURCES.contains(&name.as_str()));
        }
        spec
    };
    let path = "spec.persistentvolumesource";
    let why = format!("{path} is immutable after creation");
    (source(before) != source(object)).then(|| FieldError::forbidden(path, &why))
}

/// The phase of a volume or claim, as a cell.
pub(super) fn phase(object: &Value) -> Value {
    let phase = said(object, "/status/phase");
    if object["metadata"].get("deletionTimestamp").is_some() { "Terminating".into() } else { phase.into() }
}

fn claim(volume: &Value) -> Value {
    match volume.pointer("/spec/claimRef") {
        Some(claim) => format!("{}/{}", said(claim, "/namespace"), said(claim, "/name")).into(),
        None => "".into(),
    }
}

/// How a volume or claim can be used, as a cell.
pub(super) fn access_modes(object: &Value, pointer: &str) -> Value {
    let short = |mode: &Value| match mode.as_str().unwrap_or_default() {
        "ReadWriteOnce" => "RWO".to_owned(),
        "ReadOnlyMany" => "ROX".to_owned(),
        "ReadWriteMany" => "RWX".to_owned(),
        "ReadWriteOncePod" => "RWOP".to_owned(),
        other => other.to_owned(),
    };
    joined(items(object, pointer).map(short))
}

/// How a volume can be used, and by how many.
pub(super) const ACCESS_MODES: &[&str] = &["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/// What a volume can be, in the order in which kube-apiserver looks.
const SOURCES: &[&str] = &[
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];
