//! Volumes: each of one kind, complete as that kind has to be.

use serde_json::Value;

use super::environment::{pod_field, resource_field};
use super::mounts::Volumes;
use super::projections;
use crate::codec::typed::quantity::Quantity;
use crate::registry::core::persistent_volume_claims;
use crate::registry::validation::field::Field;
use crate::registry::validation::metadata;
use crate::registry::validation::rules::{self, Rule, Rules};
use crate::response::status::FieldError;

/// What is wrong with volumes, and those that a container can mount: the ones that nothing is wrong with.
pub(super) fn errors<'a>(list: &Field<'a>) -> (Vec<FieldError>, Volumes<'a>) {
    let (mut errors, mut known) = (Vec::new(), Volumes::new());
    for volume in list.items() {
        let name = volume.field("name");
        let (mut wrong, kind) = source(&volume);
        if name.is_empty() {
            wrong.extend(name.required());
        } else {
            wrong.extend(name.label());
        }
        if wrong.is_empty() && known.contains_key(name.text()) {
            wrong.push(FieldError::duplicate(&name.path, &name.value.to_string()));
        }
        if wrong.is_empty() {
            known.insert(name.text(), kind);
        }
        errors.extend(wrong);
    }
    (errors, known)
}

/// What is wrong with what a volume is, and which kind that is.
fn source<'a>(volume: &Field<'a>) -> (Vec<FieldError>, &'a str) {
    let said = |kind: &&Kind| !volume.field(kind.0).value.is_null();
    let mut kinds = KINDS.iter().filter(said);
    let Some((kind, shown, rules, check)) = kinds.next() else { return (Vec::new(), "emptyDir") };
    let of_kind = Field { path: format!("{}.{shown}", volume.path).into(), ..volume.field(kind) };
    let mut errors = rules::errors(&of_kind, rules);
    errors.extend(check(&of_kind));
    let more = kinds.map(|(more, ..)| volume.field(more).forbidden("may not specify more than 1 volume type"));
    errors.extend(more);
    (errors, kind)
}

