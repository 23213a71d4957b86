//! DefaultIngressClass: an Ingress that names no class gets the default one.
//!
//! In: new Ingresses. Out: the same with `ingressClassName`, where a class is marked as the default.

use std::sync::LazyLock;

use serde_json::Value;

use crate::admission::Attributes;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::Answer;
use crate::storage::store::Resource;

/// Gives a new Ingress the default class.
pub(super) fn mutate(snapshot: &ClusterSnapshot, attributes: &Attributes<'_>, object: &mut Object) -> Answer<()> {
    if !attributes.creates("networking.k8s.io", "ingresses") {
        return Ok(());
    }
    let is_annotated = object.metadata().get("annotations").is_some_and(|all| all.get(OLD_NAME).is_some());
    let is_silent = object.at("/spec/ingressClassName").is_none_or(Value::is_null) && !is_annotated;
    let class = is_silent.then(|| snapshot.default_class_of(&CLASSES, &[DEFAULT])).flatten();
    if let Some(class) = class {
        object.change_field("spec", |spec| drop(spec.insert("ingressClassName".to_owned(), class.into())));
    }
    Ok(())
}

static CLASSES: LazyLock<Resource> = LazyLock::new(|| Resource::new("networking.k8s.io", "ingressclasses"));

const DEFAULT: &str = "ingressclass.kubernetes.io/is-default-class";

/// Where an Ingress named its class in former times.
const OLD_NAME: &str = "kubernetes.io/ingress.class";
