//! DefaultStorageClass: a claim that names no class gets the default one.
//!
//! In: new claims. Out: the same with `storageClassName`, where a class is marked as the default; an empty name is a name.

use std::sync::LazyLock;

use serde_json::Value;

use crate::admission::Attributes;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::Answer;
use crate::storage::store::Resource;

/// Gives a new claim the default class.
pub(super) fn mutate(snapshot: &ClusterSnapshot, attributes: &Attributes<'_>, object: &mut Object) -> Answer<()> {
    if !attributes.creates("", "persistentvolumeclaims") {
        return Ok(());
    }
    let is_annotated = object.metadata().get("annotations").is_some_and(|all| all.get(OLD_NAME).is_some());
    let is_silent = object.at("/spec/storageClassName").is_none_or(Value::is_null) && !is_annotated;
    let class = is_silent.then(|| snapshot.default_class_of(&CLASSES, &DEFAULT)).flatten();
    if let Some(class) = class {
        object.change_field("spec", |spec| drop(spec.insert("storageClassName".to_owned(), class.into())));
    }
    Ok(())
}

pub(super) static CLASSES: LazyLock<Resource> = LazyLock::new(|| Resource::new("storage.k8s.io", "storageclasses"));

/// What marks a class as the default one, now and in former times.
const DEFAULT: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/// Where a claim named its class in former times.
const OLD_NAME: &str = "volume.beta.kubernetes.io/storage-class";