/// A kind of volume, how its path calls it, and what it has to be.
type Kind = (&'static str, &'static str, Rules, fn(&Field<'_>) -> Vec<FieldError>);

/// In the order in which they are looked for.
const KINDS: &[Kind] = &[
    ("emptyDir", "emptyDir", &[], empty_folder),
    ("hostPath", "hostPath", HOST_PATH, nothing_more),
    ("gitRepo", "gitRepo", &[("repository", Rule::Required), ("directory", Rule::RelativePath)], nothing_more),
    // It is called otherwise in refusals.
    ("gcePersistentDisk", "persistentDisk", &[("pdName", Rule::Required)], nothing_more),
    ("awsElasticBlockStore", "awsElasticBlockStore", &[("volumeID", Rule::Required)], nothing_more),
    ("secret", "secret", &[("secretName", Rule::Required), ("defaultMode", Rule::FileMode)], files),
    ("nfs", "nfs", NFS, nothing_more),
    ("iscsi", "iscsi", &[("targetPortal", Rule::Required), ("iqn", Rule::Required)], nothing_more),
    ("glusterfs", "glusterfs", &[("endpoints", Rule::Required), ("path", Rule::Required)], nothing_more),
    ("flocker", "flocker", &[], nothing_more),
    ("rbd", "rbd", &[("monitors", Rule::Required), ("image", Rule::Required)], nothing_more),
    ("cinder", "cinder", &[("volumeID", Rule::Required)], nothing_more),
    ("cephfs", "cephfs", &[("monitors", Rule::Required)], nothing_more),
    ("quobyte", "quobyte", &[], nothing_more),
    ("downwardAPI", "downwardAPI", &[("defaultMode", Rule::FileMode)], pod_fields),
    ("fc", "fc", &[], fibre_channel),
    ("persistentVolumeClaim", "persistentVolumeClaim", &[("claimName", Rule::Required)], nothing_more),
    ("configMap", "configMap", &[("name", Rule::Required), ("defaultMode", Rule::FileMode)], files),
    ("azureFile", "azureFile", &[("secretName", Rule::Required), ("shareName", Rule::Required)], nothing_more),
    ("flexVolume", "flexVolume", &[("driver", Rule::Required)], nothing_more),
    ("vsphereVolume", "vsphereVolume", &[("volumePath", Rule::Required)], nothing_more),
    ("photonPersistentDisk", "photonPersistentDisk", &[], nothing_more),
    ("portworxVolume", "portworxVolume", &[("volumeID", Rule::Required)], nothing_more),
    ("azureDisk", "azureDisk", &[("diskName", Rule::Required), ("diskURI", Rule::Required)], nothing_more),
    ("storageos", "storageos", &[], nothing_more),
    ("projected", "projected", &[("defaultMode", Rule::FileMode)], projections::errors),
    ("scaleIO", "scaleIO", &[], nothing_more),
    ("csi", "csi", &[("driver", Rule::Required), ("driver", Rule::Subdomain)], nothing_more),
    ("ephemeral", "ephemeral", &[("volumeClaimTemplate", Rule::Required)], claim_template),
    ("image", "image", IMAGE, nothing_more),
];

const HOST_PATH: Rules = &[
    ("path", Rule::Required),
    ("path", Rule::NoBacksteps),
    (
        "type",
        Rule::OneOf(&[
            "",
            "BlockDevice",
            "CharDevice",
            "Directory",
            "DirectoryOrCreate",
            "File",
            "FileOrCreate",
            "Socket",
        ]),
    ),
];

const NFS: Rules = &[("server", Rule::Required), ("path", Rule::Required), ("path", Rule::AbsolutePath)];

const IMAGE: Rules =
    &[("reference", Rule::Required), ("pullPolicy", Rule::OneOf(&["Always", "IfNotPresent", "Never"]))];

fn nothing_more(_: &Field<'_>) -> Vec<FieldError> {
    Vec::new()
}

fn empty_folder(folder: &Field<'_>) -> Vec<FieldError> {
    let size = folder.field("sizeLimit");
    let is_negative = Quantity::parse(size.text()).is_some_and(Quantity::is_negative);
    let error = || size.forbidden("SizeLimit field must be a valid resource quantity");
    is_negative.then(error).into_iter().collect()
}

/// Which keys become which files.
pub(super) fn files(source: &Field<'_>) -> Vec<FieldError> {
    const FILE: Rules =
        &[("key", Rule::Required), ("path", Rule::Required), ("path", Rule::FilePath), ("mode", Rule::FileMode)];
    source.field("items").items().flat_map(|item| rules::errors(&item, FILE)).collect()
}

/// Fields of the pod as files. Paths leave out which of them it is.
pub(super) fn pod_fields(volume: &Field<'_>) -> Vec<FieldError> {
    volume
        .field("items")
        .items()
        .flat_map(|item| pod_field_file(&Field { path: volume.path.clone(), ..item }))
        .collect()
}

fn pod_field_file(item: &Field<'_>) -> Vec<FieldError> {
    let mut errors = rules::errors(item, &[("path", Rule::Required), ("path", Rule::FilePath)]);
    let (field, resource) = (item.field("fieldRef"), item.field("resourceFieldRef"));
    match (field.value, resource.value) {
        (Value::Null, Value::Null) => {
            errors.push(FieldError::required(&item.path, "one of fieldRef and resourceFieldRef is required"));
        }
        (Value::Null, _) => errors.extend(resource_field(&resource, true)),
        (_, Value::Null) => errors.extend(pod_field(&field, FILE_FIELDS)),
        _ => {
            errors.extend(pod_field(&field, FILE_FIELDS));
            let why = "fieldRef and resourceFieldRef can not be specified simultaneously";
            errors.push(FieldError::invalid_text(&item.path, "resource", why));
        }
    }
    errors.extend(rules::errors(item, &[("mode", Rule::FileMode)]));
    errors
}

fn fibre_channel(volume: &Field<'_>) -> Vec<FieldError> {
    let names = volume.field("targetWWNs");
    let count = [&names, &volume.field("wwids")].iter().filter(|list| !list.is_empty()).count();
    let why = "must specify either targetWWNs or wwids, but not both";
    (count == 0).then(|| FieldError::required(&names.path, why)).into_iter().collect()
}

/// A claim that lives as long as its pod.
fn claim_template(volume: &Field<'_>) -> Vec<FieldError> {
    let template = volume.field("volumeClaimTemplate");
    if template.value.is_null() {
        return Vec::new();
    }
    let claim_metadata = template.field("metadata");
    let labels = claim_metadata.field("labels");
    let mut errors = metadata::labels(&labels.path, Some(labels.value));
    let fixed = ["name", "generateName", "namespace"].map(|name| claim_metadata.field(name));
    errors.extend(fixed.iter().filter(|field| !field.is_empty()).map(|field| field.forbidden("cannot be set")));
    errors.extend(persistent_volume_claims::spec_errors(&template.field("spec")));
    errors
}

/// What a file can show.
const FILE_FIELDS: &[&str] =
    &["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
